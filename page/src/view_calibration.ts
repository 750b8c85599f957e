// Calibration: what scores forecast, and what comes; ten bins with counts, intervals and the mean distance of both.
import { say } from "./answer/words";
import { html } from "./report_charts";
import { reliability, type Bin } from "./report_curves";
import * as rochullFormat from "./report_format";
import { rate, rates, number, count } from "./report_format";
import type { Row } from "./report_hover";
import * as rochullLines from "./report_lines";
import type { Line, Now } from "./report_lines";
import type { Base } from "./report_marks";
import * as rochullViews from "./report_views";
import { on } from "./report_elements";

interface Binned extends Line {
  bins?: Bin[]; // of a classifier
}
rochullViews.add((() => {
  const of = ({ base: { facts, model }, state }: Now, i: number) =>
    reliability(facts.classifiers[i], model.totals, state, model.prevalence, facts.examples!.weighted ? null : model.wilson)!;
  const probable = ({ facts }: Base) => facts.classifiers.map((each, i) => (each.forecast ? i : -1)).filter((i) => i >= 0);

  function controls(base: Base, again: () => void) {
    const select = html("select", { "aria-label": say("expert.calibration.classifier whose intervals are") },
      ...probable(base).map((i) => html("option", { value: i }, base.model.names[i])));
    const said = html("p", { class: "rc-said" });
    on(select, "change", () => {
      base.calibrated = Number(select.value);
      again();
    });
    return { element: html("div", { class: "rc-controls" }, select, said), show(now: Now) {
      const error = of(now, chosen(base)).error;
      select.value = String(chosen(base));
      said.dataset.value = String(error);
      const bars = base.facts.examples!.weighted ? null : "yes";
      said.textContent = say("expert.calibration.at the forecast is", { prevalence: rochullFormat.prevalence(now.state.prevalence), x: number(Number((100 * error).toFixed(1))), bars });
    } };
  }
  const chosen = (base: Base): number => base.calibrated ?? probable(base)[0];
  function lines(now: Now): Binned[] {
    const own = probable(now.base).map((i) => {
      const { bins } = of(now, i);
      return { i, name: now.base.model.names[i], bins, x: bins.map(({ forecast }) => forecast), y: bins.map(({ observed }) => observed) };
    });
    return [{ name: "calibrated", look: "rc-chance", x: [0, 1], y: [0, 1] }, ...own];
  }
  return rochullLines.view({
    id: "calibration", title: "Calibration",
    about: say("expert.calibration.about"), label: say("expert.calibration.calibration forecasts against what"), lines, controls,
    xTitle: say("expert.calibration.forecast mean score"), yTitle: say("expert.sections.share positive"), yTicks: rochullLines.percents, domain: () => [[0, 1], [0, 1]],
    bars(now) {
      const i = chosen(now.base);
      return now.base.hidden.has(i) ? [] : of(now, i).bins.map(({ forecast: x, observed: y, interval, share: size }) =>
        ({ x, y, size, low: interval ? interval[0] : y, high: interval ? interval[1] : y }));
    },
    told({ i, bins, x, y }, k): Row[] {
      if (i === undefined) return [["forecast", rate(x[k])]];
      const { interval, pos, size } = bins![k];
      return [["forecast", rate(x[k])], ["positive", rate(y[k]), interval ? `95 %: ${rates(interval)}` : ""], [say("expert.calibration.of these data"), say("page.of", { n: count(pos), all: count(size) })]];
    },
    isPossible: (base) => probable(base).length > 0,
  });
})());
