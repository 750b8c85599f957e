// Lift: how many times as many positives are among the flagged as among all.
import { say } from "./answer/words";
import * as rochullCharts from "./report_charts";
import { flagged } from "./report_curves";
import { rate, number } from "./report_format";
import * as rochullPlanes from "./report_planes";
import type { Plane } from "./report_planes";
import * as rochullViews from "./report_views";
import { max } from "./maths";

rochullViews.add((() => {

  // The axis of lift ends at a round number, so that it stands still while the prevalence moves a little. The
  // highest lifts are those of a handful of cases: it shows the lifts from one case in a hundred on.
  const TOPS = [1.5, 2, 2.5, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100];
  function liftTop({ hull }: Plane, p: number): number {
    let most = 1;
    for (let i = 0; i < hull.fpr.length; i++) {
      const part = flagged(hull.fpr[i]!, hull.tpr[i]!, p);
      if (part >= 0.01) most = max(most, hull.tpr[i]! / part);
    }
    return TOPS.find((top) => top >= 1.04 * most) || 110;
  }

  return rochullPlanes.view({
    id: "lift", title: "Lift",
    about: say("expert.lift.about"), xTitle: say("expert.gain.share flagged"), yTitle: "lift", chance: say("expert.lift.lift of chance"), moves: true, left: 40,
    all: (f, t, p) => ({ x: rochullPlanes.loop(f, t, p), y: rochullPlanes.loop(f, t, p, 1) }),
    domain: (plane, p) => [[0, 1], [0, liftTop(plane, p)]],
    yTicks: (scale, most) => rochullCharts.ticks(scale, number, most),
    told: (f, t, p) => [["flagged", rate(flagged(f, t, p))], ["lift", number(t / flagged(f, t, p))]],
  });
})());
