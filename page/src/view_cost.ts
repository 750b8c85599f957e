// Cost space, the dual of the ROC plane: a rule is a line, a condition is a place on the axis.
import { say } from "./answer/words";
import type { Rates, State } from "./answer/numbers";
import * as lists from "./lists";
import { flat, path, at, shown, frame, ticks, type Numbers, type Place } from "./report_charts";
import type { Answer } from "./report_found";
import { number } from "./report_format";
import * as rochullHover from "./report_hover";
import { marksOf, finished, type Base, type Envelope } from "./report_marks";
import * as rochullViews from "./report_views";
import { entries, isArray, max, min } from "./maths";
import { attr } from "./report_elements";

/** Costs at places of the axis. */
interface Costs {
  x: Numbers;
  y: Numbers;
}
rochullViews.add((() => {

  /** Where costs and prevalence lie on the axis of cost curves: a number, or an interval. */
  function probabilityCost(state: State, result: Answer): number | number[] | null {
    if (result.probability_cost !== null && result.probability_cost !== undefined) return result.probability_cost;
    const { cost_fp: fp, cost_fn: fn, prevalence: p } = state;
    return [fp, fn, p].some(isArray) ? null : ((p as number) * (fn as number)) / ((p as number) * (fn as number) + (1 - (p as number)) * fp);
  }

  function chart(base: Base, element: HTMLElement) {
    const { model } = base, envelopes = [...model.hulls, model.union].map((hull) => model.costCurve(hull));
    const union = envelopes[base.n];
    let state: State = null!, result: Answer = null!; // none before the first
    const shell = frame(element, {
      label: say("expert.cost.cost curves of classifiers", { n: base.n }),
    });
    shell.cost = true;
    const marks = marksOf(base, shell);
    const bar = base.costBar, top = 1.08 * max(0.01, bar ? bar.high as number : 0, ...envelopes.map(({ y }) => lists.max(y)!));
    shell.x.domain([0, 1]);
    shell.y.domain([0, min(1, top)]);
    const draw = (node: Element, curve: Costs | null) => attr(node, "d", curve ? path({ fpr: curve.x, tpr: curve.y }, flat, shell) : "");
    const pixel = (x: number, y: number) => shell.pixel(x, y);
    const ofRule = (f: number, t: number) => ({ x: [0, 1], y: [f, 1 - t] });

    function layout() {
      shell.layout({ left: 52, right: 20, top: 28, bottom: 44 });
      shell.titles.x.textContent = say("expert.cost.probability cost misses matter");
      shell.titles.y.textContent = say("expert.cost.normalised expected cost");
      const most = shell.width < 480 ? 5 : 8;
      shell.axes(ticks(shell.x, number, most), ticks(shell.y, number, most));
      draw(marks.chance, { x: [0, 0.5, 1], y: [0, 0.5, 0] });
      envelopes.slice(0, base.n).forEach((curve, i) => draw(marks.curves[i], curve));
      draw(marks.hull, union);
    }
    function condition() {
      marks.condition(result, state);
      const where = probabilityCost(state, result), { chosen, single } = result;
      const interval = isArray(where), [low, high] = (interval ? where : [where, where]) as Place;
      shown(marks.strip, interval);
      const [bottom, roof] = shell.y.range();
      if (interval) {
        const x = shell.x(low);
        for (const [key, value] of entries({ x, y: roof, width: shell.x(high) - x, height: bottom - roof })) {
          attr(marks.strip, key, value);
        }
      }
      [low, high].forEach((x, i) => {
        const on = where !== null && (interval || i === 0);
        attr(marks.lines[i], "d", on ? `M${shell.x(x)},${bottom}V${roof}` : "");
        marks.lines[i].classList.toggle("rc-aside", state.goal !== "cost");
      });
      draw(marks.span, interval && result.span ? between(union, low, high) : null);
      draw(marks.rule, chosen && ofRule(chosen.fpr, chosen.tpr));
      const height = ({ fpr, tpr }: Rates, x: number) => (1 - x) * fpr + x * (1 - tpr);
      const middle = (low + high) / 2, known = where !== null;
      // In a range the rule has no one cost: its line tells.
      shown(marks.star, known && !interval && Boolean(chosen));
      marks.rule.classList.toggle("rc-main", interval);
      if (chosen && known) {
        at(marks.star, ...pixel(middle, height(chosen, middle)));
        marks.star.classList.toggle("rc-outside", height(chosen, middle) > shell.y.domain()[1]);
      }
      if (marks.shows.single && known) at(marks.single, ...pixel(middle, height(single!, middle)));
      const current = known && !interval && base.current();
      marks.current(current && [middle, height(current, middle)]);
      shown(marks.cross, marks.shows.costBar && known && !interval);
      if (marks.shows.costBar && known) {
        const x = shell.x(middle), [y0, y1] = [bar!.low, bar!.high].map((y) => shell.y(y as number));
        attr(marks.cross, "d", `M${x},${y0}V${y1}M${x - 6},${y0}h12M${x - 6},${y1}h12`);
      }
    }
    const hover = rochullHover.attach(shell, rochullHover.cost(base, { shell, envelopes, marks, draw, pixel, ofRule,
      chosen: () => result && result.chosen }));
    const made = {
      id: "cost", scales: { x: shell.x, y: shell.y }, star: marks.star, element: shell.root, pixel,
      map: (f: number, t: number, x: number): Place => [x, (1 - x) * f + x * (1 - t)],
      update(newState: State, newResult: Answer) {
        state = newState;
        result = newResult;
        condition();
        hover.refresh();
      },
      resize() {
        layout();
        if (result) condition();
        hover.refresh();
      },
    };
    return finished(base, shell, marks, hover, made, () => {}, say("expert.cost.without a classifier"));
  }

  // The part of a cost curve between two places.
  function between({ x, y }: Envelope, low: number, high: number): Costs {
    const value = (place: number) => {
      const j = min(x.length - 1, max(1, lists.bisectLeft(x, place)));
      const share = x[j] === x[j - 1] ? 0 : (place - x[j - 1]) / (x[j] - x[j - 1]);
      return y[j - 1] + share * (y[j] - y[j - 1]);
    };
    const inside = lists.range(0, x.length).filter((j) => x[j] > low && x[j] < high);
    return { x: [low, ...inside.map((j) => x[j]), high], y: [value(low), ...inside.map((j) => y[j]), value(high)] };
  }

  return { id: "cost", title: say("expert.cost.title"), about: say("expert.cost.about"), chart };
})());
