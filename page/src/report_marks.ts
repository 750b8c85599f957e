// What every view of a state has: its nodes, the legend, and what of it belongs to which state.
import { say } from "./answer/words";
import type { Point, Reviewing, State } from "./answer/numbers";
import * as rochullCharts from "./report_charts";
import { html, svg, at, shown, sample, living, STAR, DIAMOND, type Chart, type Place, type Shell } from "./report_charts";
import type { Pair } from "./experts/Pair";
import type { Cut as Pinned } from "./store";
import type { Bootstrap, Facts, Folds, Interval } from "./report_facts.d";
import { attr, fill, on } from "./report_elements";
import * as rochullFormat from "./report_format";
import type { Placed } from "./report_known";
import type { Answer } from "./report_found";
import type { Model } from "./report_model";
import * as rochullTyped from "./report_typed";
import { entries, floor, isArray, isFinite, listOf } from "./maths";

// --- what charts know ---------------------------------------------------------------------------------------

export interface Envelope {
  x: Float64Array;
  y: Float64Array;
}
type Around = [rate: number, low: number, high: number];
type Band = Bootstrap["bands"][number] & { i: number };
type Shown = Chart<State, Answer> & { show(): void };
/** What is the same for all charts of a page. */
export interface Base {
  model: Model;
  facts: Facts;
  n: number; // how many classifiers
  index: Map<string, number>;
  hidden: Set<number>;
  charts: Set<Shown>;
  bands: Band[];
  cross: Folds["chosen"];
  nFolds: number | undefined;
  costBar: Interval | null;
  many: boolean;
  isReport(state: State): boolean;
  isGrey(i: number): boolean;
  look(i: number): string;
  /** What the rule did on the reader's own cases. */
  yours?: { of: Point | null; fpr: Around; tpr: Around } | null;
  select(classifier: number, vertex: number): void;
  /** What is asked of reviews, if the reader set it. */
  review: Reviewing | null;
  isReviewing(): boolean;
  letReview(asked: Reviewing | null): void;
  pair(): Pair | null;
  letPair(asked: Pair | null): void;
  calibrated?: number; // the classifier whose intervals are shown
  pin(asked: Pinned): void;
  /** The reader's rule of today, and its point. */
  pinned(): Pinned | null;
  current(): Placed | null;
}

// --- what a state is -------------------------------------------------------------------------------------

/** The prevalence at which a state is drawn: the middle of an interval. */
const drawnAt = ({ prevalence }: State): number =>
  isArray(prevalence) ? (prevalence[0]! + prevalence[1]!) / 2 : prevalence;
const OWN: Record<string, string[]> = {
  cost: [...rochullTyped.STAKES, "mixtures"], max_fpr: ["max_fpr", "mixtures"], min_recall: ["min_recall", "mixtures"],
  min_precision: ["min_precision", "prevalence", "mixtures"], capacity: ["fraction", "prevalence", "mixtures"], report: [],
};
/** Whether two states are the same condition. */
const same = (one: State, other: State) =>
  one.goal === other.goal && OWN[one.goal]!.every((key) => String(one[key]) === String(other[key])) &&
  String(rochullTyped.limitsOf(one)) === String(rochullTyped.limitsOf(other));

const MANY = 8;

function prepared(model: Model, facts: Facts): Omit<Base, "select" | "review" | "pinned" | "current" | "pin" | "pair" | "letPair" | "letReview" | "isReviewing"> {
  const n = facts.classifiers.length;
  const boot = (facts.uncertainty && facts.uncertainty.bootstrap) || {} as Partial<Bootstrap>;
  const folds = (facts.uncertainty && facts.uncertainty.folds) || {} as Partial<Folds>;
  const own = facts.condition ? model.initial() : null;
  const index = new Map(facts.classifiers.map((c, i) => [c.name, i]));
  return {
    model, facts, n, index, hidden: new Set(), charts: new Set(),
    bands: (boot.bands || []).map((band) => ({ ...band, i: index.get(band.name)! })),
    cross: folds.chosen || null, nFolds: folds.n_folds,
    costBar: boot.chosen && boot.chosen.normalised_cost && boot.chosen.normalised_cost.low !== null
      ? boot.chosen.normalised_cost : null,
    isReport: (state) => own !== null && same(state, own),
    many: n > MANY,
    // Of many classifiers those that are never better are grey, and folded in the legend.
    isGrey: (i) => n > MANY && !facts.classifiers[i]!.on_hull,
    look: (i) => `k${i % 6} d${((i % 6) + floor(i / 6)) % 4}${n > MANY && !facts.classifiers[i]!.on_hull ? " rc-never" : ""}`,
  };
}

// --- the rule of the reader --------------------------------------------------------------------------------

/** The square of the reader's current rule, and its words: what places them at [x, y] of a chart's plane, or hides them.
 *  Where it is above what is seen, or below, an arrow says so. */
function current(shell: Shell): Marks["current"] {
  const square = svg("path", { class: "rc-today rc-off", d: "M-5,-5h10v10h-10z" }), words = svg("text", { class: "rc-named rc-off" });
  shell.layers.top.append(square, words);
  const beyond = (axis: Shell["x"], value: number) => (isFinite(value) ? axis.domain().reduce((sum, end) => sum + Math.sign(value - end), 0) / 2 : 0);
  return (spot) => {
    const [aside, out] = (spot ? [beyond(shell.x, spot[0]), beyond(shell.y, spot[1])].map(Math.trunc) : [1, 0]) as Place;
    for (const node of [square, words]) shown(node, !aside);
    if (aside) return;
    const [x, y] = shell.pixel(...spot as Place), text = say("expert.marks.your current rule", { out: ["", " ↑", " ↓"].at(out)! }), isLeft = x > shell.x.range()[1]! - 130; // where there is no room on the right
    at(square, x, y);
    if (words.textContent !== text) words.textContent = text;
    fill(words, { x: isLeft ? x - 10 : x + 10, y: y + (out < 0 ? -8 : 14), "text-anchor": isLeft ? "end" : "start" }, []);
  };
}

// --- nodes that every view has ---------------------------------------------------------------------------

type Shows = Record<"star" | "limit" | "limits" | "line" | "range" | "span" | "single" | "ends" | "cross" | "costBar" | "yours", boolean>;
type One = "strip" | "wedge" | "chance" | "own" | "span" | "hull" | "dotted" | "rule" | "ends" | "star" | "single" | "cross" | "yours";
type Many = "bands" | "curves" | "owned" | "names" | "dots" | "lines";
/** What is drawn of a state: its nodes, and which of it there is. */
export interface Marks extends Record<One, SVGElement>, Record<Many, SVGElement[]> {
  shows: Shows;
  current(spot: Place | null | false): void;
  condition(result: Answer, state: State): void;
  keys?(shows: Shows): void;
}
function marksOf(base: Base, shell: Shell): Marks {
  const { layers } = shell;
  const add = (layer: keyof Shell["layers"], name: string, tag: "path" | "rect" | "text" = "path"): SVGElement => {
    const node = svg(tag, { class: name });
    layers[layer].append(node);
    return node;
  };
  const marks = { shows: {} } as Marks; // what follows is added
  marks.bands = base.bands.map(({ i }) => add("below", `rc-band k${i % 6}`));
  marks.strip = add("condition", "rc-strip", "rect");
  marks.wedge = add("condition", "rc-wedge");
  marks.chance = add("below", "rc-chance");
  marks.curves = base.model.names.map((_, i) => add("curves", `rc-curve ${base.look(i)}`));
  marks.own = add("condition", "rc-own");
  marks.span = add("condition", "rc-span");
  marks.hull = add("hull", "rc-union");
  marks.owned = listOf({ length: 6 }, (_, i) => add("hull", `rc-owned k${i}`));
  marks.names = base.model.names.map((name) => {
    const node = add("top", "rc-named rc-off", "text");
    node.textContent = listOf(name).length > 24 ? `${listOf(name).slice(0, 23).join("")}…` : name;
    return node;
  });
  marks.dotted = add("dots", "rc-dotted");
  marks.dots = listOf({ length: 7 }, (_, i) => add("dots", `rc-dots k${i}`));
  marks.lines = [0, 1].map(() => add("condition", "rc-line"));
  marks.rule = add("condition", "rc-rule");
  marks.ends = add("top", "rc-ends");
  marks.current = current(shell);
  marks.star = add("top", "rc-star");
  marks.single = add("top", "rc-single"); // smaller than the star, which may be at its place
  marks.cross = add("top", "rc-cross"); // its arms may be shorter than the star's
  marks.yours = add("top", "rc-yours");
  attr(marks.star, "d", STAR);
  attr(marks.single, "d", DIAMOND);
  // What of it is there, for a result; the keys beside the chart follow.
  marks.condition = (result, state) => {
    const { chosen, single } = result, isLimited = result.limited ?? state.goal !== "cost", several = rochullTyped.limitCount(state) > 1;
    marks.shows = {
      star: Boolean(chosen), limit: isLimited && !several, limits: isLimited && several,
      line: (state.goal === "cost" || (state.goal === "report" && Boolean(result.line))) && !result.limited && !result.interval,
      range: Boolean(result.interval), span: Boolean(result.span),
      single: Boolean(chosen && single && (single.fpr !== chosen.fpr || single.tpr !== chosen.tpr)),
      ends: Boolean(chosen) && chosen!.share > 0 && chosen!.share < 1,
      cross: Boolean(base.cross) && base.isReport(state), costBar: Boolean(base.costBar) && base.isReport(state),
      yours: Boolean(chosen) && base.yours?.of === chosen, // of another rule nobody has counted it yet
    };
    for (const name of ["star", "single", "cross", "yours"] as const) shown(marks[name], marks.shows[name]);
    if (marks.keys) marks.keys(marks.shows);
  };
  return marks;
}

function finished<Made extends Omit<Shown, "destroy" | "show">>(base: Base, shell: Shell, marks: Marks, hover: { hide(): void; destroy(): void }, chart: Made & { show?(): void }, redraw: (i: number) => void, chance: string): Made & Shown {
  chart.show = () => {
    marks.curves.forEach((node, i) => {
      const hidden = base.hidden.has(i);
      if (!hidden) redraw(i);
      shown(node, !hidden);
    });
    base.bands.forEach(({ i }, j) => shown(marks.bands[j]!, !base.hidden.has(i)));
    hover.hide();
    pressed();
  };
  const pressed = legend(base, shell, marks, chance);
  living(shell, hover, chart, base.charts);
  chart.show();
  return chart as Made & Shown;
}

// --- the legend -------------------------------------------------------------------------------------------

// A long name is cut in its middle, for those of one run differ at their ends. Only the style cuts: the text is whole.
const LONG = 24, TAIL = 10;
function ends(name: string): (string | Node)[] {
  const letters = listOf(name);
  if (letters.length <= LONG) return [name];
  return [html("span", { class: "rc-start" }, letters.slice(0, -TAIL).join("")), letters.slice(-TAIL).join("")];
}

/** Buttons that show and hide a classifier; returns what brings them up to the state. */
function buttons(base: Base, shell: Shell, curves: Element[]): () => void {
  const made = base.model.names.map((name, i) => {
    const button = html("button", { class: "rc-item", title: name },
      sample("rc-curve", base.look(i)), html("bdi", {}, ...ends(name)));
    const lit = (on: boolean) => () => {
      shell.drawing.classList.toggle("rc-dim", on);
      curves[i]!.classList.toggle("rc-lit", on);
    };
    for (const type of ["pointerenter", "focus"] as const) on(button, type, lit(true));
    for (const type of ["pointerleave", "blur"] as const) on(button, type, lit(false));
    on(button, "click", () => {
      if (!base.hidden.delete(i)) base.hidden.add(i);
      for (const chart of base.charts) chart.show();
    });
    return button;
  });
  const grey = made.filter((_, i) => base.isGrey(i)), rest = made.filter((_, i) => !base.isGrey(i));
  const more = grey.length ? [html("details", {}, html("summary", {}, say("expert.marks.that are never better", { length: grey.length })), html("div", { class: "rc-legend" }, ...grey))] : [];
  shell.root.append(html("div", { class: "rc-legend", role: "group", "aria-label": say("expert.marks.show or hide a") }, ...rest, ...more));
  return () => made.forEach((button, i) => attr(button, "aria-pressed", String(!base.hidden.has(i))));
}

// The buttons, and keys of what else is drawn.
function legend(base: Base, shell: Shell, marks: Marks, chance: string): () => void {
  const key = (kind: string, text: string, more?: string) => html("span", { class: "rc-key" }, sample(kind, more), text);
  const keys: Partial<Record<keyof Shows, HTMLElement>> = {
    star: key("rc-star", say("expert.lines.best rule")),
    single: key("rc-single", say("expert.marks.the best single threshold")),
    ends: key("rc-ends", say("expert.marks.the two rules that")),
    line: key("rc-line", shell.cost ? say("expert.marks.your costs and prevalence") : say("expert.marks.all points on this")),
    limit: key("rc-line", shell.cost ? say("expert.marks.your costs and prevalence") : say("expert.marks.your limit")),
    limits: key("rc-line", shell.cost ? say("expert.marks.your costs and prevalence") : say("expert.marks.the one of your")),
    range: shell.cost ? key("rc-strip", say("expert.marks.your range")) : key("rc-line", say("expert.marks.ends of your range")),
    span: key("rc-span", say("expert.marks.best somewhere in your")),
    cross: key("rc-cross", say("expert.marks.mean of folds standard", { n_folds: base.nFolds ?? 0 })),
    costBar: key("rc-cross", say("expert.marks.interval of the cost", { base: level(base) })),
    yours: key("rc-yours", say("expert.marks.this rule on your")),
  };
  for (const name of shell.cost ? ["cross", "ends", "yours"] as const : ["costBar"] as const) delete keys[name];
  const fixed = [key("rc-union", say("expert.marks.best of all")), key("rc-chance", chance),
    ...(shell.cost ? [key("rc-rule", say("report.best rule"))] : []),
    ...(shell.cost ? [] : base.bands.map(({ name, i }) => key("rc-band", say("expert.marks.band of", { base: level(base), name: rochullFormat.isolated(name) }), `k${i % 6}`)))];
  marks.keys = (found) => {
    const shows = shell.cost ? { ...found, star: found.star && !found.range } : found;
    for (const [name, node] of entries(keys)) shown(node, shows[name as keyof Shows]);
  };
  for (const node of Object.values(keys)) shown(node, false);
  shell.root.append(html("div", { class: "rc-keys" }, ...fixed, ...Object.values(keys)));
  return buttons(base, shell, [...shell.layers.curves.children]);
}
const level = ({ facts }: Base): string => rochullCharts.share(facts.uncertainty ? facts.uncertainty.level : 0);

export { MANY, prepared, drawnAt, current, marksOf, buttons, finished };
