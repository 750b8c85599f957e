// Precision against recall; there is no precision where nobody is flagged.
import * as rochullCurves from "./report_curves.js";
import * as rochullFormat from "./report_format.js";
import * as rochullPlanes from "./report_planes.js";
import * as rochullViews from "./report_views.js";

rochullViews.add(rochullPlanes.view({
  id: "pr", title: "Precision",
    about: "Precision, the share of positives among the flagged (vertical), against recall, the share of positives that is caught (horizontal).", xTitle: "recall (true positive rate)", yTitle: "precision",
  chance: "precision of chance: the prevalence", moves: true,
  all: (f, t, p) => ({ x: t, y: rochullPlanes.loop(f, t, p, p) }),
  told: (f, t, p) => [["precision", rochullFormat.rate(rochullCurves.maps.pr(f, t, p)[1])]],
}));
