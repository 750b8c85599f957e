// Cumulative gain: what share of the positives is found among so many cases.
import * as rochullCurves from "./report_curves.js";
import * as rochullFormat from "./report_format.js";
import * as rochullPlanes from "./report_planes.js";
import * as rochullViews from "./report_views.js";

rochullViews.add(rochullPlanes.view({
  id: "gain", title: "Gain",
    about: "Recall (vertical) against the share of cases flagged (horizontal).", xTitle: "share flagged", yTitle: "positives caught", chance: "gain of chance", moves: true,
  all: (f, t, p) => ({ x: rochullPlanes.loop(f, t, p), y: t }),
  told: (f, t, p) => [["flagged", rochullFormat.rate(rochullCurves.flagged(f, t, p))]],
}));
