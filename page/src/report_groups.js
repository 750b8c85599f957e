// One threshold for each of two segments, such that a rate is alike in both: the constraints of rochull.groups, without
// mixtures. No DOM.
import * as lists from "./lists";
import { abs, fromEntries, listOf, max, min } from "./maths";

const RATES = { none: null, demographic_parity: "flagged", equal_tpr: "tpr", equal_fpr: "fpr" };
/** All thresholds of a segment whose counts are known, in the order of the scores; "inf" flags nothing, "-inf" everything. */
function ladder({ hull, lower_is_positive: lower }, { straight, steps, negatives, positives }) {
  const found = new Map([["inf", [0, 0]], ["-inf", [negatives, positives]]]), ends = { inf: lower ? -Infinity : Infinity, "-inf": lower ? Infinity : -Infinity };
  for (const [thresholds, { fp, tp }] of [[hull.thresholds, straight], [steps.threshold, steps]]) {
    thresholds.forEach((threshold, v) => found.has(threshold) || found.set(threshold, [fp[v], tp[v]]));
  }
  return listOf(found, ([threshold, [fp, tp]]) =>
    ({ thresholds: [[threshold, 1]], level: ends[threshold] ?? threshold, fpr: negatives ? fp / negatives : null, tpr: positives ? tp / positives : null }))
    .sort((a, b) => a.level - b.level);
}
/** The rates of a segment at a threshold: exact where its counts are known, and straight between. `low` and `high` are the ends of the scores. */
function ratesAt(rungs, threshold, [low, high]) {
  const level = ({ level: at }) => min(high, max(low, at)), found = rungs.findIndex((rung) => level(rung) >= threshold), k = found < 0 ? rungs.length - 1 : found;
  const after = rungs[k], before = after.level === threshold ? after : rungs[max(0, k - 1)], wide = level(after) - level(before), part = wide ? (threshold - level(before)) / wide : 1;
  return fromEntries(["fpr", "tpr"].map((key) => [key, after[key] === null ? null : before[key] + part * (after[key] - before[key])]));
}
/** The places of the values, ascending, that are nearest to one: two if it is in the middle. */
function nearest(values, value) {
  const k = lists.bisectLeft(values, value), off = [k - 1, k].map((i) => (i in values ? abs(values[i] - value) : Infinity));
  return [k - 1, k].filter((_, i) => off[i] === min(...off));
}
/** The cheapest pair among the rungs of both, judged, under a constraint and by the `total` cost of a pair; null where a segment lacks the class. Two rates are alike
 *  if neither segment has a threshold that comes nearer to that of the other: equal ones need not exist. */
function choose(constraint, rungs, total) {
  const rate = RATES[constraint];
  if (!rate) return rungs.map((all) => all.reduce((least, each) => (each.cost - least.cost || each.fpr - least.fpr) < 0 ? each : least));
  const sides = rungs.map((all) => [...all].sort((a, b) => a[rate] - b[rate] || a.cost - b.cost || a.fpr - b.fpr).filter((each, i, sorted) => !i || each[rate] !== sorted[i - 1][rate]));
  const [a, b] = sides.map((side) => side.map((each) => each[rate])), alike = [];
  if (a[0] === null || b[0] === null) return null;
  a.forEach((value, i) => {
    for (const j of nearest(b, value)) if (nearest(a, b[j]).includes(i)) alike.push([sides[0][i], sides[1][j]]);
  });
  const apart = ([x, y]) => abs(x[rate] - y[rate]);
  return alike.reduce((least, pair) => (total(pair) - total(least) || apart(pair) - apart(least)) < 0 ? pair : least);
}

export { RATES, ladder, ratesAt, choose };
