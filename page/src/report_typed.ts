// What a person types, or hands over, to decide as the report's page does: Python, a command line, SQL. No DOM.
import { say } from "./answer/words";
import * as E from "./report_exact";
import type { Reviewing, State } from "./answer/numbers";
import type { Sql } from "./report_facts";
import type { Placed } from "./report_known";
import { abs, ceil, entries, isArray, keys } from "./maths";
import { isCut } from "./report_format";

const INTEGER_LITERALS = 2 ** 24; // of SQL, which are exact in every type of number
export type Stake = "cost_fp" | "cost_fn" | "prevalence";
const STAKES: Stake[] = ["cost_fp", "cost_fn", "prevalence"];
const NUMBERS: Record<string, string[]> = { // those of a state that a goal needs
  cost: STAKES,
  max_fpr: ["max_fpr"],
  min_recall: ["min_recall"],
  min_precision: ["min_precision", "prevalence"],
  capacity: ["fraction", "prevalence"],
};
const WITHIN: Record<string, string> = { max_fpr: "FalsePositiveRate() <=", min_recall: "Recall() >=", min_precision: "Precision() >=", fraction: "AlarmRate() <=" };
// The limits beside costs, [[name, number]], always in the same order.
const limitsOf = ({ goal, within }: Pick<State, "goal" | "within">): [string, number][] => (goal === "cost" && within ? keys(WITHIN).filter((name) => name in within).map((name) => [name, within[name]]) : []);
/** Of how many limits a rule of this state may break one. */
const limitCount = (state: State): number => (state.goal === "report" ? state.own!.limits : state.goal === "cost" ? limitsOf(state).length : 1);
const isInterval = (value: unknown): value is [number, number] => isArray(value) && value[0] !== value[1];
const spread = (value: number | number[]): number[] => (isArray(value) ? value : [value, value]);

// Whether a state has costs and a prevalence at which the library tells the figures beside a limit.
function hasFigures(state: State): boolean {
  const [cost_fp, cost_fn, prevalence] = STAKES.map((name) => spread(state[name])[0]);
  return !STAKES.some((name) => isInterval(state[name])) &&
    ((prevalence < 1 && cost_fp > 0) || (prevalence > 0 && cost_fn > 0));
}

const REVIEWED: Record<keyof Reviewing, string> = { cost: "cost-review", most: "max-review-share" };
// The costs and the prevalence that the view of reviews is drawn at: of an interval the middle.
const stakes = (state: State): string[] => STAKES.map((name) => {
  const [low, high] = spread(state[name]);
  return E.pythonRepr((low + high) / 2);
});

// Of a limit two lines: the point, then its cost and net benefit. With `state.review` the third action is asked for.
function python(state: State): string {
  if (state.goal === "report") {
    const { python: made, range, review, mixtures } = state.own!, condition = made || "condition";
    const asked = range && !review ? `hybrid.regret(${condition})${mixtures ? "" : ".least_worst_single"}`
      : `hybrid.at(${condition}${mixtures || review ? "" : ", deterministic=True"})`;
    return made ? asked : say("expert.export.asked", { asked, text: state.own!.text });
  }
  if (state.review) {
    const [fp, fn, p] = stakes(state), { cost, most } = state.review;
    return `hybrid.at(rh.Review(${fp}, ${fn}, ${E.pythonRepr(cost)}, prevalence=${p}, max_share=${E.pythonRepr(most)})${state.mixtures === false && most < 1 ? ", deterministic=True" : ""})`;
  }
  const text = (value: number | number[]) => (isInterval(value) ? `(${value.join(", ")})` : String(spread(value)[0]));
  const costs = `rh.ExpectedCost(${STAKES.map((name) => `${name}=${text(state[name])}`).join(", ")})`;
  const one = state.mixtures === false;
  if (state.goal === "cost") {
    const limits = limitsOf(state).map(([name, x]) => `rh.${WITHIN[name]} ${x}`).join(", ");
    if (limits) return `hybrid.at(${costs}${one ? ", deterministic=True" : ""}, subject_to=[${limits}])`;
    if (!STAKES.some((name) => isInterval(state[name]))) return `hybrid.at(${costs})`;
    return `hybrid.regret(${costs})${one ? ".least_worst_single" : ""}`;
  }
  const condition = ({
    max_fpr: () => `NeymanPearson(${state.max_fpr})`,
    min_recall: () => `MinimumRecall(${state.min_recall})`,
    min_precision: () => `MinimumPrecision(${state.min_precision}, prevalence=${state.prevalence})`,
    capacity: () => `Capacity(fraction=${state.fraction}, prevalence=${state.prevalence})`,
  } as Record<string, () => string>)[state.goal]();
  const point = `hybrid.at(rh.${condition}${one ? ", deterministic=True" : ""})`;
  if (!hasFigures(state)) return point;
  return `point, costs = ${point}, ${costs}\npoint.expected_cost(costs), point.net_benefit(costs)`;
}

const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`);
// For a POSIX shell; null if no command line made the report.
function commandLine(command: string[] | null, state: State): string | null {
  if (!command || (state.goal === "report" && !state.own!.asked)) return null;
  if (state.goal === "report") return [...command, ...state.own!.asked!].map(quoted).join(" ");
  if (state.review) {
    const own = stakes(state).flatMap((text, i) => [`--${STAKES[i].replaceAll("_", "-")}`, text]);
    const more = entries(REVIEWED).flatMap(([key, flag]) => [`--${flag}`, E.pythonRepr(state.review![key as keyof Reviewing])]);
    return [...command, ...own, ...more].map(quoted).join(" ");
  }
  const text = (value: number | number[]) => (isInterval(value) ? value.join(":") : String(spread(value)[0]));
  const own = NUMBERS[state.goal], beside = hasFigures(state) ? STAKES.filter((name) => !own.includes(name)) : [];
  const typed = (prefix: string, names: string[]) =>
    names.flatMap((name) => [prefix + name.replaceAll("_", "-"), text(state[name] as number | number[])]);
  const figures = state.goal === "cost" ? limitsOf(state).flatMap(([name, x]) => [`--${name.replaceAll("_", "-")}`, String(x)]) : typed("--figures-", beside);
  const one = state.mixtures === false ? ["--deterministic"] : [];
  return [...command, ...typed("--", own), ...figures, ...one].map(quoted).join(" ");
}

// --- SQL ---------------------------------------------------------------------------------------

// The text that Policy.to_sql writes at a point of the union hull, or at a single threshold: {text}, or {why} there is none. See deploy.py.
interface Written {
  unavailable?: string;
  float?: string[];
  integer?: string[];
  exact?: Record<string, string>;
}
type Dialect = Omit<Sql, "classifiers"> & { classifiers: Record<string, Written> };
function sql(deploy: { sql: Record<string, Dialect> } | null, integer: Set<string | null>, point: Placed | null, dialect: string, key: string | null): { text: string; why?: undefined } | { why: string; text?: undefined } {
  const parts = deploy?.sql?.[dialect];
  if (!parts) return { why: say("expert.typed.there is no sql", { dialect }) };
  if (!point) return { why: say("expert.export.no rule meets the") };
  const name = key || "", { key: quotes, mixture } = parts;
  const sign = quotes.refused.find((each) => name.includes(each));
  if (sign !== undefined) return { why: say("expert.typed.no column in can", { dialect, stringify: JSON.stringify(sign) }) };
  const named = point.rules.filter(({ rule }) => isCut(rule));
  const unusable = named.map(({ rule }) => parts.classifiers[rule.classifier!].unavailable).find(Boolean);
  if (unusable) return { why: unusable };
  const texts = point.rules.map(({ rule }, i) => {
    if (rule.kind !== "threshold") return parts[rule.kind];
    const own = parts.classifiers[rule.classifier!], at = point.single === undefined ? point.left! + i : `single:${point.single}`;
    if (own.exact && Object.hasOwn(own.exact, at)) return own.exact[at];
    const { threshold } = rule;
    if (integer.has(rule.classifier) && abs(threshold as number) <= INTEGER_LITERALS) return own.integer!.join(threshold as string);
    return own.float!.join(typeof threshold === "string" ? threshold : E.pythonRepr(threshold! + 0));
  });
  const hashes = 2 ** 32, count = ceil(point.share * hashes);
  if (count === 0 || count === hashes) return { text: texts[count ? 1 : 0] };
  if (!name) return { why: say("expert.typed.the rule is a") };
  const fill: Record<string, string> = {
    key: quotes.open + name.replaceAll(quotes.close, () => quotes.escaped) + quotes.close,
    count: count.toString(16).padStart(8, "0"), other: texts[1], first: texts[0],
  };
  return { text: mixture.parts.map((part, i) => part + (fill[mixture.slots[i]] ?? "")).join("") };
}

export { NUMBERS, STAKES, isInterval, spread, limitsOf, limitCount, python, commandLine, sql };
