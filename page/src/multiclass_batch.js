// A batch of the reader's own: a CSV file with the outputs of the classes, read in the page and sent nowhere, and what the
// rule that is seen would call its cases.
import { around, say } from "./answer/words";
import * as rochullBatch from "./report_batch.js";
import { marked, some } from "./report_batch.js";
import { html } from "./report_elements.js";
import * as rochullExact from "./report_exact.js";
import * as F from "./report_format.js";
import { abs } from "./maths";

const isolated = (text) => `\u2068${text}\u2069`;

/** What a file holds: {size, outputs, absent, label, truth}; the labels are in the first column that has nothing else. */
function read(text, classes) {
  const { sign, rows: [heads = [], ...rows] } = rochullBatch.parse(text), names = classes.map(({ name }) => name);
  const place = (name) => heads.findIndex((head) => head.trim() === name.trim());
  const places = classes.map(({ column }) => place(column));
  const at = heads.findIndex((_, i) => !places.includes(i) && rows.some((row) => (row[i] ?? "").trim() !== "") &&
    rows.every((row) => (row[i] ?? "").trim() === "" || names.includes(row[i].trim())));
  return {
    size: rows.length, absent: classes.filter((_, c) => places[c] < 0).map(({ column }) => column),
    outputs: places.map((i) => Float64Array.from(rows, (row) => rochullBatch.score(row[i] ?? "", sign))),
    label: at < 0 ? null : heads[at].trim(), truth: at < 0 ? null : rows.map((row) => names.indexOf((row[at] ?? "").trim())),
  };
}
/** What weights make of it: how many are called each class, how many have no usable outputs, and the confusion matrix. */
function decide({ size, outputs, truth }, weights) {
  const called = weights.map(() => 0), confusion = weights.map(() => weights.map(() => 0));
  let unusable = 0;
  for (let row = 0; row < size; row += 1) {
    if (!outputs.every((column) => column[row] >= 0 && column[row] < Infinity)) {
      unusable += 1;
      continue;
    }
    let best = 0;
    for (let c = 1; c < weights.length; c += 1) if (weights[c] * outputs[c][row] > weights[best] * outputs[best][row]) best = c;
    called[best] += 1;
    if (truth && truth[row] >= 0) confusion[truth[row]][best] += 1;
  }
  return { called, unusable, confusion: truth && confusion };
}

const total = (row) => row.reduce((a, b) => a + b, 0);
/** Shares of the report and of a batch, [[k, n], [k, n]] each, as far as they differ beyond what chance does to all of them together in
 *  95 % of cases (Newcombe 1998, corrected for continuity; Bonferroni): [{c, theirs, yours}], the largest difference first. */
function apart(pairs) {
  const level = 1 - 0.05 / pairs.length, sure = ([k, n]) => [k / n, ...rochullExact.cautious(k, n, level)];
  return pairs.flatMap(([one, two], c) => {
    if (!one[1] || !two[1]) return [];
    const [theirs, yours] = [sure(one), sure(two)], [low, high] = rochullExact.sumInterval([1, yours], [-1, theirs]);
    return low > 0 || high < 0 ? [{ c, theirs: theirs[0], yours: yours[0] }] : [];
  }).sort((a, b) => abs(b.yours - b.theirs) - abs(a.yours - a.theirs));
}
/** The verdict: whether a point does with a batch what it does with the report's cases, whose confusion matrix is `counts`. */
function verdict(names, { called, confusion }, counts) {
  const size = total(called), all = total(counts.map(total));
  const shares = apart(names.map((_, c) => [[total(counts.map((row) => row[c])), all], [called[c], size]]));
  const errors = confusion && apart(names.map((_, c) => [counts, confusion].map((matrix) => [total(matrix[c]) - matrix[c][c], total(matrix[c])])));
  const told = (found, text) => found.map(({ c, theirs, yours }) => text(isolated(names[c]), F.rate(yours), F.rate(theirs))).join("; ");
  const n = confusion ? total(confusion.map(total)) : 0;
  return [
    ...(size ? [shares.length ? marked(true, say("expert.classes batch.this rule calls your"), say("expert.classes batch.beyond chance this report", { told: told(shares, (name, yours, theirs) => say("expert.classes batch.of yours are called", { yours, name, theirs })) }))
      : marked(false, say("expert.classes batch.this rule calls each"), say("expert.classes batch.as far as can", { some: some(size, "case") }))] : []),
    ...(n ? [errors.length ? marked(true, say("expert.classes batch.errors are other than"), say("expert.classes batch.beyond chance", { told: told(errors, (name, yours, theirs) => say("expert.classes batch.of are called another", { yours, name, theirs })) }))
      : marked(false, say("expert.classes batch.the errors of all"), say("expert.classes batch.as far as with", { some: some(n, "case") }))] : []),
  ];
}

/** The section's parts; `show` fills them for other weights, and its confusion matrix if that is counts. */
function section(classes, id) {
  const names = classes.map(({ name }) => name), said = html("p", { role: "status", class: "batch-said" }), first = html("div", { role: "status" });
  const input = html("input", { type: "file", id, accept: ".csv,.txt,.tsv,text/csv" });
  const caption = html("caption", {}, say("expert.classes batch.what this rule does")), table = html("table", { class: "small" }, caption);
  const box = html("div", { hidden: true }, html("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": say("expert.classes batch.your own cases") }, table));
  let batch = null, name = "", last = null, known = null;
  const label = (text) => html("bdi", {}, text), head = (...children) => html("th", { scope: "col" }, ...children);
  function words({ called, unusable, confusion }) {
    const some = called.map((n, c) => `${isolated(names[c])} ${F.count(n)}`).join(", ");
    const gaps = unusable ? say("expert.classes batch.lack an output that", { unusable: F.count(unusable) }) : "";
    return say("expert.classes batch.of the cases in", { size: F.count(batch.size), name: isolated(name), some, gaps }) +
      (confusion ? say("expert.classes batch.the column has their", { label: isolated(batch.label) }) : "");
  }
  function show(weights = last, counts = known) {
    [last, known] = [weights, counts];
    if (!batch || !last) return; // the page has not begun: it will ask again
    if (batch.absent.length) {
      said.textContent = say("expert.classes batch.has no column named", { name: isolated(name), columns: batch.absent.map(isolated).join(say("page.or")) });
      box.hidden = true;
      first.replaceChildren();
      return;
    }
    const found = decide(batch, weights);
    said.textContent = words(found);
    first.replaceChildren(...(counts ? verdict(names, found, counts) : []));
    box.hidden = !found.confusion;
    if (!found.confusion) return;
    table.replaceChildren(caption,
      html("thead", {}, html("tr", {}, html("th", { scope: "col", class: "text" }, "class"), ...names.map((each) => head(...around("answer.classes.called", { name: label(each) }))), head("error"), ...(counts ? [head(say("expert.classes batch.error in this report"))] : []))),
      html("tbody", {}, ...names.map((each, i) => {
        const row = found.confusion[i], errors = [row, ...(counts ? [counts[i]] : [])].map((all) => (total(all) ? (total(all) - all[i]) / total(all) : null));
        return html("tr", {}, html("th", { scope: "row" }, label(each)), ...row.map((n) => html("td", { "data-value": n }, F.count(n))),
          ...errors.map((error) => html("td", { "data-value": error ?? "" }, F.rate(error))));
      })));
  }
  rochullBatch.opened(input, (text, title) => {
    [batch, name] = [read(text, classes), title];
    show();
  });
  const columns = listed(classes.map(({ column }) => column));
  return {
    show, parts: [
      html("p", { class: "soft" }, say("expert.classes batch.open a csv file"), ...columns, say("expert.classes batch.and their classes in")),
      html("p", { class: "screen" }, html("label", { for: id }, say("expert.classes batch.csv file")), input), first, said, box,
    ],
  };
}
const listed = (names) => names.flatMap((name, i) => [...(i ? [i === names.length - 1 ? say("page.and") : ", "] : []), html("bdi", {}, name)]);

export { read, decide, apart, section };
