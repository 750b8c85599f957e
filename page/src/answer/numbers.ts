// The numbers of the answer: counts, costs, the stretch in which no difference can be measured, and what rules chosen on other
// parts did. No document, no words; twins of src/rochull/report/answer.py, tied by tests.
import type { Facts } from "../report_facts";
import * as F from "../report_format";
import { abs, isArray, listOf, max, min, round, rounded, sqrt } from "../maths";

export interface Costs {
  fp: number;
  fn: number;
  p: number; // the share of positives
}
/** What a classifier does at a threshold, in counts of the past cases. */
export interface Step {
  threshold: number;
  fp: number;
  tp: number;
}
export interface Totals {
  negatives: number;
  positives: number;
}
export interface Cells {
  tp: number;
  fn: number;
  fp: number;
  tn: number;
}
export interface Rates {
  fpr: number;
  tpr: number;
}
export type Rule = {
  kind: "threshold" | "never" | "always";
  classifier: string | null;
  threshold: number | string | null;
  lower_is_positive?: boolean;
};
export interface Point extends Rates {
  rules: { rule: Rule; probability: number }[];
}

export const NORMAL = 1.96; // standard errors to both sides, of a 95 % interval
export const PER = 10000; // what costs are told per

const isInterval = (x: unknown): x is [number, number] => isArray(x) && x[0] !== x[1];
const middle = (x: number | number[]): number => (isArray(x) ? (x[0]! + x[1]!) / 2 : x);
/** That people decide some cases: at what price, and how many at most. */
export interface Reviewing {
  cost: number;
  most: number;
}
export interface State {
  goal: string;
  cost_fp: number;
  cost_fn: number | number[];
  prevalence: number | number[];
  within: Record<string, number>;
  mixtures?: boolean;
  own?: NonNullable<NonNullable<Facts["opening"]>["state"]["own"]>; // the report's own condition
  review?: Reviewing | null;
  [limit: string]: unknown;
}
/** The costs of a state; of ranges the middle. */
export const costsOf = (state: State): Costs => ({ fp: state.cost_fp, fn: middle(state.cost_fn), p: middle(state.prevalence) });
export const isRange = (state: State): boolean => state.goal === "cost" && [state.cost_fn, state.prevalence].some(isInterval);

/** What errors cost per case. */
export const costAt = ({ fp, fn, p }: Costs, { fpr, tpr }: Rates): number => (1 - p) * fp * fpr + p * fn * (1 - tpr);
export const ratesOf = ({ fp, tp }: { fp: number; tp: number }, { negatives, positives }: Totals): Rates => ({ fpr: fp / negatives, tpr: tp / positives });

/** Of so many cases, whole ones that add up. */
export const cellsOf = (p: number, { fpr, tpr }: Rates, size: number): Cells =>
  F.wholeCases({ tp: size * p * tpr, fn: size * p * (1 - tpr), fp: size * (1 - p) * fpr, tn: size * (1 - p) * (1 - fpr) }) as Cells;

const SCALES = [100, 1000, 10000, 1e6] as const;
/** The least round number of cases of which a share, and the rest, makes as many. */
const scaleOf = (share: number, least: number): number => SCALES.find((size) => size * min(share, 1 - share) >= least) ?? SCALES[3];
/** How many cases are shown, so that five of the rarer class are seen. */
export const shownOf = (p: number): number => scaleOf(p, 5);

/** A rate as a count of 100 cases, or of more if it would be none or all of them. */
export function countOf(rate: number): { count: number; of: number } {
  const of = rate && rate !== 1 ? scaleOf(rate, 0.5) : SCALES[0];
  return { count: round(rate * of), of };
}

/** The first and the last of the steps whose costs cannot be told from that of the one at `at`.
 *  Two thresholds of one score are nested, so what differs is the cases between them alone. Some in between may be told
 *  apart by chance: up to the first of these, the best threshold would be left out more often than not. */
export function stretchOf(steps: Step[], at: number, { negatives, positives }: Totals, { fp, fn, p }: Costs): [number, number] {
  const hit = (p * fn) / positives, alarm = ((1 - p) * fp) / negatives, { fp: fp0, tp: tp0 } = steps[at]!;
  const isLike = ({ fp: f, tp: t }: Step) => {
    const pos = abs(t - tp0), neg = abs(f - fp0);
    const variance = hit ** 2 * pos * (1 - pos / positives) + alarm ** 2 * neg * (1 - neg / negatives);
    return abs(hit * pos - alarm * neg) <= NORMAL * sqrt(variance);
  };
  return [steps.findIndex(isLike), steps.findLastIndex(isLike)];
}
/** The cheapest step. */
export function cheapest(steps: Step[], totals: Totals, costs: Costs): number {
  let best = 0;
  const cost = (i: number) => costAt(costs, ratesOf(steps[i]!, totals));
  for (let i = 1; i < steps.length; i += 1) if (cost(i) < cost(best)) best = i;
  return best;
}

// --- on new cases ---------------------------------------------------------------------------------

interface Moments {
  tpr: number[];
  fpr: number[];
  var_tpr: number[];
  var_fpr: number[];
  cov: number[];
}
interface Held extends Moments {
  less: Moments | null; // differences to the comparison
}
export interface HeldOut {
  slopes: Held & { slope: number[] };
  limits: Record<string, Held & { value: number[] }>;
}
/** An estimate with its standard error; NaN if that is not known. */
export interface Estimate {
  value: number;
  error: number;
}
const slopeOf = ({ fp, fn, p }: Costs): number => ((1 - p) * fp) / (p * fn);
export const nearest = (values: number[], off: (value: number) => number): number => values.reduce((best, value, i) => (off(value) < off(values[best]!) ? i : best), 0);
const errorOf = (held: Moments, i: number, { fp, fn, p }: Costs): number => {
  const [alarm, hit] = [(1 - p) * fp, p * fn];
  return sqrt(max(0, alarm ** 2 * held.var_fpr[i]! + hit ** 2 * held.var_tpr[i]! - 2 * alarm * hit * held.cov[i]!));
};
/** What a rule costs on new cases that was chosen at these costs, or under one limit, and the error of its difference to the
 *  comparison; of the nearest number there is, which may not be `exact`. Null where nothing was held out. */
export function onNew(held: HeldOut | null, costs: Costs, limit: [string, number] | null): { cost: Estimate; apart: number; exact: boolean } | null {
  const slope = slopeOf(costs);
  if (!held || (limit ? !held.limits[limit[0]] : !(slope > 0 && slope < Infinity))) return null;
  const table = limit ? held.limits[limit[0]]! : held.slopes, values = limit ? held.limits[limit[0]]!.value : held.slopes.slope, asked = limit ? limit[1] : slope;
  const i = nearest(values, limit ? (value) => abs(value - asked) : (value) => abs(Math.log(value / asked)));
  return {
    cost: { value: costAt(costs, { fpr: table.fpr[i]!, tpr: table.tpr[i]! }), error: errorOf(table, i, costs) },
    apart: table.less ? errorOf(table.less, i, costs) : NaN, exact: abs(values[i]! - asked) <= 1e-9 * asked,
  };
}

// --- the distribution -------------------------------------------------------------------------------

export interface Bar {
  low: number;
  high: number;
  pos: number; // of all positives
  neg: number;
}
/** The share of each class that is flagged at a threshold, straight between the known ones. */
export function flaggedAt(steps: Step[], totals: Totals, lower: boolean, threshold: number): Rates {
  const sign = lower ? 1 : -1;
  let [low, high] = [-1, steps.length]; // the last that flags no more, the first that flags more
  while (high - low > 1) {
    const mid = (low + high) >> 1;
    if (sign * (steps[mid]!.threshold - threshold) <= 0) low = mid;
    else high = mid;
  }
  const before = steps[low] ?? { threshold, fp: 0, tp: 0 }, after = steps[high];
  if (!after || low < 0) return ratesOf(before, totals);
  const part = (threshold - before.threshold) / (after.threshold - before.threshold);
  const between = (a: number, b: number) => a + part * (b - a);
  return ratesOf({ fp: between(before.fp, after.fp), tp: between(before.tp, after.tp) }, totals);
}
/** Bars of equal width over the scores. */
export function barsOf(steps: Step[], totals: Totals, lower: boolean, [from, to]: [number, number], count = 50): Bar[] {
  const edges = listOf({ length: count + 1 }, (_, i) => rounded(from + ((to - from) * i) / count, 12));
  const flagged = edges.map((edge, i) => (i === (lower ? 0 : count) ? { fpr: 0, tpr: 0 } : i === (lower ? count : 0) ? { fpr: 1, tpr: 1 } : flaggedAt(steps, totals, lower, edge)));
  return edges.slice(1).map((high, i) => ({
    low: edges[i]!, high, pos: abs(flagged[i + 1]!.tpr - flagged[i]!.tpr), neg: abs(flagged[i + 1]!.fpr - flagged[i]!.fpr),
  }));
}
