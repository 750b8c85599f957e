// Detection error trade-off: both error rates on normal deviates.
import { say } from "./answer/words";
import { share, type Place } from "./report_charts";
import { probit } from "./report_exact";
import * as rochullFormat from "./report_format";
import type { Axis } from "./report_lines";
import * as rochullPlanes from "./report_planes";
import type { Plane } from "./report_planes";
import * as rochullViews from "./report_views";
import { max, min } from "./maths";

rochullViews.add((() => {
  const TICKS = [1e-5, 1e-4, 1e-3, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99, 0.999, 0.9999, 0.99999];
  const ticks: Axis = (scale) => TICKS.map((value) => ({ value: probit(value), text: share(value) }))
    .filter(({ value }) => value >= scale.domain()[0]! && value <= scale.domain()[1]!);

  // From half of the smallest rate that is not 0 up to as near to 1.
  function domain({ lowest }: Plane): [Place, Place] {
    const edge = probit(min(0.01, max(1e-5, lowest / 2)));
    return [[edge, -edge], [edge, -edge]];
  }
  return rochullPlanes.view({
    id: "det", title: "DET",
    about: say("expert.det.about"), xTitle: say("expert.det.false positive rate"), yTitle: say("expert.det.miss rate normal deviates"), chance: "chance", left: 60,
    all: (f, t) => ({ x: Float64Array.from(f, probit), y: Float64Array.from(t, (value) => probit(1 - value)) }),
    domain, xTicks: ticks, yTicks: ticks,
    told: (_, t) => [[say("expert.det.miss rate"), rochullFormat.rate(1 - t)]],
  });
})());
