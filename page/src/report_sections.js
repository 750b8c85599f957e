// The parts of the page below the decision: numbers in the reader's locale, tables made when they are opened, charts
// drawn when they come into view, thresholds by segment, and what is printed.
import { say } from "./answer/words";
import { showFair } from "./answer/Answer";
import { isApart } from "./answer/Fair";
import { draw as drawApart } from "./experts/Apart.tsx";
import * as rochullCharts from "./report_charts.js";
import * as F from "./report_format.js";
import * as rochullSort from "./report_sort.js";
import * as rochullTake from "./report_take.js";
import { attr, byId, findAll, findOne, named, on } from "./report_elements.js";
import { assign, listOf } from "./maths";
import { isCut } from "./report_format.js";

const element = rochullCharts.html;

function name(text) {
  return element("bdi", {}, text);
}
function table(caption, heads, rows) {
  const head = element("tr", {}, ...heads.map(([text, kind]) => element("th", kind ? { scope: "col", class: kind } : { scope: "col" }, text)));
  const body = element("tbody", {});
  for (const cells of rows) {
    const row = element("tr", {});
    cells.forEach((cell, i) => row.append(filled(element("td", heads[i][1] ? { class: heads[i][1] } : {}), cell)));
    body.append(row);
  }
  const made = element("table", {}, element("caption", {}, caption), element("thead", {}, head), body);
  return element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption }, made);
}
/** A cell of nodes, or of {text, value}: a number with all its digits, or the two of a range. */
function filled(made, cell) {
  if (cell.value === undefined) made.append(...[cell].flat());
  else assign(made, { textContent: cell.text }).dataset.value = String(cell.value);
  return made;
}
const ruleNodes = (rule) => (isCut(rule) ? [name(rule.classifier), ` ${F.sign(rule)} ${F.threshold(rule.threshold, rule.lower_is_positive)}`] : [rule.kind === "never" ? say("expert.charts.flag no case") : say("expert.charts.flag every case")]);

/** Numbers that Python has written, in the reader's locale; names stand elsewhere. */
function localise(root) {
  for (const holder of root.querySelectorAll("[data-number], [data-numbers] td")) {
    const texts = document.createTreeWalker(holder, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      // A comma before a space divides numbers, and is no part of one.
      const text = texts.currentNode.data.split(/(, )/).map((part) => F.localised(part)).join("");
      if (text !== texts.currentNode.data) texts.currentNode.data = text;
    }
  }
}

/** Fill a details element when it is first opened. */
function onOpening(details, fill) {
  const once = () => {
    if (details.dataset.filled) return;
    details.dataset.filled = "yes";
    fill();
    rochullTake.tables(details);
  };
  on(details, "toggle", () => { if (details.open) once(); });
}

function pointsTable(model, owners, details) {
  onOpening(details, () => {
    const { fpr, tpr, fp, tp } = model.union, counted = model.counted;
    const rows = listOf(fpr, (_, v) => [
      ...[fpr[v], tpr[v]].map((value) => ({ text: F.rate(value), value })),
      ...(counted ? [fp[v], tp[v]].map((value) => ({ text: F.count(value), value })) : []),
      owners[v].flatMap((rule, i) => (i ? [" or ", ...ruleNodes(rule)] : ruleNodes(rule))),
    ]);
    const heads = [["FPR"], ["TPR"], ...(counted ? [[say("expert.sections.false positives")], [say("expert.sections.true positives")]] : []), [say("expert.sections.rules that reach it"), "text"]];
    details.append(table(say("expert.sections.operating points of the"), heads, rows));
  });
}

/** How the scores lie; the terminal's is in score_wording.py. */
function scoresTable(model, { classifiers }, details) {
  if (details) onOpening(details, () => {
    const cell = (value, format = F.number) => ({ text: format(value), value: value ?? "" });
    const rows = classifiers.flatMap(({ name: own, scores }, i) => {
      const ends = model.scores(i);
      return ends ? [[name(own), cell(scores?.distinct, F.count), ...[ends[0], scores?.negatives.median, scores?.positives.median, ends[1]].map((value) => cell(value))]] : [];
    });
    const made = table(say("report.scores.title"), [["classifier", "text"], ...["distinct", "least", say("report.scores.negatives"), say("report.scores.positives"), "greatest"].map((text) => [text])], rows);
    rochullSort.bind(made.firstChild);
    details.append(made);
  });
}
function blocksTable(model, details) {
  const i = Number(details.dataset.blocks);
  onOpening(details, () => {
    const blocks = model.blocks(i), size = model.counted ? F.count : F.number;
    const rows = listOf(blocks.low, (low, b) => [
      { text: F.numbers([low, blocks.high[b]]), value: [low, blocks.high[b]].map(Number) },
      ...[blocks.pos[b], blocks.neg[b]].map((value) => ({ text: size(value), value })),
      { text: F.rate(blocks.posterior[b]), value: blocks.posterior[b] },
    ]);
    const caption = element("span", {}, say("expert.sections.steps of 5"), name(model.names[i]));
    const made = table("", [["scores"], ["positive"], ["negative"], [say("expert.sections.share positive")]], rows);
    attr(made, "aria-label", say("expert.sections.steps of", { names: F.isolated(model.names[i]) }));
    made.querySelector("caption").append(caption);
    details.append(made);
  });
}

/** A place for the calibration chart of each classifier that has one, and for its steps. */
function places({ classifiers }) {
  findOne("#calibration-section > .grid")?.append(...classifiers.flatMap(({ name: own, calibration }, i) => (calibration ? [element("section", {},
    element("h3", {}, named(own, i)), element("div", { class: "chart calibration", "data-calibration": i }),
    element("details", { "data-blocks": i }, element("summary", {}, say("expert.sections.steps as a table", { n: calibration.high.length }))))] : [])));
}
/** Draw the calibration charts as they come near the window, and the others one by one when there is nothing else
 *  to do, for whoever captures or saves the whole page; all of them at once for paper. */
function calibrations(views) {
  const waiting = new Map();
  for (const holder of findAll("[data-calibration]")) {
    waiting.set(holder, () => views.calibration(holder, Number(holder.dataset.calibration)));
  }
  const draw = (holder) => {
    const make = waiting.get(holder);
    if (!make) return;
    waiting.delete(holder);
    seen.unobserve(holder);
    make();
  };
  const seen = new IntersectionObserver((entries) => {
    for (const entry of entries) if (entry.isIntersecting) draw(entry.target);
  }, { rootMargin: "300px" });
  for (const holder of waiting.keys()) seen.observe(holder);
  // At the latest after a while: a page that draws no frame may be told of no idle time.
  const idle = (then) => (window.requestIdleCallback ? requestIdleCallback(then, { timeout: 500 }) : setTimeout(then, 200));
  const next = () => {
    const [holder] = waiting.keys();
    if (holder === undefined) return;
    draw(holder);
    idle(next);
  };
  const row = byId("experts"), begin = () => requestAnimationFrame(() => idle(next)); // the page itself is painted first
  if (row.open) begin();
  else on(row, "toggle", begin, { once: true });
  return () => [...waiting.keys()].forEach(draw);
}

/** The thresholds of the segments under the present condition, and the bent curve. */
function apart(model, views, facts, isBegun, cut) {
  if (!facts.segments) return () => {};
  const figure = byId("bent-figure"), found = model.segments;
  figure.hidden = false;
  const chart = views.bent(byId("bent"));
  if (!found) {
    const why = byId("segments-why");
    why.hidden = !facts.segments.live_why;
    why.textContent = facts.segments.live_why || "";
    return (state) => chart.update(state, null);
  }
  const fixed = [...findAll("[data-static-segments]")], place = byId("segments-live"), caption = place.textContent.trim();
  place.replaceChildren();
  return (state) => {
    const result = found.evaluate(state), isFixed = state.goal === "report"; // as the report tells it
    for (const part of fixed) part.hidden = !isFixed;
    place.hidden = isFixed;
    const set = cut(); // of another classifier's segments nothing is known
    if (facts.answer) showFair(byId("fair"), found.names, set ? found.at(set) : result.rows, facts.answer, isBegun() && isApart(facts.answer), Boolean(set));
    drawApart({ ...facts.segments.live, lower: facts.segments.lower_is_positive, caption, result });
    chart.update(state, result);
  };
}

const segments = SEGMENTS ? apart : () => () => {};

/** All views on paper, made just before printing and taken away after it. */
function printing(views, now, drawAll) {
  const place = byId("printed");
  let charts = [], folded = [];
  const begin = () => {
    if (charts.length) return;
    drawAll();
    folded = [...findAll(".expert:not([open])")];
    for (const each of folded) each.open = true;
    place.classList.add("measuring"); // it has no size on a screen, and charts need one
    for (const { id, title } of views.names) {
      const box = element("div", { class: "chart view" });
      place.append(element("figure", {}, element("h3", {}, title), box));
      const chart = views.mount(box, id);
      charts.push(chart);
      chart.update(now().state, now().result);
    }
    place.classList.remove("measuring");
  };
  const end = () => {
    for (const chart of charts) chart.destroy();
    charts = [];
    place.replaceChildren();
    for (const each of folded) each.open = false;
    folded = [];
  };
  on(window, "beforeprint", begin);
  on(window, "afterprint", end);
  const paper = window.matchMedia("print");
  on(paper, "change", () => (paper.matches ? begin() : end()));
}

export { localise, pointsTable, scoresTable, blocksTable, places, calibrations, segments, printing, ruleNodes };
