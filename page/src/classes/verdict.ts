// The answer in one sentence, and what it is compared with: the outputs as they are, and one class always.
// What is true is found here, and by rochull.report.multiclass_verdict of the report's rule; the catalogue words it.
import { choose, say } from "../answer/words";
import * as rochullMulticlassSavings from "./savings";
import * as F from "../report_format";
import type { Value } from "../words/format";
import type { Model, Rival, View } from "./view";
import { abs, max, min } from "../maths";

const TOLD = 3, MOST = 6, FAR = 1e-3; // risen errors, and weights, that a sentence can hold, and what part of the largest they are at least

type Named = Record<string, Value>;
const named = ({ kind, class: c }: Rival, names: string[]): string => say("answer.classes.baseline", { kind, name: names[c!] ?? null });
/** Whether two rules decide alike. */
const alike = (data: Model, p: number, q: number) => JSON.stringify(data.confusion[p]) === JSON.stringify(data.confusion[q]);
/** What needs no weights, then the class that does best alone, within the limits if one is. */
function shown(rows: Rival[]): Rival[] {
  const alone = rows.filter(({ kind }) => kind === "always");
  const best = alone.reduce((first, row) => (row.within === first.within ? row.value < first.value : row.within) ? row : first);
  return [...rows.filter(({ kind }) => kind !== "always"), best];
}
/** The rule at a point as an order. */
function order({ data, names, found }: View, p: number, isIdle: boolean): Named {
  if (isIdle) return { order: found.inside[p] && data.k > 1 && found.values[p]! <= found.values[found.best]! ? "needless" : "largest" };
  const weights = data.weights[p]!, isShort = names.length <= MOST && min(...weights.filter(Boolean)) >= FAR * max(...weights);
  return { order: isShort ? "few" : "many", weights: names.map((name, c) => `${F.isolated(name)} ${F.number(weights[c]!)}`) };
}
function verdict(view: View, p: number, baselines: Rival[]): string {
  const { data, names, state, found, words } = view, value = found.values[p]!, inside = found.inside[p], isPriced = state.objective === "expected_cost", limits = words.limits;
  const isIdle = baselines[0]!.kind === "largest" && alike(data, p, data.k), rows = shown(baselines).filter((row, _, all) =>
    !(isIdle && row.kind === "largest") && !(row.kind === "balanced" && all[0]!.kind === "largest" && alike(data, all[0]!.index, row.index)));
  const isShares = isPriced && min(value, ...rows.map((row) => row.value)) >= 0; // of gains there are none
  const savings = rows.map((row): Saving => (isShares ? saving(view, p, row) : {})), first = savings.findIndex(({ ends }) => ends);
  const rivals = rows.map((row, n) => {
    const { ends: [low, high] = [], isAlike } = savings[n]!, rule = say("answer.classes.rival", { ...limits, rule: named(row, names), keeps: row.within === inside ? null : row.within ? "yes" : "no" });
    if (!isShares) return say("answer.classes.rival.value", { value: words.value(row.value), rule });
    return `${F.compared(value, row.value, { sure: isAlike ? "alike" : !low ? "no" : n === first ? "first" : "yes", low, high })} ${rule}`;
  });
  return choose("multiclass", {
    ...limits, broken: inside ? null : found.kept.length || data.k === 1 ? "one" : p === found.closest ? "all" : "farther", rules: words.rules(data.k),
    named: state.objective !== "given" || view.facts.objective.named ? "yes" : "no", measure: words.objective(words.LONG), value: words.value(value), priced: isPriced ? "yes" : "no",
    told_in: isShares ? "shares" : "values", rivals, ...order(view, p, isIdle), ...price(view, p),
  });
}
interface Saving {
  ends?: [string, string];
  isAlike?: boolean;
}
/** The interval of what is saved against a baseline, if it is told, and whether both cannot be told apart. */
function saving(view: View, p: number, row: Rival): Saving {
  const ends = rochullMulticlassSavings.interval(view, p, row);
  if (!ends || F.asMuch(view.found.values[p], row.value)) return {};
  const isAlike = ends[0] <= 0 && ends[1] >= 0;
  return isAlike ? { isAlike } : { ends: ends.map(abs).sort((a, b) => a - b).map(F.wholeRate) as [string, string] };
}
/** The errors that are larger by one rule than by another, or with a sign of -1 smaller, the most changed first. */
const moved = ({ data: { errors }, names }: View, p: number, q: number, sign: number) => names.map((name, c) => [sign * (errors[p]![c]! - errors[q]![c]!), name, ...[p, q].map((rule) => F.rate(errors[rule]![c]!))] as [number, string, string, string])
  .filter(([by, , now, then]) => by > 0 && now !== then).sort(([a], [b]) => b - a).map(([, name, now, then]) => ({ key: "answer.classes.instead", name, now, then }));
/** What the limits cost, of the best rule: which errors are larger than those of the best rule without them. */
function price(view: View, p: number): Named {
  const { data, state: { limits }, found, words } = view, [free] = found.order as [number];
  if (!limits.length || !found.inside[p] || p !== found.best) return {};
  if (alike(data, p, free)) return { price: "same" };
  const risen = moved(view, p, free, 1), more = risen.length > TOLD ? [{ key: "answer.more", n: risen.length - TOLD }] : [];
  return { price: risen.length ? "some" : "none", limited: limits.length > 1 ? "many" : limits[0]!.kind, limit: words.limit(limits[0]!), errors: [...risen.slice(0, TOLD), ...more] };
}

/** Which errors are smaller than by the largest output, and which are larger. */
function traded(view: View, p: number, [first]: Rival[]): string {
  if (first!.kind !== "largest" || alike(view.data, p, view.data.k)) return "";
  return ([["smaller", -1], ["larger", 1]] as const).map(([way, sign]) => [way, moved(view, p, first!.index, sign).slice(0, TOLD)] as const)
    .filter(([, errors]) => errors.length).map(([way, errors]) => say("answer.classes.moved", { way, errors })).join(" ");
}

export { verdict, traded, named, shown };
