// Who is best while a miss costs so many false alarms: in words, live with the prevalence.
import { say } from "./answer/words";
import { middle } from "./report_curves";
import * as F from "./report_format";
import { isolated } from "./report_format";
import * as rochullTyped from "./report_typed";
import { spread } from "./report_typed";
import type { Rule, State } from "./answer/numbers";
import type { Facts } from "./report_facts";
import type { Answer } from "./report_found";
import { isArray, max, min, rounded } from "./maths";

type Row = Facts["dominance"]["rows"][0];
interface Ends {
  low: number;
  high: number;
}
/** Who is best between two ratios of costs. */
export interface Ratio extends Ends, Pick<Row, "classifiers" | "rule"> {
  name: string;
}

const SLIVER = 1e-9; // of slopes, which is rounding

/** Rows as ratios of costs (a miss in false alarms), ascending; neighbours with the same classifiers are one. */
function ratios(rows: Row[], p: number): Ratio[] {
  const ratio = (slope: number | string) => (Number(slope) === 0 ? Infinity : slope === "inf" ? 0 : (1 - p) / (p * Number(slope)));
  const found: Ratio[] = [];
  for (const { low, high, classifiers, rule } of [...rows].reverse()) {
    const last = found[found.length - 1], name = classifiers.join("\u0000") || rule;
    if (last && last.name === name) last.high = ratio(low);
    else found.push({ name, classifiers, rule, low: ratio(high), high: ratio(low) });
  }
  return found;
}
/** Rows that hold, as ranges of such ratios; neighbours are one. */
function ranges(rows: Row[], p: number, holds: (row: Row) => boolean): Ends[] {
  const found: Ends[] = [];
  for (const { low, high } of rows.filter(holds).reverse().flatMap((row) => ratios([row], p))) {
    const last = found[found.length - 1];
    if (last && last.high === low) last.high = high;
    else found.push({ low, high });
  }
  return found;
}
const between = ({ low, high }: Ends, format: (x: number) => string): string =>
  (low === 0 ? say("expert.dominance.less than", { high: format(high) }) : high === Infinity ? say("expert.dominance.more than", { low: format(low) }) : F.from(format(low), format(high)));
const who = ({ classifiers, rule }: Pick<Row, "classifiers" | "rule">): string =>
  (classifiers.length ? classifiers.map(isolated).join(say("page.or")) : rule === "never" ? say("answer.baseline.never") : say("answer.baseline.always"));
const listed = (texts: string[]): string => (texts.length < 3 ? texts.join(say("page.or")) : say("expert.dominance.or", { some: texts.slice(0, -1).join(", "), last: texts[texts.length - 1] }));
/** Where the classifier of a rule is best, all of it: what holds at the ratio of now comes first. */
function everywhere(rows: Row[], p: number, now: number, { kind, classifier }: Rule): string {
  const holds = (row: Row) => (kind === "threshold" ? row.classifiers.includes(classifier!) : !row.classifiers.length && row.rule === kind);
  const name = kind === "threshold" ? isolated(classifier!) : who({ classifiers: [], rule: kind });
  const found = ranges(rows, p, holds), here = found.filter(({ low, high }) => low <= now && now <= high);
  if (found.length === 1 && found[0].low === 0 && found[0].high === Infinity) return say("expert.dominance.on these data is", { name });
  const others = found.filter((each) => !here.includes(each)), isLong = here.length > 0 && others.length > 0;
  const said = (isLong ? here : [...here, ...others]).map((each) => between(each, F.number));
  const more = isLong ? say("expert.dominance.and in other range", { length: others.length, more: others.length > 1 ? "s" : "" }) : "";
  const costs = now === Infinity ? say("expert.controls.only misses cost") : say("expert.dominance.a miss costs false", { now: F.number(now), more: now === 1 ? "" : "s" });
  return say("expert.dominance.here at a prevalence", { costs, p: F.near(p), name, said: listed(said), more });
}
/** Who is best where in a range of slopes; of a range of one number in that number. */
function over(rows: Row[], { cost_fp: fp, cost_fn: fn, prevalence: p }: State, [least, most]: number[]): string {
  const inside = rows.filter(({ low, high }) => (high === "inf" ? Infinity : (high as number)) > least * (1 + SLIVER) && Number(low) < most * (1 - SLIVER));
  const names = inside.map(({ classifiers, rule }) => (classifiers.length ? classifiers : [rule]));
  const always = (names[0] || []).filter((name) => names.every((each) => each.includes(name)));
  const all = who({ classifiers: inside.length && inside[0].classifiers.length ? always : [], rule: always[0] });
  if (always.length) return say("expert.dominance.on these data is the", { all });
  const costs = isArray(fn) && fn[0] !== fn[1], shares = isArray(p) && p[0] !== p[1], q = spread(p)[0];
  const value = costs ? (slope: number) => ((1 - q) * fp) / (q * slope) : (slope: number) => fp / (fp + slope * spread(fn)[0]);
  if (costs === shares) return say("expert.dominance.in your range is", { listed: listed([...new Set(inside.map(who))]) });
  const pieces: { name: string; ends: number[] }[] = [];
  for (const row of [...inside].reverse()) { // by ascending costs of a miss, or prevalence
    const ends = [min(row.high === "inf" ? Infinity : (row.high as number), most), max(Number(row.low), least)].map(value);
    const last = pieces[pieces.length - 1], name = who(row);
    if (last && last.name === name) [, last.ends[1]] = ends;
    else pieces.push({ name, ends });
  }
  const said = pieces.map(({ name, ends }) => say("expert.dominance.from", { name, range: F.from(...(ends.map((end) => (costs ? F.number(end) : F.share(rounded(end, 4)))) as [string, string])) }));
  return say("expert.dominance.in your range of", { what: costs ? say("expert.dominance.what a miss costs") : say("expert.dominance.the prevalence"), best: said.join(", ") });
}
/** What the table says of an answer under a state; nothing under a limit, which chooses by other things than slopes. */
function words(rows: Row[], state: State, { chosen, interval, slope }: Pick<Answer, "chosen" | "interval" | "slope">): string {
  const p = middle(state.prevalence);
  if (state.goal !== "cost" || rochullTyped.limitsOf(state).length || !chosen || !(p > 0 && p < 1)) return "";
  if (interval) return over(rows, state, slope as number[]);
  const { cost_fp: fp, cost_fn: fn } = state;
  return everywhere(rows, p, fp ? spread(fn)[0] / fp : Infinity, chosen.rules[0].rule);
}

export { ratios, words };
