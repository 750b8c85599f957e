// What the answer is compared with, in words: the baselines, and the reader's rule of today. The table is experts/Compare.tsx.
import { choose, say } from "./answer/words";
import * as F from "./report_format";
import * as rochullRule from "./report_rule";
import * as rochullTyped from "./report_typed";
import { abs, isArray, keys, listOf, max, min, round, rounded } from "./maths";
import { isCut } from "./report_format";
import type { Point, State } from "./answer/numbers";
import type { Saving } from "./report_found";
import type { Model } from "./report_model";
import type { Value } from "./words/format";

/** A rule beside the answer; the best of a range may be no point. */
export interface Rival {
  kind: string;
  classifier?: string | null;
  point: Rated | null;
}
type Rated = { fpr: number; tpr: number; rules?: Point["rules"] };
/** A threshold of one of the classifiers. */
interface At {
  classifier: number | null;
  threshold: number;
}

/** The same as a share of the other cost: negative where that is the lower one. */
const saved = (share: number): string => (share === -Infinity ? F.NONE : share < 1 && share >= 0.995 ? `>${F.wholeRate(0.99)}` : F.wholeRate(abs(share) < 0.005 ? 0 : share));
/** A baseline in words; of a classifier's own rule for a range that it is one of this classifier alone. */
function named({ kind, classifier, point }: Rival, state: State, interval = false): string {
  const isOne = kind === "best" && !interval && point!.rules!.length === 1 && isCut(point!.rules![0].rule);
  return choose("baseline", { kind, classifier, half: F.number(0.5), by: isOne ? "threshold" : kind === "best" && interval ? "itself" : null, rule: isOne ? rochullRule.inWords(point as Point) : null, limit_count: rochullTyped.limitCount(state) });
}
/** From the least to the most of what `savings` finds of a rule over a range, once if they are the same. */
function ends(found: { share: number }[]): number[] {
  const shares = found.map(({ share }) => share);
  return [...new Set([min(...shares), max(...shares)])];
}
/** The corner of a range, by what varies in it. */
function corner({ cost_fn: fn, prevalence: p }: Saving, state: State, positive: string): string[] {
  return [["prevalence", F.share(p)], ["cost_fn", F.number(fn)]].filter(([name]) => isArray(state[name]) && (state[name] as number[])[0] !== (state[name] as number[])[1])
    .map(([varies, value]) => choose("corner", { varies, value, positive }));
}
/** Where in a range another rule is cheaper than the answer; empty if nowhere. */
interface Answer {
  chosen: Point | null;
  interval: boolean;
  baselines: Rival[];
}
function beaten(model: Pick<Model, "savings">, positive: string, state: State, { chosen, interval, baselines }: Answer, today: Rival | null): string {
  if (!interval || state.goal === "report") return "";
  const found = new Map<string, string[]>(), most = 3;
  for (const row of [...(today ? [today] : []), ...baselines].filter(({ kind, point }) => point && kind !== "best")) {
    const worst = model.savings(state, chosen!, row.point!).reduce((a, b) => (b.share < a.share ? b : a));
    const where = JSON.stringify(corner(worst, state, positive));
    if (worst.share < -0.005) found.set(where, [...(found.get(where) || []), named(row, state)]);
  }
  const cheaper = listOf(found, ([where, names]) => {
    const more: Value[] = names.length > most ? [{ key: "answer.more", n: names.length - most }] : [];
    return say("answer.beaten.at", { corner: JSON.parse(where), rules: [...names.slice(0, most), ...more], rule_count: names.length });
  });
  return cheaper.length ? [say("answer.beaten"), ...cheaper].join(" ") : "";
}

const FEW = 30; // cases, by whom a share is hardly measured
/** What is to be known of a limit that is met on these data. */
type Known = Pick<Model, "totals" | "prevalence"> & { counted: boolean };
function limited({ totals: { negatives, positives }, counted, prevalence }: Known, positive: string, state: State, { chosen, limited: bound = true }: { chosen: Point | null; limited?: boolean }): string {
  const { goal } = state, count = rochullTyped.limitCount(state), own = goal === "report" ? state.own! : null;
  if (!chosen || !count) return "";
  const flagged = round(chosen.fpr * negatives + chosen.tpr * positives), shares = goal === "cost" ? keys(state.within || {}) : [goal]; // some limits are of shares of all cases
  const typed = shares.some((name) => ["capacity", "fraction", "min_precision"].includes(name)) && !isArray(state.prevalence) ? state.prevalence : null;
  const at = own ? own.limitedAt : typed;
  return choose("limit", { limit_count: count, assured: own && own.sure !== null ? "yes" : "no", sure: own && own.sure, limited: (own ? own.limited : bound) ? "yes" : "no",
    at: at !== null && at !== prevalence ? "other" : "past", p: at && rounded(at, 4), positive, few: counted && goal === "min_precision" && flagged < FEW ? "yes" : "no", flagged });
}

/** From which score on a calibrated probability, measured at a prevalence `p0`, is flagged under costs; null if these are ranges or none. */
function byCosts({ goal, cost_fp: fp, cost_fn: fn, prevalence: p }: State, p0: number): number | null {
  const [alarm, miss] = [p0 * (1 - (p as number)) * fp, (1 - p0) * (p as number) * (fn as number)], found = rounded(alarm / (alarm + miss), 6);
  return goal === "cost" && found > 0 && found < 1 ? found : null;
}
/** What is to be known of a threshold that no score reaches, or that is evaluated at another one; else empty. */
function outside(model: Pick<Model, "scores">, { classifier, threshold }: At): string {
  const ends = model.scores(classifier!);
  return ends && (threshold < ends[0] || threshold > ends[1])
    ? say("expert.compare.is outside the scores", { threshold: F.number(threshold), low: F.number(ends[0]), high: F.number(ends[1]) }) : "";
}
function elsewhere({ threshold }: At, point: Point): string {
  const known = point.rules[0].rule.threshold as number;
  return known === threshold ? "" : say("expert.compare.evaluated at the nearest", { known: F.field(known), threshold: F.field(threshold) });
}

export { beaten, byCosts, elsewhere, ends, limited, named, outside, saved };
