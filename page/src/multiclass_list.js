// The rules within the limits, the best first.
import { around, say } from "./answer/words";
import { node, button, label, live, write, column } from "./multiclass_parts.js";
import * as F from "./report_format.js";
import * as rochullSort from "./report_sort.js";
import { min } from "./maths";
import { attr } from "./report_elements.js";

const LISTED = 50;

export const rochullMulticlassList = (view) => {
  const { data, names, state, words } = view;
  const listing = node("table", { class: "list" }), more = node("p", { class: "soft" });
  const caption = node("caption"), measure = node("span"), listBody = node("tbody"), rows = []; // rows are made once, and filled again and again
  listing.append(caption, node("thead", {}, node("tr", {}, column({ class: "text" }, "rule"), column({}, measure),
    ...names.map((name) => column({}, ...around("answer.classes.error of", { name: label(name) }))))), listBody);
  const ordered = rochullSort.bind(listing, () => draw());
  function rowOf(n) {
    const row = { shown: null, point: live("th", `listed:${n}`, "", "", { scope: "row" }), value: live("td", `listed_value:${n}`, "", ""),
      errors: names.map((_, c) => live("td", `listed_error:${n}:${c}`, "", "")) };
    row.button = button(String(n + 1), () => view.select(row.shown), { "aria-pressed": "false" });
    row.point.replaceChildren(row.button);
    row.element = node("tr", {}, row.point, row.value, ...row.errors);
    return row;
  }
  function draw() {
    const { found } = view, line = found.kept, listed = min(LISTED, line.length);
    measure.replaceChildren(words.head());
    while (rows.length < listed) rows.push(rowOf(rows.length));
    for (let n = 0; n < listed; n++) {
      const row = rows[n], p = line[n];
      write(row.value, found.values[p], words.value(found.values[p]));
      attr(row.button, "aria-label", words.said(p));
      if (row.shown !== p) {
        row.shown = p;
        row.element.dataset.point = row.point.dataset.value = p;
        row.errors.forEach((cell, c) => write(cell, data.errors[p][c], F.rate(data.errors[p][c])));
      }
    }
    listBody.replaceChildren(...ordered(rows.slice(0, listed).map(({ element }) => element)));
    const which = state.limits.length ? say("expert.classes.that keep", { limits: words.limits("all") }) : "";
    caption.textContent = say("expert.classes list.rules is the best", { which });
    more.textContent = line.length > LISTED ? say("expert.classes list.the best of are", { _l_i_s_t_e_d: LISTED, length: words.rules(line.length), which })
      : line.length ? "" : say("expert.classes list.no rule keeps", { x: words.limits("all") });
  }
  function mark() {
    for (const row of rows) {
      const seen = row.shown === state.index;
      if (row.element.classList.contains("current") === seen) continue;
      row.element.classList.toggle("current", seen);
      attr(row.button, "aria-pressed", String(seen));
    }
  }
  return { listing, more, draw, mark };
};
