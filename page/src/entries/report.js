// The report's page as one script, which makes the global `rochullPage`: `rochullPage.begin()` starts the page. The
// other names are its parts, for tests.
import "../views.js";

export { rochullBatch } from "../report_batch.js";
export { rochullBeside } from "../report_beside.js";
export { rochullCharts } from "../report_charts.js";
export { rochullControls } from "../report_controls.js";
export { rochullCurves } from "../report_curves.js";
export { rochullDominance } from "../report_dominance.js";
export { rochullExact } from "../report_exact.js";
export { rochullExport } from "../report_export.js";
export { rochullFacts } from "../report_facts.js";
export { rochullFormat } from "../report_format.js";
export { rochullGroups } from "../report_groups.js";
export { rochullModel } from "../report_model.js";
export { rochullReport as begin } from "../report_page.js";
export { rochullPlanes } from "../report_planes.js";
export { rochullReviewed } from "../report_reviewed.js";
export { rochullRule } from "../report_rule.js";
export { rochullShares } from "../report_shares.js";
export { rochullTake } from "../report_take.js";
export { rochullViews } from "../report_views.js";
