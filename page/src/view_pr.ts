// Precision against recall; there is no precision where nobody is flagged.
import { say } from "./answer/words";
import * as rochullCurves from "./report_curves";
import * as rochullFormat from "./report_format";
import * as rochullPlanes from "./report_planes";
import * as rochullViews from "./report_views";

rochullViews.add(rochullPlanes.view({
  id: "pr", title: "Precision",
    about: say("expert.pr.about"), xTitle: say("expert.pr.recall true positive rate"), yTitle: "precision",
  chance: say("expert.pr.precision of chance the"), moves: true,
  all: (f, t, p) => ({ x: t, y: rochullPlanes.loop(f, t, p, p) }),
  told: (f, t, p) => [["precision", rochullFormat.rate(rochullCurves.maps.pr(f, t, p)[1])]],
}));
