// What the pictures of the answer draw: from what is seen, once for each change.
import * as F from "../report_format";
import type { Classifier as Known } from "../report_facts";
import * as rochullKnown from "../report_known";
import { barsOf, cellsOf, cheapest, costAt, costsOf, flaggedAt, isRange, ratesOf, shownOf, stretchOf, type Bar, type Cells, type Costs, type Point, type Rates, type Rule, type State, type Step, type Totals } from "./numbers";
import { isApart, ofFairness, type Fared, type Segment } from "./Fair";
import { isKept, isLeast, limitsOf, priceOf, saidOf, SHARES, situationOf, type AnswerFacts, type Price, type Result, type Reviewed, type Said, type Seen, type Situation } from "./situation";
import { tables } from "catalogue";
import { abs, assign, ceil, floor, isArray, listOf, max, min, rounded, sqrt } from "../maths";

/** What the page's model and its facts are to the answer. */
export interface Model {
  totals: Totals;
  names: string[];
  prevalence: number;
  singles: { fpr: Float64Array; tpr: Float64Array };
  evaluate(state: State): Result;
  segments: { at(part: { rule: Rule }): Fared[] | null; evaluate(state: State): { chosen: Point | null; rows: Segment[] | null } } | null;
}
type Classifier = Omit<Known, "scores"> & {
  scores: { negatives: { least: number; greatest: number }; positives: { least: number; greatest: number } } | null;
};
export interface Facts {
  title: string;
  examples: { negatives: number; positives: number; weighted: boolean } | null;
  classifiers: Classifier[];
  answer: AnswerFacts;
}

/** The scores of the classifier whose cut-off it is. */
export interface Scores {
  index: number;
  name: string;
  lower: boolean;
  steps: Step[];
  ends: [number, number];
  bars: Bar[];
}
/** Counts of the outcomes; of those reviewed in one. */
export interface Outcomes extends Cells {
  rv: number;
}
/** What is neither flagged nor passed by the score alone: from where to where, and of how many cases. */
export interface Zones {
  kind: "review" | "draw";
  low: number;
  high: number;
  counts: { flagged: number; between: number; passed: number };
}
export interface View {
  seen: Seen;
  said: Said;
  situation: Situation;
  costs: Costs;
  rates: Rates | null;
  rule: Rule | null;
  shown: number; // of how many cases the icons are
  icons: Outcomes | null;
  cells: Outcomes | null; // of answer.cases
  price: Price | null;
  isPriced: boolean;
  scores: Scores | null;
  cut: number | null; // where the one cut-off stands on the axis
  zones: Zones | null; // where there are two
  marks: { name: string; at: number }[] | null; // where there is one for each segment
  best: number | null; // the place of the report's best threshold among the steps
  stretch: [number, number] | null; // thresholds
  within: [number, number] | null; // the thresholds that keep all limits
  instead: State[]; // where no rule keeps the limits, what can be had in their place
}

declare const SEGMENTS: boolean; // whether the page is built for them
const made = new Map<number, Scores | null>();
export function scoresOf(facts: Facts, totals: Totals, index: number): Scores | null {
  if (!made.has(index)) {
    const own = facts.classifiers[index]!, steps = rochullKnown.thresholds(own), lower = Boolean(own.lower_is_positive);
    const known = own.scores && [min(own.scores.negatives.least, own.scores.positives.least), max(own.scores.negatives.greatest, own.scores.positives.greatest)];
    const reached = [steps[0]?.threshold, steps.at(-1)?.threshold].map(Number).sort((a, b) => a - b);
    const ends = (own.hundredths ? [0, 1] : known ?? reached) as [number, number];
    const good = facts.examples && steps.length > 1 && ends[0] < ends[1];
    made.set(index, good ? { index, name: own.name, lower, steps, ends, bars: barsOf(steps, totals, lower, ends) } : null);
  }
  return made.get(index)!;
}
export const forget = () => made.clear(); // in tests, which have several facts

/** Where on the axis a rule is: of one that flags nobody, or everybody, at an end. */
function placeOf({ lower, ends }: Scores, rule: Rule): number {
  if (rule.kind === "threshold") return Number(rule.threshold);
  return (rule.kind === "never") === lower ? ends[0] : ends[1];
}
export function placed({ steps, lower }: Scores, threshold: number): number {
  const sign = lower ? 1 : -1;
  let [low, high] = [0, steps.length - 1];
  while (low < high) {
    const mid = (low + high) >> 1;
    if (sign * (steps[mid]!.threshold - threshold) < 0) low = mid + 1;
    else high = mid;
  }
  const before = steps[low - 1];
  return before && abs(before.threshold - threshold) < abs(steps[low]!.threshold - threshold) ? low - 1 : low;
}

/** From where to where thresholds keep the limits of a state; null without limits. */
function keptOf({ steps, ends }: Scores, totals: Totals, state: State): [number, number] | null {
  if (!limitsOf(state).length) return null;
  const kept = steps.filter((step) => isKept(state, ratesOf(step, totals))).map(({ threshold }) => threshold);
  return kept.length ? [min(...kept), max(...kept)] : [ends[1], ends[1]];
}

/** What can be had where no rule keeps all limits: each limit as near as it can be while the others stay, or a draw. */
function insteadOf(state: State, { evaluate, singles }: Model, p: number): State[] {
  const limits = limitsOf(state), all = listOf(singles.fpr, (fpr, i) => ({ fpr, tpr: singles.tpr[i]! }));
  const found = limits.flatMap(([name]) => {
    const good = all.filter((rates) => limits.every(([other, x]) => other === name || (isLeast(other) ? SHARES[other](rates, p) - x : x - SHARES[other](rates, p)) > -1e-12));
    const shares = good.map((rates) => SHARES[name](rates, p)), best = isLeast(name) ? max(...shares) : min(...shares);
    if (!good.length || best < 0) return [];
    const x = (isLeast(name) ? floor(1000 * best + 1e-9) : ceil(1000 * best - 1e-9)) / 1000;
    return [state.goal === "cost" ? { ...state, within: { ...state.within, [name]: x } } : { ...state, [name]: x }];
  });
  return [...found, { ...state, mixtures: true }].filter((each) => evaluate(each).feasible);
}
const mainOf = (rule: Rule) => rule.classifier;
/** The zones of a rule that reviews, or draws, between two cut-offs of one score; null if it has not two, or two scores. */
function zonesOf({ reviewed, result: { chosen } }: Seen, scores: Scores, { p }: Costs, totals: Totals, size: number): Zones | null {
  const [high, low] = reviewed ? [reviewed.rules[0]!.high, reviewed.rules.at(-1)!.low] : (chosen?.rules.map(({ rule }) => rule) ?? []);
  if (!high || !low) return null;
  const [one, other] = [high, low].map((rule) => placeOf(scores, rule)).sort((a, b) => a - b) as [number, number];
  const counts = reviewed ? reviewed.whole(size) : null;
  const sum = (key: "flagged" | "reviewed" | "passed") => counts!.positives[key] + counts!.negatives[key];
  if (reviewed) return { kind: "review", low: one, high: other, counts: { flagged: sum("flagged"), between: sum("reviewed"), passed: sum("passed") } };
  const share = (rule: Rule) => {
    const { fpr, tpr } = rule.kind === "threshold" ? flaggedAt(scores.steps, totals, scores.lower, Number(rule.threshold)) : rule.kind === "always" ? { fpr: 1, tpr: 1 } : { fpr: 0, tpr: 0 };
    return size * (p * tpr + (1 - p) * fpr);
  };
  const { tp: flagged, fn: between, fp: passed } = F.wholeCases({ tp: share(high), fn: share(low) - share(high), fp: size - share(low), tn: 0 }) as Cells;
  return { kind: "draw", low: one, high: other, counts: { flagged, between, passed } };
}
/** The score of all the rules; none if there are two. */
function ownerOf({ reviewed, result: { chosen, regret } }: Seen): string | undefined {
  const rules = reviewed ? reviewed.rules.flatMap(({ high, low }) => [high, low]) : (chosen?.rules.map(({ rule }) => rule) ?? []), names = new Set(rules.map(mainOf).filter((name) => name !== null));
  if (names.size) return names.size === 1 ? [...names][0] : undefined;
  return regret.filter(({ point }) => point).sort((a, b) => a.value - b.value)[0]?.name ?? regret[0]?.name;
}

export function viewOf(seen: Seen, facts: Facts, model: Model): View {
  const { answer } = facts, { totals } = model, { state, result, reviewed } = seen, costs = costsOf(state), situation = situationOf(seen, answer, totals);
  const apart = seen.own && !seen.hand && !reviewed && isApart(answer) ? model.segments?.evaluate(state) : null;
  const rates = reviewed ?? apart?.chosen ?? result.chosen, rule = !reviewed && rates && rates.rules.length === 1 ? (rates as Point).rules[0]!.rule : null;
  const own = ownerOf(seen), index = own === undefined ? -1 : model.names.indexOf(own), scores = index < 0 ? null : scoresOf(facts, totals, index);
  if (SEGMENTS && (seen.hand || !seen.own)) assign(situation, rule && model.segments ? ofFairness(model.segments.at({ rule })) : { fair: "none" });
  const isPriced = Boolean(reviewed) || result.expected_cost !== null, range = isRange(state), shown = shownOf(costs.p);
  const free = isPriced && !apart && !reviewed && !range && !limitsOf(state).length && state.goal === "cost";
  const best = !scores || !free ? null : !seen.hand && rule?.kind === "threshold" ? placed(scores, Number(rule.threshold)) : cheapest(scores.steps, totals, costs);
  const found = best === null || !scores ? null : stretchOf(scores.steps, best, totals, costs).map((i) => scores.steps[i]!.threshold);
  const cellsOfAll = (size: number): Outcomes | null => rates && (reviewed ? outcomesOf(reviewed, size) : { ...cellsOf(costs.p, rates, size), rv: 0 });
  return {
    seen, situation, said: saidOf(tables, situation), costs, rates, rule, shown, isPriced, scores, best,
    icons: cellsOfAll(min(shown, 1e6)), cells: cellsOfAll(answer.cases),
    price: apart?.chosen && isPriced ? { cost: { value: costAt(costs, apart.chosen), error: NaN }, rival: null, apart: NaN, isNew: false, about: false } : priceOf(seen, answer, totals), cut: scores && rule ? placeOf(scores, rule) : null, zones: scores && !rule ? zonesOf(seen, scores, costs, totals, answer.cases) : null,
    marks: apart?.rows && scores ? apart.rows.filter(({ positives, negatives }) => positives || negatives).map(({ segment, threshold }) => ({ name: F.segment(segment), at: min(scores.ends[1], max(scores.ends[0], Number(threshold))) })).sort((a, b) => a.at - b.at) : null,
    within: reviewed ? null : scores && keptOf(scores, totals, state),
    stretch: found && (found.sort((a, b) => a - b) as [number, number]),
    instead: rates || state.goal === "report" ? [] : insteadOf(state, model, costs.p),
  };
}
/** What reviewers are not asked about, and what they are. */
function outcomesOf({ whole }: Reviewed, size: number): Outcomes {
  const { positives, negatives } = whole(size);
  return { tp: positives.flagged, fn: positives.passed, fp: negatives.flagged, tn: negatives.passed, rv: positives.reviewed + negatives.reviewed };
}

/** A cost of a miss in the range, with the cut-off that is best there. */
export interface Chip {
  fn: number;
  cutoff: string;
}
/** Three costs of a miss in a range, each with its own best cut-off. */
export function chipsOf({ seen: { state } }: View, model: Model): Chip[] {
  const [low, high] = [state.cost_fn].flat() as [number, number?];
  if (!isRange(state) || high === undefined || !(low > 0) || isArray(state.prevalence)) return [];
  return [low, rounded(sqrt(low * high), 2), high].flatMap((fn) => {
    const rule = model.evaluate({ ...state, cost_fn: fn, mixtures: false }).chosen?.rules[0]!.rule;
    return rule?.kind === "threshold" ? [{ fn, cutoff: F.threshold(rule.threshold, Boolean(rule.lower_is_positive)) }] : [];
  });
}

/** The costs along the steps, of which every one or as many as there are pixels. */
export function curveOf({ steps }: Scores, totals: Totals, costs: Costs): [number, number][] {
  return steps.map((step) => [step.threshold, costAt(costs, ratesOf(step, totals))]);
}
export const cutText = (scores: Scores, value: number): string => F.threshold(value, scores.lower);
