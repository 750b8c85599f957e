// The ROC plane itself.
import * as rochullPlanes from "./report_planes.js";
import * as rochullViews from "./report_views.js";

rochullViews.add(rochullPlanes.view({
  id: "roc", title: "ROC",
    about: "Each point is a rule: the share of positives that it catches (vertical) against the share of negatives that it flags wrongly (horizontal). ★ is this rule.", xTitle: "false positive rate", yTitle: "true positive rate", chance: "chance",
  all: (f, t) => ({ x: f, y: t }), told: () => [],
}));
