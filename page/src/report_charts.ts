// What all charts share: a frame with axes, paths from arrays, and small symbols.
// Names are data: they become text nodes, never markup.
import { linear, type Scale } from "./scale";
import { attr, fill, html, on, svg, type Attributes, type Child } from "./report_elements";
import { share } from "./report_format";
import type { Line } from "./report_optimum";
import { abs, assign, hypot, max, min, round, sqrt } from "./maths";

// --- texts ------------------------------------------------------------------------------------------

/** A share as an axis writes it: no more digits than it has. */

export type Numbers = ArrayLike<number>;
export type Place = [x: number, y: number];
/** Rates of thresholds, one after another. */
export interface Curve {
  fpr: Numbers;
  tpr: Numbers;
}
/** What turns rates into the plane of a view. */
export interface Mapped {
  straight: boolean;
  x(f: number, t: number): number;
  y(f: number, t: number): number;
  all(f: Numbers, t: Numbers): { x: Numbers; y: Numbers };
}
interface Margin {
  left: number;
  right: number;
  top: number;
  bottom: number;
}
export interface Tick {
  value: number;
  text: string;
}
type Layer = "below" | "curves" | "hull" | "dots" | "condition" | "top";
/** The frame of a chart, with its axes. */
export interface Shell {
  serial: number;
  root: HTMLDivElement;
  plot: HTMLDivElement;
  drawing: SVGSVGElement;
  layers: Record<Layer, SVGGElement>;
  titles: Record<"x" | "y" | "note", SVGTextElement>;
  width: number;
  height: number;
  dragged: boolean;
  x: Scale;
  y: Scale;
  cost?: boolean; // it is of the space of costs
  most?: number; // how many ticks fit
  tops?: string | null; // the ends of the axes, as they are drawn
  layout(margin: Margin): void;
  affine(): { kx: number; bx: number; ky: number; by: number } & Margin;
  pixel(u: number, v: number): Place;
  axes(xTicks: Tick[], yTicks: Tick[]): void;
}
/** A chart of a state, as whoever shows it knows it. */
export interface Chart<State, Result> {
  element: HTMLElement;
  update(state: State, result: Result): void;
  resize(): void;
  destroy(): void;
}

// --- curves -----------------------------------------------------------------------------------------

// The part of the line a tpr + b fpr = c in the unit square, as a curve; null if it is outside.
function clipped({ a, b, c }: Line): Curve | null {
  const ends: Place[] = [];
  if (a) ends.push([0, c / a], [1, (c - b) / a]);
  if (b) ends.push([c / b, 0], [(c - a) / b, 1]);
  const slack = 1e-9;
  const inside = ends.filter(([x, y]) => min(x, y) >= -slack && max(x, y) <= 1 + slack)
    .map(([x, y]): Place => [min(1, max(0, x)), min(1, max(0, y))])
    .sort((p, q) => p[0] - q[0] || p[1] - q[1]);
  if (inside.length < 2) return null;
  const [from, to] = [inside[0]!, inside[inside.length - 1]!];
  return from[0] === to[0] && from[1] === to[1] ? null : { fpr: [from[0], to[0]], tpr: [from[1], to[1]] };
}

// Writes path data. Points are left out as long as none is farther than NEAR from the line that replaces them:
// `high` and `low` bound the directions from the last point kept that pass so near to all since.
const NEAR = 0.25;
class Pen {
  declare text: string;
  declare x: number;
  declare y: number;
  declare keptX: number;
  declare keptY: number;
  declare far: number;
  declare highX: number;
  declare highY: number;
  declare lowX: number;
  declare lowY: number;

  constructor() {
    this.text = "";
    this.x = this.y = this.keptX = this.keptY = this.far = this.highX = this.highY = this.lowX = this.lowY = 0;
  }
  start(x: number, y: number): void {
    this.text = "M" + tenth(x) + "," + tenth(y);
    this.x = this.keptX = x;
    this.y = this.keptY = y;
  }
  to(x: number, y: number): void {
    let dx = x - this.keptX, dy = y - this.keptY, away = sqrt(dx * dx + dy * dy);
    if (this.far > 0 && (away < this.far - NEAR || this.highX * dy - this.highY * dx > 0 ||
        this.lowX * dy - this.lowY * dx < 0)) {
      this.text += "L" + tenth(this.x) + "," + tenth(this.y);
      this.keptX = this.x;
      this.keptY = this.y;
      this.far = 0;
      dx = x - this.keptX;
      dy = y - this.keptY;
      away = sqrt(dx * dx + dy * dy);
    }
    this.x = x;
    this.y = y;
    if (away <= NEAR) return;
    const aside = NEAR / away, upX = dx - dy * aside, upY = dy + dx * aside;
    const downX = dx + dy * aside, downY = dy - dx * aside;
    if (this.far === 0 || this.highX * upY - this.highY * upX < 0) {
      this.highX = upX;
      this.highY = upY;
    }
    if (this.far === 0 || this.lowX * downY - this.lowY * downX > 0) {
      this.lowX = downX;
      this.lowY = downY;
    }
    if (away > this.far) this.far = away;
  }
  end(): string {
    return this.text && this.text + "L" + tenth(this.x) + "," + tenth(this.y);
  }
}

/** The map of curves that are given as they are drawn: what is straight stays so. */
const flat: Mapped = { straight: true, x: (x) => x, y: (_, y) => y, all: (x, y) => ({ x, y }) };

// Path data of a mapped curve, which is straight in between in the ROC plane. `map` turns rates into the plane of
// the view (`x`, `y`; `all` does so with arrays); NaN is where it has no value (the precision of calling nobody), and there the curve begins level with
// its next point. Beyond the frame all is drawn just outside of it.
function path(curve: Curve, map: Mapped, frame: Pick<Shell, "affine">, backwards = false): string {
  const { fpr, tpr } = curve, n = fpr.length, pen = new Pen();
  const { kx, bx, ky, by, left, right, top, bottom } = frame.affine();
  const places = map.all(fpr, tpr); // all at once is much faster than one by one
  const inX = (u: number) => {
    const x = kx * u + bx;
    return x < left ? left : x > right ? right : x;
  };
  const inY = (v: number) => {
    const y = ky * v + by;
    return y < top ? top : y > bottom ? bottom : y;
  };
  // Halves a piece until its image is straight.
  function bend(f0: number, t0: number, x0: number, y0: number, f1: number, t1: number, x1: number, y1: number, depth: number): void {
    const dx = x1 - x0, dy = y1 - y0, length = abs(dx) + abs(dy);
    if (length < 3 || depth > 24) return;
    const f = (f0 + f1) / 2, t = (t0 + t1) / 2, x = inX(map.x(f, t)), y = inY(map.y(f, t));
    if (y !== y) return;
    if (length < 40 && abs((x - x0) * dy - (y - y0) * dx) < 0.15 * length) return;
    bend(f0, t0, x0, y0, f, t, x, y, depth + 1);
    pen.to(x, y);
    bend(f, t, x, y, f1, t1, x1, y1, depth + 1);
  }
  let f0 = 0, t0 = 0, x0 = NaN, y0 = NaN, waiting = NaN;
  for (let j = 0; j < n; j++) {
    const i = backwards ? n - 1 - j : j, f = fpr[i]!, t = tpr[i]!, x = inX(places.x[i]!), y = inY(places.y[i]!);
    if (y !== y) {
      waiting = x;
      continue;
    }
    if (x0 !== x0) pen.start(waiting === waiting ? waiting : x, y);
    else if (!map.straight) bend(f0, t0, x0, y0, f, t, x, y, 0);
    pen.to(x, y);
    f0 = f;
    t0 = t;
    x0 = x;
    y0 = y;
  }
  return pen.end();
}
const tenth = (value: number): number => round(10 * value) / 10;

// --- symbols ----------------------------------------------------------------------------------------

const STAR = "M0,-13.01L2.921,-4.02L12.373,-4.02L4.726,1.536L7.647,10.525L0,4.969L-7.647,10.525L-4.726,1.536L-12.373,-4.02L-2.921,-4.02Z";
const DIAMOND = "M0,-7.786L4.495,0L0,7.786L-4.495,0Z";
const PLUS = "M-6,0h12M0,-6v12", TIMES = "M-5,-5l10,10M5,-5l-10,10";
const at = (node: Element, x: number, y: number): void => attr(node, "transform", `translate(${x.toFixed(2)},${y.toFixed(2)})`);
const shown = (node: Element, on: boolean): boolean => node.classList.toggle("rc-off", !on);

// What is shown in legends around (0, 0), how large, and as what it looks if not by its own name; else a line.
const SAMPLES: Record<string, [d: string, scale?: number, look?: string]> = {
  "rc-star": [STAR, 0.66], "rc-single": [DIAMOND, 0.8], "rc-other": [DIAMOND, 0.8], "rc-plus": [PLUS, 1, "rc-heldpoints"], "rc-times": [TIMES, 1, "rc-heldpoints"],
  "rc-ends": ["M-4.5,0a4.5,4.5 0 1 0 9,0a4.5,4.5 0 1 0 -9,0"], "rc-band": ["M-13,-5h26v10h-26z"], "rc-strip": ["M-13,-5h26v10h-26z"],
  "rc-yours": ["M-8,0H8M0,-6V6M-5,-5h10v10h-10z"], "rc-cross": ["M-8,0H8M0,-6V6"],
};
function sample(kind: string, more = ""): SVGSVGElement {
  const [d = "M-13,0H13", scale = 1, look = kind] = SAMPLES[kind] || [];
  return svg("svg", { class: "rc-sample", width: 28, height: 12, viewBox: "0 0 28 12", "aria-hidden": "true" },
    svg("path", { d, class: `${look} ${more}`, transform: `translate(14,6) scale(${scale})` }));
}

// --- a frame with axes ------------------------------------------------------------------------------

let frames = 0;
const group = (name: string, more?: Attributes, ...children: Child[]): SVGGElement => svg("g", { class: `rc-${name}`, ...more }, ...children);

// Draws into `element`: a focusable plot with an SVG in it. `layout` measures; `axes` draws ticks.
function frame(element: HTMLElement, { label, roledescription = "chart" }: { label: string; roledescription?: string }): Shell {
  const id = `rc-clip-${++frames}`;
  const clip = svg("rect", {}), grid = svg("g", { class: "rc-grid" }), ticks = svg("g", { class: "rc-ticks" });
  const titles = { x: svg("text", { class: "rc-title", "text-anchor": "end" }), y: svg("text", { class: "rc-title" }),
    note: svg("text", { class: "rc-note", "text-anchor": "end" }) };
  // What the state moves is a drawing of its own above the other, so that the curves are not painted again.
  const within = { "clip-path": `url(#${id})` };
  const layers = { below: group("below"), curves: group("curves"), hull: group("hull"), dots: group("dots-of-hull"),
    condition: group("condition", within), top: group("top") };
  const sheet = (name: string, ...children: Child[]) => svg("svg", { class: name, "aria-hidden": "true", focusable: "false" }, ...children);
  const drawing = sheet("rc-drawing", svg("defs", {}, svg("clipPath", { id }, clip)), grid, ticks,
    svg("g", within, layers.below, layers.curves, layers.hull), layers.dots, ...Object.values(titles));
  const overlay = sheet("rc-drawing rc-overlay", layers.condition, layers.top);
  const plot = html("div", { class: "rc-plot", tabindex: "0", role: "application", "aria-label": label,
    "aria-roledescription": roledescription }, drawing, overlay);
  const root = html("div", { class: "rc-chart" }, plot);
  element.append(root);
  const made = { serial: frames, root, plot, drawing, layers, titles, width: 0, height: 0, dragged: false,
    x: linear(), y: linear() } as Shell; // what follows is added
  // A press that has moved is no click, wherever it ends.
  let press: Place | null = null;
  on(plot, "pointerdown", ({ clientX, clientY }) => [press, made.dragged] = [[clientX, clientY], false]);
  on(plot, "pointermove", ({ clientX, clientY, buttons }) => {
    if (buttons && press) made.dragged ||= hypot(clientX - press[0], clientY - press[1]) > 4;
  });
  on(plot, "click", (event) => made.dragged && event.stopImmediatePropagation(), { capture: true });

  made.layout = (margin) => {
    // A chart in a hidden tab has no size; it is drawn at a usual one, and printing scales it.
    const width = plot.clientWidth || 640, height = plot.clientHeight || 560;
    assign(made, { width, height });
    for (const each of [drawing, overlay]) fill(each, { viewBox: `0 0 ${width} ${height}`, width, height }, []);
    const left = margin.left, right = width - margin.right, top = margin.top, bottom = height - margin.bottom;
    made.x.range([left, right]);
    made.y.range([bottom, top]);
    // A line along the border is drawn in its full width.
    fill(clip, { x: left - 2, y: top - 2, width: right - left + 4, height: bottom - top + 4 }, []);
    fill(titles.x, { x: right, y: height - 6 }, []);
    fill(titles.y, { x: 2, y: 15 }, []);
    fill(titles.note, { x: right, y: 15 }, []);
  };
  made.affine = () => {
    const [x0, x1] = made.x.domain() as Place, [left, right] = made.x.range() as Place;
    const [y0, y1] = made.y.domain() as Place, [bottom, top] = made.y.range() as Place;
    const kx = (right - left) / (x1 - x0), ky = (top - bottom) / (y1 - y0), far = 20;
    return { kx, bx: left - kx * x0, ky, by: bottom - ky * y0,
      left: left - far, right: right + far, top: top - far, bottom: bottom + far };
  };
  // The pixel of a place in the view's plane; beyond the frame that of its edge.
  made.pixel = (u, v) => ([[made.x, u], [made.y, v]] as const).map(([scale, value]) => {
    const [from, to] = scale.domain() as Place; // ascending; a scale makes NaN of infinity
    return scale(min(to, max(from, value)));
  }) as Place;
  made.axes = (xTicks, yTicks) => {
    const [left, right] = made.x.range() as Place, [bottom, top] = made.y.range() as Place;
    const nodes: Element[] = [], lines: Element[] = [];
    let last = -Infinity;
    for (const { value, text } of xTicks) {
      const x = made.x(value), half = 3.7 * text.length + 3;
      lines.push(svg("path", { d: `M${x},${bottom}V${top}` }));
      if (x - half < last) continue;
      last = x + half;
      nodes.push(svg("text", { x, y: bottom + 17, "text-anchor": "middle" }, text));
    }
    last = Infinity;
    for (const { value, text } of yTicks) {
      const y = made.y(value);
      lines.push(svg("path", { d: `M${left},${y}H${right}` }));
      if (last - y < 18) continue;
      last = y;
      nodes.push(svg("text", { x: left - 7, y: y + 4, "text-anchor": "end" }, text));
    }
    grid.replaceChildren(...lines);
    ticks.replaceChildren(...nodes);
  };
  return made;
}

// Ticks of a linear scale; `most` is how many fit.
const ticks = (scale: Scale, text: (value: number) => string, most: number): Tick[] => scale.ticks(most).map((value) => ({ value, text: text(value) }));

// Calls `again` when the width of the plot has changed; returns what ends that.
function watch(frame: Shell, again: () => void): () => void {
  const observer = new ResizeObserver(() => {
    const { clientWidth, clientHeight } = frame.plot;
    if (clientWidth && (clientWidth !== frame.width || clientHeight !== frame.height)) again();
  });
  observer.observe(frame.plot);
  return () => observer.disconnect();
}

/** The rest of a chart: it follows its room until it is destroyed, and stands among others, if some are given. */
function living<Made extends { resize(): void }>(shell: Shell, hover: { destroy(): void }, chart: Made & { destroy?(): void }, others: Set<unknown> = new Set()): Made & { destroy(): void } {
  const unwatch = watch(shell, chart.resize);
  chart.destroy = () => {
    others.delete(chart);
    unwatch();
    hover.destroy();
    shell.root.remove();
  };
  others.add(chart);
  chart.resize();
  return chart as Made & { destroy(): void };
}

export { html, svg, share, clipped, flat, path, at, shown, sample, frame, ticks, living, STAR, DIAMOND, PLUS, TIMES };
