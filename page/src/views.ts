// The views, in the order of their tabs.
import "./view_roc";
import "./experts/Scores";
import "./view_thresholds";
import "./view_decision";
import "./view_calibration";
import "./view_reviews";
import "./view_pr";
import "./view_gain";
import "./view_lift";
import "./view_det";
import "./view_cost";
import "./view_segments"; // a table: on paper the charts stay together
