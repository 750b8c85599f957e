// Tables whose rows are sorted by a press on a column's head; the next press turns that about, and the third gives the page's order back.
import { say } from "./answer/words";
import * as rochullElements from "./report_elements";
import * as F from "./report_format";
import { attr, on } from "./report_elements";

const bound = [];
const NUMBER = /[-−]?\p{Nd}[\p{Nd}.,٫٬'’\u00a0\u202f]*(?:e[-−]?\d+)?/u;
/** What a row is sorted by: a name, or a number (NaN if it has none). */
function keyOf(row, column) {
  const cell = row.cells[column], name = cell.querySelector("bdi");
  if (cell.matches("th, .text")) return (name || cell).textContent.trim();
  const held = (cell.closest("[data-value]") || cell.querySelector("[data-value]"))?.dataset.value; // of a range the first
  return held === undefined ? F.read(NUMBER.exec(cell.textContent)?.[0] ?? "") : parseFloat(held.replace(/^(-?)inf.*/i, "$1Infinity"));
}
const isNone = (key) => key !== key || /^[–-]?$/.test(key);
const compare = (a, b) => (typeof a === "string" ? a.localeCompare(b, F.locale, { numeric: true }) : a === b ? 0 : a - b);
/** How rows are sorted; `show` shows them again. `of` keeps their order while numbers move, until `again`; `keyOf` tells what
 *  a row has in a column, whose `key` it is known by. */
function sorting(show) {
  const keys = new Map();
  let column = -1, way = 0;
  function settle() {
    keys.clear();
    show();
  }
  bound.push(() => column >= 0 && settle());
  return {
    at: (i) => ["ascending", "descending"][i === column ? way : 2],
    by(i) {
      way = column === i ? way + 1 : 0;
      column = way < 2 ? i : -1;
      settle();
    },
    of(rows, keyOf) {
      if (column < 0) return rows;
      const sorted = rows.map((row) => {
        const name = row.key ?? row, key = keys.get(name) ?? keyOf(row, column);
        keys.set(name, key);
        return { row, key, end: isNone(key) };
      });
      return sorted.sort((a, b) => a.end - b.end || (way ? -1 : 1) * compare(a.key, b.key)).map(({ row }) => row);
    },
  };
}
/** Bind a table of three rows or more. `place` puts the rows where they belong, for a table whose rows come and go. */
function bind(table, place) {
  const [body] = table.tBodies, page = [...body.rows], heads = [...[...table.tHead.rows].at(-1).cells];
  if (!place && page.length < 3) return null;
  const sort = sorting(place ?? (() => body.append(...sort.of(page, keyOf))));
  heads.forEach((head, i) => {
    const button = rochullElements.html("button", { class: "sort" });
    if (head.tagName !== "TH") return;
    if (head.querySelector(".term")) attr(button, "aria-label", say("expert.sort.sort by", { text_content: head.textContent })); // which is a button itself
    else button.append(...head.childNodes);
    head.append(button);
    on(button, "click", () => {
      sort.by(i);
      for (const each of heads) each.removeAttribute("aria-sort");
      if (sort.at(i)) attr(head, "aria-sort", sort.at(i));
    });
  });
  return (rows) => sort.of(rows, keyOf);
}

export const again = () => bound.forEach((each) => each());
export { bind, sorting };
