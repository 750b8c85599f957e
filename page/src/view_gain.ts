// Cumulative gain: what share of the positives is found among so many cases.
import { say } from "./answer/words";
import * as rochullCurves from "./report_curves";
import * as rochullFormat from "./report_format";
import * as rochullPlanes from "./report_planes";
import * as rochullViews from "./report_views";

rochullViews.add(rochullPlanes.view({
  id: "gain", title: "Gain",
    about: say("expert.gain.about"), xTitle: say("expert.gain.share flagged"), yTitle: say("report.caught"), chance: say("expert.gain.gain of chance"), moves: true,
  all: (f, t, p) => ({ x: rochullPlanes.loop(f, t, p), y: t }),
  told: (f, t, p) => [["flagged", rochullFormat.rate(rochullCurves.flagged(f, t, p))]],
}));
