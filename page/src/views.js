// The views, in the order of their tabs.
import "./view_roc.js";
import "./experts/Scores.tsx";
import "./view_thresholds.js";
import "./view_decision.js";
import "./view_calibration.js";
import "./view_reviews.js";
import "./view_pr.js";
import "./view_gain.js";
import "./view_lift.js";
import "./view_det.js";
import "./view_cost.js";
import "./view_segments.tsx"; // a table: on paper the charts stay together
