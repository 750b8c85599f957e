// The report's page as one script, which makes the global `rochullPage`: `rochullPage.begin()` starts the page. The
// other names are its parts, for tests.
import "../views.js";

export * as rochullBatch from "../report_batch.js";
export * as rochullBeside from "../report_beside.js";
export * as rochullCharts from "../report_charts.js";
export * as rochullControls from "../report_controls.js";
export * as rochullCurves from "../report_curves.js";
export * as rochullDominance from "../report_dominance.js";
export * as rochullExact from "../report_exact.js";
export * as rochullExport from "../report_export.js";
export * as rochullFacts from "../report_facts.js";
export * as rochullFormat from "../report_format.js";
export * as rochullGroups from "../report_groups.js";
export * as rochullModel from "../report_model.js";
export { rochullReport as begin } from "../report_page.js";
export * as rochullPlanes from "../report_planes.js";
export * as rochullReviewed from "../report_reviewed.js";
export * as rochullRule from "../report_rule.js";
export * as rochullShares from "../report_shares.js";
export * as rochullTake from "../report_take.js";
export * as rochullViews from "../report_views.js";
