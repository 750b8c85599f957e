// One threshold for each of two segments, such that a rate is alike in both: the constraints of rochull.groups, without
// mixtures. No DOM.
import * as lists from "./lists";
import type { Classifier, Live, Number as Threshold } from "./report_facts";
import { abs, fromEntries, listOf, max, min } from "./maths";

/** Thresholds and how often each is used. */
export type Used = [threshold: Threshold, share: number][];
export type Segment = Live["segments"][0];
export interface Rung {
  thresholds: Used;
  level: number;
  fpr: number | null;
  tpr: number | null;
}
type Rate = "flagged" | "tpr" | "fpr";
/** What is known of a segment under a rule. */
type Judged = Record<Rate, number | null> & { cost: number };
const RATES: Record<string, Rate | null> = { none: null, demographic_parity: "flagged", equal_tpr: "tpr", equal_fpr: "fpr" };
interface Counts {
  fp: number[];
  tp: number[];
}
/** All thresholds of a segment whose counts are known, in the order of the scores; "inf" flags nothing, "-inf" everything. */
function ladder({ hull, lower_is_positive: lower }: Pick<Classifier, "hull" | "lower_is_positive">, { straight, steps, negatives, positives }: Segment): Rung[] {
  const found = new Map<Threshold, [number | null, number | null]>([["inf", [0, 0]], ["-inf", [negatives, positives]]]), ends: Partial<Record<Threshold, number>> = { inf: lower ? -Infinity : Infinity, "-inf": lower ? Infinity : -Infinity };
  for (const [thresholds, { fp, tp }] of [[hull.thresholds, straight], [steps.threshold, steps]] as [Threshold[], Counts][]) {
    thresholds.forEach((threshold, v) => found.has(threshold) || found.set(threshold, [fp[v], tp[v]]));
  }
  return listOf(found, ([threshold, [fp, tp]]): Rung =>
    ({ thresholds: [[threshold, 1]], level: ends[threshold] ?? (threshold as number), fpr: negatives ? fp! / negatives : null, tpr: positives ? tp! / positives : null }))
    .sort((a, b) => a.level - b.level);
}
/** The rates of a segment at a threshold: exact where its counts are known, and straight between. `low` and `high` are the ends of the scores. */
function ratesAt(rungs: Rung[], threshold: number, [low, high]: number[]): Pick<Rung, "fpr" | "tpr"> {
  const level = ({ level: at }: Rung) => min(high, max(low, at)), found = rungs.findIndex((rung) => level(rung) >= threshold), k = found < 0 ? rungs.length - 1 : found;
  const after = rungs[k], before = after.level === threshold ? after : rungs[max(0, k - 1)], wide = level(after) - level(before), part = wide ? (threshold - level(before)) / wide : 1;
  return fromEntries((["fpr", "tpr"] as const).map((key) => [key, after[key] === null ? null : before[key]! + part * (after[key] - before[key]!)])) as unknown as Pick<Rung, "fpr" | "tpr">;
}
/** The places of the values, ascending, that are nearest to one: two if it is in the middle. */
function nearest(values: number[], value: number): number[] {
  const k = lists.bisectLeft(values, value), off = [k - 1, k].map((i) => (i in values ? abs(values[i] - value) : Infinity));
  return [k - 1, k].filter((_, i) => off[i] === min(...off));
}
/** The cheapest pair among the rungs of both, judged, under a constraint and by the `total` cost of a pair; null where a segment lacks the class. Two rates are alike
 *  if neither segment has a threshold that comes nearer to that of the other: equal ones need not exist. */
function choose<T extends Judged>(constraint: string, rungs: T[][], total: (pair: T[]) => number): T[] | null {
  const rate = RATES[constraint];
  if (!rate) return rungs.map((all) => all.reduce((least, each) => (each.cost - least.cost || each.fpr! - least.fpr!) < 0 ? each : least));
  const sides = rungs.map((all) => [...all].sort((a, b) => a[rate]! - b[rate]! || a.cost - b.cost || a.fpr! - b.fpr!).filter((each, i, sorted) => !i || each[rate] !== sorted[i - 1][rate]));
  const [a, b] = sides.map((side) => side.map((each) => each[rate] as number)), alike: T[][] = [];
  if (a[0] === null || b[0] === null) return null;
  a.forEach((value, i) => {
    for (const j of nearest(b, value)) if (nearest(a, b[j]).includes(i)) alike.push([sides[0][i], sides[1][j]]);
  });
  const apart = ([x, y]: T[]) => abs(x[rate]! - y[rate]!);
  return alike.reduce((least, pair) => (total(pair) - total(least) || apart(pair) - apart(least)) < 0 ? pair : least);
}

export { RATES, ladder, ratesAt, choose };
