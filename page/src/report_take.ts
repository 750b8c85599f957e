// Every table as CSV, every chart as SVG and PNG: a small button at each. Files are named after the title and the view.
import { say } from "./answer/words";
import { SVG, attr, html, on, svg } from "./report_elements";
import * as F from "./report_format";
import { rochullSave } from "./report_save";
import { isFinite, listOf, max, min, rounded } from "./maths";

const slug = (text: string) => text.normalize("NFC").replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "").slice(0, 60);
const named = (what: string, ending: string) => `${[document.title, what].map(slug).filter(Boolean).join("-") || "rochull"}.${ending}`;
function button(text: string, label: string, taken: () => void) {
  return on(html("button", { class: "take", "aria-label": label, title: label }, text), "click", taken);
}

// --- tables ---------------------------------------------------------------------------------------

const MARKS = /[\u061c\u200e\u200f\u2066-\u2069]/g; // of direction, which nobody sees
/** A number with all its digits, without the rounding of sums; a share as a part of 1. */
const plainly = (value: number) => (isFinite(value) ? String(rounded(value, 12)) : value > 0 ? "inf" : "-inf");
const number = (text: string) => (/\d|∞/.test(text) ? (text === "∞" ? Infinity : F.read(text)) : NaN);
/** What a cell says, as one text, or as numbers: the ends of a range, or an estimate and those of its interval. A live number has all its digits; of an outcome the
 *  number of cases is said. */
function said(cell: HTMLTableCellElement): string[] {
  const field = cell.querySelector<HTMLInputElement>("input:not(.limit *)");
  if (field) return [field.value];
  const copy = cell.cloneNode(true) as HTMLTableCellElement;
  for (const mark of copy.querySelectorAll(".mark, .price, .versus, .what, .limit, [hidden]")) mark.remove();
  const live = copy.matches("[data-value]") ? [copy] : [...copy.querySelectorAll<HTMLElement>("[data-value]")];
  const text = copy.textContent!.replace(MARKS, "").replace(/\s+/g, " ").trim();
  const values = live.length === 1 && live[0]!.dataset.value !== "" ? live[0]!.dataset.value!.split(",").map((part) => Number(part))
    : /^[^\p{L}]*$/u.test(text) ? ends(text) : [NaN];
  return values.some(Number.isNaN) ? [text] : values.map(plainly);
}
/** The numbers of a text that is a number, or a range of two: "0.0–13.1 %". */
function ends(text: string): number[] {
  const percent = /[%٪]/.test(text), parts = text.split(/(?<=[\d∞])\s?[–]\s?/);
  return parts.length > 2 ? [NaN] : parts.map((part) => number(percent && !/[%٪]/.test(part) ? `${part}%` : part));
}
/** Cells as CSV (RFC 4180). A spreadsheet would run a text that begins like a formula; one with an apostrophe it shows. */
function csv(rows: string[][]): string {
  const cell = (text: string) => {
    const safe = /^[=+@\t\r-]/.test(text) && !isFinite(Number(text)) ? `'${text}` : text;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  return rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}
/** The rows of a table, one number in a cell: a column that has ranges is two, one with intervals three, and what a row is marked for is one of its own. */
function rowsOf(table: HTMLTableElement): string[][] {
  const seen = [...table.rows].filter((row) => row.closest("thead") || !row.hidden);
  const cells = seen.map((row) => [...row.cells].filter((cell) => !cell.hidden).flatMap((cell) => Array<string[]>(cell.colSpan).fill(said(cell))));
  const width = (cells[0] || []).map((_, j) => max(...cells.map((row) => (row[j] || []).length)));
  const begin = (head: string) => say("expert.take.from", { head }), end = (head: string) => say("expert.take.to", { head }), heads: Record<number, ((head: string) => string)[]> = { 2: [begin, end], 3: [String, begin, end] };
  const marks = seen.some((row) => row.querySelector(".mark"));
  return cells.map((row, i) => {
    const head = seen[i]!.closest("thead");
    const values = row.flatMap((parts, j) => (width[j]! < 2 ? parts : head ? heads[width[j]!]!.map((named) => named(parts[0]!))
      : listOf({ length: width[j]! }, (_, k) => parts[min(k, parts.length - 1)]!)));
    return marks ? [...values, head ? "best" : seen[i]!.querySelector(".mark:not([hidden])") ? "yes" : "no"] : values;
  });
}
/** A button at each of the tables in `root` that has a caption, and none yet. */
function tables(root: ParentNode): void {
  for (const table of root.querySelectorAll<HTMLTableElement>("table:not([data-taken])")) {
    const title = () => {
      const copy = table.caption!.cloneNode(true) as HTMLElement;
      for (const each of copy.querySelectorAll("[hidden]")) each.remove();
      return copy.textContent!.trim();
    };
    if (!table.caption) continue;
    table.dataset.taken = "";
    const made = button("CSV", say("expert.take.save the table as", { x: F.isolated(title()) }), () =>
      rochullSave(named(title(), "csv"), new Blob(["\ufeff", csv(rowsOf(table))], { type: "text/csv" })));
    (table.closest(".scroll") || table).after(html("p", { class: "takes" }, made));
  }
}

// --- charts ---------------------------------------------------------------------------------------

const LOOKS = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-linecap",
  "stroke-linejoin", "opacity", "font-family", "font-size", "font-weight", "text-anchor", "paint-order", "visibility", "display"];
/** A copy that needs no style sheet. */
function plain(node: Element): Element {
  const copy = node.cloneNode(false) as Element;
  for (const name of ["class", "style", "tabindex", "focusable", "aria-hidden"]) copy.removeAttribute(name);
  if (!node.closest("defs")) {
    const style = getComputedStyle(node);
    for (const name of LOOKS) attr(copy, name, style.getPropertyValue(name));
  }
  for (const child of node.childNodes) copy.append(child.nodeType === Node.ELEMENT_NODE ? plain(child as Element) : child.cloneNode());
  return copy;
}
/** The drawing, what moves above it, and the legend below, as one picture. */
function picture(root: HTMLElement, title: string): SVGElement {
  const drawings = [...root.querySelectorAll("svg.rc-drawing")], [first] = drawings;
  const width = Number(first.getAttribute("width")), height = Number(first.getAttribute("height"));
  const style = getComputedStyle(root), ink = { fill: style.color, "font-family": style.fontFamily, "font-size": 13 };
  const samples = [...root.querySelectorAll("svg.rc-sample")].filter((each) => each.checkVisibility());
  const parts: Element[] = [];
  let [x, y] = [8, height + 14];
  for (const sample of samples) {
    const text = sample.parentElement!.textContent!.trim(), long = 46 + 7.5 * text.length;
    if (x > 8 && x + long > width) [x, y] = [8, y + 20];
    const key = plain(sample);
    for (const [name, value] of [["x", x], ["y", y - 10]] as const) attr(key, name, value);
    parts.push(key, svg("text", { ...ink, x: x + 34, y }, text));
    x += long;
  }
  const tall = (parts.length ? y : height) + 14, page = getComputedStyle(document.body).backgroundColor;
  return svg("svg", { xmlns: SVG, width, height: tall, viewBox: `0 0 ${width} ${tall}`, role: "img" },
    svg("title", {}, title), svg("rect", { width, height: tall, fill: page }), ...drawings.map(plain), ...parts);
}
const written = (root: HTMLElement, title: string) => new XMLSerializer().serializeToString(picture(root, title));
function png(root: HTMLElement, title: string, then: (blob: Blob) => void) {
  const image = new Image(), scale = 2;
  on(image, "load", () => {
    const canvas = html("canvas", { width: scale * image.width, height: scale * image.height });
    canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob(then as BlobCallback, "image/png");
  });
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(written(root, title))}`;
}
/** Buttons at a chart; returns it. */
function chart<Made extends { element: HTMLElement }>(made: Made, title: string): Made {
  const root = made.element, type = "image/svg+xml", place = root.querySelector(".rc-plot, .lie");
  if (!place) return made; // a view that is a table
  place.after(html("p", { class: "takes over" },
    button("SVG", say("expert.take.save the chart as", { title }), () => rochullSave(named(title, "svg"), new Blob([written(root, title)], { type }))),
    button("PNG", say("expert.take.save the chart as png", { title }), () => png(root, title, (blob) => rochullSave(named(title, "png"), blob)))));
  return made;
}

export { csv, rowsOf, tables, chart };
