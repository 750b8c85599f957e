// Tables whose rows are sorted by a press on a column's head; the next press turns that about, and the third gives the page's order back.
import { say } from "./answer/words";
import * as rochullElements from "./report_elements.js";
import * as F from "./report_format.js";
import { attr, on } from "./report_elements.js";

const WAYS = ["ascending", "descending"], bound = [];
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
/** Bind a table of three rows or more. `place` puts the rows where they belong, for a table whose rows come and go; what it gets from
 *  `ordered` keeps its order while numbers move, until `again`. */
function bind(table, place) {
  const [body] = table.tBodies, page = [...body.rows], heads = [...table.tHead.rows].at(-1).cells, keys = new Map();
  let column = -1, way = 0;
  if (!place && page.length < 3) return null;
  function ordered(rows) {
    if (column < 0) return rows;
    for (const row of rows) if (!keys.has(row)) keys.set(row, keyOf(row, column));
    const sign = way ? -1 : 1;
    return [...rows].sort((x, y) => {
      const [a, b] = [x, y].map((row) => keys.get(row)), [none, other] = [a, b].map(isNone);
      return none || other ? none - other : sign * compare(a, b);
    });
  }
  function again() {
    keys.clear();
    if (place) place();
    else {
      const rows = ordered(page);
      if (rows.some((row, i) => row !== body.rows[i])) body.append(...rows);
    }
  }
  [...heads].forEach((head, i) => {
    const button = rochullElements.html("button", { class: "sort" });
    if (head.tagName !== "TH") return;
    if (head.querySelector(".term")) attr(button, "aria-label", say("expert.sort.sort by", { text_content: head.textContent })); // which is a button itself
    else button.append(...head.childNodes);
    head.append(button);
    on(button, "click", () => {
      way = column === i ? way + 1 : 0;
      column = WAYS[way] ? i : -1;
      [...heads].forEach((each, k) => (k === column ? attr(each, "aria-sort", WAYS[way]) : each.removeAttribute("aria-sort")));
      again();
    });
  });
  bound.push(() => column >= 0 && again());
  return ordered;
}

export const again = () => bound.forEach((each) => each());
export { bind };
