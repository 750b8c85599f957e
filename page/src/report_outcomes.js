// The four outcomes in the middle of the page, intervals beside numbers, and what is folded of a long table.
import { say } from "./answer/words";
import * as rochullCharts from "./report_charts.js";
import * as rochullCurves from "./report_curves.js";
import * as F from "./report_format.js";
import * as rochullMarks from "./report_marks.js";

const byId = (id) => document.getElementById(id);
const put = (node, text) => { if (node.textContent !== text) node.textContent = text; };

/** How many cases more or less than with the rule of today; empty without one, and for ranges. */
function versusToday(value, today) {
  if (typeof value !== "number" || typeof today !== "number") return "";
  const more = value - today;
  return more ? say("expert.outcomes.than your current rule", { n: F.counts(Math.abs(more)), way: more > 0 ? "more" : "fewer" }) : say("expert.outcomes.as your current rule");
}
/** Of a report's own condition: intervals of the same level and kind of numbers that it tells without one. */
function untold(all, { bootstrap: boot, level }) {
  const own = boot && boot.clusters === null && level === 0.95 && boot.chosen;
  return own ? Object.fromEntries(Object.entries(all).filter(([key]) => !own[key])) : null;
}
/** The ends of an interval in the decimals of its estimate, but in two digits of its half width at least. */
function alike([low, high], estimate) {
  const { decimal = "", digits = "" } = /(?<decimal>[.,٫])(?<digits>\p{Nd}+)$/u.exec(estimate)?.groups || {};
  const places = Math.max(decimal && digits.length, 1 - Math.floor(Math.log10((high - low) / 2)));
  return places <= 8 ? F.numbers([low, high].map((end) => Number(end.toFixed(Math.max(places, 0))))) : F.numbers([low, high]);
}
/** So many cases, how many of them are positive, and whether the past ones were like that; twin of wording.of_cases. */
function ofCases(size, prevalence, { positive, examples }, isMiddle = false) {
  const ends = [...new Set([prevalence].flat().map((p) => F.near(p)))], past = examples ? examples.prevalence : null;
  const like = past !== null && ends.length === 1 && ends[0] === F.near(past);
  return [`Of ${F.count(size)} cases${like ? say("expert.outcomes.like the past ones") : ""}`,
    say("expert.outcomes.of them", { ends: ends.join(" to "), middle: isMiddle ? say("expert.outcomes.the middle of the") : "", positive: F.isolated(positive), past: past === null || like ? "" : say("expert.outcomes.of the past ones", { past: F.rate(past) }) })];
}
function bind(live, facts) {
  const root = byId("outcomes"), sure = [...document.querySelectorAll("[data-interval]")];
  const cells = Object.fromEntries(["tp", "fn", "fp", "tn"].map((key) => [key, root.querySelector(`.o-${key}`)]));
  const versus = Object.fromEntries(Object.keys(cells).map((key) => [key, root.querySelector(`[data-versus="${key}"]`)]));
  return {
    /** The outcomes, shaded by their shares of all cases, what the errors cost, and how many more than by today's rule. */
    show({ confusion: table, prices, interval }, stale, { prevalence }, today, { size, unit }) {
      const each = size / 10000, scaled = (given) => given && Object.fromEntries(Object.entries(given)
        .map(([key, value]) => [key, value === null ? null : Array.isArray(value) ? value.map((x) => x * each) : value * each]));
      const [confusion, paid, before] = [table, prices, today].map(scaled), [cases, earlier] = [confusion, before].map(F.wholeCases);
      const [many, of] = ofCases(size, prevalence, facts);
      put(byId("outcomes-size"), many);
      put(byId("outcomes-of"), `${of}${interval ? say("expert.outcomes.in each cell from") : ""}`);
      root.hidden = !confusion;
      byId("outcomes-how").hidden = !confusion;
      put(byId("outcomes-how"), say("expert.outcomes.counts are rounded to", { more: paid ? say("expert.outcomes.and costs to four") : "" }));
      root.classList.toggle("stale", stale);
      root.classList.toggle("range", interval);
      const { tp, fn, fp, tn } = (!interval && cases) || {};
      for (const [key, part, all] of [["positive_rate", tp + fp, tp + fn + fp + tn], ["accuracy", tp + tn, tp + fn + fp + tn], ["precision", tp, tp + fp], ["tpr", tp, tp + fn], ["fpr", fp, fp + tn]]) {
        const told = confusion && !interval;
        live.write(`of:${key}`, told ? part : null, told ? `${F.counts(part)} of ${F.counts(all)}` : "");
      }
      for (const [key, cell] of Object.entries(cells)) {
        const value = confusion && confusion[key], price = paid && key in paid ? paid[key] : null;
        live.write(key, value, F.counts(cases && cases[key]));
        live.write(`price:${key}`, price, price === null ? "" : `cost ${F.numbers(price)}${unit}`);
        put(versus[key], versusToday(cases && cases[key], earlier && earlier[key]));
        cell.style.setProperty("--share", String(confusion ? Math.sqrt(rochullCurves.middle(value) / size) : 0));
      }
    },
    /** Wilson's intervals beside the numbers, or null; but for those of which the report itself has `told`.
     *  `measured` is whether the prevalence is that of the data. */
    sure(all, formats, chosen, told, values, measured) {
      const found = all && told ? untold(all, told) : all;
      for (const id of ["wilson", "wilson-how"]) byId(id).hidden = !found || told;
      const ranges = Object.keys(formats).some((key) => Array.isArray(values[key]));
      byId("wilson-known").hidden = ranges || measured;
      byId("wilson-range").hidden = !ranges;
      byId("wilson-measured").hidden = ranges || !measured;
      byId("wilson-mixed").hidden = !chosen || chosen.rules.length < 2;
      for (const node of sure) {
        const { interval: key } = node.dataset, value = found && values[key] !== null && found[key]; // only of what is told
        node.dataset.value = value ? String(value) : "";
        put(node, value ? `(${formats[key] === F.numbers ? alike(value, F.numbers(values[key])) : F.rates(value)})` : "");
      }
    },
  };
}

/** Of many classifiers those that are never better are folded away. */
function foldNever({ classifiers }, rows) {
  const never = rows.filter((_, i) => !classifiers[i].on_hull);
  if (!never.length || rows.length <= rochullMarks.MANY) return;
  const button = rochullCharts.html("button", { type: "button" });
  const fold = (on) => {
    for (const row of never) row.hidden = on;
    button.setAttribute("aria-expanded", String(!on));
    put(button, say("expert.outcomes.the that are never", { more: on ? "Show" : "Hide", length: never.length }));
  };
  button.addEventListener("click", () => fold(button.getAttribute("aria-expanded") === "true"));
  fold(true);
  document.querySelector("#alone .scroll").after(button);
}

export { bind, foldNever, ofCases };
