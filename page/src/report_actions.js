// The three actions of a rule with reviews: a table in the place of the matrix, and figures in that of the other answer's.
import { say } from "./answer/words";
import { html } from "./report_elements.js";
import * as F from "./report_format.js";
import * as rochullOutcomes from "./report_outcomes.js";
import { digits, figures, intervals, whole } from "./report_reviewed.js";

const byId = (id) => document.getElementById(id);
const put = (node, text) => { if (node.textContent !== text) node.textContent = text; };
const FORMATS = { expected_cost: F.number };

/** What becomes of the cases that are reviewed; of reviewers who make mistakes with their numbers. */
function then(of, { reviewed, then: flagged }, reviewer) {
  const isPositive = of === "positives", isSure = reviewer[isPositive ? 1 : 0] === Number(isPositive);
  if (isSure) return isPositive ? say("expert.actions.then caught") : say("expert.actions.then passed");
  const [caught, rest] = [flagged, reviewed - flagged].map(F.count);
  return isPositive ? say("expert.actions.then caught missed", { caught, rest }) : say("expert.actions.then false alarms passed", { caught, rest });
}

function bind(model, facts) {
  const root = byId("outcomes"), two = byId("outcomes-two"), three = byId("outcomes-three"), told = byId("reviewed-figures");
  const cells = [...three.querySelectorAll("[data-action]")].map((cell) => ({ cell, path: cell.dataset.action.split(":"),
    ...Object.fromEntries(["count", "what", "price"].map((name) => [name, cell.querySelector(`.${name}`)])) }));
  const lines = [...told.querySelectorAll("[data-reviewed]")].map((node) => ({ node, key: node.dataset.reviewed, of: node.nextElementSibling, sure: node.parentElement.lastElementChild }));
  /** Write a number with all its digits, and as it is read. */
  function write(node, value, text) {
    const full = value === null ? "" : String(value);
    if (node.dataset.value !== full) node.dataset.value = full;
    put(node, text);
  }
  /** Show the answer with reviews, or with null give the places back. */
  function show(found, state, { size, unit }) {
    two.hidden = found !== null;
    three.hidden = told.hidden = found === null;
    if (found === null) return;
    const all = whole(found, size), { outcomes } = found, each = size / outcomes.cases;
    root.hidden = false;
    byId("outcomes-how").hidden = false;
    put(byId("outcomes-how"), say("expert.actions.counts are rounded to"));
    root.classList.remove("range");
    put(byId("reviewed-of"), rochullOutcomes.ofCases(size, outcomes.prevalence, facts, Array.isArray(state.prevalence)).join(""));
    for (const { cell, path: [of, action], count, what, price } of cells) {
      const value = outcomes[of][action] * each, cost = outcomes.costs[of][action] * each;
      write(count, value, F.count(all[of][action]));
      if (action === "reviewed") put(what, then(of, all[of], found.reviewer));
      write(price, cost || null, cost ? `cost ${F.number(cost)}${unit}` : "");
      cell.style.setProperty("--share", String(Math.sqrt(value / size)));
    }
    const values = figures(found), { positives: p, negatives: n } = all, { tp, fn, fp, tn } = values.whole(size), reviewed = p.reviewed + n.reviewed, shares = {
      review_rate: [reviewed, size], positive_rate: [tp + fp, size], precision: [tp, tp + fp], tpr: [tp, tp + fn], fpr: [fp, fp + tn],
      error_rate: [n.flagged + p.passed, size - reviewed],
    };
    const exact = digits(found);
    const place = byId("reviewed-exact");
    place.hidden = !exact.length;
    if (place.dataset.value !== String(exact)) { // twin of wording.rounded
      place.dataset.value = String(exact);
      place.replaceChildren(say("expert.actions.thresholds are shown in"), ...exact.flatMap((each, i) => [i ? " and " : "", html("code", {}, String(each))]), ".");
    }
    const ends = intervals(model, facts, state, found);
    byId("reviewed-sure").hidden = !ends.fpr;
    byId("reviewed-mixed").hidden = found.rules.length < 2;
    for (const { node, key, of, sure } of lines) {
      write(node, values[key], key in FORMATS ? `${FORMATS[key](values[key])}${unit}` : F.rate(values[key]));
      if (key in shares) put(of, shares[key][1] ? shares[key].map(F.count).join(" of ") : "");
      put(sure, ends[key] && values[key] !== null ? `(${(key in FORMATS ? F.numbers : F.rates)(ends[key])})` : "");
      sure.dataset.value = ends[key] ? String(ends[key]) : "";
    }
  }
  return show;
}

export { bind };
