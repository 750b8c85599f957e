// Decision curves: net benefit at each threshold probability, beside flagging all and none (Vickers & Elkin 2006).
import { say } from "./answer/words";
import type { State } from "./answer/numbers";
import { ODDS, benefit, decision, bestDecision, middle } from "./report_curves";
import { rate, number } from "./report_format";
import * as rochullLines from "./report_lines";
import type { Line, Now } from "./report_lines";
import * as rochullViews from "./report_views";
import { isArray } from "./maths";

rochullViews.add((() => {
  const spread = (value: number | number[]) => (isArray(value) ? value : [value, value]) as [number, number];
  // A false alarm and a miss that cost so much ask for this probability; a range for those between two.
  function asked({ cost_fp: fp, cost_fn: fn }: State): number[] {
    const found = ([0, 1] as const).map((end) => spread(fp)[end] / (spread(fp)[end] + spread(fn)[1 - end as 0 | 1])).filter((value) => value >= 0);
    return [...new Set(found)];
  }

  function lines({ base: { facts, model }, state }: Now): Line[] {
    const own = facts.classifiers.map((each, i) => ({ i, name: each.name, x: ODDS, y: decision(each, model.totals, state) }));
    return [
      { name: say("expert.decision.best of all rules"), look: "rc-union", x: ODDS, y: bestDecision(model.union, state) },
      { name: "flag all", look: "rc-chance", x: ODDS, y: bestDecision({ fpr: [1], tpr: [1] }, state) },
      { name: "flag none", look: "rc-rule", x: ODDS, y: ODDS.map(() => 0) },
      ...own.filter(({ y }) => y) as Line[],
    ];
  }
  return rochullLines.view({
    id: "decision", title: say("expert.decision.title"),
    about: say("expert.decision.about"), label: say("expert.decision.decision curves net benefit"), lines, left: 58,
    xTitle: say("expert.decision.threshold probability false alarms"), yTitle: say("expert.decision.net benefit true positives"),
    domain: (_, { state }) => [[0, 1], [-0.15, 1.05].map((times) => times * (middle(state.prevalence) || 1)) as [number, number]],
    uprights: ({ state }) => asked(state),
    place({ fpr, tpr }, { state }) {
      const [at, other] = asked(state) as [number, number?];
      return other === undefined && at < 1 ? [at, benefit(fpr, tpr, middle(state.prevalence), at)] : null;
    },
    told: ({ x, y }, k) => [["probability", rate(x[k]!)], [say("expert.decision.net benefit"), number(y[k]!)]],
  });
})());
