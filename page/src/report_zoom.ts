// A closer look at a chart: buttons, Ctrl with the wheel, or the keys +, - and 0; a mouse drags what is enlarged.
import { say } from "./answer/words";
import { html, type Place, type Shell } from "./report_charts";
import { abs, max, min } from "./maths";
import { boxOf, on } from "./report_elements";

const MOST = 256;

/** `again` draws anew; `middle` is the place that buttons and keys enlarge, or null; the buttons stand in the chart or above it. */
type Ends = [Place, Place]; // of both axes
function attach(shell: Shell, again: () => void, middle: () => Place | null, isAbove = false): { domain(whole: Ends): Ends } {
  let factor = 1, from: Place = [0, 0], full: Ends | null = null, held: Place | null = null; // `from`: the lower ends, as parts of the whole
  const clamp = (value: number) => min(1 - 1 / factor, max(0, value));
  const part = (value: number, [low, high]: Place) => (value - low) / (high - low);

  function zoom(by: number, place: number[]) {
    const next = min(MOST, max(1, factor * by)), ratio = factor / next;
    const fixed = place.map((value, k) => min(1, max(0, part(value, full![k]!))));
    factor = next;
    from = from.map((low, k) => clamp(fixed[k]! - (fixed[k]! - low) * ratio)) as Place;
    buttons[1]!.disabled = buttons[2]!.disabled = factor === 1;
    again();
  }
  /** The ends of the axes, of those of the whole. */
  function domain(whole: Ends): Ends {
    full = whole;
    if (!isAbove) box.style.top = `${shell.y.range()[0]! - 30}px`; // above the axis, at the right
    return factor === 1 ? whole : whole.map(([low, high], k) => [low + from[k]! * (high - low), low + (from[k]! + 1 / factor) * (high - low)]) as Ends;
  }
  const center = () => middle() || full!.map((ends, k) => ends[0] + (from[k]! + 0.5 / factor) * (ends[1] - ends[0]));
  const button = (text: string, label: string, by: number) => {
    return on(html("button", { "aria-label": label, title: label }, text), "click", () => zoom(by, center()));
  };
  const buttons = [button("+", say("expert.zoom.enlarge the chart"), 2), button("−", say("expert.zoom.make the chart smaller"), 0.5), button("↺", say("expert.zoom.show the whole chart"), 0)];
  buttons[1]!.disabled = buttons[2]!.disabled = true;
  const box = html("div", { class: "rc-zoom", role: "group", "aria-label": say("expert.zoom.size of the chart") }, ...buttons);
  shell.root.append(box);

  const { plot } = shell, scale = () => shell.width / boxOf(shell.drawing).width;
  on(plot, "wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return; // the page scrolls
    event.preventDefault();
    const { left, top } = boxOf(shell.drawing);
    const x = (event.clientX - left) * scale(), y = (event.clientY - top) * scale();
    zoom(event.deltaY < 0 ? 1.25 : 0.8, [shell.x.invert(x), shell.y.invert(y)]);
  }, { passive: false });
  on(plot, "keydown", (event) => {
    const by = { "+": 2, "=": 2, "-": 0.5, 0: 0 }[event.key];
    if (by === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    zoom(by, center());
  });
  on(plot, "pointerdown", (event) => {
    held = factor > 1 && event.pointerType === "mouse" ? [event.clientX, event.clientY] : null;
  });
  on(plot, "pointermove", (event) => {
    if (!held || !event.buttons || !shell.dragged) return;
    const by = [event.clientX - held[0], held[1] - event.clientY].map((value) => value * scale());
    held = [event.clientX, event.clientY];
    [shell.x, shell.y].forEach((axis, k) => { from[k] = clamp(from[k]! - by[k]! / abs(axis.range()[1]! - axis.range()[0]!) / factor); });
    again();
  });
  return { domain };
}

export { attach };
