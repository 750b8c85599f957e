// Segments beside each other under one condition: the rates and the cost of each, by one threshold for all and by its own.
import * as rochullCurves from "./report_curves";
import * as rochullExact from "./report_exact";
import { STAKES } from "./report_typed";
import type { State } from "./answer/numbers";
import type { Interval, Sure } from "./report_exact";
import type { Facts } from "./report_facts";
import type { Used } from "./report_groups";
import type { Placed } from "./report_known";
import type { Row } from "./report_found";
import type { Model } from "./report_model";
import { round } from "./maths";

interface Counts {
  negatives: number;
  positives: number;
}
interface Rates {
  fpr: number | null;
  tpr: number | null;
  share?: number;
}
type Rate = "flagged" | "tpr" | "fpr" | "precision";
/** What a segment is under thresholds, and how sure that is. */
export type Judged = Record<Rate, number | null> & {
  cost: number;
  thresholds: Used;
  readonly sure: Ends | null;
};
type Ends = Record<"fpr" | "tpr" | "cost", Interval> & { flagged: Interval | null; precision?: undefined };
export interface Beside {
  segment: string;
  cases: number;
  weight: number;
  by(rates: Rates, thresholds: Used): Judged;
  one: Judged | null;
  own: Judged | null;
}
/** Who judges the rules of a segment, whose cases weigh as in the population: {weight, by(rule, thresholds)}. */
function judge(model: Pick<Model, "wilson">, facts: Facts, state: State, { negatives, positives }: Counts): Pick<Beside, "weight" | "by"> {
  const { totals } = facts.segments!.live!, wilson = facts.examples!.weighted ? null : model.wilson;
  const [cost_fp, cost_fn, p] = STAKES.map((key) => rochullCurves.middle(state[key]));
  const neg = (1 - p) * (negatives / totals.negatives), pos = p * (positives / totals.positives), all = neg + pos;
  const [w, m] = all ? [(cost_fp * neg) / all, (cost_fn * pos) / all] : [0, 0];
  const by = ({ fpr, tpr, share }: Rates, thresholds: Used): Judged => {
    const wrong = neg * (fpr ?? 0), right = pos * (tpr ?? 0);
    return { fpr, tpr, cost: w * (fpr ?? 0) + m * (1 - (tpr ?? 1)), flagged: all ? (wrong + right) / all : null, precision: wrong + right ? right / (wrong + right) : null, thresholds,
      get sure() { // of a mixture of two thresholds there are no counts
        return wilson && !share ? sure([[fpr, negatives], [tpr, positives]].map(([rate, n]) => (n ? wilson(round(rate! * n), n) : [rate, rate]) as Interval), { fpr, tpr }) : null;
      } };
  };
  const sure = ([f, t]: Interval[], { fpr, tpr }: Rates): Ends => {
    const [of, missed]: Sure[] = [[fpr ?? 0, ...f], [1 - (tpr ?? 1), 1 - (t[1] ?? 1), 1 - (t[0] ?? 1)]], sum = rochullExact.sumInterval;
    return { fpr: f, tpr: t, cost: sum([w, of], [m, missed]), flagged: all ? sum([neg / all, of], [pos / all, [tpr ?? 0, ...t]]) : null };
  };
  return { weight: all, by };
}
/** Thresholds and how often each is used; "inf" flags nothing, "-inf" everything. */
const used = {
  one: ({ rules }: Pick<Placed, "rules">) => rules.map(({ rule: { kind, threshold }, probability }) => [({ never: "inf", always: "-inf" } as Record<string, string>)[kind] ?? threshold, probability]) as Used,
  own: ({ threshold, other, share }: Pick<Row, "threshold" | "other" | "share">): Used => (other === null ? [[threshold, 1]] : [[threshold, 1 - share], [other, share]]),
};
/** The segments under a state: {rows: [{segment, cases, weight, by, one, own}], message}; `one` or `own` is null where no threshold meets
 *  the condition. Intervals are Wilson's, and stand at single thresholds of unweighted examples. */
function segments(model: Pick<Model, "wilson" | "segments">, facts: Facts, state: State): { message: string | null; rows: Beside[] | null } {
  const { rows, straight, message } = model.segments!.evaluate(state);
  if (!rows) return { rows: null, message };
  return { message: null, rows: rows.filter(({ negatives, positives }) => negatives || positives).map((row) => {
    const { weight, by } = judge(model, facts, state, row as Row & Counts);
    return { segment: row.segment, cases: row.negatives! + row.positives!, weight, by,
      one: row.one && by(row.one, (straight && used.one(straight))!), own: by(row, used.own(row)) };
  }) };
}

export { segments, used };
