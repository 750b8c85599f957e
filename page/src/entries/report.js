// The report's page as one script, which makes the global `rochullPage`: `rochullPage.begin()` starts the page. The
// other names are what tests ask of its parts.
import "../views.js";
import { differences, parse } from "../report_batch.js";
import { segments } from "../report_beside.js";
import { ruleText } from "../report_charts.js";
import { linkedReview } from "../report_controls.js";
import { bestDecision, costs, decision, intervals, maps, reliability, reviews, steps } from "../report_curves.js";
import { words } from "../report_dominance.js";
import { decimal, number as nearest, pythonRepr } from "../report_exact.js";
import { origin } from "../report_export.js";
import { read as readFacts, unpacked } from "../report_facts.js";
import { number, rate, rates, read, threshold } from "../report_format.js";
import { RATES, choose, ladder } from "../report_groups.js";
import { create as model } from "../report_model.js";
import { reviewing } from "../report_reviewed.js";
import { inWords } from "../report_rule.js";
import { precision } from "../report_shares.js";
import { csv, rowsOf } from "../report_take.js";
import { create as views } from "../report_views.js";

export const rochullBatch = { differences, parse };
export const rochullBeside = SEGMENTS && { segments };
export const rochullCharts = { ruleText };
export const rochullControls = { linkedReview };
export const rochullCurves = { bestDecision, costs, decision, intervals, maps, reliability, reviews, steps };
export const rochullDominance = { words };
export const rochullExact = { decimal, number: nearest, pythonRepr };
export const rochullExport = { origin };
export const rochullFacts = { read: readFacts, unpacked };
export const rochullFormat = { number, rate, rates, read, threshold };
export const rochullGroups = SEGMENTS && { RATES, choose, ladder };
export const rochullModel = { create: model };
export const rochullReviewed = { reviewing };
export const rochullRule = { inWords };
export const rochullShares = { precision };
export const rochullTake = { csv, rowsOf };
export const rochullViews = { create: views };
export { rochullReport as begin } from "../report_page.js";
