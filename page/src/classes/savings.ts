// How sure it is by how much less a rule of several classes costs than a baseline. The derivation is in
// rochull.report.multiclass_savings, whose twin this is.
import * as rochullExact from "../report_exact";
import type { Rival, View } from "./view";
import { max, min, sqrt } from "../maths";

const Z = rochullExact.probit(0.975), total = (row: number[]) => row.reduce((a, b) => a + b, 0);
type Move = [from: number, to: number, cases: number];

/** Each moves as little as can be, and most move. */
function near(before: number[], after: number[]): Move[] {
  const left = before.slice(), due = after.slice(), found: Move[] = [];
  for (let i = 0, j = 0; i < left.length && j < due.length; left[i] ? j += 1 : i += 1) {
    const n = min(left[i]!, due[j]!);
    found.push([i, j, n]);
    [left[i], due[j]] = [left[i]! - n, due[j]! - n];
  }
  return found;
}
/** The same where as many cases as can be stay, and the others move far. */
function far(before: number[], after: number[]): Move[] {
  const stay = before.map((n, c) => min(n, after[c]!)), rest = (row: number[]) => row.map((n, c) => n - stay[c]!);
  return [...stay.map((n, c): Move => [c, c, n]), ...near(rest(before), rest(after))];
}
/** The 95 % interval of the saving of point p against a baseline; null of weighted examples, and where a cost is not above 0. */
function interval({ facts, data, state, found }: View, p: number, row: Rival): [number, number] | null {
  const value = found.values[p]!, ratio = value / row.value;
  if (facts.weighted || !(value > 0 && row.value > 0)) return null;
  const totals = facts.classes.map((c) => c.total), factor = data.weights[p]!.map((w, c) => w * (row.kind === "balanced" ? totals[c]! : 1));
  const order = factor.map((_, c) => c).sort((a, b) => factor[a]! - factor[b]!), all = total(state.priors || totals);
  const variance = total(totals.map((n, i) => {
    const [before, after, costs] = [data.confusion[row.index]!, data.confusion[p]!, state.costs].map((rows) => order.map((c) => rows[i]![c]!)) as [number[], number[], number[]];
    const sums = [far, near].map((pairs) => pairs(before, after).map(([a, b, cases]) => [cases, costs[b]! - ratio * costs[a]!] as const));
    const mean = total(sums[0]!.map(([cases, d]) => cases * d)) / n, square = max(...sums.map((each) => total(each.map(([cases, d]) => cases * d ** 2)))) / n;
    return state.priors ? ((state.priors[i]! / all) ** 2 * (square - mean ** 2)) / n : (n * square) / all ** 2; // without priors the mean over all cases is 0
  }));
  const apart = Math.exp((Z * sqrt(max(variance, 0))) / value);
  return [1 - ratio * apart, 1 - ratio / apart];
}

export { interval };
