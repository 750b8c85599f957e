// The table of what each classifier alone would lose: its numbers and bars.
import { say } from "./answer/words";
import * as F from "./report_format.js";

const byId = (id) => document.getElementById(id);
const put = (node, text) => { if (node.textContent !== text) node.textContent = text; };

// What using one classifier alone loses, by what the condition optimises; wording.py says the same.
const LOSSES = {
  "expected cost": say("expert.losses.extra cost per case"), tpr: say("expert.losses.fewer positives caught"), fpr: say("expert.losses.more negatives wrongly flagged"),
};
const said = (value, measure) => (["tpr", "fpr"].includes(measure) ? say("expert.losses.percentage points", { x: F.number(Number((100 * value).toFixed(2))) }) : F.number(value));

function bind(live) {
  const body = byId("alone-rows");
  const lines = [...body.rows].map((row) => ({ row, bar: row.querySelector(".loss"), mark: row.querySelector(".mark") }));

  function show({ regret, measure, interval }) {
    const values = regret.map(({ value }) => value);
    const most = Math.max(...values.filter(Number.isFinite), 0), least = Math.min(...values);
    put(byId("regret-measure"), `${interval ? say("expert.losses.at worst") : ""}${LOSSES[measure] || measure || ""}`);
    byId("regret-range").hidden = !interval;
    regret.forEach(({ point, value }, i) => {
      const { row, bar, mark } = lines[i];
      const best = Number.isFinite(value) && value === least;
      if (row.classList.contains("best") !== best) row.classList.toggle("best", best);
      mark.hidden = !best;
      live.write(`regret_fpr:${i}`, point && point.fpr, F.rate(point && point.fpr));
      live.write(`regret_tpr:${i}`, point && point.tpr, F.rate(point && point.tpr));
      live.write(`regret:${i}`, value, Number.isFinite(value) ? said(value, measure) : say("expert.losses.cannot meet it"));
      bar.style.setProperty("--loss", most > 0 && Number.isFinite(value) ? String(value / most) : "0");
    });
  }
  return { show, rows: lines.map(({ row }) => row) };
}

export { bind };
