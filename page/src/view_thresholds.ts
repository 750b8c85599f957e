// The expected cost of every threshold, beside flagging none and all.
import { say } from "./answer/words";
import type { State } from "./answer/numbers";
import type { Classifier } from "./report_facts.d";
import * as lists from "./lists";
import { steps, costs, middle } from "./report_curves";
import { number, threshold } from "./report_format";
import * as rochullLines from "./report_lines";
import type { Line, Now } from "./report_lines";
import type { Row } from "./report_hover";
import * as rochullViews from "./report_views";
import { abs, max, min } from "./maths";

rochullViews.add((() => {
  const known = new WeakMap<Classifier, ReturnType<typeof steps>>(); // the thresholds of a classifier do not change
  const stepsOf = (own: Classifier): ReturnType<typeof steps> => known.get(own) || known.set(own, steps(own)).get(own)!;
  const ends = (lines: Line[]) => [lists.min(lines, ({ x }) => lists.min(x)), lists.max(lines, ({ x }) => lists.max(x))] as [number, number];
  const pricesOf = ({ cost_fp: fp, cost_fn: fn, prevalence: p }: State): [number, number] => [(1 - middle(p)) * middle(fp), middle(p) * middle(fn)];

  function lines({ base: { facts, model }, state }: Now): Line[] {
    const own: Line[] = facts.classifiers.map((each, i) => ({ i, name: each.name, x: stepsOf(each).threshold, y: costs(stepsOf(each), model.totals, state) }))
      .filter(({ x }) => x.length);
    const x = ends(own), [all, none] = pricesOf(state);
    return [...own, { name: "flag none", look: "rc-rule", x, y: [none, none] }, { name: "flag all", look: "rc-chance", x, y: [all, all] }];
  }
  return rochullLines.view({
    id: "thresholds", title: "Costs",
    about: say("expert.thresholds.about"), label: say("expert.thresholds.expected cost of every"), lines,
    xTitle: "threshold", yTitle: say("expert.pair.expected cost per case"), xTicks: rochullLines.numbers,
    domain(all, { state }) {
      const [low, high] = ends(all), prices = pricesOf(state);
      return [[low, high > low ? high : low + max(1, abs(low) / 1e6)], [0, min(1.05 * max(...prices), 2 * min(...prices)) || 1.05 * max(...prices) || 1]];
    },
    place({ fpr, tpr, rules: [{ rule }, other] }, { state }) {
      const [w, m] = pricesOf(state);
      return other || rule.kind !== "threshold" ? null : [Number(rule.threshold), w * fpr + m * (1 - tpr)];
    },
    told: ({ i, x, y }, k) => [...(i === undefined ? [] : [["threshold", threshold(x[k]!)] as Row]), ["cost", number(y[k]!)]],
    isPossible: ({ facts }) => facts.classifiers.some((each) => steps(each).threshold.length),
  });
})());
