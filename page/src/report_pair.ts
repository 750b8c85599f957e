// Two segments side by side: what can be chosen of them, how links hold it, and how their scores lie. experts/Pair.tsx shows it. No DOM.
import { say } from "./answer/words";
import * as lists from "./lists";
import * as rochullExact from "./report_exact";
import * as F from "./report_format";
import type { Judged } from "./report_beside";
import type { Interval } from "./report_exact";
import type { Classifier, Live, Segments } from "./report_facts";
import type { Segment, Used } from "./report_groups";
import { abs, floor, isFinite, listOf, max, min } from "./maths";

const RULES: Record<string, string[]> = { // what is chosen, and what that means
  one: [say("expert.pair.one threshold for all"), say("expert.pair.every case is held")],
  own: [say("expert.pair.a threshold for each"), say("expert.pair.each segment has its")],
  none: [say("expert.pair.the lowest cost in"), say("expert.pair.each segment has the")],
  demographic_parity: [say("expert.pair.the same share flagged"), say("expert.pair.of both segments the")],
  equal_tpr: [say("expert.pair.the same share of"), say("expert.pair.of the positives of")],
  equal_fpr: [say("expert.pair.the same share of negatives"), say("expert.pair.of the negatives of")],
  mine: [say("expert.pair.your own"), say("expert.pair.you set these thresholds")],
};
const WIDE = 320, HIGH = 120, BARS = 40;

/** As links and fields hold one. */
export type Threshold = number | string;
interface Bars {
  d: { pos: string; neg: string };
  domain: [number, number];
  clamp(value: Threshold): number;
}
/** The bars of a segment, of equal width: the blocks of the classifier's hull in it, each spread over its scores; ascending,
 *  in shares of the segment's classes, as paths. */
type Counted = Segment & { straight: NonNullable<Segment["straight"]>; negatives: number; positives: number };
function barsOf({ hull: { thresholds }, calibration, hundredths, lower_is_positive: lower }: Classifier, { straight: { fp, tp }, negatives, positives }: Counted): Bars {
  const known = [...thresholds, ...(calibration ? calibration.high : [])].map(Number).filter(isFinite);
  const [from, to] = (hundredths ? [0, 1] : [lists.min(known), lists.max(known)]) as [number, number], clamp = (value: Threshold) => min(to, max(from, Number(value)));
  const width = (to - from) / BARS || 1, at = (value: number) => min(BARS - 1, floor((value - from) / width));
  const bars = { pos: new Float64Array(BARS), neg: new Float64Array(BARS) };
  for (let v = 1; v < thresholds.length; v += 1) {
    const [low, high] = [thresholds[v], v > 1 ? thresholds[v - 1] : (lower ? "-inf" as const : "inf" as const)].map(clamp).sort((a, b) => a - b);
    for (const [key, counts, total] of [["pos", tp, positives], ["neg", fp, negatives]] as const) {
      const share = total ? (counts[v] - counts[v - 1]) / total : 0;
      for (let b = at(low); b <= at(high); b += 1) {
        const part = high > low ? max(0, min(high, from + (b + 1) * width) - max(low, from + b * width)) / (high - low) : Number(b === at(low));
        bars[key][b] += part * share;
      }
    }
  }
  const wide = WIDE / BARS, Y = HIGH / 2, path = (values: Float64Array, sign: number) => listOf(values, (value, k) => {
    const high = (Y - 2) * value / (lists.max(values) || 1);
    return high ? `M${(k * wide).toFixed(1)},${Y}v${(sign * high).toFixed(1)}h${(wide - 0.6).toFixed(1)}V${Y}Z` : "";
  }).join("");
  return { d: { pos: path(bars.pos, -1), neg: path(bars.neg, 1) }, domain: [from, to], clamp };
}
const said = ([[first, share], second]: Used, sign: string): string => {
  const one = (value: Threshold) => (value === "inf" ? say("expert.pair.flag none") : value === "-inf" ? say("expert.pair.flag all") : `${sign} ${F.threshold(value, sign === "≤")}`);
  return second ? say("expert.pair.either", { one: one(first), share: F.rate(share), other: one(second[0]), rest: F.rate(second[1]) }) : one(first);
};
/** How much more, or less, the first has of a share than the second. */
function apartness(a: number | null, b: number | null): string {
  if (a === null || b === null) return F.NONE;
  return abs(a - b) < 5e-4 ? "alike" : say("expert.pair.points", { x: `${a > b ? "+" : ""}${F.points(a - b)}` });
}

const difference = (key: Figure, [a, b]: Judged[]): Interval | null => (a.sure?.[key] && b.sure?.[key] ? rochullExact.sumInterval([1, [a[key] ?? 0, ...a.sure[key]]], [-1, [b[key] ?? 0, ...b.sure[key]]]) : null);

/** What a pair is compared by. */
export type Figure = "flagged" | "tpr" | "fpr" | "precision" | "cost";
const knownOf = ({ live }: { live: Live | null }): Counted[] => (live!.segments as Counted[]).filter(({ straight, negatives, positives }) => straight && (negatives || positives));
/** What is chosen, {segments, rule, mine: both thresholds if they are the reader's}, as a link holds it. */
export interface Chosen {
  segments: string[];
  rule: string;
  mine?: Threshold[];
}
const link = ({ segments, rule, mine = [] }: Chosen): string => `&pair=${[rule, ...mine].join(":")}${segments.map((name) => `&segment=${encodeURIComponent(name)}`).join("")}`;
/** What a link holds of it; null if nothing, undefined if it cannot be read. */
function linked(given: URLSearchParams, { segments: found }: { segments: Segments | null }): Chosen | null | undefined {
  if (!given.has("pair")) return null;
  const [rule, ...mine] = given.get("pair")!.split(":"), segments = given.getAll("segment"), names = found?.live ? knownOf(found).map(({ segment }) => segment) : [];
  const isGood = Object.hasOwn(RULES, rule) && mine.length === (rule === "mine" ? 2 : 0) && segments.length === 2 && segments.every((name) => names.includes(name));
  return isGood ? { segments, rule, ...(mine.length && { mine }) } : undefined;
}

export { HIGH, RULES, WIDE, apartness, barsOf, difference, knownOf, link, linked, said };
