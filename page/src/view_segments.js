// Segments beside each other: what one threshold for all does in each, and what its own does; the worst first.
import { say } from "./answer/words";
import * as rochullBeside from "./report_beside.js";
import { html, on } from "./report_elements.js";
import * as F from "./report_format.js";
import { mount as mountPair } from "./experts/Pair";
import * as rochullSort from "./report_sort.js";
import * as rochullTake from "./report_take.js";
import * as rochullViews from "./report_views.js";

if (SEGMENTS) rochullViews.add((() => {
  const FEW = 12;
  const COLUMNS = [["cost", say("report.cost"), F.number], ["fpr", "FPR", F.rate], ["tpr", "TPR", F.rate]];
  const RULES = [["one", say("expert.segments.one for all")], ["own", say("expert.segments.its own")]];

  function chart(base, element) {
    const { model, facts } = base;
    const body = html("tbody", {}), note = html("p", { class: "notice", hidden: true }), lines = new Map();
    const more = html("button", { hidden: true }), head = (text) => html("th", { scope: "col" }, text);
    let all = false, timer = 0, last = null;
    const table = html("table", { class: "beside" },
      html("caption", {}, say("expert.segments.each segment by one")),
      html("thead", {}, html("tr", {}, html("td", {}), html("td", {}), ...COLUMNS.map(([, title]) => html("th", { scope: "colgroup", colspan: 2 }, title))),
        html("tr", {}, html("th", { scope: "col", class: "text" }, "segment"), head("cases"),
          ...COLUMNS.flatMap(() => RULES.map(([, text]) => head(text))))), body);
    const ordered = rochullSort.bind(table, arrange);
    const ranges = facts.examples.weighted ? ""
      : say("expert.segments.in brackets intervals which");
    const about = html("p", { class: "soft" }, say("expert.segments.in sample these cases", { ranges }));
    const two = html("div", { class: "two" }), showPair = mountPair(base, two);
    element.replaceChildren(note, ...(showPair ? [two] : []), html("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": say("expert.segments.segments beside each other") }, table), more, about);
    rochullTake.tables(element);

    function lineOf(segment) {
      if (!lines.has(segment)) {
        const cells = ["cases", ...COLUMNS.flatMap(([key]) => RULES.map(([rule]) => `${rule}:${key}`))].map((key) => {
          const [value, sure] = [html("span", { "data-beside": key }), html("small", {})];
          const [rule, figure] = key.split(":"), ends = figure === "cost" ? F.numbers : F.rates;
          const format = COLUMNS.find(([each]) => each === figure)?.[2] || (facts.examples.weighted ? F.number : F.count);
          return { key, rule, figure, format, ends, value, sure, cell: html("td", {}, value, sure) };
        });
        lines.set(segment, { cells, row: html("tr", {}, html("th", { scope: "row" }, html("bdi", {}, segment)), ...cells.map(({ cell }) => cell)) });
      }
      return lines.get(segment);
    }
    const valueOf = (row, key) => {
      if (key === "cases") return row.cases;
      const [rule, figure] = key.split(":");
      return row[rule] ? row[rule][figure] : null;
    };
    function write(row) {
      for (const { key, rule, figure, format, ends, value, sure } of lineOf(row.segment).cells) {
        const found = valueOf(row, key), full = String(found ?? "");
        if (value.dataset.value !== full) {
          value.dataset.value = full;
          value.textContent = format(found);
        }
        const both = figure && found !== null && row[rule]?.sure?.[figure], range = both ? `(${ends(both)})` : "";
        if (sure.textContent !== range) sure.textContent = range;
      }
    }
    /** The dearest by one threshold for all first, unless the reader sorts them; then as many as are not folded away. */
    function arrange() {
      if (!last) return;
      const worth = ({ one }) => one?.cost ?? -Infinity, order = ordered([...last].sort((a, b) => worth(b) - worth(a) || 0).map(({ segment }) => lineOf(segment).row));
      if (order.length !== body.children.length || order.some((row, i) => row !== body.children[i])) body.replaceChildren(...order);
      order.forEach((row, i) => { row.hidden = !all && i >= FEW; });
      more.hidden = order.length <= FEW;
      more.textContent = all ? say("expert.segments.show the first", { _f_e_w: FEW }) : say("expert.segments.show all segments", { length: order.length });
    }
    on(more, "click", () => {
      all = !all;
      arrange();
    });
    return {
      element,
      update(state) {
        const { rows, message } = rochullBeside.segments(model, facts, state);
        note.hidden = rows !== null;
        note.textContent = message || "";
        table.hidden = rows === null;
        showPair?.(rows, state);
        rochullTake.tables(two);
        const first = last === null;
        last = rows;
        if (!rows) return;
        rows.forEach(write);
        clearTimeout(timer);
        if (first) arrange(); else timer = setTimeout(arrange, 300); // rows move when nothing else does
      },
      resize() {},
      destroy() {
        clearTimeout(timer);
        element.replaceChildren();
      },
    };
  }
  return {
    id: "segments", title: "Segments", chart,
    about: say("expert.segments.about"),
    isPossible: ({ facts }) => Boolean(facts.segments?.live?.segments[0].straight),
  };
})());
