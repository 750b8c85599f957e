// The report's page as one script, which makes the global `rochullPage`: `rochullPage.begin()` starts the page. The
// other names are what tests ask of its parts.
import "../views.js";
import { differences, parse } from "../report_batch.js";
import { segments } from "../report_beside.js";
import { linkedReview } from "../report_controls.js";
import { bestDecision, costs, decision, intervals, maps, reliability, reviews, steps } from "../report_curves.js";
import { words } from "../report_dominance.js";
import { decimal, number as nearest, pythonRepr } from "../report_exact.js";
import { origin } from "../report_export.js";
import { read as readFacts, unpacked } from "../report_facts.js";
import { number, rate, rates, read, ruleText, threshold } from "../report_format.js";
import { RATES, choose, ladder } from "../report_groups.js";
import { create as model } from "../report_model.js";
import { reviewing } from "../report_reviewed.js";
import { inWords } from "../report_rule.js";
import { rochullReport as begin } from "../report_page.js";
import { precision } from "../report_shares.js";
import { csv, rowsOf } from "../report_take.js";
import { create as views } from "../report_views.js";

globalThis.rochullPage = {
  begin,
  rochullBatch: { differences, parse },
  rochullBeside: SEGMENTS && { segments },
  rochullCharts: { ruleText },
  rochullControls: { linkedReview },
  rochullCurves: { bestDecision, costs, decision, intervals, maps, reliability, reviews, steps },
  rochullDominance: { words },
  rochullExact: { decimal, number: nearest, pythonRepr },
  rochullExport: { origin },
  rochullFacts: { read: readFacts, unpacked },
  rochullFormat: { number, rate, rates, read, threshold },
  rochullGroups: SEGMENTS && { RATES, choose, ladder },
  rochullModel: { create: model },
  rochullReviewed: { reviewing },
  rochullRule: { inWords },
  rochullShares: { precision },
  rochullTake: { csv, rowsOf },
  rochullViews: { create: views },
};
