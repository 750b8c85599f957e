// What every view of a state has: its nodes, the legend, and what of it belongs to which state.
import { say } from "./answer/words";
import * as rochullCharts from "./report_charts";
import { html, svg, at, shown, sample, living, STAR, DIAMOND } from "./report_charts";
import { attr, fill, on } from "./report_elements";
import * as rochullFormat from "./report_format";
import * as rochullTyped from "./report_typed";
import { entries, floor, isArray, isFinite, listOf } from "./maths";

// --- what a state is -------------------------------------------------------------------------------------

/** The prevalence at which a state is drawn: the middle of an interval. */
const drawnAt = ({ prevalence }) =>
  isArray(prevalence) ? (prevalence[0] + prevalence[1]) / 2 : prevalence;
const OWN = {
  cost: [...rochullTyped.STAKES, "mixtures"], max_fpr: ["max_fpr", "mixtures"], min_recall: ["min_recall", "mixtures"],
  min_precision: ["min_precision", "prevalence", "mixtures"], capacity: ["fraction", "prevalence", "mixtures"], report: [],
};
/** Whether two states are the same condition. */
const same = (one, other) =>
  one.goal === other.goal && OWN[one.goal].every((key) => String(one[key]) === String(other[key])) &&
  String(rochullTyped.limitsOf(one)) === String(rochullTyped.limitsOf(other));

const MANY = 8;

function prepared(model, facts) {
  const n = facts.classifiers.length;
  const boot = (facts.uncertainty && facts.uncertainty.bootstrap) || {};
  const folds = (facts.uncertainty && facts.uncertainty.folds) || {};
  const own = facts.condition ? model.initial() : null;
  const index = new Map(facts.classifiers.map((c, i) => [c.name, i]));
  return {
    model, facts, n, index, hidden: new Set(), charts: new Set(),
    bands: (boot.bands || []).map((band) => ({ ...band, i: index.get(band.name) })),
    cross: folds.chosen || null, nFolds: folds.n_folds,
    costBar: boot.chosen && boot.chosen.normalised_cost && boot.chosen.normalised_cost.low !== null
      ? boot.chosen.normalised_cost : null,
    isReport: (state) => own !== null && same(state, own),
    many: n > MANY,
    // Of many classifiers those that are never better are grey, and folded in the legend.
    isGrey: (i) => n > MANY && !facts.classifiers[i].on_hull,
    look: (i) => `k${i % 6} d${((i % 6) + floor(i / 6)) % 4}${n > MANY && !facts.classifiers[i].on_hull ? " rc-never" : ""}`,
  };
}

// --- the rule of the reader --------------------------------------------------------------------------------

/** The square of the reader's current rule, and its words: what places them at [x, y] of a chart's plane, or hides them.
 *  Where it is above what is seen, or below, an arrow says so. */
function current(shell) {
  const square = svg("path", { class: "rc-today rc-off", d: "M-5,-5h10v10h-10z" }), words = svg("text", { class: "rc-named rc-off" });
  shell.layers.top.append(square, words);
  const beyond = (axis, value) => (isFinite(value) ? axis.domain().reduce((sum, end) => sum + Math.sign(value - end), 0) / 2 : 0);
  return (spot) => {
    const [aside, out] = spot ? [beyond(shell.x, spot[0]), beyond(shell.y, spot[1])].map(Math.trunc) : [1, 0];
    for (const node of [square, words]) shown(node, !aside);
    if (aside) return;
    const [x, y] = shell.pixel(...spot), text = say("expert.marks.your current rule", { out: ["", " ↑", " ↓"].at(out) }), isLeft = x > shell.x.range()[1] - 130; // where there is no room on the right
    at(square, x, y);
    if (words.textContent !== text) words.textContent = text;
    fill(words, { x: isLeft ? x - 10 : x + 10, y: y + (out < 0 ? -8 : 14), "text-anchor": isLeft ? "end" : "start" }, []);
  };
}

// --- nodes that every view has ---------------------------------------------------------------------------

function marksOf(base, shell) {
  const { layers } = shell;
  const add = (layer, name, tag = "path") => {
    const node = svg(tag, { class: name });
    layers[layer].append(node);
    return node;
  };
  const marks = { shows: {} };
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
      ends: Boolean(chosen) && chosen.share > 0 && chosen.share < 1,
      cross: Boolean(base.cross) && base.isReport(state), costBar: Boolean(base.costBar) && base.isReport(state),
      yours: Boolean(chosen) && base.yours?.of === chosen, // of another rule nobody has counted it yet
    };
    for (const name of ["star", "single", "cross", "yours"]) shown(marks[name], marks.shows[name]);
    if (marks.keys) marks.keys(marks.shows);
  };
  return marks;
}

function finished(base, shell, marks, hover, chart, redraw, chance) {
  chart.show = () => {
    marks.curves.forEach((node, i) => {
      const hidden = base.hidden.has(i);
      if (!hidden) redraw(i);
      shown(node, !hidden);
    });
    base.bands.forEach(({ i }, j) => shown(marks.bands[j], !base.hidden.has(i)));
    hover.hide();
    pressed();
  };
  const pressed = legend(base, shell, marks, chance);
  living(shell, hover, chart, base.charts);
  chart.show();
  return chart;
}

// --- the legend -------------------------------------------------------------------------------------------

// A long name is cut in its middle, for those of one run differ at their ends. Only the style cuts: the text is whole.
const LONG = 24, TAIL = 10;
function ends(name) {
  const letters = listOf(name);
  if (letters.length <= LONG) return [name];
  return [html("span", { class: "rc-start" }, letters.slice(0, -TAIL).join("")), letters.slice(-TAIL).join("")];
}

/** Buttons that show and hide a classifier; returns what brings them up to the state. */
function buttons(base, shell, curves) {
  const made = base.model.names.map((name, i) => {
    const button = html("button", { class: "rc-item", title: name },
      sample("rc-curve", base.look(i)), html("bdi", {}, ...ends(name)));
    const lit = (on) => () => {
      shell.drawing.classList.toggle("rc-dim", on);
      curves[i].classList.toggle("rc-lit", on);
    };
    for (const type of ["pointerenter", "focus"]) on(button, type, lit(true));
    for (const type of ["pointerleave", "blur"]) on(button, type, lit(false));
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
function legend(base, shell, marks, chance) {
  const key = (kind, text, more) => html("span", { class: "rc-key" }, sample(kind, more), text);
  const keys = {
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
  for (const name of shell.cost ? ["cross", "ends", "yours"] : ["costBar"]) delete keys[name];
  const fixed = [key("rc-union", say("expert.marks.best of all")), key("rc-chance", chance),
    ...(shell.cost ? [key("rc-rule", say("expert.marks.the best rule"))] : []),
    ...(shell.cost ? [] : base.bands.map(({ name, i }) => key("rc-band", say("expert.marks.band of", { base: level(base), name: rochullFormat.isolated(name) }), `k${i % 6}`)))];
  marks.keys = (found) => {
    const shows = shell.cost ? { ...found, star: found.star && !found.range } : found;
    for (const [name, node] of entries(keys)) shown(node, shows[name]);
  };
  for (const node of Object.values(keys)) shown(node, false);
  shell.root.append(html("div", { class: "rc-keys" }, ...fixed, ...Object.values(keys)));
  return buttons(base, shell, [...shell.layers.curves.children]);
}
const level = ({ facts }) => rochullCharts.share(facts.uncertainty ? facts.uncertainty.level : 0);

export { MANY, prepared, drawnAt, current, marksOf, buttons, finished };
