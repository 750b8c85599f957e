// The numbers of the views: what is drawn, from facts and a state. No DOM. Numbers are those of the library
// (tests/report/test_curves.py); of an interval the middle is drawn.
import * as E from "./report_exact";
import type { Point, Rates, Reviewing, Rule, State, Totals } from "./answer/numbers";
import type { Fraction, Interval, Sure } from "./report_exact";
import type { Classifier, Facts } from "./report_facts";
import type { Hull } from "./report_found";
import type { Model } from "./report_model";
import type { Frontier } from "./report_optimum";
import { abs, ceil, floor, isArray, isFinite, listOf, max, min, rounded, sqrt } from "./maths";

type Wilson = typeof E.wilson;
const middle = (value: number | number[]): number => (isArray(value) ? (value[0] + value[1]) / 2 : value);
const pricesOf = ({ cost_fp, cost_fn, prevalence }: State) => {
  const p = middle(prevalence);
  return { p, w: (1 - p) * middle(cost_fp), m: p * middle(cost_fn) };
};

// --- images of the ROC plane: [x, y] of rates at a prevalence; NaN where nobody is flagged ---------

const flagged = (f: number, t: number, p: number): number => p * t + (1 - p) * f;
const maps: Record<string, (f: number, t: number, p: number) => [number, number]> = {
  roc: (f, t) => [f, t],
  pr: (f, t, p) => [t, (p * t) / flagged(f, t, p)],
  gain: (f, t, p) => [flagged(f, t, p), t],
  lift: (f, t, p) => [flagged(f, t, p), t / flagged(f, t, p)],
  det: (f, t) => [E.probit(f), E.probit(1 - t)],
};

// --- how sure a point is ---------------------------------------------------------------------------

// The interval of the ratio of two such estimates (Donner & Zou 2012).
function ratioInterval([x, lowX, highX]: number[], [y, lowY, highY]: Sure): Interval {
  const root = (nearX: number, nearY: number) => sqrt(max((x * y) ** 2 - nearX * (2 * x - nearX) * nearY * (2 * y - nearY), 0));
  const bottom = x * y + root(lowX, highY), top = lowY * (2 * y - lowY);
  return [bottom ? (lowX * (2 * x - lowX)) / bottom : 0, top > 0 ? (x * y + root(highX, lowY)) / top : Infinity];
}
/** A share of n with the ends of Wilson's interval; of no whole count those of the counts about it. */
const shareOf = (wilson: Wilson, share: number, n: number): Sure => [share, wilson(floor(share * n + 1e-9), n)[0], wilson(ceil(share * n - 1e-9), n)[1]];
/** Both rates of a rule, each with Wilson's 95 % interval: [rate, low, high]. A mixture's rates are no counts: its interval is
 *  that of the counts about it, which is too wide: of each case it counts the share that is flagged, and a share varies
 *  less than a yes or no of the same mean. */
const sureRates = ({ fpr, tpr }: Rates, { negatives, positives }: Totals, wilson: Wilson): [fpr: Sure, tpr: Sure] => [[fpr, negatives], [tpr, positives]].map(([rate, n]) => shareOf(wilson, rate, n)) as [Sure, Sure];
/** Whether all that a rule does is known as counts. */
function isCounted(facts: Pick<Facts, "classifiers" | "examples">, { rules }: Pick<Point, "rules">): boolean {
  const known = ({ kind, classifier }: Rule) => kind !== "threshold" || facts.classifiers.some((own) => own.name === classifier && own.calibration);
  return Boolean(facts.examples) && !facts.examples!.weighted && rules.every(({ rule }) => known(rule));
}
/** The interval of x - a y, shares of the same cases that exclude each other (MOVER with their correlation; Zou & Donner 2008). */
function exclusive([x, lowX, highX]: Sure, [y, lowY, highY]: Sure, a: number): Interval {
  const r = x * y && sqrt((x * y) / ((1 - x) * (1 - y))), off = (dx: number, dy: number) => sqrt(dx * dx + dy * dy + 2 * r * dx * dy);
  return [x - a * y - off(x - lowX, a * (highY - y)), x - a * y + off(highX - x, a * (y - lowY))];
}
/** The intervals of a rule's rates, and what follows for its other numbers at known costs and prevalence, as
 *  in rochull.conditions.measures. Where the prevalence is that of the data, what is flagged, its precision and the net
 *  benefit are shares of all cases instead, of which the prevalence is no less a chance. Null unless the outcomes are counts. */
function intervals({ totals, wilson, prevalence }: Pick<Model, "totals" | "wilson" | "prevalence">, facts: Facts, state: State, point: Point | null): Record<string, Interval> | null {
  if (!point || !isCounted(facts, point) || point.rules.every(({ rule }) => rule.kind !== "threshold")) return null;
  const [f, t] = sureRates(point, totals, wilson);
  const ends = ([, low, high]: Sure): Interval => [low, high], found: Record<string, Interval> = { fpr: ends(f), tpr: ends(t) };
  if (isArray(state.prevalence)) return found;
  const { p, w, m } = pricesOf(state), isOwn = p === prevalence, all = totals.negatives + totals.positives, [hits, alarms] = [p * t[0], (1 - p) * f[0]], q = hits + alarms;
  const own = (share: number, n = all) => shareOf(wilson, share, n);
  found.positive_rate = isOwn ? ends(own(q)) : E.sumInterval([1 - p, f], [p, t]);
  found.accuracy = isOwn ? ends(own(1 - p + hits - alarms)) : E.sumInterval([p - 1, f], [p, t]).map((end) => 1 - p + end) as Interval;
  if (isOwn && q) found.precision = ends(own(hits / q, ceil(q * all - 1e-9)));
  else if (p > 0 && p < 1) found.precision = ratioInterval(f.map((rate) => ((1 - p) / p) * rate), t).map((odds) => 1 / (1 + odds)).reverse() as Interval;
  if ([state.cost_fp, state.cost_fn].some(isArray)) return found;
  const missed = t.map((rate) => 1 - rate), odds = state.cost_fn ? w / (state.cost_fn as number) : NaN;
  if (w || m) found.expected_cost = E.sumInterval([w, f], [m, [missed[0], missed[2], missed[1]]]);
  if (odds === odds) found.net_benefit = isOwn ? exclusive(own(hits), own(alarms), odds / (1 - p)) : E.sumInterval([p, t], [-odds, f]);
  return found;
}

// --- thresholds of one classifier ------------------------------------------------------------------

/** All thresholds whose rates are known, from the first that flags somebody on: {threshold, fp, tp}. */
interface Steps {
  threshold: Float64Array;
  fp: number[];
  tp: number[];
}
function steps({ hull, hundredths, lower_is_positive: lower }: Pick<Classifier, "hull" | "hundredths" | "lower_is_positive">): Steps {
  const found = new Map<number, [number, number]>();
  if (hundredths) hundredths.fp.forEach((fp, i) => found.set((lower ? i : 100 - i) / 100, [fp, hundredths.tp[i]]));
  hull.thresholds.forEach((threshold, i) => {
    const value = Number(threshold);
    if (isFinite(value)) found.set(value, [hull.fp[i], hull.tp[i]]);
  });
  const threshold = Float64Array.from(found.keys()).sort();
  if (!lower) threshold.reverse();
  const counts = (j: 0 | 1) => listOf(threshold, (value) => found.get(value)![j]);
  return { threshold, fp: counts(0), tp: counts(1) };
}

/** The expected cost per case at each of these thresholds. */
function costs({ fp, tp }: Pick<Steps, "fp" | "tp">, { negatives, positives }: Totals, state: State): number[] {
  const { w, m } = pricesOf(state);
  return fp.map((count, i) => w * (count / negatives) + m * (1 - tp[i] / positives));
}

/** The ratio of costs, in few digits, under which a vertex of a hull is best: the middle of its slopes. */
type Rated = Record<keyof Rates, ArrayLike<number>>;
function ratioAt({ fpr, tpr }: Rated, v: number, p: number): number | null {
  const last = fpr.length - 1, slope = (a: number, b: number) => (tpr[b] - tpr[a]) / (fpr[b] - fpr[a]);
  const cost = (at: number) => (1 - p) / (p * at); // the ratio of costs at which lines have this slope
  const low = max(v > 0 ? cost(slope(v - 1, v)) : 0, 1e-3), high = min(v < last ? cost(slope(v, v + 1)) : Infinity, 1e3);
  if (!(p > 0 && p < 1) || !(low <= high)) return null;
  const middle = sqrt(low * high);
  let ratio = middle;
  for (let digits = 1; digits < 16; digits += 1) {
    ratio = rounded(middle, digits);
    if (ratio > low * (1 + 1e-9) && ratio < high * (1 - 1e-9)) break; // at the ends there are ties
  }
  return ratio;
}

// --- decision curves -------------------------------------------------------------------------------

const ODDS = listOf({ length: 99 }, (_, k) => (k + 1) / 100); // threshold probabilities
const benefit = (f: number, t: number, p: number, at: number): number => p * t - (1 - p) * f * (at / (1 - at));
/** Net benefit at threshold probabilities: of one classifier's scores; null if they are no probabilities. */
function decision({ hundredths }: Pick<Classifier, "hundredths">, { negatives, positives }: Totals, state: State): number[] | null {
  const p = middle(state.prevalence);
  if (!hundredths) return null;
  return ODDS.map((at, k) => benefit(hundredths.fp[99 - k] / negatives, hundredths.tp[99 - k] / positives, p, at));
}
/** The most that any rule of a hull has; of "flag all" where its rates are [1] and [1]. */
function bestDecision({ fpr, tpr }: Rated, state: State): number[] {
  const p = middle(state.prevalence);
  return ODDS.map((at) => {
    let most = -Infinity;
    for (let i = 0; i < fpr.length; i++) most = max(most, benefit(fpr[i], tpr[i], p, at));
    return most;
  });
}

// --- calibration -----------------------------------------------------------------------------------

/** Ten equal bins of probabilities, and the mean distance between what is forecast and what comes; null if the
 *  scores are none. `wilson` gives the interval of a share, which follows the prevalence as its odds do. */
export interface Bin {
  low: number;
  high: number;
  pos: number;
  size: number;
  share: number;
  forecast: number;
  observed: number;
  interval: number[] | null;
}
function reliability({ hundredths, forecast }: Pick<Classifier, "hundredths" | "forecast">, { negatives, positives }: Totals, state: State, prevalence: number, wilson: Wilson | null): { bins: Bin[]; error: number } | null {
  if (!hundredths) return null;
  const p = middle(state.prevalence), bins: Bin[] = [];
  const moved = p > 0 && p < 1 ? (p * (1 - prevalence)) / ((1 - p) * prevalence) : NaN;
  const shift = (share: number) => (moved === moved ? (share * moved) / (share * moved + 1 - share) : p);
  let error = 0, before = { fp: 0, tp: 0, sfp: 0, stp: 0 };
  for (let b = 9; b >= 0; b--) {
    const i = 100 - 10 * b, k = 9 - b;
    const now = { fp: hundredths.fp[i], tp: hundredths.tp[i], sfp: forecast!.fp[k], stp: forecast!.tp[k] };
    const neg = now.fp - before.fp, pos = now.tp - before.tp;
    const yes = (p * pos) / positives, all = yes + ((1 - p) * neg) / negatives;
    const said = p * (now.stp - before.stp) + (1 - p) * (now.sfp - before.sfp);
    before = now;
    if (!(pos + neg)) continue;
    error += abs(said - yes);
    if (all) {
      bins.unshift({ low: b / 10, high: (b + 1) / 10, pos, size: pos + neg, share: all, forecast: said / all,
        observed: yes / all, interval: wilson && wilson(pos, pos + neg).map(shift) });
    }
  }
  return { bins, error };
}

// --- reviews: a third action -----------------------------------------------------------------------

// Whether to review a block costs less than to decide it; exactly, for what breaks even is not reviewed.
type Worth = (f: Frontier, i: number, base: number, isFlagged: boolean) => boolean;
/** The cases from one vertex to another, who are reviewed. */
export interface Band {
  share: number;
  cost: number;
  high: number;
  low: number;
}
interface Step {
  size: number;
  more: number;
  worth: boolean;
}
type Reviewed = Band & Partial<Step> & { up?: boolean | null };
/** A band, or a mixture of it with the one `before`. */
type Best = Reviewed & { part: number; before?: Reviewed };
function worthOf(state: State, cost: number): Worth {
  const [fp, fn, p, c] = [state.cost_fp, state.cost_fn, state.prevalence, cost].map((value) => E.decimal(middle(value))) as [Fraction, Fraction, Fraction, Fraction];
  const rest = E.sub(E.ONE, p), [P, R] = [p, rest].map(E.number), of = (share: Fraction, step: bigint, total: bigint) => E.mul(share, [step, total]);
  return (f, i, base, isFlagged) => {
    const neg = () => of(rest, f.x(i + 1) - f.x(i), f.N), pos = () => of(p, f.y(i + 1) - f.y(i), f.P);
    const review = cost * (P * (f.tpr[i + 1] - f.tpr[i]) + R * (f.fpr[i + 1] - f.fpr[i]));
    return E.settled(review, base, () => E.compare(E.mul(c, E.add(neg(), pos())), isFlagged ? E.mul(fp, neg()) : E.mul(fn, pos()))) < 0;
  };
}
// What can be done along one hull. Blocks are its edges; without a review each is decided as it is cheapest, and
// the blocks next to where that changes are the first to be reviewed (conditions/bands.py).
function frontierOfReviews({ frontier }: Pick<Hull, "frontier">, state: State, cost: number, worth: Worth): Reviewed[] {
  const { p, w, m } = pricesOf(state), { fpr, tpr, last } = frontier;
  const size = (i: number) => p * (tpr[i + 1] - tpr[i]) + (1 - p) * (fpr[i + 1] - fpr[i]);
  const flag = (i: number) => w * (fpr[i + 1] - fpr[i]), pass = (i: number) => m * (tpr[i + 1] - tpr[i]);
  let start = 0;
  while (start < last && !(fpr[start + 1] > fpr[start] && pass(start) <= flag(start))) start += 1;
  // Of the band from one vertex to another: told anew, so that no roundings add up.
  const band = (high: number, low: number): Band => {
    const share = p * (tpr[low] - tpr[high]) + (1 - p) * (fpr[low] - fpr[high]);
    return { share, cost: w * fpr[high] + m * (1 - tpr[low]) + cost * share, high, low };
  };
  const points: Reviewed[] = [band(start, start)];
  let up = start - 1, down = start;
  const step = (i: number, base: typeof flag): Step | null => (i >= 0 && i < last ? { size: size(i), more: cost * size(i) - base(i), worth: worth(frontier, i, base(i), base === flag) } : null);
  let above = step(up, flag), below = step(down, pass);
  while (above || below) {
    const upward = !below || (above && above.more * below.size <= below.more * above.size);
    const next = upward ? above : below;
    if (upward) above = step(--up, flag);
    else below = step(++down, pass);
    points.push({ ...band(up + 1, down), ...next, up: upward });
  }
  return points;
}
/** The best rule with reviews of one hull: at most `most` of all cases, and none that is not worth its cost. */
function bestReview(points: Reviewed[], most: number): Best {
  let best: Best = { ...points[0], part: 1 };
  for (let k = 1; k < points.length; k++) {
    const point = points[k], left = points[k - 1];
    if (!point.worth) break;
    if (point.share <= most) {
      best = { ...point, part: 1 };
      continue;
    }
    const part = (most - left.share) / point.size!;
    if (part > 0) best = { ...point, share: most, cost: left.cost + part * point.more!, part, before: left };
    break;
  }
  return best;
}
/** The same without a draw, where a limit cuts the best band: of all bands within it the cheapest, of equals that with fewer reviews. */
function singleReview({ frontier: { fpr, tpr, last } }: Pick<Hull, "frontier">, state: State, cost: number, most: number): Best {
  const { p, w, m } = pricesOf(state), near = 1e-12 * (w + m), size = fpr.map((rate, i) => p * tpr[i] + (1 - p) * rate);
  let best: Best | null = null;
  for (let high = 0; high <= last; high += 1) {
    for (let low = high; low <= last; low += 1) {
      const share = p * (tpr[low] - tpr[high]) + (1 - p) * (fpr[low] - fpr[high]), all = w * fpr[high] + m * (1 - tpr[low]) + cost * share;
      if (size[low] - size[high] > most + 1e-12) break;
      if (!best || all < best.cost - near || (all < best.cost + near && share < best.share)) best = { share, cost: all, high, low, part: 1 };
    }
  }
  return best!;
}
/** Reviews with several classifiers: the least cost for every share, and the best rule. */
function reviews({ hulls }: Pick<Model, "hulls">, state: State, { cost, most }: Reviewing): { frontiers: Reviewed[][]; owner: number; best: Best } {
  const worth = worthOf(state, cost), frontiers = hulls.map((hull) => frontierOfReviews(hull, state, cost, worth));
  const found = frontiers.map((points) => bestReview(points, most)), isSingle = state.mixtures === false;
  const each = found.map((band, i) => (isSingle && band.part < 1 ? singleReview(hulls[i], state, cost, most) : band));
  const owner = each.reduce((best, found, i) => (found.cost < each[best].cost ? i : best), 0);
  return { frontiers, owner, best: each[owner] };
}

export { middle, ratioAt, shareOf, sureRates, isCounted, intervals, maps, flagged, steps, costs, ODDS, benefit, decision, bestDecision, reliability, reviews };
