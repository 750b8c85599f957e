// The rule with reviews: what it is in words, and what it does with cases, in the shape of the facts' `review`. No DOM.
// Its words are those of rochull.report.review_order and verdict; its numbers those of the library (tests/report/test_reviews.py).
import { choose, say } from "./answer/words";
import { through } from "./scale";
import * as rochullCurves from "./report_curves";
import { middle, shareOf, type Band } from "./report_curves";
import * as rochullExact from "./report_exact";
import * as F from "./report_format";
import { rate, number } from "./report_format";
import * as rochullRule from "./report_rule";
import { STAKES, type Stake } from "./report_typed";
import { entries, floor, fromEntries, isArray, isFinite, max, min, round, rounded, sqrt } from "./maths";
import { isCut } from "./report_format";
import type { Cells, Point, Reviewing, Rule, State } from "./answer/numbers";
import type { Reviewed as Told } from "./answer/situation";
import type { Interval, Sure } from "./report_exact";
import type { Facts, ReviewOutcomes } from "./report_facts";
import type { Model } from "./report_model";

type Action = "flagged" | "reviewed" | "passed";
type Actions = Record<Action, number>;
interface Classes {
  negatives: Actions;
  positives: Actions;
}
/** The costs without reviews, of all cases reviewed, and what one more review in 100 saves. */
interface Ends {
  without: number;
  all: number;
  saves: number;
  least: { share: number; cost: number };
}
/** What a rule with reviews does, and costs. */
export interface Reviewed extends Ends {
  rules: Told["rules"];
  fpr: number;
  tpr: number;
  review: number;
  review_rate: number;
  error_rate: number | null;
  expected_cost: number;
  outcomes?: ReviewOutcomes;
  most: number;
  reviewer: [number, number];
  frontiers?: { share: number; cost: number }[][]; // of each classifier; not of the report's own
  frontier?: { share: number[]; cost: number[] }; // of the report's own alone
  shares?: Classes; // of the cases of each class; not of the report's own
}
interface Base {
  model: Model;
  facts: Facts;
}
type Asked = { review?: Reviewing | null; facts: Facts };

const CASES = 10000, START = { cost: 0.1, most: 1 }, NEVER = { kind: "never" } as Rule, ACTIONS: Action[] = ["flagged", "reviewed", "passed"];

// --- what is asked ----------------------------------------------------------------------------------

/** What the report asks for, as far as it is numbers. */
const begun = ({ review }: Pick<Facts, "review">): Reviewing => (review && isFinite(middle(review.parameters.cost_review as number))
  ? { cost: middle(review.parameters.cost_review as number), most: (review.parameters.max_share ?? 1) as number } : START);
/** What the reader set of reviews, or else the report. */
const asked = ({ review, facts }: Asked): Reviewing => review || begun(facts);
/** The costs and the prevalence of a state, of an interval the middle. */
const stakes = (state: State) => fromEntries(STAKES.map((key) => [key, middle(state[key])])) as Record<Stake, number>;

/** A state of costs alone, at these numbers. */
const single = (state: State): State => ({ ...state, ...stakes(state), goal: "cost", within: {} });

// --- the rule, and what it does ---------------------------------------------------------------------

type Part = [band: Band, share: number];
function solved({ hulls }: Pick<Model, "hulls">, state: State, review: Reviewing) {
  const { frontiers, owner, best } = rochullCurves.reviews({ hulls }, state, review), { fpr, tpr, rules } = hulls[owner];
  const { cost_fp: fp, cost_fn: fn, prevalence: p } = stakes(state);
  const bands = best.part < 1 ? ([[best, best.part], [best.before!, 1 - best.part]] as Part[]).sort(([one], [other]) => one.high - other.high || one.low - other.low) : [[best, 1] as Part];
  const cells = (rates: Float64Array): Actions => {
    const [flagged, reached] = (["high", "low"] as const).map((end) => bands.reduce((sum, [band, part]) => sum + part * rates[band[end]], 0));
    return { flagged, reviewed: max(0, reached - flagged), passed: max(0, 1 - reached) };
  };
  const times = (row: Actions, by: number | Actions) => fromEntries(ACTIONS.map((action) => [action, row[action] * ((by as Actions)[action] ?? by)])) as Actions;
  const shares = { negatives: cells(fpr), positives: cells(tpr) };
  const negatives = times(shares.negatives, CASES * (1 - p)), positives = times(shares.positives, CASES * p);
  const errors = (1 - p) * shares.negatives.flagged + p * shares.positives.passed;
  return {
    rules: bands.map(([{ high, low }, probability]) => ({ high: rules(high), low: rules(low), probability })),
    fpr: shares.negatives.flagged, tpr: shares.positives.flagged + shares.positives.reviewed,
    shares, review: review.cost, review_rate: best.share, error_rate: best.share < 1 ? errors / (1 - best.share) : null, expected_cost: best.cost,
    outcomes: { cases: CASES, prevalence: p, negatives, positives,
      costs: { negatives: times(negatives, { flagged: fp, reviewed: review.cost, passed: 0 }), positives: times(positives, { flagged: 0, reviewed: review.cost, passed: fn }) } },
    ...endsOf(frontiers, best.share), most: review.most, frontiers, reviewer: [0, 1],
  };
}
/** What no reviews cost, all of them, the share that costs least, and what one more review in 100 cases saves. */
type Shared = Ends["least"];
function endsOf(frontiers: Shared[][], share: number): Ends {
  const [without, all] = [0, -1].map((end) => min(...frontiers.map((each) => each.at(end)!.cost)));
  const at = (x: number) => min(...frontiers.map((points) => through(points.map((point) => point.share), points.map(({ cost }) => cost), x)));
  return { without, all, saves: at(share) - at(share + 0.01), least: frontiers.flat().reduce((best, point) => (point.cost < best.cost ? point : best)) };
}
/** The same as the report tells it, of its own condition. */
function given({ review: { single, ...drawn } }: { review: NonNullable<Facts["review"]> }, mixtures: boolean) {
  const review = { ...drawn, ...(mixtures ? null : single) };
  const points = review.frontier.share.map((share, k) => ({ share, cost: review.frontier.cost[k] }));
  return { ...review, review: begun({ review }).cost, ...endsOf([points], review.review_rate), most: begun({ review }).most, reviewer: (review.parameters.reviewer || [0, 1]) as [number, number] };
}
let last: { key: string | null; base?: Base; value?: ReturnType<typeof given> | ReturnType<typeof solved> } = { key: null };
/** The answer to a state: once for each. */
function of(base: Base & Asked, state: State): Reviewed {
  const isGiven = state.goal === "report" && base.facts.review, key = isGiven ? String(state.mixtures) : JSON.stringify([asked(base), stakes(state), state.mixtures]);
  if (last.key !== key || last.base !== base) last = { key, base, value: isGiven ? given(base.facts as { review: NonNullable<Facts["review"]> }, state.mixtures !== false) : solved(base.model, state, asked(base)) };
  return last.value as Reviewed;
}
/** What is told of it: the flagged with those of the reviewers among them; and its four outcomes. */
function figures(all: Reviewed & { outcomes: ReviewOutcomes }) {
  const { fpr, tpr, outcomes: { prevalence: p }, ...found } = all;
  const flagged = p * tpr + (1 - p) * fpr, [negatives, positives] = [CASES * (1 - p), CASES * p];
  const confusion = { tp: positives * tpr, fn: positives * (1 - tpr), fp: negatives * fpr, tn: negatives * (1 - fpr) };
  return { ...found, fpr, tpr, positive_rate: flagged, precision: flagged ? (p * tpr) / flagged : null, confusion, breaks: false, whole: (size: number): Cells => {
    const { positives: a, negatives: b } = whole(all, size), [tp, fp] = [a, b].map((row) => row.flagged + row.then); // after the reviews, as other tables have them
    return { tp, fn: a.passed + a.reviewed - a.then, fp, tn: b.passed + b.reviewed - b.then };
  } };
}

/** The interval of the cost, from shares of each class that exclude each other (MOVER with their correlation). */
function costEnds({ totals, wilson }: Pick<Model, "totals" | "wilson">, state: State, p: number, shares: Classes, { review, cost }: { review: number; cost: number }): Interval {
  const { cost_fp: flagged, cost_fn: passed } = stakes(state), far = [0, 0];
  for (const [of, weight, prices] of [["negatives", 1 - p, { flagged, reviewed: review }], ["positives", p, { passed, reviewed: review }]] as [keyof Classes, number, Partial<Actions>][]) {
    const [[x, ...a], [y, ...b]] = entries(prices).map(([action, price]) => {
      const [share, low, high] = rochullCurves.shareOf(wilson, shares[of][action as Action], totals[of]);
      return [share, ...[share - low, high - share].map((each) => weight * price! * each)];
    });
    const r = x * y && sqrt((x * y) / ((1 - x) * (1 - y)));
    far.forEach((_, k) => { far[k] += a[k] ** 2 + b[k] ** 2 - 2 * r * a[k] * b[k]; });
  }
  const [below, above] = far.map((each) => sqrt(max(0, each)));
  return [cost - below, cost + above];
}
/** How sure its rates are, as those of other rules: of reviewers who make no mistakes these are shares of what was counted. */
function intervals(model: Model, facts: Facts, state: State, { fpr, tpr, rules, shares, review_rate: share, review, expected_cost: cost }: Reviewed): Record<string, Interval> {
  const point = { fpr, tpr, rules: rules.flatMap(({ high, low }) => [{ rule: high }, { rule: low }]) } as Point;
  const sure = shares ? rochullCurves.intervals(model, facts, single(state), point) : null;
  if (!sure) return {};
  const { totals, wilson } = model, p = middle(state.prevalence);
  const reviewed: [number, Sure][] = [[1 - p, shareOf(wilson, shares!.negatives.reviewed, totals.negatives)], [p, shareOf(wilson, shares!.positives.reviewed, totals.positives)]];
  return { ...sure, expected_cost: costEnds(model, state, p, shares!, { review, cost }), review_rate: p === model.prevalence ? shareOf(wilson, share, totals.negatives + totals.positives).slice(1) as Interval : rochullExact.sumInterval(...reviewed) };
}

// --- whole cases ------------------------------------------------------------------------------------

/** Of so many cases, whole ones that add up, as near as can be; twin of review_wording.whole. Of those reviewed also how many reviewers flag. */
function whole({ outcomes, reviewer }: { outcomes: ReviewOutcomes; reviewer: number[] }, size: number): Record<keyof Classes, Actions & { then: number }> {
  const { prevalence, cases } = outcomes, more = floor(size * prevalence + 0.5), sum = ([a, b, c]: number[]) => a + b + c;
  const exact = (["positives", "negatives"] as const).map((of) => ACTIONS.map((action) => floor(1e6 * ((outcomes[of][action] * size) / cases) + 0.5) / 1e6));
  const ways = exact.map((cells, i) => cells.reduce((rows, x) => rows.flatMap((row) => [1, 0].map((up) => [...row, floor(x) + up])), [[]] as number[][]).filter((row) => sum(row) === (i ? size - more : more)));
  const off = (rows: number[][]) => sum([0, 1, 2].map((k) => {
    const [a, b] = rows.map((row, i) => round(1e6 * (row[k] - exact[i][k]))); // so that ties are ties
    return a * a + b * b + a * b; // half of a² + b² + (a + b)²
  }));
  const best = ways[0].flatMap((one) => ways[1].map((other) => [one, other])).reduce((a, b) => (off(b) < off(a) ? b : a));
  const [positives, negatives] = best.map(([flagged, reviewed, passed], i) => ({ flagged, reviewed, passed, then: floor(reviewed * reviewer[1 - i] + 0.5) }));
  return { positives, negatives };
}

// --- words ------------------------------------------------------------------------------------------

/** When cases pass the rules of a mixture, which are of one score; null if none passes any. */
function options(mixed: Rule[], shares: number[]): string | null {
  const kinds = ["never", "threshold", "always"], found = new Map<string | null, Point["rules"][0]>(), when = (rule: Rule) => (isCut(rule) ? rochullRule.inWords({ rules: [{ rule }] as Point["rules"] }) : rule.kind === "always" ? rule.kind : null);
  mixed.forEach((rule, i) => found.set(when(rule), { rule, probability: (found.get(when(rule))?.probability || 0) + shares[i] }));
  const at = ({ threshold, lower_is_positive: lower }: Rule) => (lower ? 1 : -1) * Number(threshold);
  const rules = [...found.values()].sort(({ rule: a }, { rule: b }) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind) || (isCut(a) ? at(a) - at(b) : 0)), { length } = rules;
  if (length === 1) return when(rules[0].rule);
  if (length === 2 && !found.has(null)) return rochullRule.inWords({ rules });
  return rules.filter(({ rule }) => rule.kind !== "never")
    .map(({ rule, probability }) => choose("option", { parts: length > 2 ? "more" : "two", kind: rule.kind, rule: when(rule), probability: F.rate(probability) })).reduce((one, other) => say("answer.option.or", { one, other }));
}
/** The rule, or a mixture of several, as an order: [{high, low, probability}]; twin of review_order.reviewing. */
function reviewing(positive: string, rules: Told["rules"]): string {
  const shares = rules.map(({ probability }) => probability);
  const same = ({ high, low }: Told["rules"][0]) => low.kind === high.kind && low.classifier === high.classifier && low.threshold === high.threshold;
  return choose("order", { positive, flagged: options(rules.map(({ high }) => high), shares), reviewed: options(rules.map((each) => (same(each) ? NEVER : each.low)), shares) });
}
/** Its thresholds, where they are told with fewer digits. */
function digits({ rules }: Pick<Reviewed, "rules">): number[] {
  const found = [...new Set(rules.flatMap(({ high, low }) => [high, low]).filter(isCut).map(({ threshold }) => Number(threshold)))];
  return found.every((each) => F.read(F.number(each)) === each) ? [] : found;
}
/** What more reviews would save; twin of review_price.further. */
function further({ review_rate: share, saves, without, all }: Reviewed, { most }: Reviewing, state: State, unit: string): string {
  if (STAKES.some((key) => isArray(state[key]) && state[key][0] !== state[key][1])) return "";
  const none = 1e-9 * (without + all) >= saves;
  if (share > 0.99 || (none && !share)) return "";
  if (none) return say("report.further.none");
  const limit = share && share + 1e-9 >= most ? say("report.further.beyond") : "";
  return say("report.further", { share: rate(share + 0.01), limit, saving: number(rounded(saves, 2)), unit, more: share ? "yes" : null });
}

export { digits, intervals, single, begun, asked, solved, given, of, figures, whole, reviewing, further };
