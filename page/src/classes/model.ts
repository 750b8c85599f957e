// What follows from the operating points of several classes: rochullMulticlassModel(facts). Computes, draws nothing.
// The facts are those of rochull.report.multiclass_facts. Choices are Python's to the last tie: where sums of costs
// are so close that rounding could decide, they are compared in whole numbers, and a cost is the decimal it prints as.
//
// A state's objective is "max_error", "error_rate", "mean_error", "expected_cost" or "given"; its limits are those that are on.
import { say } from "../answer/words";
import * as E from "../report_exact";
import type { Facts } from "../multiclass_facts";
import type { Asked, Found, Limit, Rival } from "./view";
import { abs, isFinite, keys, max, min } from "../maths";

const CLOSE = 1e-12; // far above what rounding does to a sum of C * C products
const LARGEST = Number.MAX_VALUE;
const sum = (row: number[]) => row.reduce((total, cell) => total + cell, 0);

// --- numbers -----------------------------------------------------------------------------------

// Fractions of whole numbers: the one that x prints as, and the one that it is.
const decimal = (x: number): E.Fraction => (x < 0 ? E.sub(E.ZERO, E.decimal(-x)) : E.decimal(x));
const binary = (x: number): E.Fraction => {
  const places = E.binaryPlaces([x]);
  return [E.shifted(x, places), 1n << BigInt(places)];
};

const view = new DataView(new ArrayBuffer(8));
const bits = (x: number) => (view.setFloat64(0, x), view.getBigInt64(0));
const ofBits = (b: bigint) => (view.setBigInt64(0, b), view.getFloat64(0));
function last(weight: number, product: number): number { // the largest double whose product with the weight does not exceed a number
  let low = 0n, high = bits(LARGEST); // the bits of floats are ordered like the floats
  while (low < high) {
    const middle = (low + high + 1n) / 2n;
    if (weight * ofBits(middle) <= product) low = middle;
    else high = middle - 1n;
  }
  return ofBits(low);
}

const quoted = (text: string) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'"'"'`)}'`); // for a POSIX shell

// --- the model ---------------------------------------------------------------------------------

type State = Asked & { held?: Limit[] }; // `held` has those limits too that are off
type Priced = Pick<Asked, "costs" | "priors">;
/** What is taken along, or why it is not. */
export type Made = { text: string; why?: undefined } | { text?: undefined; why: string };
type Forms = Extract<Facts["deploy"]["sql"][string], { products: unknown }>["products"][number];

export const rochullMulticlassModel = (facts: Facts) => {
  const { weights } = facts.points, rules = facts.baselines; // the rules stand behind the points: that of index b at k + b
  const k = weights.length, C = facts.classes.length, each = facts.classes.map((_, c) => c);
  const after = <Each>(found: Each[] | null, name: keyof Facts["baselines"][number]) => found && [...found, ...rules.map((rule) => rule[name] as Each)];
  const confusion = after(facts.points.confusion, "confusion")!, rateOf = after(facts.points.error_rates, "error_rate");
  const rates = after(facts.points.rates, "rates") || confusion.map((matrix) => matrix.map((row) => {
    const total = sum(row);
    return row.map((cell) => cell / total);
  }));
  const errors = after(facts.points.errors, "errors") || confusion.map((matrix) => matrix.map((row, i) => {
    const total = sum(row);
    return (total - row[i]!) / total;
  }));
  const wrong = each.map((i) => each.map((j) => (i === j ? 0 : 1))), even = each.map(() => 1);
  const points = weights.map((_, p) => p);

  // --- objectives and limits ---

  function errorRate(p: number): number {
    if (rateOf) return rateOf[p]!;
    const total = sum(confusion[p]!.map(sum));
    return (total - sum(each.map((c) => confusion[p]![c]![c]!))) / total;
  }
  function cost(p: number, costs: number[][], priors: number[] | null): number {
    if (!priors) return sum(confusion[p]!.map((row, i) => sum(row.map((cell, j) => cell * costs[i]![j]!)))) / sum(confusion[p]!.map(sum));
    const all = sum(priors);
    return sum(rates[p]!.map((row, i) => (priors[i]! / all) * sum(row.map((rate, j) => rate * costs[i]![j]!))));
  }
  function exactCost(p: number, costs: number[][], priors: number[] | null): E.Fraction {
    let total = E.ZERO, shares = E.ZERO;
    confusion[p]!.forEach((row, i) => {
      const counts = row.map(binary), size = counts.reduce(E.add), share = priors ? decimal(priors[i]!) : size;
      shares = E.add(shares, share);
      if (share[0] === 0n) return;
      const spent = counts.map((count, j) => E.mul(count, decimal(costs[i]![j]!))).reduce(E.add);
      total = E.add(total, E.mul(share, E.div(spent, size)));
    });
    return E.div(total, shares);
  }
  /** Of the cases called a class those that are of it, and all. */
  const called = (p: number, c: number): [number, number] => [confusion[p]![c]![c]!, sum(confusion[p]!.map((row) => row[c]!))];
  const priced = (state: State): Priced => (state.objective === "mean_error" ? { costs: wrong, priors: even } : state);
  function value(state: State, p: number): number {
    if (state.objective === "max_error") return max(...errors[p]!);
    if (state.objective === "error_rate") return errorRate(p);
    if (state.objective === "mean_error") return sum(errors[p]!) / C;
    if (state.objective === "expected_cost") return cost(p, state.costs, state.priors);
    const found = p < k ? facts.objective.values![p]! : rules[p - k]!.value;
    return found === null ? Infinity : found;
  }
  const measured = (limit: Limit, p: number): number => (limit.kind === "cell" ? rates[p]![limit.true!]![limit.called!]! : errors[p]![limit.true!]!);
  function excess(limit: Limit, p: number): number {
    if (limit.kind === "given") {
      const found = p < k ? limit.excess![p]! : rules[p - k]!.excess[facts.limits.findIndex(({ code }) => code === limit.code)]!;
      return found === null ? Infinity : found;
    }
    const beyond = measured(limit, p) - limit.limit;
    return limit.side === "<=" ? beyond : -beyond;
  }

  // The points by the objective, the best first; of equals the first.
  function ranked(state: State, values: number[]): number[] {
    const { costs, priors } = priced(state), exact = new Map<number, E.Fraction>();
    const summed = state.objective === "expected_cost" || state.objective === "mean_error";
    const all = summed ? costs.flat() : [0], scale = max(...all) - min(...all) || 1;
    const exactly = (p: number) => exact.get(p) || exact.set(p, exactCost(p, costs, priors)).get(p)!;
    return points.slice().sort((p, q) => {
      const gap = values[p]! - values[q]!;
      if (summed && abs(gap) <= CLOSE * (scale + abs(values[p]!))) return E.compare(exactly(p), exactly(q)) || p - q;
      return gap || p - q; // NaN of two infinities too
    });
  }

  let known: { key: string | null; values: number[]; order: number[] } = { key: null, values: [], order: [] };
  function judged(state: State) { // limits are moved far more often than the objective
    const key = JSON.stringify([state.objective, state.costs, state.priors]);
    if (known.key !== key) {
      const values = points.map((p) => value(state, p));
      known = { key, values, order: ranked(state, values) };
    }
    return known;
  }

  // What the limits leave, and what is best.
  function evaluate(state: State): Found {
    const { values, order } = judged(state);
    const worst = points.map((p) => state.limits.reduce((most, limit) => max(most, excess(limit, p)), -Infinity));
    const inside = worst.map((most) => !(most > 0)), remaining = points.filter((p) => inside[p]);
    const kept = order.filter((p) => inside[p]); // the same, the best first
    const closest = order.reduce((best, p) => (worst[p]! < worst[best]! ? p : best), order[0]!); // of equals the best
    return { values, order, inside, remaining, kept, closest, worst, best: kept.length ? kept[0]! : closest };
  }
  /** What each of the baselines costs, and whether it keeps the limits: {kind, class, index, value, within}. */
  const baselines = (state: State): Rival[] => rules.map((rule, b) => ({
    kind: rule.kind, class: rule.class, index: k + b, value: value(state, k + b), within: !state.limits.some((limit) => excess(limit, k + b) > 0),
  }));

  // --- in Python, and on the command line ---

  const list = (row: number[]) => `[${row.map(String).join(", ")}]`;
  const matrix = (rows: number[][]) => `[${rows.map(list).join(", ")}]`;
  function minimised(state: State): string {
    if (state.objective === "max_error") return "rh.multiclass.MaxError()";
    if (state.objective === "error_rate") return "rh.multiclass.ErrorRate()";
    if (state.objective === "given") return facts.objective.code;
    const { costs, priors } = priced(state);
    return `rh.multiclass.CostMatrix(${matrix(costs)}${priors ? `, priors=${list(priors)}` : ""})`;
  }
  const limitCode = (limit: Limit): string => {
    if (limit.kind === "given") return limit.code!;
    const [i, j] = [limit.true, limit.called].map((c) => (c === null ? "" : facts.classes[c]!.code));
    return `${limit.kind === "error" ? `rh.multiclass.Error(${i})` : `rh.multiclass.Cell(${i}, ${j})`} ${limit.side} ${limit.limit}`;
  };
  const source = facts.source === "mc" ? "mc.points" : "points";
  function python(state: State): string {
    const best = `${source}.at(minimise=${minimised(state)}, subject_to=[${state.limits.map(limitCode).join(", ")}])`;
    const seen = facts.source === "mc" ? `mc.points_at(${list(weights[state.index]!)})[0]` : `points[${state.index}]`;
    const none = state.limits.length && !evaluate(state).remaining.length; // it would raise
    return `${none ? say("expert.classes model.none", { best }) : best}\n${seen}${say("expert.classes model.seen")}`;
  }

  const option = (c: number) => facts.classes[c]!.option;
  const OBJECTIVES: Record<string, string> = { max_error: "max-error", error_rate: "error-rate", mean_error: "mean-error", expected_cost: "cost" };
  function limitOption(limit: Limit): string | null | undefined {
    if (limit.kind === "given") return limit.option;
    const what = limit.kind === "error" ? `error(${option(limit.true!)})` : `called(${option(limit.true!)},${option(limit.called!)})`;
    return `${what}${limit.side}${limit.limit}`;
  }
  function commandLine(state: State): Made {
    if (!facts.command) return { why: say("expert.classes model.the examples were not") };
    const minimise = OBJECTIVES[state.objective] || facts.objective.option;
    if (!minimise) return { why: say("expert.classes model.the command line has", { text: facts.objective.text }) };
    const parts = [...facts.command, "--minimise", minimise];
    if (state.objective === "expected_cost") {
      for (const i of each) for (const j of each) {
        if (state.costs[i]![j]! !== wrong[i]![j]!) parts.push("--cost", `${option(i)},${option(j)}=${state.costs[i]![j]!}`);
      }
      if (state.priors) for (const c of each) parts.push("--prior", `${option(c)}=${state.priors[c]!}`);
    }
    for (const limit of state.limits) {
      const typed = limitOption(limit);
      if (!typed) return { why: say("expert.classes model.the command line has no", { text: limit.text! }) };
      parts.push("--limit", typed);
    }
    return { text: [...parts, "--weights", weights[state.index]!.join(",")].map(quoted).join(" ") };
  }

  // --- what is deployed ---

  // The document of one point, as Python lays it out.
  function policy(p: number): Made {
    const { policy: made, why } = facts.deploy;
    if (!made) return { why: why! };
    const json = (items: string[], depth: number) => `[\n${items.map((item) => " ".repeat(depth + 1) + item).join(",\n")}\n${" ".repeat(depth)}]`;
    const rows = confusion[p]!.map((row) => json(row.map(facts.weighted ? E.pythonRepr : String), 4));
    const point = `{\n   "weights": ${json(weights[p]!.map(E.pythonRepr), 3)},\n   "confusion": ${json(rows, 3)}\n  }`;
    return { text: `${made.head},\n "points": ${json([point], 1)},\n "checksum": "${made.checksums[p]!}"\n}\n` };
  }
  function product(forms: Forms, weight: number): string {
    const filled = (form: string[], z?: number) => form.map((part, i) => (i % 2 ? E.pythonRepr({ weight, last: z }[part as "weight" | "last"]!) : part)).join("");
    if (weight === 0) return forms.zero;
    if (weight === 1) return forms.one;
    const small = weight < 1 && forms.small ? last(weight, 0) : 0;
    if (small > 0) return filled(forms.small!, small);
    return weight > 1 && forms.large ? filled(forms.large, last(weight, LARGEST)) : filled(forms.plain);
  }
  function sql(p: number, dialect: string): Made {
    const { unavailable, frame, products } = facts.deploy.sql[dialect] as { unavailable?: string; frame: (string | number)[]; products: Forms[] };
    if (unavailable) return { why: unavailable };
    const texts = products.map((forms, c) => product(forms, weights[p]![c]!));
    return { text: frame.map((part) => (typeof part === "number" ? texts[part] : part)).join("") };
  }

  const initial = (): Asked => ({
    index: facts.chosen.index, objective: facts.objective.kind, only: facts.limits.length > 0,
    costs: facts.costs.map((row) => row.slice()), priors: facts.priors && facts.priors.slice(),
    limits: facts.limits.map((limit) => ({ ...limit })),
  });

  // --- as an address: classes by their numbers, no names ---

  const told = (limit: Limit): string => (limit.kind === "given" ? `given,${facts.limits.findIndex(({ code }) => code === limit.code)}`
    : [limit.kind, limit.true, ...(limit.kind === "cell" ? [limit.called] : []), limit.side === "<=" ? "max" : "min", limit.limit].join(",")) + (limit.off ? ",off" : "");
  const link = (state: State): string => [`point=${state.index}`, `objective=${state.objective}`, `only=${Number(state.only)}`,
    `limits=${(state.held ?? state.limits).map(told).filter((text) => !text.startsWith("given,-1")).join(":")}`,
    `costs=${state.costs.map(String).join(":")}`, `priors=${state.priors || ""}`].join("&").replaceAll("+", ""); // 1e+21
  const numeral = (text: string) => (/^-?\d+(\.\d+)?(e[+-]?\d+)?$/.test(text) ? Number(text) : NaN);
  const place = (text: string | undefined, size: number) => (/^\d+$/.test(text!) && Number(text) < size ? Number(text) : null);
  const numbers = (text: string, size: number) => {
    const found = text.split(",").map(numeral);
    return found.length === size && found.every(isFinite) ? found : null;
  };
  const SIDES = new Map<string | undefined, Limit["side"]>([["max", "<="], ["min", ">="]]);
  function limitTold(text: string): Limit | null {
    if (text.endsWith(",off")) {
      const limit = limitTold(text.slice(0, -4));
      return limit && { ...limit, off: true };
    }
    const [kind, ...rest] = text.split(",");
    if (kind === "given") {
      const limit = facts.limits[place(rest[0], facts.limits.length) ?? -1];
      return limit && limit.kind === "given" && rest.length === 1 ? { ...limit } : null;
    }
    if (rest.length !== (kind === "error" ? 3 : 4) || (kind !== "error" && kind !== "cell")) return null;
    const [i, j] = [place(rest[0], C), kind === "cell" ? place(rest[1], C) : 0];
    const side = SIDES.get(rest.at(-2)), limit = numeral(rest.at(-1)!);
    if (i === null || j === null || (kind === "cell" && i === j) || !side || !(limit >= 0 && limit <= 1)) return null;
    return { kind, true: i, called: kind === "cell" ? j : null, side, limit };
  }
  /** The state that an address tells; null where it is none of this report. */
  function linked(text: string): Asked | null {
    const given = new URLSearchParams(text), found = initial();
    const read: Record<string, (word: string) => boolean> = {
      point: (word) => (found.index = place(word, k)!) !== null,
      objective: (word) => Object.hasOwn(OBJECTIVES, (found.objective = word)) || (word === "given" && facts.objective.kind === "given"),
      only: (word) => (found.only = word === "1") || word === "0",
      limits: (word) => (found.limits = word === "" ? [] : word.split(":").map(limitTold) as Limit[]).every((limit) => limit !== null),
      costs: (word) => (found.costs = word.split(":").map((row) => numbers(row, C)) as number[][]).every((row) => row !== null) && found.costs.length === C,
      priors: (word) => word === "" ? ((found.priors = null), true)
        : (found.priors = numbers(word, C)) !== null && found.priors.every((p) => p >= 0) && found.priors.some((p) => p > 0),
    };
    if (!given.has("point")) return null;
    return keys(read).every((name) => !given.has(name) || read[name]!(given.get(name)!)) ? found : null;
  }

  return {
    link, linked,
    k, C, weights, confusion, rates, errors, called, excess, evaluate, baselines, initial, python, commandLine, policy, sql,
    dialects: keys(facts.deploy.sql),
  };
};
