// The ROC plane itself.
"use strict";
rochullViews.add(rochullPlanes.view({
  id: "roc", title: "ROC",
    about: "Each point is a rule: up, the share of positives that it catches; to the right, the share of the others that it flags wrongly.", xTitle: "false positive rate", yTitle: "true positive rate", chance: "chance",
  all: (f, t) => ({ x: f, y: t }), told: () => [],
}));
