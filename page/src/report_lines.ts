// A chart of lines over one axis, which follow the state: what views beside the ROC plane share.
// A view is {label, xTitle, yTitle, xTicks, yTicks, left, lines(now), domain(lines, now), told(line, k)}, and perhaps
// place(point, now), where a rule is in the plane, or null; star(now), where the best one is, if otherwise; uprights(now); bars(now),
// intervals {x, low, high, size}; controls(base, again), what stands above it: {element, show(now)}. `now` is {base, state, result}. A line is {name, x, y, i} of a classifier, or {name, x, y, look}.
import { say } from "./answer/words";
import type { Point, State } from "./answer/numbers";
import { html, svg, share, flat, path, at, shown, sample, frame, ticks, living, STAR, type Place, type Shell, type Tick } from "./report_charts";
import * as rochullFormat from "./report_format";
import * as rochullHover from "./report_hover";
import type { Row } from "./report_hover";
import * as rochullMarks from "./report_marks";
import type { Base } from "./report_marks";
import type { Answer } from "./report_found";
import * as rochullSmallCharts from "./report_small";
import type { View } from "./report_views";
import * as rochullZoom from "./report_zoom";
import { listOf, min, rounded, sqrt } from "./maths";
import { attr } from "./report_elements";

export interface Now {
  base: Base;
  state: State;
  result: Answer;
}
type Values = number[] | Float64Array;
export interface Line {
  name: string;
  x: Values;
  y: Values;
  i?: number;
  look?: string;
}
interface Bar {
  x: number;
  y: number;
  low: number;
  high: number;
  size: number;
}
export type Axis = (scale: Shell["x"], most: number) => Tick[];
export interface Spec<Drawn extends Line> {
  id: string;
  title: string;
  about: string;
  label: string;
  xTitle: string;
  yTitle: string;
  xTicks?: Axis;
  yTicks?: Axis;
  left?: number;
  lines(now: Now): Drawn[];
  domain(lines: Drawn[], now: Now): [Place, Place];
  told(line: Drawn, k: number, now: Now): Row[];
  place?(point: Point, now: Now): Place | null;
  star?(now: Now): Place | null;
  uprights?(now: Now): number[];
  bars?(now: Now): Bar[];
  controls?(base: Base, again: () => void): { element: HTMLElement; show(now: Now): void };
  isPossible?(base: Base): boolean;
}
const percents: Axis = (scale, most) => ticks(scale, (value) => share(rounded(value, 6)), most);
const numbers: Axis = (scale, most) => ticks(scale, rochullFormat.number, most);

function chart<Drawn extends Line>(base: Base, element: HTMLElement, given: Spec<Drawn>) {
  const spec: Required<Omit<Spec<Drawn>, "controls" | "isPossible">> & Spec<Drawn> = { xTicks: percents, yTicks: numbers, left: 52, place: () => null, star: ({ result }) => placeOf(result.chosen), uprights: () => [], bars: () => [], ...given };
  const controls = spec.controls ? spec.controls(base, () => draw()) : null;
  if (controls) element.append(controls.element);
  const shell = frame(element, { label: say("expert.lines.arrow keys step along", { label: spec.label }) });
  const add = (layer: keyof Shell["layers"], name: string) => {
    const node = svg("path", { class: name });
    shell.layers[layer].append(node);
    return node;
  };
  const own = base.model.names.map((_, i) => add("curves", `rc-curve ${base.look(i)}`)), others = new Map<string, SVGElement>();
  const upright = add("condition", "rc-line"), bars = add("top", "rc-cross"), dots = add("top", "rc-bins");
  const current = rochullMarks.current(shell), star = add("top", "rc-star");
  attr(star, "d", STAR);
  const best = html("span", { class: "rc-key rc-off" }, sample("rc-star"), say("expert.lines.best rule")), keys = html("div", { class: "rc-keys" }, best);
  const isSeen = ({ x, y }: { x: number; y: number }) => ([[shell.x, x], [shell.y, y]] as const).every(([axis, value]) => axis.domain()[0]! <= value && value <= axis.domain()[1]!);
  const placeOf = (point: Point | null) => point && spec.place(point, now);
  const drawnAs = new Map<Element, string>(); // node -> its path: what did not change is not drawn anew
  let now: Now = null!, lines: Drawn[] = [], points: ({ line: Drawn; k: number; x: number; y: number; pixel: Place })[] | null = null, tops = ""; // nothing until there is a state
  function trace(node: Element, text: string) {
    if (drawnAs.get(node) === text) return;
    drawnAs.set(node, text);
    attr(node, "d", text);
  }

  function nodeOf({ i, name, look }: Drawn): SVGElement {
    if (i !== undefined) return own[i]!;
    if (!others.has(name)) {
      others.set(name, add("hull", look!));
      keys.append(html("span", { class: "rc-key" }, sample(look!), name));
    }
    return others.get(name)!;
  }
  function draw() {
    if (!now) return;
    lines = spec.lines(now).filter(({ i }) => i === undefined || !base.hidden.has(i));
    const [x, y] = zoom.domain(spec.domain(lines, now)), text = String([x, y, shell.width]);
    shell.x.domain(x);
    shell.y.domain(y);
    if (tops !== text) shell.axes(spec.xTicks(shell.x, shell.width < 480 ? 4 : 6), spec.yTicks(shell.y, 6));
    [tops, points] = [text, null];
    const drawn = new Set(lines.map(nodeOf));
    for (const node of [...own, ...others.values()]) if (!drawn.has(node)) trace(node, "");
    for (const line of lines) trace(nodeOf(line), path({ fpr: line.x, tpr: line.y }, flat, shell));
    const [bottom, top] = shell.y.range() as Place, place = spec.star(now), pinned = base.pinned();
    trace(upright, spec.uprights(now).map((value) => `M${shell.x(value).toFixed(1)},${bottom}V${top}`).join(""));
    const isMarked = place && isSeen({ x: place[0], y: place[1] });
    for (const node of [star, best]) shown(node, isMarked!);
    if (isMarked) at(star, ...shell.pixel(...place));
    current(pinned && !base.hidden.has(pinned.classifier) ? placeOf(base.current()) : null);
    const spots = spec.bars(now).filter(isSeen).map((bar) => ({ ...bar, low: shell.pixel(bar.x, bar.low), high: shell.pixel(bar.x, bar.high), at: shell.pixel(bar.x, bar.y) }));
    trace(bars, spots.map(({ low, high }) => `M${low}V${high[1]}M${low[0] - 4},${low[1]}h8M${high[0] - 4},${high[1]}h8`).join(""));
    trace(dots, spots.map(({ at: [u, v], size }) => {
      const r = 3 + 8 * sqrt(size);
      return `M${u - r},${v}a${r},${r} 0 1 0 ${2 * r},0a${r},${r} 0 1 0 ${-2 * r},0`;
    }).join(""));
    if (controls) controls.show(now);
  }
  const zoom = rochullZoom.attach(shell, () => {
    draw();
    hover.hide();
  }, () => spec.star(now), true);
  // All points that are drawn, for the mouse and the arrow keys.
  const found = () => (points = points || lines.flatMap((line) => listOf(line.x, (x, k) => ({ line, k, x, y: line.y[k]! })))
    .filter(isSeen).map((point) => ({ ...point, pixel: shell.pixel(point.x, point.y) })));
  const hover = rochullHover.attach(shell, rochullSmallCharts.points(() => found().map(({ pixel }) => pixel), (j) => {
    const { line, k } = found()[min(j, found().length - 1)]!;
    return { name: line.name, swatch: line.i === undefined ? "" : base.look(line.i), rules: [], rows: spec.told(line, k, now), counts: null, notes: [], data: { point: k } };
  }));
  const made = {
    id: given.id, scales: { x: shell.x, y: shell.y }, element: shell.root, get lines() { return lines; },
    update(state: State, result: Answer) {
      now = { base, state, result };
      draw();
      hover.refresh();
    },
    resize() {
      shell.layout({ left: spec.left, right: 20, top: 28, bottom: 44 });
      shell.titles.x.textContent = `${spec.xTitle} →`;
      shell.titles.y.textContent = `↑ ${spec.yTitle}`;
      draw();
      hover.hide();
    },
    show() {
      draw();
      hover.hide();
      buttons();
    },
  };
  shell.root.append(keys);
  const buttons = rochullMarks.buttons(base, shell, own);
  living(shell, hover, made, base.charts);
  buttons();
  return made as typeof made & { destroy(): void };
}
const view = <Drawn extends Line>(spec: Spec<Drawn>): View => ({ id: spec.id, title: spec.title, about: spec.about, isPossible: spec.isPossible, chart: (base, element) => chart(base, element, spec) });

export { view, percents, numbers };
