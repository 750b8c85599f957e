// The answer to the report's own condition, where the page cannot compute it: as the library found it, in the shape of what
// the model evaluates. No DOM.
import * as rochullFormat from "./report_format";
import type { Rates, Rule } from "./answer/numbers";
import type { Facts, Number as Amount, Point as Told, Rules } from "./report_facts";
import type { Placed } from "./report_known";
import type { Answer, Figures } from "./report_found";
import type { Line } from "./report_optimum";
import { fromEntries } from "./maths";

type Row = NonNullable<Facts["robust"]>["rows"][0];
type Best = Told | Row;

const number = (value: Amount | null | undefined): number | null => (value === "inf" ? Infinity : value === "-inf" ? -Infinity : value ?? null);
const same = (one: Rule, other: Rule) => (["kind", "classifier", "threshold"] as const).every((key) => one[key] === other[key]);
// Where a rule is: at a vertex of the union hull or beyond it, or among the single thresholds (else -1).
type Places = Pick<Placed, "left" | "single" | "share">;
function placeOf(rules: Rules, { hybrid: { owners }, singles, classifiers }: Facts): Places {
  const reaches = (v: number, { rule }: Rules[0]) => owners[v].some((each) => same(each, rule));
  const [first, second] = rules;
  const left = owners.findIndex((_, v) => reaches(v, first) && (!second || (v + 1 < owners.length && reaches(v + 1, second))));
  if (second) return { left, share: second.probability };
  if (left >= 0) return { left, share: 0 };
  const { classifier, threshold } = first.rule;
  return { single: singles.threshold.findIndex((each, k) =>
    each === threshold && singles.classifier[k] !== null && classifiers[singles.classifier[k]!].name === classifier), share: 0 };
}

// A line through two points, as a tpr + b fpr = c.
function lineOf({ points: [[x0, y0], [x1, y1]] }: NonNullable<Facts["line"]>): Line {
  const [a, b] = [x1 - x0, y0 - y1];
  return { a, b, c: a * y0 + b * x0 };
}
const figured = (point: Told, keys: string[]) => fromEntries(keys.map((key) => [key, number(point[key] as Amount | null)]));

// The answer; `nothing` is that of no rule, `figures` computes those of a point, of which `priced` need costs, and `mixtures` are rules that may be drawn.
export function answer(facts: Facts, nothing: Answer, figures: (point: Rates | null) => Figures, priced: string[], mixtures: boolean): Answer {
  const { condition, review, deterministic, regret, robust, line, totals } = facts, chosen = mixtures || !facts.chosen ? facts.chosen : deterministic;
  if (review) return { ...nothing, message: "", told: true }; // by report_reviewed.ts
  const keys = facts.numbers.map(({ key }) => key);
  const pointOf = (found: { fpr: number | null; tpr: number | null; rules: Rules | null } | null): Placed | null => (found && found.rules
    ? { fpr: found.fpr!, tpr: found.tpr!, rules: found.rules, ...placeOf(found.rules, facts) } : null);
  const unpriced = facts.opening!.state.own!.priced ? {} : { prices: null, ...Object.fromEntries(priced.map((key) => [key, null])) };
  // As the report tells it, or where it does not, computed at its own numbers.
  const told = (found: Best | null, point: Rates | null): Figures => {
    const computed = { ...figures(point), ...unpriced };
    if (!found || !("confusion" in found)) return computed;
    return { ...computed, ...figured(found, keys), ...(found.confusion ? {} : { confusion: null }) };
  };
  const best = robust ? robust.rows[mixtures ? 0 : 1] : chosen, point = pointOf(best);
  const rows = regret ? regret.rows.map((row) => ({ name: row.classifier, point: pointOf(row.point), value: number(row.value)! }))
    : robust!.rows.filter(({ classifier }) => classifier).map((row) => ({ name: row.classifier!, point: pointOf(row), value: number(row.worst)! }));
  const alone = fromEntries(rows.map((row) => [row.name, row.point]));
  const baselines = facts.baselines.map(({ kind, classifier, fp, tp, point: own, ...more }) => {
    const at = own ? { fpr: own.fpr, tpr: own.tpr, rules: own.rules } : kind !== "best" ? { fpr: fp! / totals.negatives, tpr: tp! / totals.positives }
      : robust ? alone[classifier!] : null;
    return { ...more, breaks: Boolean(more.breaks), kind, classifier, point: at, ...told(own, at) };
  });
  return {
    ...nothing, feasible: point !== null, message: point ? null : rochullFormat.mixable(condition!.n_limits),
    interval: Boolean(robust), chosen: point, single: pointOf(robust ? robust.rows[1] : deterministic),
    measure: (regret || robust)!.measure, regret: rows, baselines,
    worst: robust ? number((best as Row).worst) : null, worst_single: robust ? number(robust.rows[1].worst) : null, optimal: condition!.potentially_optimal,
    line: line && lineOf(line), limited: Boolean(line) && line!.kind === "constraint",
    slope: number(condition!.slope), probability_cost: condition!.probability_cost,
    ...(point ? told(best, point) : {}),
  };
}
