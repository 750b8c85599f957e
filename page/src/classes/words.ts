// How rules, objectives and limits of several classes are put in words.
import { say } from "../answer/words";
import type { Facts } from "../multiclass_facts";
import * as F from "../report_format";
import type { Asked, Found, Limit } from "./view";

export const LARGEST = say("answer.classes.goal.largest"), RATE = say("answer.classes.goal.rate"), MEAN = say("expert.classes costs.mean error of the"), COST = say("answer.classes.short.cost");
const SHORT: Record<string, string> = { max_error: say("answer.classes.short.largest"), error_rate: say("answer.classes.short.rate"), mean_error: say("answer.classes.short.mean"), expected_cost: COST };
const LONG: Record<string, string> = { max_error: LARGEST, error_rate: RATE, mean_error: MEAN, expected_cost: COST };

const titled = (text: string): string => text.replace(/^./, (first) => first.toUpperCase());

interface Seen {
  facts: Facts;
  names: string[];
  state: Asked;
  found: Found;
  track: number[];
}
export type Words = ReturnType<typeof wordsOf>;

/** The words of a view. */
export function wordsOf({ facts, names, state, found, track }: Seen) {
  const isShare = state.objective === "given" ? facts.objective.share : state.objective !== "expected_cost";
  const value = (number: number): string => (number === Infinity ? say("answer.classes.undefined") : isShare ? F.rate(number) : F.number(number));
  const objective = (words = SHORT): string => words[state.objective] ?? facts.objective.text;
  const priced = state.objective === "expected_cost" ? "yes" : "no", count = { limit_count: state.limits.length };
  /** What a rule keeps or breaks: "the limit", or of several "all limits" or "a limit". */
  const limits = { ...count, limits_all: say("answer.classes.all limits", count), limits_a: say("answer.classes.a limit", count) };
  const limited = (each: Pick<Limit, "kind" | "true" | "called" | "text">): string => say("answer.classes.limited", { ...each, text: each.text ?? null, name: names[each.true!] ?? null, called: names[each.called!] ?? null });
  /** The objective and its value: "expected cost 0.1034 per case". */
  const told = (p: number): string => say("expert.classes words.told", { objective: objective(), value: value(found.values[p]!), priced });
  return {
    LONG, value, objective, priced, limits, limited,
    amount: (facts.weighted ? F.threshold : F.count) as (n: number) => string,
    rules: (n: number): string => say("answer.classes.rules", { n }),
    limit: (each: Limit): string => (each.kind === "given" ? each.text! : say("answer.classes.limit", { limited: limited(each), way: each.side === "<=" ? "most" : "least", limit: each.limit })),
    /** A rule's place among those that one moves along, what it costs, and whether it may be used. */
    said(p: number): string {
      const at = track.indexOf(p), isKept = found.inside[p];
      return say("expert.classes words.said", {
        place: at < 0 ? null : F.count(at + 1), count: F.count(track.length), told: told(p),
        kept: state.limits.length ? (isKept ? "yes" : "no") : null, limits: isKept ? limits.limits_all : limits.limits_a,
      });
    },
    /** The same in the bar, which is silent of limits that are kept. */
    bar: (p: number): string => say("expert.classes words.said", {
      place: null, count: "", told: titled(told(p)), kept: found.inside[p] ? null : "no", limits: limits.limits_a,
    }),
    /** By how much a limit is broken. */
    excess: (each: Limit, by: number): string => (each.kind === "given" && !each.share ? F.number(by * each.scale!) : say("report.points", { x: F.number(100 * by) })),
    /** What the rule at a point is called. */
    called: (p: number): string => titled(p === found.best && found.inside[p] ? say("expert.classes.the best rule")
      : p === found.closest && !found.kept.length ? say("expert.classes.the closest rule") : say("expert.classes.the selected rule")),
  };
}
