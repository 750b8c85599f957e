// What can be had where so many cases are handled: the rule that catches most with each share flagged, as `rh.Capacity` finds it.
import { say } from "./answer/words";
import * as rochullCharts from "./report_charts.js";
import * as F from "./report_format.js";
import * as rochullTyped from "./report_typed.js";
import { abs, round } from "./maths";
import { byId, on } from "./report_elements.js";

const SHARES = [0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5];
const FEW = 30, MANY = 1000; // past cases: of fewer a share is hardly measured, or not to a tenth of a per cent
const CELLS = ["precision", "tpr", "fpr", "expected_cost"];

/** Of a range the upper end: a rule flags most where most cases are positive. */
const most = (prevalence) => [prevalence].flat().at(-1);
/** The answers under a state, whose shares are kept all over a range: {share, chosen, breaks, figures}. */
function answers(model, state) {
  const prevalence = most(state.prevalence);
  return SHARES.map((fraction) => {
    const found = model.evaluate({ ...state, goal: "capacity", fraction, prevalence });
    return { share: fraction, ...found, ...(state.goal === "report" ? {} : model.judged(state, found.chosen)) };
  });
}
/** A precision, in no more digits than the past cases bear that are flagged; and how many these are where they are few, or all alike. */
function precision(value, flagged) {
  const ends = [value].flat(), isWhole = flagged < MANY && ends.every((end) => !end || end === 1 || abs(end - 0.5) < 0.495);
  const said = (isWhole ? F.wholeRates : F.rates)(value);
  return flagged < FEW || (isWhole && ends.includes(1)) ? say("expert.shares.of past case", { said, flagged: F.count(flagged), more: flagged === 1 ? "" : "s" }) : said;
}
/** Bind the table, which is filled while it is open; `words` tells a rule. */
function bind(model, details, words) {
  const body = details.querySelector("tbody");
  let last = null;
  function show(state = last) {
    last = state;
    if (!details.open || !state) return;
    const own = state.goal === "report" ? say("expert.shares.the limits of the") : "";
    const varies = new Set([state.prevalence].flat()).size > 1, top = F.near(most(state.prevalence));
    const at = varies ? say("expert.shares.a prevalence of the", { top })
      : F.prevalence(state.prevalence);
    const unpriced = model.evaluate(state).expected_cost === null; // no costs were asked about
    byId("shares-at").textContent = `${unpriced ? "" : say("expert.shares.it need not cost")}, at ${at}${own}`;
    byId("shares-cost").hidden = unpriced;
    body.replaceChildren(...answers(model, state).map(({ share, chosen, breaks, ...found }) => {
      const values = { ...found, tpr: chosen.tpr, fpr: chosen.fpr };
      const flagged = model.counted ? round(chosen.fpr * model.totals.negatives + chosen.tpr * model.totals.positives) : MANY;
      const told = (key) => (key === "precision" ? precision(values[key], flagged) : (key === "expected_cost" ? F.numbers : F.rates)(values[key]));
      const cells = CELLS.filter((key) => key !== "expected_cost" || !unpriced).map((key) => rochullCharts.html("td", { "data-value": String(values[key] ?? "") }, told(key)));
      const head = rochullCharts.html("th", { scope: "row", "data-value": share }, F.share(share));
      return rochullCharts.html("tr", {}, head, ...cells, 
        rochullCharts.html("td", { class: "text" }, `${words(chosen)}${breaks ? say("expert.shares.breaks the", { more: rochullTyped.limitCount(state) > 1 ? "limits" : "limit" }) : ""}`));
    }));
  }
  on(details, "toggle", () => show());
  return show;
}

export { SHARES, answers, precision, bind };
