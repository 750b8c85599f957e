// The ROC plane itself.
"use strict";
rochullViews.add(rochullPlanes.view({
  id: "roc", title: "ROC", xTitle: "false positive rate", yTitle: "true positive rate", chance: "chance",
  all: (f, t) => ({ x: f, y: t }), told: () => [],
}));
