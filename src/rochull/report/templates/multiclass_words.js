// How points, objectives and limits of several classes are put in words.
"use strict";
const rochullMulticlassWords = (() => {
  const F = rochullFormat;
  const SHORT = { max_error: "largest error", error_rate: "error rate", mean_error: "mean error", expected_cost: "expected cost" };

  /** The words of a view, whose state moves. */
  return (view) => {
    const { facts, names, state } = view;
    const isShare = () => (state.objective === "given" ? facts.objective.share : state.objective !== "expected_cost");
    const value = (number) => (number === Infinity ? "not defined" : isShare() ? F.rate(number) : F.number(number));
    const objective = () => SHORT[state.objective] || facts.objective.text;
    const limited = (limit) =>
      limit.kind === "error" ? `error of ${names[limit.true]}` : `${names[limit.true]} called ${names[limit.called]}`;
    const limit = (each) =>
      each.kind === "given" ? each.text : `${limited(each)} at ${each.side === "<=" ? "most" : "least"} ${F.share(each.limit)}`;
    const said = (p) =>
      `point ${p}, ${objective()} ${value(view.found.values[p])}, ${view.found.inside[p] ? "remains" : "excluded by the limits"}`;
    /** By how much a limit is broken. */
    const excess = (each, by) => (each.kind === "given" && !each.share ? F.number(by * each.scale) : `${F.number(100 * by)} percentage points`);
    return { amount: facts.weighted ? F.threshold : F.count, value, objective, limited, limit, said, excess };
  };
})();
