// How the scores of one classifier lie, in the picture of the first screen. Its cut-off pins the single rule of the classifier.
import { Component, render } from "preact";
import { cellsOf, costsOf, type Point, type Rule, type State } from "../answer/numbers";
import { placed, scoresOf, type Facts, type Model, type View } from "../answer/seen";
import type { Result as Answer, Seen } from "../answer/situation";
import { Picture } from "../answer/Where";
import { say } from "../answer/words";
import { DIAMOND, STAR, html } from "../report_charts";
import * as F from "../report_format";
import type { Model as Whole } from "../report_model";
import * as rochullViews from "../report_views";
import type { Cut as Pinned } from "../store";
import { limitCount } from "../report_typed";
import { round } from "../maths";

const BEST = [["rc-star", STAR, say("expert.lines.best rule")], ["rc-single", DIAMOND, say("expert.marks.the best single threshold")]] as const;

interface Base {
  model: Model & Pick<Whole, "ruleAt" | "judged">;
  facts: Facts & { positive: string };
  index: Map<string | null, number>;
  pinned(): Pinned | null;
  pin(asked: Pinned): void;
}
const rulesOf = (point: Point | null | undefined): Rule[] => point?.rules.map(({ rule }) => rule) ?? [];
const scored = ({ facts, model: { totals, names } }: Base): number[] => names.map((_, i) => i).filter((i) => scoresOf(facts, totals, i));

class Lie extends Component<{ base: Base; state: State; result: Answer }, { chosen: number | null; over: number | null }> {
  state = { chosen: null, over: null };

  render({ base, state, result }: { base: Base; state: State; result: Answer }, { chosen, over }: { chosen: number | null; over: number | null }) {
    const { model, facts } = base, { totals, names } = model, all = scored(base), pinned = base.pinned(), answer = facts.answer;
    const i = chosen ?? [pinned?.classifier, ...rulesOf(result.chosen).map(({ classifier }) => base.index.get(classifier))].find((each) => all.includes(each!)) ?? all[0]!;
    const scores = scoresOf(facts, totals, i)!, { steps, bars } = scores, isOwn = (rule: Rule) => rule.kind === "threshold" && rule.classifier === names[i];
    const k = [result.chosen, result.single].findIndex((point) => point?.rules.length === 1 && isOwn(rulesOf(point)[0]!)), best = k < 0 ? null : placed(scores, Number(rulesOf([result.chosen, result.single][k])[0]!.threshold));
    const rule = [result.chosen, result.regret[i]!.point].flatMap(rulesOf).find(isOwn);
    const point = model.ruleAt(i, pinned?.classifier === i ? pinned.threshold : Number(rule?.threshold ?? steps[steps.length >> 1]!.threshold)), found = model.judged(state, point);
    const own = rulesOf(point)[0]!, cut = Number(own.threshold), isBest = best !== null && steps[best]!.threshold === cut, costs = [found.expected_cost, result.expected_cost];
    const isTold = !(isBest && k === 0) && costs.every((cost) => typeof cost === "number"), notes = [isBest && BEST[k]![2], found.breaks && say("answer.baseline.breaks", { limit_count: limitCount(state) })].filter(Boolean);
    const told = say("expert.scores.told", { rule: F.ruleText(own), notes: notes.join(", ") || null, costs: costs[0] === null ? null : F.numbers(costs[0]), compared: isTold ? F.compared(...(costs as [number, number])) : null });
    const view = {
      scores, cut, best, costs: costsOf(state), rates: point, cells: { ...cellsOf(costsOf(state).p, point!, answer.cases), rv: 0 }, isPriced: costs[0] !== null,
      zones: null, marks: null, stretch: null, within: null, seen: { state } as Seen,
    } as unknown as View;
    const pin = (threshold: number | null) => {
      this.setState({ chosen: i, over: null });
      base.pin({ classifier: i, threshold: threshold ?? steps[best!]!.threshold });
    };
    const { low, high, pos, neg } = bars.find((bar) => (over ?? cut) <= bar.high) ?? bars.at(-1)!, isNamed = facts.positive !== "positive";
    const counted = ([name, part, size]: [string, number, number]) => `${name}: ${F.count(round(part * size))}, ${say("expert.scores.of the class", { part: F.rate(part) })}`;
    return (
      <>
        <div class="rc-controls">
          <select aria-label={say("expert.scores.classifier whose scores are")} value={i} onChange={({ currentTarget: { value } }) => this.setState({ chosen: Number(value) })}>
            {all.map((each) => <option value={each}>{names[each]}</option>)}
          </select>
          <p class="rc-said">{told}. {say(pinned?.classifier === i ? "expert.scores.this is your current" : "expert.scores.drag the line to")}</p>
        </div>
        <Picture view={view} totals={totals} answer={answer} cut={pin} told={told} look="rc-drawing" over={(value) => this.setState({ over: value })}
          mark={best === null ? null : { at: steps[best]!.threshold, look: BEST[k]![0], d: BEST[k]![1] }} />
        <div class="rc-keys">
          {best !== null && <span class="rc-key"><svg class="rc-sample" width={28} height={12} viewBox="0 0 28 12" aria-hidden="true"><path class={BEST[k]![0]} d={BEST[k]![1]} transform="translate(14,6) scale(.66)" /></svg>{BEST[k]![2]}</span>}
          <span class="rc-bar">{say("expert.scores.bar", { range: F.numbers([low, high]), positives: counted([isNamed ? F.isolated(facts.positive) : "positives", pos, totals.positives]),
            negatives: counted([isNamed ? say("report.not", { positive: F.isolated(facts.positive) }) : "negatives", neg, totals.negatives]) })}</span>
        </div>
      </>
    );
  }
}

rochullViews.add({
  id: "scores", title: "Scores", about: say("expert.scores.about"),
  isPossible: (base: Base) => scored(base).length > 0,
  chart(base: Base, element: HTMLElement) {
    const place = html("div", { class: "lie" }), root = html("div", { class: "rc-chart" }, place);
    element.append(root);
    return {
      id: "scores", element: root,
      update(state: State, result: Answer) { render(<Lie base={base} state={state} result={result} />, place); },
      resize() {},
      destroy() {
        render(null, place);
        root.remove();
      },
    };
  },
});
