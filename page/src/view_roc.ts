// The ROC plane itself.
import { say } from "./answer/words";
import * as rochullPlanes from "./report_planes";
import * as rochullViews from "./report_views";

rochullViews.add(rochullPlanes.view({
  id: "roc", title: "ROC",
    about: say("expert.roc.about"), xTitle: say("expert.det.false positive rate"), yTitle: say("expert.roc.true positive rate"), chance: "chance",
  all: (f, t) => ({ x: f, y: t }), told: () => [],
}));
