// A condition: in words, whether it can be, and the link that holds it. The panel that asks for it is experts/Goal.tsx.
import { say } from "./answer/words";
import type { Reviewing, State } from "./answer/numbers";
import { byId } from "./report_elements";
import * as F from "./report_format";
import * as rochullTyped from "./report_typed";
import { entries, isArray, isFinite } from "./maths";

const LIMITS = ["max_fpr", "min_recall", "min_precision", "fraction"];
const NAMES: Record<string, string> = {
  cost_fp: say("expert.controls.the cost of a"), cost_fn: say("expert.controls.the cost of a miss"), prevalence: say("expert.controls.the prevalence"),
  max_fpr: say("expert.controls.the false positive rate"), min_recall: say("expert.controls.the recall"), min_precision: say("expert.controls.the precision"),
  fraction: say("expert.controls.the share flagged"),
};

// --- words ----------------------------------------------------------------------------------------

type Rough = number | number[]; // of a range both ends
function ratioWords(costFp: number, costFn: Rough): string {
  const [low, high] = (isArray(costFn) ? costFn : [costFn, costFn]) as [number, number];
  if (!costFp) return say("expert.controls.only misses cost");
  if (!high) return say("expert.controls.only false alarms cost");
  const a = low / costFp, b = high / costFp;
  if (low === high) {
    if (a === 1) return say("expert.controls.a miss costs as");
    return a > 1 ? say("expert.controls.a miss costs times", { a: F.number(a) }) : say("expert.controls.a false alarm costs", { a: F.number(1 / a) });
  }
  return say("expert.controls.a miss costs to", { a: F.number(a), b: F.number(b) });
}
function prevalenceWords(prevalence: Rough): string {
  if (!isArray(prevalence)) return say("expert.controls.of the cases are", { prevalence: F.near(prevalence) });
  return say("expert.controls.to of the cases", { prevalence: F.near(prevalence[0]!), prevalence2: F.near(prevalence[1]!) });
}
const LIMIT_WORDS: Record<string, (x: number) => string> = {
  max_fpr: (x) => say("expert.controls.at most of the", { x: F.share(x) }),
  min_recall: (x) => say("expert.controls.at least of the", { x: F.share(x) }),
  min_precision: (x) => say("expert.controls.at least of the flagged", { x: F.share(x) }),
  fraction: (x) => say("expert.controls.at most of the cases", { x: F.share(x) }),
};
/** The condition as one sentence without its full stop. */
function words(state: State): string {
  const where = prevalenceWords(state.prevalence), costs = ratioWords(state.cost_fp, state.cost_fn);
  if (state.goal === "report") return byId("asked").children[0]!.textContent!.slice(0, -1);
  const isRange = [state.cost_fn, state.prevalence].some(isArray);
  const limits = rochullTyped.limitsOf(state).map(([name, x]) => LIMIT_WORDS[name]!(x)).join(", ");
  if (state.goal === "cost") return say("expert.controls.cost", { goal: isRange ? say("expert.controls.smallest worst extra cost") : say("expert.controls.lowest expected cost"), costs, where, limits: limits || null });
  const key = keyOf(state.goal);
  return say("expert.controls.goal", { goal: key === "min_recall" ? say("expert.controls.fewest negatives wrongly flagged") : say("expert.controls.most positives caught"), limit: LIMIT_WORDS[key]!(state[key] as number), where });
}
const reviewWords = ({ cost, most }: Reviewing) => say("expert.controls.a review costs", { cost: F.number(cost), more: most < 1 ? say("expert.controls.at most are reviewed", { most: F.share(most) }) : "" });
const keyOf = (goal: string) => (goal === "capacity" ? "fraction" : goal);
const goalOf = (key: string) => (key === "fraction" ? "capacity" : key);

// --- checks ---------------------------------------------------------------------------------------

/** Why a number cannot be this part of a condition; null if it can. */
function fault(key: string, value: number, text: string): string | null {
  const found = say("expert.controls.but is", { more: text.length > 24 ? text.slice(0, 23) + "…" : text });
  if (text.trim() === "") return say("expert.controls.is empty", { name: NAMES[key]! });
  if (!isFinite(value)) return say("expert.controls.must be a number", { name: NAMES[key]!, found });
  if (value < 0) return say("expert.controls.must be at least", { name: NAMES[key]!, found });
  if (!key.startsWith("cost") && value > 1) {
    return say("expert.controls.must be between and", { name: NAMES[key]!, low: F.share(0), high: F.share(1), found });
  }
  return null;
}
const readOf = (key: string, text: string) => (key.startsWith("cost") ? F.read : F.readShare)(text);
const fieldOf = (key: string, value: number) => (key.startsWith("cost") ? F.field(value) : F.shareField(value));
const middle = (value: Rough): number => (isArray(value) ? (value[0]! + value[1]!) / 2 : value);
/** Why no error would cost anything under a state; null if some would. */
function costless(state: State): string | null {
  const p = middle(state.prevalence), fp = state.cost_fp, fn = middle(state.cost_fn);
  if ((p < 1 && fp > 0) || (p > 0 && fn > 0)) return null;
  return fp || fn ? say("expert.controls.no error that can") : say("expert.controls.one of the two");
}
const isNumber = (value: unknown): value is number => typeof value === "number" && isFinite(value);
/** Whether something (from a link, say) is a state. */
function valid(state: State | null): state is State {
  if (state === null || typeof state !== "object") return false;
  if (!["cost", "report", ...LIMITS.map(goalOf)].includes(state.goal)) return false;
  for (const key of [...rochullTyped.STAKES, ...LIMITS]) {
    const roughly = isArray(state[key]);
    if (roughly && (!["cost", "report"].includes(state.goal) || !["cost_fn", "prevalence"].includes(key))) return false;
    const ends = (roughly ? state[key] : [state[key], state[key]]) as [number, number];
    if (ends.length !== 2 || !ends.every(isNumber) || ends[0] > ends[1]) return false;
    if (ends.some((end) => fault(key, end, String(end)) !== null)) return false;
  }
  const limits = entries(state.within || {});
  if (!limits.every(([key, value]) => LIMITS.includes(key) && isNumber(value) && fault(key, value, String(value)) === null)) return false;
  return costless(state) === null && ["boolean", "undefined"].includes(typeof state.mixtures);
}

/** A state as all of the page takes it. */
const settled = ({ cost_fn, prevalence, ...state }: State): State => {
  const one = (value: Rough) => (isArray(value) && value[0] === value[1] ? value[0]! : value);
  return { ...state, cost_fn: one(cost_fn), prevalence: one(prevalence), mixtures: state.mixtures !== false, within: { ...state.within } };
};

// --- links ----------------------------------------------------------------------------------------

const KEYS = ["goal", ...rochullTyped.STAKES, ...LIMITS];
/** A state as a link holds it. */
const link = (state: State): string => KEYS.map((key) => `${key}=${isArray(state[key]) ? state[key].join(":") : state[key]}`).join("&") +
  (state.mixtures === false ? "&mixtures=no" : "") + entries(state.within || {}).map(([key, value]) => `&within:${key}=${value}`).join("");
/** The state that a link holds, what it leaves out being as in another; null if it holds none, or one that cannot be. */
function linked(given: URLSearchParams, other: State): State | null {
  if (!given.has("goal")) return null;
  if (given.get("goal") === "report") return other.goal === "report" ? other : null;
  const found: State = { ...other, goal: given.get("goal")!, mixtures: given.get("mixtures") !== "no", within: {} };
  for (const key of LIMITS) if (given.has(`within:${key}`)) found.within[key] = Number(given.get(`within:${key}`));
  for (const key of KEYS.slice(1)) {
    if (!given.has(key)) continue;
    const ends = given.get(key)!.split(":").map((text) => (text.trim() === "" ? NaN : Number(text)));
    found[key] = ends.length === 1 ? ends[0] : ends;
  }
  return valid(found) ? found : null;
}
/** What a link holds of reviews, cost:share; null if nothing that can be. */
function linkedReview(text: string | null): Reviewing | null {
  const [cost, most, ...more] = (text || "").split(":").map((part) => (part.trim() === "" ? NaN : Number(part))) as [number, number, ...number[]];
  return cost >= 0 && cost < Infinity && most >= 0 && most <= 1 && !more.length ? { cost, most } : null;
}

export { LIMITS, NAMES, LIMIT_WORDS, prevalenceWords, words, reviewWords, ratioWords, fault, costless, readOf, fieldOf, valid, settled, keyOf, goalOf, link, linked, linkedReview };
