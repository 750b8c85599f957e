// The named values of what is seen, by which the catalogue's tables choose messages and which fill their slots; twin of
// src/rochull/report/answer.py, which lists them. What only Python knows (rounds, segments) is of the report's own condition.
import * as F from "../report_format";
import type { Message, Value } from "../words/format";
import { chosen, type Tables } from "../words/decide";
import { costAt, costsOf, countOf, isRange, onNew, NORMAL, PER, ratesOf, shownOf, type Estimate, type HeldOut, type Point, type Rates, type Rule, type State, type Totals } from "./numbers";
import { abs, assign, floor, fromEntries, isArray, isFinite, keys, max, min, round, rounded } from "../maths";

export type Situation = Record<string, Value>;
export interface Comparison {
  kind: "current" | "half" | "none" | "all";
  rule: Rule | null;
  fp: number;
  tp: number;
}
export interface Names {
  positive: string;
  negative: string;
  case: string;
  unit: string | null;
}
export interface AnswerFacts {
  names: Names;
  prevalence: number;
  per: number;
  cases: number;
  comparison: Comparison | null;
  held_out: HeldOut | null;
  margin: { limits: Partial<Record<Limit, number>>; sure: number } | null;
  state: Situation;
}
export interface Result {
  feasible: boolean;
  message: string | null;
  interval: boolean;
  chosen: Point | null;
  single: Point | null;
  regret: { name: string; point: Point | null; value: number }[];
  expected_cost: number | [number, number] | null;
  worst_single: number | null;
  cheap?: boolean[];
  limited?: boolean;
}
type Actions = { flagged: number; reviewed: number; passed: number };
/** What a rule with reviews does, and costs; told in report_reviewed.ts. */
export interface Reviewed extends Rates {
  rules: { high: Rule; low: Rule; probability: number }[];
  outcomes: { cases: number; prevalence: number; positives: Actions; negatives: Actions };
  review_rate: number;
  expected_cost: number;
  without: number;
  all: number;
  most: number; // the largest share of reviews
  saves: number; // by a review more of a hundred cases
  whole(size: number): { positives: Actions; negatives: Actions };
}
/** What is seen: the state of the page, the answer to it, and whether the threshold was set by hand. */
export interface Seen {
  state: State;
  result: Result;
  reviewed: Reviewed | null; // in place of the rule without reviews
  hand: boolean;
  own: boolean; // the report's own condition, as it was made
}

const SAME = 0.005; // of a cost: rounds to 0 %
const LIMITS = ["max_fpr", "min_recall", "min_precision", "fraction"] as const;
export type Limit = (typeof LIMITS)[number];
/** The limits of a state, each with its number. */
export function limitsOf(state: State): [Limit, number][] {
  const single = state.goal === "capacity" ? "fraction" : (state.goal as Limit);
  if (state.goal !== "cost") return LIMITS.includes(single) ? [[single, Number(state[single])]] : [];
  return LIMITS.filter((name) => name in state.within).map((name) => [name, state.within[name]!]);
}
const times = (size: Value, x: number) => rounded(Number(size) * x, 12);

/** A rule that draws between others: of one score, or of two. */
function ofDraw(rules: Rule[]): Situation {
  const [score, other] = [...new Set(rules.map(({ classifier }) => classifier).filter((name) => name !== null))];
  return { rule: other === undefined ? "mixture" : "mixture of two", score: score ?? null, score_low: other ?? null };
}
function ofRule(point: Point | null): Situation {
  if (!point) return { rule: null };
  const { rule } = point.rules[0]!, lower = Boolean(rule.lower_is_positive);
  if (point.rules.length > 1) return ofDraw(point.rules.map((part) => part.rule));
  if (rule.kind !== "threshold") return { rule: rule.kind };
  return { rule: lower ? "below" : "above", way: lower ? "below" : "above", score: rule.classifier, cutoff: F.threshold(rule.threshold, lower) };
}

function ofCounts({ fpr, tpr }: Rates, p: number): Situation {
  const caught = countOf(tpr), wrong = countOf(fpr), flagged = p * tpr + (1 - p) * fpr, of = shownOf(p);
  return {
    of_positive: caught.of, caught: caught.count, of_negative: wrong.of, wrong: wrong.count,
    of_cases: of, flagged: round(of * flagged), found: round(of * p * tpr), random: round(of * flagged * p),
    right: flagged ? round((100 * p * tpr) / flagged) : 100,
  };
}

function ofLimits(state: State, { of_positive: most, of_negative: many, wrong }: Situation, hand: boolean, isBound: boolean): Situation {
  const limits = new Map(limitsOf(state)), told: Situation = {};
  if (!limits.size || hand) return told;
  if (limits.has("min_recall")) assign(told, { recall: "asked", recall_limit: times(most, limits.get("min_recall")!) });
  if (limits.has("max_fpr")) {
    const limit = times(many, limits.get("max_fpr")!);
    assign(told, { fpr: round(limit) <= Number(wrong) ? "at" : "within", fpr_limit: limit });
  }
  if (limits.has("min_precision")) assign(told, { precision: "asked", precision_limit: times(100, limits.get("min_precision")!) });
  if (limits.has("fraction")) told.capacity = "share";
  return { ...told, limit_count: limits.size, margin: isBound ? "none" : "slack" };
}

/** The state with a margin in its limits; null where it is not known, or they have one. */
export function withMargin({ state, own, hand }: Seen, { margin }: AnswerFacts): State | null {
  if (!margin || !own || hand || state.goal === "report") return null;
  return state.goal === "cost" ? { ...state, within: { ...state.within, ...margin.limits } } : { ...state, ...margin.limits };
}
function isBuilt(state: State, { margin }: AnswerFacts): boolean {
  const limits = limitsOf(state);
  return margin !== null && limits.length === keys(margin.limits).length && limits.every(([name, x]) => margin.limits[name] === x);
}

/** The share that a limit is on. */
export const SHARES: Record<Limit, (rates: Rates, p: number) => number> = {
  max_fpr: ({ fpr }) => fpr, min_recall: ({ tpr }) => tpr, fraction: ({ fpr, tpr }, p) => p * tpr + (1 - p) * fpr,
  min_precision: ({ fpr, tpr }, p) => (tpr || fpr ? (p * tpr) / (p * tpr + (1 - p) * fpr) : -1),
};
export const isLeast = (name: Limit): boolean => name.startsWith("min");
/** Whether a rule keeps all limits of a state. */
export const isKept = (state: State, rates: Rates, { p } = costsOf(state)): boolean => limitsOf(state).every(([name, x]) => (isLeast(name) ? 1 : -1) * (SHARES[name](rates, p) - x) > -1e-12);

/** The comparison as what is said of it; null for the rule itself. */
export const comparisonOf = ({ kind, rule }: Comparison): Message => (rule && rule.kind === "threshold"
  ? { key: "answer.comparison.rule", score: rule.classifier, cutoff: F.threshold(rule.threshold, Boolean(rule.lower_is_positive)) }
  : { key: kind === "all" || rule?.kind === "always" ? "answer.comparison.all" : "answer.comparison.none" });

/** What the rule costs per case, how much more than the comparison, and on which cases. */
export interface Price {
  cost: Estimate;
  rival: number | null;
  apart: number; // the error of the difference; NaN if that is not known
  isNew: boolean;
  about: boolean; // of numbers near those asked for
}
/** Of which limit alone the rule is the best; undefined where several things choose it, null where costs do. */
function boundBy({ state, result, hand }: Seen, answer: AnswerFacts): [Limit, number] | null | undefined {
  const limits = limitsOf(state), [only] = limits;
  if (hand || isRange(state) || result.chosen!.rules.length > 1 || state.goal === "report") return undefined;
  if (state.goal === "cost" && !result.limited) return null;
  const isShare = only?.[0] === "min_precision" || only?.[0] === "fraction"; // whose rules follow the share of positives
  return limits.length === 1 && !(isShare && costsOf(state).p !== answer.prevalence) ? only! : undefined;
}
export function priceOf(seen: Seen, answer: AnswerFacts, totals: Totals): Price | null {
  const { state, result, reviewed, own } = seen, costs = costsOf(state), { cost: told, cost_high: high, on } = answer.state;
  if (reviewed || !result.chosen || isRange(state) || result.expected_cost === null) return null;
  const rival = answer.comparison ? costAt(costs, ratesOf(answer.comparison, totals)) : null, bound = boundBy(seen, answer);
  const found = bound === undefined ? null : onNew(answer.held_out, costs, bound);
  if (found) return { cost: found.cost, rival, apart: found.apart, isNew: true, about: !found.exact };
  if (own && on === "new" && typeof told === "number") return { cost: { value: told / answer.cases, error: (Number(high) - told) / answer.cases / NORMAL }, rival, apart: NaN, isNew: true, about: false };
  return { cost: { value: costAt(costs, result.chosen), error: NaN }, rival, apart: NaN, isNew: false, about: false };
}
function ofPrice(price: Price | null, answer: AnswerFacts, { rules: [own] }: Point): Situation {
  const { rule } = own!, other = answer.comparison?.rule;
  if (other && sameRule(rule, other)) return {}; // with itself
  if (!price || price.rival === null || !answer.comparison) return {};
  const { cost: { value }, rival, apart, isNew, about } = price;
  return { ...saved(value - rival, rival, apart || 0), on: isNew ? "new" : "here", about: about ? "yes" : "no", comparison: comparisonOf(answer.comparison) };
}

function ofRange(state: State, { worst_single: worst }: Result, cases: number): Situation {
  const miss = isArray(state.cost_fn) && state.cost_fn[0] !== state.cost_fn[1];
  const alone = !isArray(state.prevalence) || state.prevalence[0] === state.prevalence[1];
  const kind = miss && alone && state.cost_fp === 1 ? "miss" : "costs", [low, high] = [state.cost_fn].flat() as number[];
  return { situation: "range", range: kind, miss_low: low!, miss_high: high ?? low!, worst: worst === null ? null : round(cases * worst) };
}

function ofOthers(result: Result): Situation {
  const [best, next] = result.regret.filter(({ point }) => point).sort((a, b) => a.value - b.value);
  const cost = typeof result.expected_cost === "number" ? result.expected_cost : null;
  if (!best || !next || cost === null) return { others: result.regret.length > 1 ? "unknown" : "none" };
  const own = result.chosen!.rules[0]!.rule.classifier, rival = best.name === own ? next : best, behind = rival.value / cost;
  if (rival === best && best.value < next.value) return { others: "unknown" }; // the rule in view is not the best
  return { others: round(100 * behind) ? "more" : "tied", runner_up: rival.name, behind: round(100 * behind) };
}

const sameRule = (a: Rule, b: Rule) => a.kind === b.kind && a.classifier === b.classifier && String(a.threshold) === String(b.threshold);
/** The two cut-offs of reviews. */
function ofZones([{ high, low }]: Reviewed["rules"]): Situation {
  if (sameRule(high!, low!)) return ofRule({ rules: [{ rule: high!, probability: 1 }], fpr: 0, tpr: 0 });
  const way = [high!, low!].some((rule) => rule.lower_is_positive) ? "below" : "above", isPlain = high!.classifier === low!.classifier;
  const kinds: Record<string, string> = { "never always": "review all", "never threshold": `review ${way}`, "threshold always": `rest ${way}` }, kind = kinds[`${high!.kind} ${low!.kind}`];
  const shown = ({ kind, threshold, lower_is_positive: lower }: Rule) => (kind === "threshold" ? F.threshold(threshold, Boolean(lower)) : null);
  return { rule: kind ?? (isPlain ? `zones ${way}` : "zones of two"), way, score: high!.classifier, cutoff: shown(high!), score_low: low!.classifier, low: shown(low!) };
}
function ofReviews({ rules, outcomes: { prevalence }, whole, review_rate: share, expected_cost: cost, without, all, most, saves }: Reviewed, cases: number, costFp: number): Situation {
  const size = shownOf(prevalence), { positives, negatives } = whole(size), count = (key: keyof Actions) => positives[key] + negatives[key];
  const byAll = saved(cost - all, all, 0), isBesideAll = most === 1 && all < without && byAll.saving === "less";
  const isSaving = saves > 1e-9 * (without + all);
  return {
    situation: "review", ...(rules.length > 1 ? ofDraw(rules.flatMap(({ high, low }) => [high, low])) : ofZones(rules)), of_cases: size, flagged: count("flagged"), reviewed: count("reviewed"), passed: count("passed"), on: "here",
    cost_here: floor(cases * cost + 0.5), ...(isBesideAll ? byAll : saved(cost - without, without, 0)), beside: isBesideAll ? "all" : "none", others: "unknown",
    ...(share > 0.99 ? { further: "no" } : { further: isSaving ? "yes" : "no", further_saving: isSaving ? rounded(saves / 0.01, 2) : 0 }),
    further_in: costFp === 1 ? "alarms" : null,
  };
}
/** How much more a rule costs than another, in per cent. */
function saved(more: number, rival: number, error: number): Situation {
  const share = rival ? more / rival : more ? Infinity : 0;
  if (abs(share) < SAME || abs(more) <= NORMAL * error) return { saving: "same", saved: null };
  const inPercent = isFinite(share) ? floor(100 * abs(share) + 0.5) : null;
  return { saving: share < 0 ? "less" : "more", saved: inPercent !== null && share < 0 && share > -1 ? min(99, inPercent) : inPercent };
}

/** What is said of a report as it was made, and of no other state. */
export const NONE: Situation = fromEntries([
  "rule", "way", "score", "cutoff", "score_low", "low", "recall", "recall_limit", "fpr", "fpr_limit", "precision", "precision_limit", "capacity", "population", "limit_count", "margin",
  "saving", "saved", "beside", "on", "about", "comparison", "breaks", "cost", "cost_here", "miss_low", "miss_high", "worst", "cost_low", "cost_high", "range", "further", "further_in", "few", "few_count", "others", "rounds", "runner_up", "behind", "segments", "fair",
].map((name) => [name, null]));

/** Whether a limit sets the rule, and cases are flagged, so that new ones may break it: without it another one would be best. */
const isBound = (state: State, result: Result): boolean =>
  (state.goal !== "cost" || Boolean(result.limited)) && Boolean(result.chosen?.fpr || result.chosen?.tpr);

/** All named values of what is seen. */
export function situationOf(seen: Seen, answer: AnswerFacts, totals: Totals): Situation {
  const { state, result, reviewed, hand, own } = seen, { names, cases } = answer;
  if (own && !hand) return answer.state;
  const { few, few_count, few_of } = answer.state;
  const base: Situation = { ...NONE, few: few ?? null, few_count: few_count ?? null, few_of: few_of ?? null, ...names, each: answer.state.each ?? names.case, case: names.case, cases, situation: limitsOf(state).length ? "limits" : "costs" };
  if (reviewed) return { ...base, ...ofReviews(reviewed, cases, state.cost_fp) };
  if (!result.chosen) return { ...base, rule: null };
  const price = priceOf(seen, answer, totals), per = cases;
  assign(base, ofRule(result.chosen), ofCounts(result.chosen, costsOf(state).p), ofLimits(state, ofCounts(result.chosen, costsOf(state).p), hand, isBound(state, result)), ofPrice(price, answer, result.chosen), ofOthers(result));
  if (!hand && isBuilt(state, answer)) assign(base, { margin: "built", sure: answer.margin!.sure });
  if (limitsOf(state).length && answer.comparison) base.breaks = isKept(state, ratesOf(answer.comparison, totals)) ? "no" : "yes";
  if (isRange(state) && !hand) assign(base, ofRange(state, result, cases));
  if (price?.isNew) {
    const { value, error } = price.cost, count = (cost: number) => floor(per * max(0, cost) + 0.5);
    assign(base, { cost: count(value), cost_low: count(value - NORMAL * error), cost_high: count(value + NORMAL * error) });
  }
  return base;
}

/** The messages of a situation: the headline, the lede, the caveat, and a sentence for each row. */
export interface Said {
  headline: Message;
  lede: Message[];
  caveat: Message | null;
  rows: Record<string, Message>;
}
export function saidOf(tables: Tables, situation: Situation): Said {
  const say = (table: string): Message[] => {
    const key = chosen(tables[table]!, situation);
    return key === null ? [] : [{ ...NONE, ...situation, key }];
  };
  const rows = keys(tables).filter((name) => name.startsWith("row."));
  return {
    headline: say("headline")[0]!, lede: ["lede.caught", "lede.cost", "lede.more"].flatMap(say), caveat: say("caveat")[0] ?? null,
    rows: fromEntries(rows.flatMap((name) => say(name).map((message) => [name.slice(4), message]))),
  };
}
export { PER };
