// How rules, objectives and limits of several classes are put in words.
import { say } from "./answer/words";
import { label, ordinal } from "./multiclass_parts.js";
import * as F from "./report_format.js";

const SHORT = { max_error: say("answer.classes.short.largest"), error_rate: say("answer.classes.short.rate"), mean_error: say("answer.classes.short.mean"), expected_cost: say("answer.classes.short.cost") };

const LONG = { max_error: say("expert.classes costs.largest error of any"), error_rate: say("expert.classes costs.error rate of all"), mean_error: say("expert.classes costs.mean error of the"), expected_cost: say("answer.classes.short.cost") };

/** The words of a view, whose state moves. */
export const rochullMulticlassWords = (view) => {
  const { facts, names, state } = view;
  const isShare = () => (state.objective === "given" ? facts.objective.share : state.objective !== "expected_cost");
  const value = (number) => (number === Infinity ? say("answer.classes.undefined") : isShare() ? F.rate(number) : F.number(number));
  const objective = (names = SHORT) => names[state.objective] || facts.objective.text;
  const per = () => (state.objective === "expected_cost" ? say("expert.classes words.per case") : "");
  /** The objective and its value: "expected cost 0.1034 per case". */
  const told = (number, names = SHORT) => `${objective(names)} ${value(number)}${per()}`;
  /** What a rule keeps or breaks: "the limit", or of several "all limits" or "a limit". */
  const limitsNamed = () => {
    const count = { limit_count: state.limits.length };
    return { ...count, limits_all: say("answer.classes.all limits", count), limits_a: say("answer.classes.a limit", count) };
  };
  const limits = (some) => limitsNamed()[`limits_${some}`];
  const rules = (n) => say("answer.classes.rules", { n });
  const limited = (each) => say("answer.classes.limited", { ...each, name: names[each.true], called: names[each.called] });
  const limit = (each) => (each.kind === "given" ? each.text : say("answer.classes.limit", { limited: limited(each), way: each.side === "<=" ? "most" : "least", limit: each.limit }));
  /** A rule's place among those that one moves along, what it costs, and whether it may be used. */
  function said(p) {
    const line = view.track(), at = line.indexOf(p), isKept = view.found.inside[p];
    return say("expert.classes words.said", {
      place: at < 0 ? null : ordinal(at + 1), count: F.count(line.length), told: told(view.found.values[p]),
      kept: state.limits.length ? (isKept ? "yes" : "no") : null, limits: limits(isKept ? "all" : "a"),
    });
  }
  /** The same in the bar, which is silent of limits that are kept. */
  const bar = (p) => say("expert.classes words.said", {
    place: null, count: "", told: told(view.found.values[p]).replace(/^./, (first) => first.toUpperCase()), kept: view.found.inside[p] ? null : "no", limits: limits("a"),
  });
  /** By how much a limit is broken. */
  const excess = (each, by) => (each.kind === "given" && !each.share ? F.number(by * each.scale) : say("report.points", { x: F.number(100 * by) }));
  /** The objective as the head of a column; of a given one its text has names of classes. */
  const head = () => (state.objective === "given" ? label(objective()) : objective());
  return { LONG, head, amount: facts.weighted ? F.threshold : F.count, value, objective, told, limits, limitsNamed, rules, limited, limit, said, bar, per, excess };
};
