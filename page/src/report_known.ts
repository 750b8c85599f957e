// What the page knows of the thresholds of one classifier: those of its hull, of its curve, and hundredths. No DOM.
import * as E from "./report_exact";
import * as O from "./report_optimum";
import type { Point, Rule } from "./answer/numbers";
import type { Classifier, Facts, Number as Threshold, Totals } from "./report_facts";
import { abs, fromEntries, isFinite, listOf } from "./maths";

/** A rule, and where it is: at a vertex of its hull with the share of the next one, or among the single thresholds. */
export interface Placed extends Point {
  share: number;
  left?: number;
  single?: number;
}
/** Points of single thresholds, and the rule at each. */
export interface Singles {
  frontier: O.Frontier;
  rule(i: number): Rule;
}
interface Step {
  threshold: number;
  fp: number;
  tp: number;
  occurs: boolean;
}

const NEVER: Rule = { kind: "never", classifier: null, threshold: null }, ALWAYS: Rule = { ...NEVER, kind: "always" };
const reaching = ({ name, lower_is_positive }: Pick<Classifier, "name" | "lower_is_positive">, threshold: Threshold): Rule =>
  ({ kind: "threshold", classifier: name, threshold, ...(lower_is_positive && { lower_is_positive }) });
// All thresholds of a classifier whose counts are known, from the first that flags somebody on: {threshold, fp, tp, occurs},
// whether it is a score of a case; of those at the same threshold one.
type Scored = Pick<Classifier, "curve" | "hundredths" | "hull" | "lower_is_positive">;
function thresholdsOf({ curve, hundredths, hull, lower_is_positive: lower }: Scored): Step[] {
  const found = new Map<number, Omit<Step, "threshold">>();
  if (hundredths) hundredths.fp.forEach((fp, i) => found.set((lower ? i : 100 - i) / 100, { fp, tp: hundredths.tp[i], occurs: false }));
  for (const { fp, tp, thresholds } of [...(curve ? [curve] : []), { ...hull, thresholds: hull.thresholds.map(Number) }]) {
    thresholds.forEach((threshold, i) => i && isFinite(Number(threshold)) && found.set(Number(threshold), { fp: fp[i], tp: tp[i], occurs: true }));
  }
  return listOf(found, ([threshold, counts]) => ({ threshold, ...counts })).sort((a, b) => (lower ? 1 : -1) * (a.threshold - b.threshold));
}
const known = new WeakMap<Scored, Step[]>(); // they do not change, and a drag asks for them in every frame
const knownThresholds = (own: Scored): Step[] => known.get(own) || known.set(own, thresholdsOf(own)).get(own)!;
// The rule of a classifier at a threshold, or at the nearest whose counts are known: {..., exact}. No score lies between two
// of its scores if one case tells them apart, nor where no count changes.
function ruleAt(own: Classifier, { negatives, positives }: Totals, asked: number, whole: boolean): Placed | null {
  const all = knownThresholds(own), before = own.lower_is_positive ? (t: number) => t <= asked : (t: number) => t >= asked;
  if (!all.length) return null;
  const k = all.filter(({ threshold }) => before(threshold)).length; // the known ones that flag no more than what is asked
  const stricter = k ? all[k - 1] : { fp: 0, tp: 0, threshold: NaN }, looser = all[k] || { fp: negatives, tp: positives, occurs: false };
  const more = looser.fp + looser.tp - stricter.fp - stricter.tp;
  const ends = scoresOf(own), beyond = Boolean(ends) && (own.lower_is_positive ? asked < ends![0] : asked > ends![1]);
  const isComplete = own.curve !== null && own.curve.max_error === 0; // all scores are there
  const exact = stricter.threshold === asked || more === 0 || beyond || isComplete || (whole && looser.occurs && more === 1);
  const near = [all[k - 1], all[k]].filter(Boolean).reduce((a, b) => (abs(b.threshold - asked) < abs(a.threshold - asked) ? b : a));
  const { threshold, fp, tp } = exact ? { ...stricter, threshold: asked } : near;
  const rules = [{ rule: reaching(own, threshold), probability: 1 }];
  return { fpr: fp / negatives, tpr: tp / positives, share: 0, rules };
}
// The ends of the scores of a classifier, from low to high; null if they are not known.
function scoresOf({ hull: { thresholds }, calibration, lower_is_positive: lower }: Classifier): number[] | null {
  const ends = calibration ? [thresholds[thresholds.length - 1], calibration.high[0]].map(Number) : [NaN];
  if (!ends.every(isFinite)) return null;
  return lower ? ends.reverse() : ends;
}

// The points of single thresholds; told in singles.py.
type Columns = Pick<Facts["singles"], "fp" | "tp" | "classifier" | "threshold">;
type Held = Pick<Facts, "classifiers" | "totals" | "examples">;
function singlesOf({ singles: { fp, tp, classifier, threshold }, classifiers, totals, examples }: Held & { singles: Columns }): Singles {
  const places = examples ? E.binaryPlaces([...fp, ...tp, totals.negatives, totals.positives]) : E.RATES;
  const rule = (i: number) => (classifier[i] === null ? (threshold[i] === "inf" ? NEVER : ALWAYS)
    : reaching(classifiers[classifier[i]!], threshold[i]));
  return { frontier: O.frontier(fp, tp, places, [totals.negatives, totals.positives]), rule };
}

// The same of one classifier: its vertices, and the points of its curve that the page holds. Of all with the same `tp` the
// one with the lowest `fp`.
function aloneOf(own: Classifier, i: number, facts: Held): Singles {
  const found = new Map<number, { fp: number; tp: number; classifier: number | null; threshold: Threshold }>();
  const take = (fp: number, tp: number, name: number | null, threshold: Threshold) => {
    const known = found.get(tp);
    if (!known || fp < known.fp) found.set(tp, { fp, tp, classifier: name, threshold });
  };
  const last = own.hull.fp.length - 1;
  own.hull.fp.forEach((fp, k) => take(fp, own.hull.tp[k], k && k < last ? i : null, k === 0 ? "inf" : k === last ? "-inf" : own.hull.thresholds[k]));
  if (own.curve) own.curve.fp.forEach((fp, k) => k && take(fp, own.curve!.tp[k], i, own.curve!.thresholds[k]));
  const points = [...found.values()].sort((a, b) => a.tp - b.tp);
  const columns = fromEntries((["fp", "tp", "classifier", "threshold"] as const).map((key) => [key, points.map((point) => point[key])])) as unknown as Columns;
  return singlesOf({ ...facts, singles: columns });
}
interface Blocks {
  low: Threshold[];
  high: Threshold[];
  pos: number[];
  neg: number[];
  posterior: number[];
}
function blocksOf({ hull: { fp, tp, thresholds }, calibration, lower_is_positive: lower }: Classifier): Blocks | null {
  if (!calibration) return null;
  const near = thresholds.slice(1), far = calibration.high;
  const blocks: Blocks = { low: lower ? far : near, high: lower ? near : far, pos: [], neg: [], posterior: [] };
  for (let i = 0; i < far.length; i++) {
    const pos = tp[i + 1] - tp[i], neg = fp[i + 1] - fp[i];
    blocks.pos.push(pos);
    blocks.neg.push(neg);
    blocks.posterior.push(pos / (pos + neg));
  }
  return blocks;
}

export { NEVER, ALWAYS, reaching, ruleAt, knownThresholds as thresholds, scoresOf, singlesOf, aloneOf, blocksOf };
