// The report's page as one script, which makes the global `rochullPage`: `rochullPage.begin()` starts the page. The
// other names are what tests ask of its parts.
import "../views";
import { differences, parse } from "../report_batch";
import { segments } from "../report_beside";
import { linkedReview } from "../report_controls";
import { bestDecision, costs, decision, intervals, maps, reliability, reviews, steps } from "../report_curves";
import { words } from "../report_dominance";
import { decimal, number as nearest, pythonRepr } from "../report_exact";
import { origin } from "../report_export";
import { read as readFacts, unpacked } from "../report_unpack";
import { number, rate, rates, read, ruleText, threshold } from "../report_format";
import { RATES, choose, ladder } from "../report_groups";
import { create as model } from "../report_model";
import { reviewing } from "../report_reviewed";
import { inWords } from "../report_rule";
import { rochullReport as begin } from "../report_page";
import { precision } from "../report_shares";
import { csv, rowsOf } from "../report_take";
import { create as views } from "../report_views";

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
