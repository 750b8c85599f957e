// The ROC plane, and the same plane mapped pointwise into other views. What the state does not change is drawn once.
// A view of it is {id, title, xTitle, yTitle, chance, told(f, t, p)}, and what differs from ROC: domain(plane, p), xTicks,
// yTicks, all(f, t, p) of arrays (faster than one by one), left (margin), image(f, t, p) where `maps` has none of its id. `moves`: its curves depend on the prevalence.
import { say } from "./answer/words";
import type { State } from "./answer/numbers";
import * as lists from "./lists";
import { share, clipped, path, at, shown, frame, ticks, type Chart, type Curve, type Mapped, type Numbers, type Place, type Shell } from "./report_charts";
import { maps, flagged } from "./report_curves";
import { rate } from "./report_format";
import * as rochullHover from "./report_hover";
import type { Row } from "./report_hover";
import type { Axis } from "./report_lines";
import { drawnAt, marksOf, finished, type Base, type Marks } from "./report_marks";
import type { Answer, Hull } from "./report_found";
import type { Line } from "./report_optimum";
import type { View } from "./report_views";
import * as rochullZoom from "./report_zoom";
import { abs, hypot, isArray, isFinite, listOf, max, min } from "./maths";
import { attr } from "./report_elements";

type Image = (f: number, t: number, p: number) => Place;
/** What a view has of the plane, before it maps it. */
export interface Plane {
  curves: Curve[];
  hull: Hull;
  lowest: number; // of all rates, or of what they lack of 1
}
interface Given {
  id: string;
  title: string;
  about: string;
  xTitle: string;
  yTitle: string;
  chance: string;
  told(f: number, t: number, p: number): Row[];
  all(f: Numbers, t: Numbers, p: number): { x: Numbers; y: Numbers };
  domain?(plane: Plane, p: number): [Place, Place];
  xTicks?: Axis;
  yTicks?: Axis;
  left?: number;
  image?: Image;
  moves?: boolean;
}
type Draw = (node: Element, curve: Curve | null, backwards?: boolean) => void;
const percents: Axis = (scale, most) => ticks(scale, (value) => share(value), most);
const UNIT: Required<Pick<Given, "domain" | "xTicks" | "yTicks" | "left">> = { domain: () => [[0, 1], [0, 1]], xTicks: percents, yTicks: percents, left: 50 };
// Of all points: the share flagged, or `times` the true positive rate by it.
function loop(f: Numbers, t: Numbers, p: number, times?: number): Float64Array {
  const found = new Float64Array(f.length);
  for (let i = 0; i < found.length; i++) {
    const part = flagged(f[i]!, t[i]!, p);
    found[i] = times === undefined ? part : (times * t[i]!) / part;
  }
  return found;
}

// --- a chart in the ROC plane, or in an image of it ---------------------------------------------------------

function planeChart(base: Base, element: HTMLElement, given: Given): Chart<State, Answer> {
  const view = { ...UNIT, ...given }, { id } = view, { model } = base, image = view.image || (maps as Record<string, unknown>)[id] as Image;
  const plane: Plane = { curves: model.curves, hull: model.union, lowest: lowestRate([model.union, ...model.curves]) };
  let p = model.prevalence, state: State = null!, result: Answer = null!; // none before the first
  const map: Mapped = { straight: id === "roc", x: (f, t) => image(f, t, p)[0], y: (f, t) => image(f, t, p)[1], all: (f, t) => view.all(f, t, p) };
  const shell = frame(element, {
    label: say("expert.planes.chart of classifiers and", { title: view.title, n: base.n }),
  });
  const marks = marksOf(base, shell);
  const draw = (node: Element, curve: Curve | null, ...more: [boolean?]) => attr(node, "d", curve ? path(curve, map, shell, ...more) : "");
  // Where nobody is called positive, precision and lift are level with the hull's first rule.
  function spot(f: number, t: number): Place {
    const { fpr, tpr } = model.union, [u, v] = image(f, t, p);
    return [u, v === v ? v : image(fpr[1]!, tpr[1]!, p)[1] || 0];
  }
  const pixel = (f: number, t: number) => shell.pixel(...spot(f, t));

  function layout() {
    const wide = shell.plot.clientWidth || 640;
    shell.layout({ left: view.left, right: 20, top: 28, bottom: 44 });
    shell.most = wide < 480 ? 4 : 6;
    shell.titles.x.textContent = `${view.xTitle} →`;
    shell.titles.y.textContent = `↑ ${view.yTitle}`;
    shell.tops = null;
    curves();
  }
  function axes() {
    const [x, y] = zoom.domain(view.domain(plane, p)), now = String([x, y]);
    if (shell.tops === now) return;
    shell.tops = now;
    shell.x.domain(x);
    shell.y.domain(y);
    shell.axes(view.xTicks(shell.x, shell.most!), view.yTicks(shell.y, shell.most! + 1));
  }
  function curves() {
    axes();
    const where = view.moves ? say("expert.planes.at prevalence", { p: rate(p), more: state && isArray(state.prevalence) ? " (middle)" : "" }) : "";
    shell.titles.note.textContent = where;
    draw(marks.chance, { fpr: [0, 1], tpr: [0, 1] });
    plane.curves.forEach((curve, i) => base.hidden.has(i) || draw(marks.curves[i]!, curve));
    base.bands.forEach((band, i) => {
      attr(marks.bands[i]!, "d", `${path(around(band), map, shell)}Z`);
    });
    draw(marks.hull, plane.hull);
    owned(base, marks, draw);
    dots(base, marks, shell, map);
    named(base, marks, shell, pixel);
  }
  function condition() {
    marks.condition(result, state);
    const lines = result.lines || [result.line];
    lines.forEach((line, i) => draw(marks.lines[i]!, line && clipped(line)));
    if (lines.length < 2) attr(marks.lines[1]!, "d", "");
    attr(marks.wedge, "d", result.lines ? wedge() : "");
    const { fpr, tpr } = model.union, span = result.span;
    const lit = span && { fpr: fpr.subarray(span[0], span[1] + 1), tpr: tpr.subarray(span[0], span[1] + 1) };
    draw(marks.span, lit);
    const { chosen, single } = result;
    if (chosen) at(marks.star, ...pixel(chosen.fpr, chosen.tpr));
    if (marks.shows.single) at(marks.single, ...pixel(single!.fpr, single!.tpr));
    attr(marks.ends, "d", chosen && chosen.share > 0 && chosen.share < 1
      ? [chosen.left!, chosen.left! + 1].map((v) => ring(...pixel(fpr[v]!, tpr[v]!))).join("") : "");
    if (marks.shows.cross) {
      const { fpr: f, tpr: t } = base.cross!;
      attr(marks.cross, "d", arms(...[f!, t!].map(({ mean, sem }) => [mean, mean - sem, mean + sem]) as [Around, Around]));
    }
    if (marks.shows.yours) {
      const { fpr: f, tpr: t } = base.yours!, [x, y] = pixel(f[0], t[0]);
      attr(marks.yours, "d", `${arms(f, t)}M${x - 5},${y - 5}h10v10h-10z`);
    }
    const current = base.current();
    marks.current(current && spot(current.fpr, current.tpr));
  }
  // Between the hull and the two extreme lines that touch it.
  function wedge() {
    const [two, one] = result.lines!, [from, to] = (result.span || []) as [number, number];
    const { fpr, tpr } = model.union;
    const touches = (line: Line, v: number) => abs(line.a * tpr[v]! + line.b * fpr[v]! - line.c) <= 1e-9 * abs(line.a || line.b);
    if (!result.span || from === to || !touches(one, from) || !touches(two, to)) return "";
    const det = one.a * two.b - two.a * one.b;
    const t = (one.c * two.b - two.c * one.b) / det, f = (one.a * two.c - two.a * one.c) / det;
    if (!isFinite(t + f)) return "";
    const outer = { fpr: [fpr[from]!, f, fpr[to]!], tpr: [tpr[from]!, t, tpr[to]!] };
    const inner = { fpr: fpr.subarray(from, to + 1), tpr: tpr.subarray(from, to + 1) };
    return `${path(outer, map, shell)}L${path(inner, map, shell, true).slice(1)}Z`;
  }
  // From the low to the high end of both rates, [value, low, high].
  function arms([f, ...fs]: Around, [t, ...ts]: Around): string {
    const clamp = (value: number) => min(1, max(0, value));
    const arm = (along: number[], across: number[]) => path({ fpr: along.map(clamp), tpr: across.map(clamp) }, map, shell);
    return arm(fs, [t, t]) + arm([f, f], ts);
  }

  const zoom = rochullZoom.attach(shell, () => {
    curves();
    condition();
    hover.refresh();
  }, () => result && result.chosen && spot(result.chosen.fpr, result.chosen.tpr));
  const hover = rochullHover.attach(shell, rochullHover.plane(base, {
    pixel, marks, draw, told: (f, t) => view.told(f, t, p), place: () => `${p} ${shell.tops} ${shell.width}`,
    chosen: () => result && result.chosen,
  }));
  const chart = {
    id, scales: { x: shell.x, y: shell.y }, star: marks.star, element: shell.root,
    map: spot, pixel,
    update(newState: State, newResult: Answer) {
      state = newState;
      result = newResult;
      const now = drawnAt(state);
      if (now !== p) {
        p = now;
        if (view.moves) curves();
      }
      condition();
      hover.refresh();
    },
    resize() {
      layout();
      if (result) condition();
      hover.refresh();
    },
  };
  return finished(base, shell, marks, hover, chart, (i) => draw(marks.curves[i]!, plane.curves[i]!), view.chance);
}

// A band's edge, once around: its ends are edges too, which are curved in the images of the plane. Where
// nobody is called precision has no value; a little above it has.
const LEAST = 1e-9;
type Around = [rate: number, low: number, high: number];
function around({ fpr, low, high }: { fpr: number[]; low: number[]; high: number[] }): Curve {
  const some = (t: number) => max(t, LEAST), back = listOf(fpr, (_, i) => fpr.length - 1 - i);
  return {
    fpr: Float64Array.from([...fpr, ...back.map((i) => fpr[i]!), fpr[0]!]),
    tpr: Float64Array.from([...Array.from(high, some), ...back.map((i) => some(low[i]!)), some(high[0]!)]),
  };
}

// The edges of the hull, in the colour of the classifier that reaches both of their ends.
function owned({ model, facts, index }: Base, marks: Marks, draw: Draw): void {
  const { fpr, tpr } = model.union, { owners } = facts.hybrid, runs = marks.owned.map((): Curve[] => []);
  let from = 0, last: string | null | undefined = ownerOf(owners, 0);
  for (let v = 1; v < fpr.length; v++) {
    const next = v < fpr.length - 1 ? ownerOf(owners, v) : undefined;
    if (next === last) continue;
    if (last !== null) runs[index.get(last!)! % 6]!.push({ fpr: fpr.subarray(from, v + 1), tpr: tpr.subarray(from, v + 1) });
    [from, last] = [v, next];
  }
  marks.owned.forEach((node, k) => {
    const texts = runs[k]!.map((run) => {
      draw(node, run);
      return node.getAttribute("d");
    });
    attr(node, "d", texts.join(""));
  });
}
// Constant rules belong to the classifier at the other end; two classifiers at both ends are a mixture.
type Owners = { classifier: string | null }[][];
function ownerOf(owners: Owners, v: number): string | null {
  const [left, right] = [owners[v]!, owners[v + 1]!].map((rules) => rules.map(({ classifier }) => classifier).filter((name) => name !== null)) as [string[], string[]];
  if (!left.length || !right.length) return (left[0] || right[0]) ?? null;
  return left.find((name) => right.includes(name)) ?? null;
}

// Names at the curves that are needed, beside a vertex that is theirs, as far as there is room.
type Box = [left: number, top: number, right: number, bottom: number];
function named({ model, facts, hidden }: Base, marks: Marks, shell: Shell, pixel: (f: number, t: number) => Place): void {
  const taken: Box[] = [], { fpr, tpr } = model.union, [least, most] = shell.x.range() as Place, [bottom, high] = shell.y.range() as Place;
  const room = (box: Box) => box[0] > least && box[2] < most && box[1] > high && box[3] < bottom &&
    taken.every((other) => box[2] < other[0] || other[2] < box[0] || box[3] < other[1] || other[3] < box[1]);
  marks.names.forEach((node, i) => {
    const own = lists.range(1, fpr.length - 1).filter((v) => facts.hybrid.owners[v]!.some(({ classifier }) => classifier === model.names[i]));
    const middle = own.length >> 1, tries = hidden.has(i) ? [] : [...own.slice(middle), ...own.slice(0, middle)];
    const width = 7 * min(LONGEST, node.textContent!.length);
    // Beyond the hull, on the side of the perfect rule, where no other curve is; or else within.
    const [bestX, bestY] = pixel(0, 1), beside = (way: number) => {
      for (const v of tries) {
        const [[x, y], [x0, y0], [x1, y1]] = [v, v - 1, v + 1].map((at) => pixel(fpr[at]!, tpr[at]!)) as [Place, Place, Place];
        const rises = (x1 - x0) * (y1 - y0) <= 0, isRight = way * (bestX - x + (rises ? 1 : -1) * (bestY - y)) > 0;
        const left = isRight ? x + 8 : x - 8 - width, top = isRight === rises ? y + 6 : y - 22, box: Box = [left, top, left + width, top + 16];
        if (room(box)) return box;
      }
      return null;
    };
    const found = beside(1) || beside(-1);
    shown(node, Boolean(found));
    if (!found) return;
    taken.push(found);
    attr(node, "x", found[0].toFixed(1));
    attr(node, "y", (found[1] + 12).toFixed(1));
  });
}
const LONGEST = 24;

const ring = (x: number, y: number): string => `M${x - 5},${y}a5,5 0 1 0 10,0a5,5 0 1 0 -10,0`;

// The vertices of the hull, as dots of their owner's colour: one path for each colour, thinned where they
// would cover each other.
function dots({ model, facts, index }: Base, marks: Marks, shell: Shell, map: Mapped): void {
  const { fpr, tpr } = model.union, texts = marks.dots.map(() => "");
  const [left, right] = shell.x.range() as Place, [bottom, top] = shell.y.range() as Place;
  const place = (f: number, t: number): Place => [shell.x(map.x(f, t)), shell.y(map.y(f, t))];
  let lastX = -100, lastY = -100;
  for (let v = 0; v < fpr.length; v++) {
    const [x, y] = place(fpr[v]!, tpr[v]!);
    const inside = x >= left && x <= right && y >= top && y <= bottom; // false for NaN
    if (!inside || hypot(x - lastX, y - lastY) < 8) continue;
    const owner = index.get(facts.hybrid.owners[v]![0]!.classifier!);
    texts[owner === undefined ? 6 : owner % 6] += `M${x.toFixed(1)},${y.toFixed(1)}h0`;
    lastX = x;
    lastY = y;
  }
  attr(marks.dotted, "d", texts.join(""));
  marks.dots.forEach((node, i) => attr(node, "d", texts[i]!));
}

const lowestRate = (curves: Curve[]): number => {
  let lowest = 1;
  for (const { fpr, tpr } of curves) {
    for (let i = 0; i < fpr.length; i++) {
      if (fpr[i]! > 0) lowest = min(lowest, fpr[i]!);
      if (tpr[i]! < 1) lowest = min(lowest, 1 - tpr[i]!);
    }
  }
  return lowest;
};

const view = (given: Given): View => ({ id: given.id, title: given.title, about: given.about, chart: (base, element) => planeChart(base, element, given) });

export { view, loop };
