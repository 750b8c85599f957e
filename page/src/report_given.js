// The report's own condition, where the page cannot compute it: the state that shows it, and its answer as the library found
// it, in the shape of what the model evaluates. No DOM.
import * as rochullFormat from "./report_format.js";
import * as rochullTyped from "./report_typed.js";
import { assign, fromEntries, isArray } from "./maths";

const number = (value) => (value === "inf" ? Infinity : value === "-inf" ? -Infinity : value ?? null);
const isNumber = (value) => typeof value === "number";
const isRange = (value) => isArray(value) && value.every(isNumber);
const LIMITS = { max_fpr: "max_fpr", min_recall: "min_tpr", min_precision: "min_precision", capacity: "fraction" };
const FIELDS = { min_recall: "min_recall", capacity: "fraction" };

/** Whether costs are told of the report's own condition. */
const isPriced = ({ condition, chosen, figures }) => (chosen ? chosen.expected_cost !== null : Boolean(figures || "cost_fn" in condition.parameters));
// The state with the goal "report": its own costs, prevalence and limits as far as they are single numbers, or ranges that
// the controls have. `own` tells the condition, and the goal that takes its place when a control is moved.
function stateOf({ condition, review, chosen, figures, asked, mixtures }, base) {
  const { text, python, parameters: p } = condition || review;
  const found = { ...base };
  const prevalence = chosen && chosen.confusion ? chosen.confusion.prevalence : p.prevalence;
  for (const [key, value] of [["cost_fp", p.cost_fp], ["cost_fn", p.cost_fn], ["prevalence", prevalence]]) {
    if (isNumber(value) || (isRange(value) && key !== "cost_fp")) found[key] = value;
    else if (isRange(value)) found[key] = (value[0] + value[1]) / 2;
  }
  const limits = { ...p, fraction: p.fraction ?? p.cases / p.population };
  const goals = Object.keys(LIMITS).filter((goal) => limits[LIMITS[goal]] >= 0 && limits[LIMITS[goal]] <= 1);
  for (const goal of goals) found[FIELDS[goal] || goal] = limits[LIMITS[goal]];
  const beside = condition && condition.limits;
  if (beside) assign(found, beside, "cost_fn" in p && chosen ? { within: beside } : {});
  const otherwise = "cost_fn" in p || !goals.length ? "cost" : goals[0];
  return { ...found, goal: "report", own: { text, asked, python, otherwise, sure: isNumber(p.confidence) ? p.confidence : null, limits: condition ? condition.n_limits : 0, limited: Boolean(condition && condition.limited), limitedAt: condition ? condition.limited_at : null, priced: isPriced({ condition: condition || review, chosen, figures }), range: !chosen, review: Boolean(review), mixtures } };
}

// The state that shows the report's own condition; null if the controls cannot.
function movedTo(condition, base) {
  if (!condition) return null;
  const p = condition.parameters;
  const share = isNumber(p.prevalence) ? { prevalence: p.prevalence } : {};
  if (p.confidence !== undefined && p.confidence !== null) return null;
  switch (condition.kind) {
    case "ExpectedCost": {
      const { cost_fp, cost_fn, prevalence } = p;
      const known = isNumber(cost_fp) && [cost_fn, prevalence].every((x) => rochullTyped.spread(x).every(isNumber));
      return known ? { ...base, goal: "cost", cost_fp, cost_fn, prevalence } : null;
    }
    case "Within": {
      const { cost_fp, cost_fn, prevalence } = p, { limits } = condition;
      const known = isNumber(cost_fp) && [cost_fn, prevalence].every((x) => isNumber(x) || (!base.mixtures && isRange(x))); // a range within limits needs one threshold
      return limits && known
        ? { ...base, ...limits, goal: "cost", cost_fp, cost_fn, prevalence, within: limits } : null;
    }
    case "NeymanPearson": return isNumber(p.max_fpr) ? { ...base, goal: "max_fpr", max_fpr: p.max_fpr } : null;
    case "MinimumRecall": return isNumber(p.min_tpr) ? { ...base, goal: "min_recall", min_recall: p.min_tpr } : null;
    case "MinimumPrecision":
      if (!isNumber(p.min_precision) || !isNumber(p.prevalence)) return null;
      return { ...base, ...share, goal: "min_precision", min_precision: p.min_precision };
    case "Capacity": {
      const fraction = isNumber(p.fraction) ? p.fraction : p.cases / p.population;
      if (!(fraction >= 0 && fraction <= 1) || !isNumber(p.prevalence)) return null;
      return { ...base, ...share, goal: "capacity", fraction };
    }
    default: return null;
  }
}

/** The state of a report on reviews, where costs, prevalence, and what its view of reviews has are all that it asks for; else null. */
function movedReview({ parameters: p }, base) {
  const { cost_fp, cost_fn, prevalence, reviewer: [false_, true_] = [0, 1] } = p, numbers = [cost_fp, cost_fn, prevalence, p.cost_review];
  const isPlain = numbers.every(isNumber) && false_ === 0 && true_ === 1 && !["max_error", "confidence", "max_cases"].some((key) => key in p);
  const isPriced = (prevalence < 1 && cost_fp > 0) || (prevalence > 0 && cost_fn > 0);
  return isPlain && isPriced ? { ...base, goal: "cost", cost_fp, cost_fn, prevalence } : null;
}

const same = (one, other) => ["kind", "classifier", "threshold"].every((key) => one[key] === other[key]);
// Where a rule is: at a vertex of the union hull or beyond it, or among the single thresholds (else -1).
function placeOf(rules, { hybrid: { owners }, singles, classifiers }) {
  const reaches = (v, { rule }) => owners[v].some((each) => same(each, rule));
  const [first, second] = rules;
  const left = owners.findIndex((_, v) => reaches(v, first) && (!second || (v + 1 < owners.length && reaches(v + 1, second))));
  if (second) return { left, share: second.probability };
  if (left >= 0) return { left, share: 0 };
  const { classifier, threshold } = first.rule;
  return { single: singles.threshold.findIndex((each, k) =>
    each === threshold && singles.classifier[k] !== null && classifiers[singles.classifier[k]].name === classifier), share: 0 };
}

// A line through two points, as a tpr + b fpr = c.
function lineOf({ points: [[x0, y0], [x1, y1]] }) {
  const [a, b] = [x1 - x0, y0 - y1];
  return { a, b, c: a * y0 + b * x0 };
}
const figured = (point, keys) => fromEntries(keys.map((key) => [key, number(point[key])]));

// The answer; `nothing` is that of no rule, `figures` computes those of a point, of which `priced` need costs, and `mixtures` are rules that may be drawn.
function answer(facts, nothing, figures, priced, mixtures) {
  const { condition, review, deterministic, regret, robust, line, totals } = facts, chosen = mixtures || !facts.chosen ? facts.chosen : deterministic;
  if (review) return { ...nothing, message: "", told: true }; // by report_reviewed.js
  const keys = facts.numbers.map(({ key }) => key);
  const pointOf = (found) => (found && found.rules
    ? { fpr: found.fpr, tpr: found.tpr, rules: found.rules, ...placeOf(found.rules, facts) } : null);
  const unpriced = isPriced(facts) ? {} : { prices: null, ...Object.fromEntries(priced.map((key) => [key, null])) };
  // As the report tells it, or where it does not, computed at its own numbers.
  const told = (found, point) => {
    const computed = { ...figures(point), ...unpriced };
    if (!found || !("confusion" in found)) return computed;
    return { ...computed, ...figured(found, keys), ...(found.confusion ? {} : { confusion: null }) };
  };
  const best = robust ? robust.rows[mixtures ? 0 : 1] : chosen, point = pointOf(best);
  const rows = regret ? regret.rows.map((row) => ({ name: row.classifier, point: pointOf(row.point), value: number(row.value) }))
    : robust.rows.filter(({ classifier }) => classifier).map((row) => ({ name: row.classifier, point: pointOf(row), value: number(row.worst) }));
  const alone = fromEntries(rows.map((row) => [row.name, row.point]));
  const baselines = facts.baselines.map(({ kind, classifier, fp, tp, point: own, ...more }) => {
    const at = own ? { fpr: own.fpr, tpr: own.tpr, rules: own.rules } : kind !== "best" ? { fpr: fp / totals.negatives, tpr: tp / totals.positives }
      : robust ? alone[classifier] : null;
    return { ...more, breaks: Boolean(more.breaks), kind, classifier, point: at, ...told(own, at) };
  });
  return {
    ...nothing, feasible: point !== null, message: point ? null : rochullFormat.mixable(condition.n_limits),
    interval: Boolean(robust), chosen: point, single: pointOf(robust ? robust.rows[1] : deterministic),
    measure: (regret || robust).measure, regret: rows, baselines,
    worst: robust ? number(best.worst) : null, worst_single: robust ? number(robust.rows[1].worst) : null, optimal: condition.potentially_optimal,
    line: line && lineOf(line), limited: Boolean(line) && line.kind === "constraint",
    slope: number(condition.slope), probability_cost: condition.probability_cost,
    ...(point ? told(best, point) : {}),
  };
}

export { stateOf, movedTo, movedReview, answer };
