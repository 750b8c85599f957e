// Tables whose rows are sorted by a press on a column's head; the next press turns that about, and the third gives the page's order back.
import { say } from "./answer/words";
import * as rochullElements from "./report_elements";
import * as F from "./report_format";
import { attr, on } from "./report_elements";

type Key = string | number;
/** A row, known by its `key` or by itself. */
type Keyed = { key?: unknown };

const bound: (() => unknown)[] = [];
const NUMBER = /[-−]?\p{Nd}[\p{Nd}.,٫٬'’\u00a0\u202f]*(?:e[-−]?\d+)?/u;
/** What a row is sorted by: a name, or a number (NaN if it has none). */
function keyOf(row: HTMLTableRowElement, column: number): Key {
  const cell = row.cells[column]!, name = cell.querySelector("bdi");
  if (cell.matches("th, .text")) return (name || cell).textContent!.trim();
  const held = (cell.closest<HTMLElement>("[data-value]") || cell.querySelector<HTMLElement>("[data-value]"))?.dataset.value; // of a range the first
  return held === undefined ? F.read(NUMBER.exec(cell.textContent!)?.[0] ?? "") : parseFloat(held.replace(/^(-?)inf.*/i, "$1Infinity"));
}
const isNone = (key: Key) => (key !== key || /^[–-]?$/.test(key as string)) as unknown as number; // to sort by
const compare = (a: Key, b: Key) => (typeof a === "string" ? a.localeCompare(b as string, F.locale, { numeric: true }) : a === b ? 0 : a - (b as number));
/** How rows are sorted; `show` shows them again. `of` keeps their order while numbers move, until `again`; `keyOf` tells what
 *  a row has in a column, whose `key` it is known by. */
function sorting(show: () => void) {
  const keys = new Map<unknown, Key>();
  let column = -1, way = 0;
  function settle() {
    keys.clear();
    show();
  }
  bound.push(() => column >= 0 && settle());
  return {
    at: (i: number) => ["ascending", "descending"][i === column ? way : 2] as "ascending" | "descending" | undefined,
    by(i: number) {
      way = column === i ? way + 1 : 0;
      column = way < 2 ? i : -1;
      settle();
    },
    of<Row extends object>(rows: Row[], keyOf: (row: Row, column: number) => Key): Row[] {
      if (column < 0) return rows;
      const sorted = rows.map((row) => {
        const name = (row as Keyed).key ?? row, key = keys.get(name) ?? keyOf(row, column);
        keys.set(name, key);
        return { row, key, end: isNone(key) };
      });
      return sorted.sort((a, b) => a.end - b.end || (way ? -1 : 1) * compare(a.key, b.key)).map(({ row }) => row);
    },
  };
}
/** Bind a table of three rows or more. `place` puts the rows where they belong, for a table whose rows come and go. */
function bind(table: HTMLTableElement, place?: () => void): ((rows: HTMLTableRowElement[]) => HTMLTableRowElement[]) | null {
  const [body] = table.tBodies as Iterable<HTMLTableSectionElement> as [HTMLTableSectionElement], page = [...body.rows], heads = [...[...table.tHead!.rows].at(-1)!.cells];
  if (!place && page.length < 3) return null;
  const sort = sorting(place ?? (() => body.append(...sort.of(page, keyOf))));
  heads.forEach((head, i) => {
    const button = rochullElements.html("button", { class: "sort" });
    if (head.tagName !== "TH") return;
    if (head.querySelector(".term")) attr(button, "aria-label", say("expert.sort.sort by", { text_content: head.textContent! })); // which is a button itself
    else button.append(...head.childNodes);
    head.append(button);
    on(button, "click", () => {
      sort.by(i);
      for (const each of heads) each.removeAttribute("aria-sort");
      if (sort.at(i)) attr(head, "aria-sort", sort.at(i)!);
    });
  });
  return (rows) => sort.of(rows, keyOf);
}

export const again = () => bound.forEach((each) => each());
export { bind, sorting };
