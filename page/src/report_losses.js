// The table of what each classifier alone would lose: its numbers and bars.
import { say } from "./answer/words";
import * as F from "./report_format.js";
import * as rochullMarks from "./report_marks.js";
import { attr, byId, findOne, html, named, on, put } from "./report_elements.js";
import { isFinite, max, min } from "./maths";


// What using one classifier alone loses, by what the condition optimises; wording.py says the same.
const LOSSES = {
  "expected cost": say("expert.losses.extra cost per case"), tpr: say("expert.losses.fewer positives caught"), fpr: say("expert.losses.more negatives wrongly flagged"),
};
const said = (value, measure) => (["tpr", "fpr"].includes(measure) ? say("report.points", { x: F.number(Number((100 * value).toFixed(2))) }) : F.number(value));

function bind(live, { classifiers }) {
  const body = byId("alone-rows"), cell = (key, i) => html("td", { "data-key": `${key}:${i}` });
  const lines = classifiers.map(({ name }, i) => {
    const bar = html("span", { class: "loss", "aria-hidden": "true" }), mark = html("span", { class: "mark", hidden: true }, say("expert.losses.best on these"));
    const row = html("tr", {}, html("th", { scope: "row" }, named(name, i), mark), cell("regret_fpr", i), cell("regret_tpr", i),
      html("td", { class: "bar-cell" }, bar, html("span", { "data-key": `regret:${i}` })));
    return { row, bar, mark };
  });
  body.append(...lines.map(({ row }) => row));
  live.adopt(body);

  function show({ regret, measure, interval }) {
    const values = regret.map(({ value }) => value);
    const most = max(...values.filter(isFinite), 0), least = min(...values);
    put(byId("regret-measure"), `${interval ? say("expert.losses.at worst") : ""}${LOSSES[measure] || measure || ""}`);
    byId("regret-range").hidden = !interval;
    regret.forEach(({ point, value }, i) => {
      const { row, bar, mark } = lines[i];
      const best = isFinite(value) && value === least;
      if (row.classList.contains("best") !== best) row.classList.toggle("best", best);
      mark.hidden = !best;
      live.write(`regret_fpr:${i}`, point && point.fpr, F.rate(point && point.fpr));
      live.write(`regret_tpr:${i}`, point && point.tpr, F.rate(point && point.tpr));
      live.write(`regret:${i}`, value, isFinite(value) ? said(value, measure) : say("expert.losses.cannot meet it"));
      bar.style.setProperty("--loss", most > 0 && isFinite(value) ? String(value / most) : "0");
    });
  }
  return { show, rows: lines.map(({ row }) => row) };
}

/** Of many classifiers those that are never better are folded away. */
function foldNever({ classifiers }, rows) {
  const never = rows.filter((_, i) => !classifiers[i].on_hull);
  if (!never.length || rows.length <= rochullMarks.MANY) return;
  const button = html("button", {});
  const fold = (on) => {
    for (const row of never) row.hidden = on;
    attr(button, "aria-expanded", String(!on));
    put(button, say("expert.outcomes.the that are never", { more: on ? "Show" : "Hide", length: never.length }));
  };
  on(button, "click", () => fold(button.getAttribute("aria-expanded") === "true"));
  fold(true);
  findOne("#alone .scroll").after(button);
}

export { bind, foldNever };
