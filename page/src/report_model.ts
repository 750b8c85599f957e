// What the report's page computes: from its facts and the state of its controls to a result. No DOM; messages are in
// the reader's words and locale.
// The schema of the facts is told in facts.py; numbers are those of the Python library (tests/report/test_model.py).
//
// state = {goal: "cost" | "max_fpr" | "min_recall" | "min_precision" | "capacity", cost_fp, cost_fn, prevalence,
//   max_fpr, min_recall, min_precision, fraction}: numbers; with the goal "cost" the first three may be intervals
//   [low, high], or costs be told `within` limits, {max_fpr: 0.1} and others; `mixtures`, false if a single threshold is asked for. Figures are then ranges: [low, high] over the corners of the box, of those that depend on an interval.
// With the goal "report" a state is the report's own condition, which the page cannot compute: told in report_given.ts.
// point = {fpr, tpr, left, share, rules: [{rule, probability}]}: vertex `left` of its hull, and the next one's share; of a
//   single threshold {fpr, tpr, single, rules}, its place among the facts' `singles`.
import { say } from "./answer/words";
import * as E from "./report_exact";
import * as F from "./report_format";
import * as G from "./report_groups";
import * as rochullGiven from "./report_given";
import * as rochullKnown from "./report_known";
import { NEVER, ALWAYS, reaching, singlesOf, aloneOf, blocksOf } from "./report_known";
import * as O from "./report_optimum";
import * as rochullRanged from "./report_ranged";
import * as T from "./report_typed";
import type { Rates, Rule, State } from "./answer/numbers";
import type { Told } from "./experts/shown";
import type { Fraction } from "./report_exact";
import type { Classifier, Facts } from "./report_facts";
import type { Answer, Apart, Baseline, Box, Corner, Count, Figures, Found, Hull, Judged, Live, Parts, Question, Saving, Segment, Stakes } from "./report_found";
import type { Placed, Singles } from "./report_known";
import { entries, floor, fromEntries, log10, max, min, rounded } from "./maths";
import type { Cut } from "./store";

declare const SEGMENTS: boolean; // whether the page is built for them

const CASES = 10000;
const MEASURES: Record<string, string> = { cost: "expected cost", min_recall: "fpr" };

// --- the state ---------------------------------------------------------------------------------

const { NUMBERS, STAKES, isInterval, spread } = T;
// The costs and prevalences of a state: every choice of one end for each interval, with the weights that follow.
function boxOf(state: State): Box {
  const ends = fromEntries(STAKES.map((name) => [name, spread(state[name]).map(E.decimal)])) as Box["ends"];
  const distinct = (name: T.Stake) => (isInterval(state[name]) ? ends[name] : ends[name].slice(0, 1));
  const corners = distinct("cost_fp").flatMap((fp) => distinct("cost_fn").flatMap((fn) => distinct("prevalence").map(
    (p) => ({ cost_fp: fp, cost_fn: fn, prevalence: p, ...O.weights(fp, fn, p) }))));
  const box: Box = { corners, ends, interval: STAKES.some((name) => isInterval(state[name])) };
  const idle = (name: T.Stake) => ends[name][1][0] === 0n; // middles are positive unless the upper end is 0
  const all = E.compare(ends.prevalence[0], E.ONE) === 0;
  if ((all || idle("cost_fp")) && (idle("prevalence") || idle("cost_fn"))) {
    box.problem = say("expert.model.no error that can");
  }
  return box;
}

// The weights at the smallest and at the largest slope.
function extremes({ ends: { cost_fp, cost_fn, prevalence } }: Pick<Box, "ends">): O.Weights[] {
  const degenerate = [[1n, 0n], [0n, 1n]].map(([w, m]) => ({ w: O.known([w, 1n]), m: O.known([m, 1n]) }));
  return [0, 1].map((high) => {
    const found = O.weights(cost_fp[high], cost_fn[1 - high], prevalence[1 - high]);
    return O.matters(found) ? found : degenerate[high];
  });
}

const slopeOf = ({ w, m }: O.Weights): number => (m.q[0] === 0n ? Infinity : E.number(E.div(w.q, m.q)));

const hasBoth = ({ prevalence }: { prevalence: number }): boolean => prevalence > 0 && prevalence < 1;
const ONE_CLASS = say("expert.model.a precision needs a", { low: F.share(0), high: F.share(1) });
/** A range within limits takes one threshold alone. */
const isOneOnly = (state: State): boolean => T.limitsOf(state).length > 0 && [state.cost_fn, state.prevalence].some(isInterval);
// The lowest cost within limits, told as a limit; without one the costs.
function withinLimits(state: State, box: Box): Question {
  const limits = T.limitsOf(state);
  if (box.problem || !limits.length) return box;
  if (box.interval && state.mixtures !== false) return { problem: say("expert.model.within limits a range") };
  if ("min_precision" in state.within && !spread(state.prevalence).every((prevalence) => hasBoth({ prevalence }))) return { problem: ONE_CLASS };
  const [costs] = box.corners, numbers = fromEntries(limits.map(([name, x]) => [name, E.decimal(x)]));
  if (box.interval) return { corners: box.corners.map((corner) => ({ ...corner, limit: O.within(corner, numbers, box.ends.prevalence) })), slopes: extremes(box).map(slopeOf), interval: true };
  return { costs, limit: O.within(costs, numbers, [costs.prevalence]) };
}

// What a state asks for: {problem}, or of costs their corners, and of a limit what is best under it.
function asked(state: State): Question {
  if (state.goal === "report") return { problem: say("expert.model.this page does not") };
  if (state.goal === "cost") return withinLimits(state, boxOf(state));
  if (state.goal === "min_precision" && !hasBoth(state as State & { prevalence: number })) return { problem: ONE_CLASS };
  return { limit: O.limits[state.goal](...(NUMBERS[state.goal].map((name) => E.decimal(state[name] as number)) as [Fraction, Fraction])) };
}

// --- figures at a point ------------------------------------------------------------------------

const range = (values: (number | null)[], interval: boolean): Told => {
  const found = values.filter((value) => value !== null);
  if (!found.length) return null;
  return interval ? [min(...found), max(...found)] : found[0];
};

interface Cell {
  positive: boolean;
  rate(point: Rates): number;
}
type Term = [rate: Cell["rate"], worth: number];
const CELLS: Record<string, Cell> = {
  tp: { positive: true, rate: ({ tpr }) => tpr }, fp: { positive: false, rate: ({ fpr }) => fpr },
  fn: { positive: true, rate: ({ tpr }) => 1 - tpr }, tn: { positive: false, rate: ({ fpr }) => 1 - fpr },
};
const PRICES = { fp: "cost_fp", fn: "cost_fn" }; // what the two errors cost
// What an outcome counts for, times the share of its class; numbers are told in rochull.report.numbers.
function times(amount: number | string, share: Fraction, { cost_fp, cost_fn }: Partial<Stakes>): number {
  if (typeof amount === "number") return amount * E.number(share);
  const sign = amount.startsWith("-") ? -1 : 1, name = amount.replace("-", "");
  if (name !== "odds") return sign * E.number(E.mul(share, name === "cost_fp" ? cost_fp! : cost_fn!));
  const weighed = E.mul(share, cost_fp!);
  if (weighed[0] === 0n) return 0;
  return sign * (cost_fn![0] === 0n ? Infinity : E.number(E.div(weighed, cost_fn!)));
}
// What a sum over the outcomes is made of at a corner: the rate of each, and what that is worth.
type Priced = Partial<Stakes> & { prevalence: Fraction };
const termsOf = (part: Record<string, number | string>, corner: Priced): Term[] => entries(part).flatMap(([outcome, amount]): Term[] => {
  const { positive, rate } = CELLS[outcome], p = corner.prevalence, share = positive ? p : E.sub(E.ONE, p);
  return share[0] === 0n ? [] : [[rate, times(amount, share, corner)]];
});
function total(terms: Term[], point: Rates): number {
  let sum = 0;
  for (const [rate, worth] of terms) {
    const among = rate(point);
    if (among !== 0) sum += worth * among;
  }
  return sum;
}
type At = (point: Rates) => number | null;
function quotientOf({ over, under }: Count, corner: Priced): At {
  const [top, bottom] = [over, under].map((part) => termsOf(part, corner)), alone = !Object.keys(under).length;
  return (point) => {
    const below = alone ? 1 : total(bottom, point);
    return below ? total(top, point) / below : null;
  };
}
const priced = ({ over, under }: Count): boolean => [over, under].some((part) => Object.values(part).some((amount) => typeof amount === "string"));

// The figures of any point under a state: what does not depend on the point is computed once.
type Read = [key: string, each: At[], interval: boolean];
function figuresOf(numbers: Count[], state: State, isPriced = true): (point: Rates | null) => Figures {
  const box = boxOf(state), none = fromEntries([...numbers.map(({ key }) => [key, null]), ["confusion", null], ["prices", null]]) as unknown as Figures;
  const reads: Read[] = []; // [key, corners' functions of the point, whether they are a range]
  const sums = (table: Record<string, Record<string, number | string>>, corners: Priced[], interval: boolean) => entries(table).map(([name, part]): Read =>
    [name, corners.map((corner) => termsOf(part, corner)).map((terms) => (point: Rates) => CASES * total(terms, point)), interval]);
  const tables: [string, Read[]][] = [];
  if (!box.problem && isPriced) {
    for (const each of numbers.filter(priced)) reads.push([each.key, box.corners.map((corner) => quotientOf(each, corner)), box.interval]);
    tables.push(["prices", sums(fromEntries(entries(PRICES).map(([cell, price]) => [cell, { [cell]: price }])), box.corners, box.interval)]);
  }
  const corners = [...new Set(spread(state.prevalence))].map((p) => ({ prevalence: E.decimal(p) })), interval = isInterval(state.prevalence);
  for (const each of numbers.filter((number) => !priced(number))) reads.push([each.key, corners.map((corner) => quotientOf(each, corner)), interval]);
  tables.push(["confusion", sums(fromEntries(Object.keys(CELLS).map((cell) => [cell, { [cell]: 1 }])), corners, interval)]);
  const read = (all: Read[], point: Rates) => fromEntries(all.map(([key, each, interval]) => [key, range(each.map((found) => found(point)), interval)]));
  return (point) => (point ? { ...none, ...read(reads, point), ...Object.fromEntries(tables.map(([key, all]) => [key, read(all, point)])) } : { ...none });
}

// --- points ------------------------------------------------------------------------------------

// One rule for each end of an edge: of one classifier, if one reaches both.
function edgeEnds(left: Rule[], right: Rule[]): [Rule, Rule] {
  const names = new Set(right.map((rule) => rule.classifier));
  const start = left.find((rule) => names.has(rule.classifier)) || left[0];
  return [start, right.find((rule) => rule.classifier === start.classifier) || right[0]];
}

function pointOf(hull: Hull, choice: O.Choice | null): Placed | null {
  if (!choice) return null;
  const [fpr, tpr] = O.rates(hull.frontier, choice).map(E.number);
  const { left } = choice;
  if (!choice.share) return { fpr, tpr, left, share: 0, rules: [{ rule: hull.owners(left)[0], probability: 1 }] };
  const share = E.number(choice.share), [start, end] = edgeEnds(hull.owners(left), hull.owners(left + 1));
  const rules = [{ rule: start, probability: 1 - share }, { rule: end, probability: share }];
  return { fpr, tpr, left, share, rules };
}

function hullOf(fp: number[], tp: number[], places: number, owners: Hull["owners"]): Hull {
  const frontier = O.frontier(fp, tp, places);
  return { fpr: frontier.fpr, tpr: frontier.tpr, fp, tp, frontier, owners, rules: (v) => owners(v)[0] };
}

const ownersOf = ({ name, lower_is_positive, hull: { thresholds, fp } }: Classifier) => (v: number): Rule[] => {
  if (v === 0 || v === fp.length - 1) return [v ? ALWAYS : NEVER];
  return [reaching({ name, lower_is_positive }, thresholds[v])];
};

// A single threshold; null if there is none.
function singleOf({ frontier: { fpr, tpr }, rule }: Singles, i: number): Placed | null {
  return i < 0 ? null : { fpr: fpr[i], tpr: tpr[i], single: i, share: 0, rules: [{ rule: rule(i), probability: 1 }] };
}

// --- the parts of a model ----------------------------------------------------------------------

// The lowest cost (1 is all wrong) at each probability-cost; straight in between.
function costCurve({ fpr, tpr }: Pick<Hull, "fpr" | "tpr">) {
  const last = fpr.length - 1, x = new Float64Array(last + 2), y = new Float64Array(last + 2);
  for (let i = 0; i <= last + 1; i++) {
    const v = min(i, last), run = v ? fpr[v] - fpr[v - 1] : 0, rise = v ? tpr[v] - tpr[v - 1] : 1;
    x[i] = i > last ? 1 : run / (run + rise);
    y[i] = (1 - x[i]) * fpr[v] + x[i] * (1 - tpr[v]);
  }
  return { x, y };
}

// --- evaluation --------------------------------------------------------------------------------

const NOTHING = {
  feasible: false, message: null, interval: false, chosen: null, single: null, measure: null,
  baselines: [], regret: [], worst: null, worst_single: null, span: null, optimal: null, line: null, lines: null, slope: null, probability_cost: null,
};

// The best points under costs: of the union and of each hull alone, and where the condition's lines lie.
function underCosts(parts: Parts, box: Pick<Box, "corners" | "ends" | "interval">, mixtures: boolean): Found {
  const { union, hulls, names, singles } = parts;
  const corners = box.corners.filter(O.matters), stakes = O.costs(corners, union.frontier, !box.interval);
  const best = ({ frontier }: Hull): O.Choice =>
    (box.interval ? stakes.minimax(frontier) : { left: O.best(corners[0], frontier), share: null });
  const lose = (hull: { frontier: O.Frontier }, own: O.Choice) => stakes.worst(O.rates(hull.frontier, own));
  // The best rule of a hull; where no mixture is allowed, of its vertices and of the single thresholds.
  const ruled = (hull: Hull, points: Singles | null, one = box.interval && !mixtures) => {
    const choice = one ? stakes.single(hull.frontier) : best(hull);
    const between = one ? stakes.lower(points!.frontier, O.rates(hull.frontier, choice)) : -1;
    if (between < 0) return { point: pointOf(hull, choice), value: lose(hull, choice) };
    return { point: singleOf(points!, between), value: lose(points!, { left: between, share: null }) };
  };
  const { point: chosen, value: least } = ruled(union, singles);
  const regret = hulls.map((hull, i) => ({ name: names[i], ...ruled(hull, box.interval && !mixtures ? parts.alone[i] : null) }));
  if (!box.interval) {
    const slope = slopeOf(corners[0]), cheap = O.asCheap(corners[0], O.rates(union.frontier, best(union)));
    return { chosen, single: chosen, regret, line: through(corners[0], chosen!), slope, probability_cost: 1 / (1 + slope), cheap };
  }
  const [flat, steep] = extremes(box);
  const span = [O.best(steep, union.frontier), O.best(flat, union.frontier, true)];
  const optimal = new Set<string | null>(); // by ascending slope
  for (let v = span[1]; v >= span[0]; v--) for (const { classifier } of union.owners(v)) optimal.add(classifier);
  optimal.delete(null); // that of "never" and "always"
  const touching = (costs: O.Weights, v: number) => through(costs, { fpr: union.fpr[v], tpr: union.tpr[v] });
  const slope = [flat, steep].map(slopeOf);
  const { point: single, value: lost } = ruled(union, singles, true);
  return {
    chosen, single, regret, span,
    worst: least, worst_single: lost, optimal: [...optimal] as string[], slope,
    lines: [touching(flat, span[1]), touching(steep, span[0])],
    probability_cost: slope.map((s) => 1 / (1 + s)).reverse(),
  };
}

// In four digits, and not more than the value.
function floored(value: number): number {
  const near = rounded(value, 4), digit = 10 ** (floor(log10(value)) - 3);
  return near <= value ? near : rounded(near - digit, 4);
}

// Why there is no rule: of single limits only a precision can be out of reach, as "never" and "always" meet the others.
function reachable({ union: { fpr, tpr } }: Pick<Parts, "union">, state: State): string {
  const p = state.prevalence as number;
  const wanted = (state.goal === "cost" ? state.within.min_precision : state.min_precision) as number;
  let most = 0;
  for (let i = 1; i < fpr.length; i++) most = max(most, (p * tpr[i]) / (p * tpr[i] + (1 - p) * fpr[i]));
  if (state.goal === "cost" && !(wanted > most)) return say("expert.model.no rule keeps all");
  return say("expert.model.a precision of cannot", { wanted: F.share(wanted), p: F.share(p) }) +
    say("expert.model.the highest is", { most: F.share(floored(most)) });
}

// The iso-performance line of costs through a point.
const through = ({ w, m }: O.Weights, { fpr, tpr }: Rates): O.Line => ({ a: m.f, b: -w.f, c: m.f * tpr - w.f * fpr });

// The best points under a limit, or under `costs` within several.
function underLimit(parts: Parts, { limit, costs }: { limit: O.Limit; costs?: Corner }, goal: string, mixtures: boolean): Found | null {
  const { union, hulls, names, singles } = parts;
  const lost = (hull: { frontier: O.Frontier }, own: O.Choice) => { // what is to be small
    const rates = O.rates(hull.frontier, own), [x, y] = rates;
    if (costs) return O.costOf(costs, rates);
    return goal === "min_recall" ? x : E.sub(E.ZERO, y);
  };
  const choice = limit.best(union.frontier);
  if (!choice) return null;
  const least = lost(union, choice);
  const regret = hulls.map((hull, i) => {
    const at = mixtures ? -1 : limit.single(parts.alone[i].frontier);
    const own = mixtures ? limit.best(hull.frontier) : at < 0 ? null : { left: at, share: null };
    const value = own ? max(0, E.number(E.sub(lost(mixtures ? hull : parts.alone[i], own), least))) : Infinity;
    return { name: names[i], point: mixtures ? pointOf(hull, own) : singleOf(parts.alone[i], at), value };
  });
  const i = limit.single(singles.frontier), single = singleOf(singles, i);
  const chosen = mixtures ? pointOf(union, choice) : single, found: Found = { chosen, single, regret, line: limit.line };
  if (!costs || !chosen) return found;
  const bound = choice.plane && choice.plane.map((part) => part.f), slope = slopeOf(costs);
  const line = bound ? { a: bound[0], b: bound[1], c: bound[2] } : through(costs, chosen), cheap = O.asCheap(costs, i < 0 ? O.rates(union.frontier, choice) : singles.frontier.point(i));
  return { ...found, line, limited: Boolean(bound), slope, probability_cost: 1 / (1 + slope), cheap };
}

type Limited = Question & { limit: O.Limit };
type Ranged = Parameters<typeof rochullRanged.within>[1];
function evaluate(parts: Parts, state: State): Answer {
  const figures = parts.figures(state), none: Answer = { ...NOTHING, ...figures(null), measure: MEASURES[state.goal] || "tpr" };
  none.regret = parts.names.map((name) => ({ name, point: null, value: Infinity }));
  if (state.goal === "report") return parts.given!(none, state);
  const question = asked(state);
  if (question.problem) return { ...none, message: question.problem };
  const mixtures = state.mixtures !== false;
  const found = question.limit ? underLimit(parts, question as Limited, state.goal, mixtures) : question.slopes ? rochullRanged.within(parts, question as Question & Ranged, singleOf) : underCosts(parts, question as Box, mixtures);
  if (!found) return { ...none, line: question.limit?.line ?? null, message: reachable(parts, state) };
  if (!found.chosen) return { ...none, regret: found.regret, message: F.mixable(T.limitCount(state)) };
  return { ...none, feasible: true, interval: Boolean(question.interval), ...found,
    ...figures(found.chosen), baselines: baselinesOf(parts, figures, state, found) };
}

// What the answer is compared with: each baseline with its point and its figures; told in baselines.py.
function baselinesOf({ baselines, names }: Parts, figures: (point: Rates | null) => Figures, state: State, { regret, cheap }: Found): Baseline[] {
  return baselines.map(({ kind, classifier, fpr, tpr }, i) => {
    const point = kind === "best" ? regret[names.indexOf(classifier!)].point : { fpr, tpr };
    return { kind, classifier, ...judged(figures, state, point), as_cheap: cheap?.[i] ?? null };
  });
}
/** A point with its figures, and whether it breaks the limit of a state, by more than rounding. */
function judged(figures: (point: Rates | null) => Figures, state: State, point: Rates | null): Judged {
  const found = figures(point);
  return { point, ...found, breaks: Boolean(point) && beyondLimit(state, point!, found) };
}
function beyondLimit(state: State, { fpr, tpr }: Rates, { positive_rate: flagged, precision }: Figures): boolean {
  const [name] = NUMBERS[state.goal] || [], limits = state.goal === "cost" ? T.limitsOf(state) : name ? [[name, state[name] as number] as const] : [];
  const over: Record<string, (x: number) => number> = { max_fpr: (x) => fpr - x, min_recall: (x) => x - tpr, fraction: (x) => (flagged as number) - x, min_precision: (x) => (precision === null ? Infinity : x - (precision as number)) };
  return limits.some(([key, x]) => over[key](x) > 1e-12);
}
/** How much less a point costs than another, as a share of that, at every corner of the costs: [{share, cost_fp, cost_fn, prevalence}]. */
function savings(state: State, point: Rates, other: Rates): Saving[] {
  return boxOf(state).corners.filter(O.matters).map((corner) => {
    const prices = termsOf(PRICES, corner), [cost, against] = [point, other].map((each) => total(prices, each));
    const read = fromEntries(STAKES.map((key) => [key, E.number(corner[key])])) as Record<T.Stake, number>;
    return { share: against ? 1 - cost / against : cost ? -Infinity : 0, ...read };
  });
}

// --- segments ----------------------------------------------------------------------------------

// Thresholds by segment; `live` is told in segments.py.
function segmentsOf({ live, classifier, columns }: Live, straight: Hull, own: Classifier) {
  const { fp, tp } = live;
  const bent = hullOf(fp, tp, E.binaryPlaces([...fp, ...tp]), () => []);
  const at = ({ vertex }: Segment["steps"], v: number) => { // the last step that begins at this vertex or before
    let low = 0, high = vertex.length;
    while (low < high - 1) {
      const middle = (low + high) >> 1;
      if (vertex[middle] <= v) low = middle;
      else high = middle;
    }
    return low;
  };
  function bentPoint(choice: O.Choice) {
    const [fpr, tpr] = O.rates(bent.frontier, choice).map(E.number);
    return { fpr, tpr, left: choice.left, share: choice.share ? E.number(choice.share) : 0, rules: [] };
  }
  function row({ segment, negatives, positives, steps, straight: plain }: Segment, { left, share }: { left: number; share: number }, one: Placed | null) {
    const here = at(steps, left), next = share ? at(steps, left + 1) : here;
    const between = (counts: number[] | null, total: number | null, i: number, j: number, part: number) => (total && counts ? (counts[i] + part * (counts[j] - counts[i])) / total : null);
    const rate = (counts: number[] | null, total: number | null) => between(counts, total, here, next, share);
    return {
      segment, threshold: steps.threshold[here], other: next === here ? null : steps.threshold[next], share,
      fpr: rate(steps.fp, negatives), tpr: rate(steps.tp, positives), negatives, positives,
      one: plain && one && { // under one threshold for all
        share: one.share, ...(Object.fromEntries(([["fpr", plain.fp, negatives], ["tpr", plain.tp, positives]] as const).map(([key, counts, total]) =>
          [key, between(counts, total, one.left!, one.share ? one.left! + 1 : one.left!, one.share)])) as Record<"fpr" | "tpr", number | null>),
      },
    };
  }
  function evaluateSegments(state: State): Apart {
    const nothing = { feasible: false, message: null, chosen: null, straight: null, rows: null };
    const question = asked(state);
    if (question.problem) return { ...nothing, message: question.problem };
    if (question.interval) {
      return { ...nothing, message: say("report.segments.range") };
    }
    const best = ({ frontier }: Hull): O.Choice | null => (question.limit ? question.limit.best(frontier)
      : { left: O.best(question.corners![0], frontier), share: null });
    const choice = best(bent), other = pointOf(straight, best(straight));
    if (!choice) return { ...nothing, straight: other, message: reachable({ union: bent }, state) };
    const chosen = bentPoint(choice);
    const rows = live.segments.map((each) => row(each, chosen, other));
    return { feasible: true, message: null, chosen, straight: other, rows };
  }
  const names = live.segments.map(({ segment }) => segment), known = columns.length === 1 ? `${columns[0]} = ` : "", ends = rochullKnown.thresholds(own).map(({ threshold }) => threshold);
  const ladders = live.segments.map((each) => (each.straight ? G.ladder(own, each) : null));
  /** The segments by one threshold for all; null for a rule of another classifier. */
  const byOne = ({ rule }: { rule: Rule }) => (rule.kind !== "threshold" || rule.classifier !== classifier || !ladders[0] ? null : live.segments.map((each, s) => {
    const rates = ladders[s] && G.ratesAt(ladders[s], Number(rule.threshold), [min(...ends), max(...ends)]);
    return { ...each, name: each.segment.replace(known, ""), ...rates, one: rates };
  }));
  return { names, at: byOne, evaluate: evaluateSegments };
}

// --- the model ---------------------------------------------------------------------------------

function create(facts: Facts) {
  const counts = [facts.hybrid, ...facts.classifiers.map(({ hull }) => hull)];
  const places = facts.examples ? E.binaryPlaces(counts.flatMap(({ fp, tp }) => [...fp, ...tp])) : E.RATES;
  const union = hullOf(facts.hybrid.fp, facts.hybrid.tp, places, (v) => facts.hybrid.owners[v]);
  const hulls = facts.classifiers.map((each) => hullOf(each.hull.fp, each.hull.tp, places, ownersOf(each)));
  const names = facts.classifiers.map(({ name }) => name);
  const { negatives, positives } = facts.totals;
  const baselines = facts.baselines.map(({ kind, classifier, fp, tp }) =>
    ({ kind, classifier, fpr: fp! / negatives, tpr: tp! / positives }));
  const singles = singlesOf(facts);
  // Of a report on a limit alone nobody has asked about costs, until some are typed.
  const isUnasked = ({ goal, cost_fp: fp, cost_fn: fn }: State) => (!facts.figures && moved && moved.goal !== "cost" && goal !== "cost" && fp === base.cost_fp && fn === base.cost_fn) as boolean;
  const figures = (state: State) => figuresOf(facts.numbers, state, !isUnasked(state));
  let each: Singles[] | null = null; // made when a single threshold is first asked for
  const parts: Parts = { union, hulls, names, singles, baselines, figures,
    get alone() { return (each ??= facts.classifiers.map((own, i) => aloneOf(own, i, facts))); } };
  const counted = Boolean(facts.examples && !facts.examples.weighted), ruleAt = (i: number, threshold: number) => rochullKnown.ruleAt(facts.classifiers[i], facts.totals, threshold, counted);
  // The same with the rule that the reader has set, whatever is best.
  const byHand = (found: Answer, state: State, point: Placed | null): Answer => (point ? { ...found, feasible: true, chosen: point, single: point, worst: null, worst_single: null, ...figures(state)(point) } : found);
  const rates = (values: number[], total: number) => Float64Array.from(values, (count) => count / total);
  const curves = facts.classifiers.map(({ curve }, i) => ({
    fpr: curve ? rates(curve.fp, negatives) : hulls[i].fpr, tpr: curve ? rates(curve.tp, positives) : hulls[i].tpr,
  }));
  const prevalence = facts.examples ? facts.examples.prevalence : 0.5;
  const base: State = {
    goal: "cost", cost_fp: 1, cost_fn: 1, prevalence,
    max_fpr: 0.1, min_recall: 0.9, min_precision: 0.5, fraction: 0.05, ...facts.figures,
    mixtures: facts.mixtures && !facts.answer, within: {}, // one threshold, unless the reader asks for mixtures
  };
  const { opening } = facts, own = opening && { ...base, ...opening.state }, moved = opening?.movable ? own : null;
  if (own && !moved) {
    const keys = facts.numbers.filter(priced).map(({ key }) => key);
    parts.given = (none, state) => rochullGiven.answer(facts, none, figuresOf(facts.numbers, state), keys, state.mixtures !== false);
  }
  const integer = new Set(facts.classifiers.filter((each) => each.integer).map(({ name }) => name));
  const segmented = SEGMENTS && facts.segments?.live ? hulls[names.indexOf(facts.segments.classifier)] : null;
  return {
    totals: facts.totals, names, prevalence, hulls, union, curves, singles: singles.frontier,
    movable: moved !== null,
    isUnasked,
    initial: () => structuredClone(own || base),
    allow: () => { for (const each of [base, own]) if (each && !isOneOnly(each)) each.mixtures = facts.mixtures; },
    blocks: (i: number) => blocksOf(facts.classifiers[i]),
    costCurve,
    evaluate: (state: State, cut: Cut | null = null) => byHand(evaluate(parts, state), state, cut && ruleAt(cut.classifier, cut.threshold)),
    figures: (state: State, point: Rates | null) => figures(state)(point),
    judged: (state: State, point: Rates | null) => judged(figures(state), state, point),
    savings,
    ruleAt,
    scores: (i: number) => rochullKnown.scoresOf(facts.classifiers[i]),
    wilson: E.wilson,
    python: T.python,
    commandLine: (state: State) => T.commandLine(facts.command, state),
    sql: (point: Placed | null, dialect: string, key: string | null) => T.sql(facts.deploy, integer, point, dialect, key),
    dialects: entries(facts.deploy?.sql ?? {}).map(([name, { label }]) => [name, label]),
    policyJson: () => facts.deploy?.policy ?? null,
    segments: SEGMENTS && segmented ? segmentsOf(facts.segments as Live, segmented, facts.classifiers[names.indexOf(facts.segments!.classifier)]) : null,
  };
}

/** What the page computes of a report. */
export type Model = ReturnType<typeof create>;
export { create };
