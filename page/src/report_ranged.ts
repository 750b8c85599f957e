// A range of costs or prevalences within limits, for single thresholds. No DOM; numbers are those of the library (tests/report/test_within.py).
import * as E from "./report_exact";
import * as O from "./report_optimum";
import type { Placed, Singles } from "./report_known";
import type { Parts } from "./report_found";
import { max } from "./maths";

interface Ranged {
  corners: (O.Weights & { limit: O.Within })[];
  slopes: number[];
}

// The single threshold that loses least within limits, whatever the numbers are in a range: next to the best rule within them.
function within({ union, names, singles, alone }: Parts, { corners, slopes }: Ranged, singleOf: (points: Singles, i: number) => Placed | null) {
  const least = corners.map((costs) => {
    const best = costs.limit.best(union.frontier);
    return best && E.number(O.costOf(costs, O.rates(union.frontier, best)));
  });
  if (least.includes(null)) return null;
  const ruled = (points: Singles) => {
    const { fpr, tpr, fp } = points.frontier, kept = corners[0].limit.kept(points.frontier), near = 1e-12;
    const lose = (i: number) => corners.reduce((most, { w, m }, c) => max(most, w.f * fpr[i] + m.f * (1 - tpr[i]) - least[c]!), 0);
    let found = -1, value = Infinity;
    for (let i = 0; i < fpr.length; i++) {
      if (!kept(i)) continue;
      const here = lose(i);
      if (here < value - near || (here < value + near && fp[i] < fp[found])) [found, value] = [i, here];
    }
    return { point: singleOf(points, found), value };
  };
  const { point, value } = ruled(singles), regret = alone.map((points, i) => ({ name: names[i], ...ruled(points) }));
  return { chosen: point, single: point, regret, worst: value, worst_single: value, slope: slopes, probability_cost: slopes.map((s) => 1 / (1 + s)).reverse(), limited: true };
}

export { within };
