// Moves along operating points of several classes: rochullMulticlass.mount(element, facts) draws the view, page() a whole page.
// Labels are data: they reach the page as text nodes and attribute values only, never as markup. What is computed is in
// multiclass_model.js; an element that shows one of its numbers has it in full as data-value, under the name data-key.
import { around, say } from "./answer/words";
import * as rochullMulticlassAnswer from "./multiclass_answer.js";
import * as rochullMulticlassBatch from "./multiclass_batch.js";
import * as rochullMulticlassCompare from "./multiclass_compare.js";
import { rochullMulticlassCosts } from "./multiclass_costs.js";
import { rochullMulticlassLimits } from "./multiclass_limits.js";
import * as rochullMulticlassLink from "./multiclass_link.js";
import { rochullMulticlassList } from "./multiclass_list.js";
import { rochullMulticlassModel } from "./multiclass_model.js";
import * as rochullPanels from "./multiclass_panels.js";
import { node, on, button, live, term, ordinal } from "./multiclass_parts.js";
import { rochullMulticlassTable } from "./multiclass_table.js";
import { rochullMulticlassTake } from "./multiclass_take.js";
import { rochullMulticlassWords } from "./multiclass_words.js";
import * as F from "./report_format.js";
import * as rochullSort from "./report_sort.js";
import * as rochullTake from "./report_take.js";
import * as rochullTerms from "./report_terms.js";
import * as rochullTheme from "./report_theme.js";
import { assign, fromEntries, max, min } from "./maths";
import { attr, findAll, findOne } from "./report_elements.js";

let mounted = 0;

/** `told` is called after whatever a person changes; `headline` has the answer in one sentence; `rows` hold parts that stand
 *  apart: why, sure and try. */
function mount(root, facts, told = () => {}, headline = null, rows = {}) {
  const data = rochullMulticlassModel(facts), prefix = mounted++, id = (name) => `multiclass-${prefix}-${name}`;
  const verdict = headline || node("p", { class: "verdict" }), traded = document.getElementById("traded") || node("p");
  const names = facts.classes.map((c) => c.name), first = headline && document.getElementById("first"), answer = first ? rochullMulticlassAnswer.bind(first) : () => {};
  const state = Object.defineProperty(data.initial(), "limits", { // those that are on; `held` has those that are off too
    get: () => state.held.filter((limit) => !limit.off), set: (all) => { state.held = all; },
  });
  state.limits = data.initial().limits;
  let found = data.evaluate(state), usual = data.baselines(state), wanted = state.index; // the point that was asked for: limits may keep another one

  // What moves (a handle, a number that is typed) is drawn once a frame; `flush` does it now.
  let frame = 0, due = null;
  function flush() {
    cancelAnimationFrame(frame);
    const act = due;
    [frame, due] = [0, null];
    if (act) act();
  }
  function soon(act) {
    if (due !== draw) due = act; // to draw all draws the point too
    if (!frame) frame = requestAnimationFrame(flush);
    told();
  }
  const redraw = () => {
    due = draw;
    flush();
    told();
  };
  const track = () => (state.only && found.remaining.length ? found.kept : found.order);
  function drag(p) {
    state.index = wanted = p;
    soon(drawPoint);
  }
  function select(p) {
    drag(p);
    flush();
  }

  // --- the parts, which know the view ---------------------------------------------------------------

  const view = { facts, data, names, state, id, track, drag, select, redraw, soon: () => soon(draw), limit: (i, j) => limits.limit(i, j), move: (i, j, by) => limits.move(i, j, by), get found() { return found; } };
  const words = view.words = rochullMulticlassWords(view);
  const table = rochullMulticlassTable(view), limits = rochullMulticlassLimits(view), costs = rochullMulticlassCosts(view);
  const panels = rochullPanels.all(view), list = rochullMulticlassList(view), take = rochullMulticlassTake(view);
  const comparison = node("table", { class: "comparison" }), fillComparison = rochullMulticlassCompare.table(comparison);
  const batch = rochullMulticlassBatch.section(facts.classes, id("batch-file"));

  // --- the operating point -----------------------------------------------------------------------

  const slider = node("input", { type: "range", id: id("slider"), min: 0, step: 1, value: 0, class: "slider" });
  const only = node("input", { type: "checkbox", id: id("only"), checked: state.only });
  const toBest = button("", () => select(found.best), { class: "main" });
  const onlyKept = node("label", {}, only, say("expert.classes.only rules within the"));
  const onChart = node("span", {}, say("expert.classes.small dots break a"));
  const title = node("h2", { id: id("point") }), where = node("div"), place = node("p", { class: "soft" }), goal = node("p", { class: "printed" });
  const bar = [node("span", { class: "bar-rule" }), node("span", { class: "bar-figures" })];
  on(slider, "input", () => drag(track()[Number(slider.value)]));
  on(only, "change", () => {
    state.only = only.checked;
    if (!state.only) wanted = state.index; // what is seen stays
    redraw();
  });
  const step = (by) => () => {
    const line = track(), at = line.indexOf(state.index);
    select(line[min(line.length - 1, max(0, at + by))]);
  };

  function drawPoint() {
    const p = state.index, line = track(), at = line.indexOf(p);
    slider.max = String(line.length - 1);
    slider.value = String(max(at, 0));
    attr(slider, "aria-valuetext", words.said(p));
    const rank = found.kept.indexOf(p) + 1, kept = words.rules(found.kept.length) + (state.limits.length ? say("expert.classes.that keep", { limits: words.limits("all") }) : "");
    title.textContent = called(p).replace(/^./, (first) => first.toUpperCase());
    where.replaceChildren(
      node("p", { class: "where" }, live("strong", "value", found.values[p], words.value(found.values[p])), ` ${words.objective(words.LONG)}${words.per()} `),
      node("p", { class: found.inside[p] ? "kept" : "broken", hidden: found.inside[p] && rank === 0 },
        !found.inside[p] ? say("expert.classes.breaks", { limits: words.limits("a") }) : say("expert.classes.best of", { rank: rank === 1 ? "" : `${ordinal(rank)} `, kept })));
    place.replaceChildren(say("expert.classes.this is"), live("span", "point", p, say("expert.classes.point", { p: F.count(p) })), say("expert.classes.of operating points counted", { k: F.count(data.k) }) +
      `${state.limits.length ? say("expert.classes.without limits it would", { ordinal: ordinal(found.order.indexOf(p) + 1), objective: words.objective() }) : ""}` +
      say("expert.classes.of the weights only", { more: facts.weighted ? "" : say("expert.classes.below each error is", { share: F.share(0.95) }) }),
      ...(facts.weighted ? [] : [state.objective === "expected_cost" ? say("expert.classes.the interval of a") : ""]));
    table.draw(p);
    drawVerdict(p);
    panels.mark();
    list.mark();
    take.draw();
    clearTimeout(waiting);
    waiting = setTimeout(() => batch.show(data.weights[p], facts.weighted ? null : data.confusion[p]), 200); // of many rows it takes longer than a frame
  }
  let waiting = 0;

  /** What the rule at a point is called. */
  const called = (p) => (found.inside[p] ? (p === found.best ? say("expert.classes.the best rule") : say("expert.classes.the selected rule")) : p === found.closest && !found.kept.length ? say("expert.classes.the closest rule") : say("expert.classes.the selected rule"));

  function drawVerdict(p) {
    answer(view, p, usual);
    const text = rochullMulticlassCompare.verdict(view, p, usual);
    if (verdict.textContent !== text) verdict.textContent = text;
    traded.textContent = rochullMulticlassCompare.traded(view, p, usual);
    fillComparison(view, p, called(p), usual);
    const worst = names.map((_, c) => c).sort((a, b) => data.errors[p][b] - data.errors[p][a] || a - b);
    bar[0].textContent = words.bar(p);
    bar[1].textContent = say("expert.classes.bar errors", { errors: worst.map((c) => `\u2068${names[c]}\u2069 ${F.rate(data.errors[p][c])}`).join(" · ") });
  }

  function draw() {
    [found, usual] = [data.evaluate(state), data.baselines(state)];
    state.index = state.only && !found.inside[wanted] ? found.best : wanted; // if none remains the best is the closest
    costs.costs.hidden = state.objective !== "expected_cost";
    limits.update();
    toBest.textContent = found.remaining.length ? say("expert.classes.best rule", { more: state.limits.length ? say("expert.classes.within the limit", { more: state.limits.length > 1 ? "s" : "" }) : "" }) : say("expert.classes.closest to the limits");
    only.checked = state.only;
    onChart.hidden = onlyKept.hidden = state.limits.length === 0;
    goal.replaceChildren(say("expert.classes.to be as small"), node("bdi", {}, words.objective(words.LONG)));
    list.draw();
    rochullSort.again();
    panels.draw();
    drawPoint();
  }

  root.style.setProperty("--classes", data.C);
  const section = (title, name, attributes, ...children) =>
    node("section", { "aria-labelledby": id(name), ...attributes }, node("h2", { id: id(name) }, title), ...children);
  const scroll = (name, ...children) => node("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": name }, ...children);
  /** What stands in a row of its own, if there is one; else here. */
  function apart(name, part) {
    if (!rows[name]) return [part];
    rows[name].append(part);
    rows[name].parentElement.hidden = false;
    return [];
  }
  const reset = button(say("expert.classes.back to the report"), () => set(data.initial()));
  root.replaceChildren(
    ...(headline ? [] : [verdict]),
    node("div", { class: "live" },
      section(say("expert.classes.your assumptions and goal"), "conditions", { class: "conditions" }, reset,
        node("h3", {}, "Limits"), limits.status, limits.list, node("p", { class: "adder" }, node("label", { for: id("chooser") }, say("expert.classes.another limit on")), limits.chooser, limits.add),
        node("h3", {}, "Goal"), node("p", { class: "screen" }, node("label", { for: id("objective") }, say("expert.classes.make as small as")), costs.kind), goal, costs.costs),
      section(say("expert.classes.what the cases of"), "outcomes", { class: "outcomes" },
        table.legend,
        node("div", { class: data.C > 5 ? "scroll many" : "scroll" }, table.matrix)),
      section(say("expert.classes.errors of the classes"), "errors", { class: "charts" }, node("p", { class: "soft" },
        say("expert.classes.each dot is a"), ...(panels.marked ? [say("expert.classes.the diamond the largest")] : []),
        ". ", onChart, say("expert.classes.the line is the"), term(say("expert.classes.pareto front")), say("expert.classes.of those that may"),
        node("span", { class: "screen" }, say("expert.classes.click drag or use"))), panels.element),
      node("section", { "aria-labelledby": id("point"), class: "answer" }, title, where,
        node("div", { class: "controls" },
          node("label", { for: id("slider") }, say("expert.classes.other rules from the")), slider,
          node("span", { class: "buttons" }, button("‹", step(-1), { "aria-label": say("expert.classes.previous rule") }), button("›", step(1), { "aria-label": say("expert.classes.next rule") })),
          toBest, onlyKept),
        node("div", { class: "scroll" }, table.weights),
        node("p", { class: "soft" }, ...around("expert.classes.multiply the outputs a", { term: term(say("expert.classes.class weights")) })),
        node("details", {}, node("summary", {}, say("expert.classes.for experts")), place))),
    ...apart("why", section(say("expert.classes.compared with other rules"), "compared", {}, scroll(say("expert.classes.rules side by side"), comparison))),
    ...(facts.weighted ? [] : apart("sure", scroll(say("page.classes.sure"), table.sure))),
    section(say("expert.classes.other weights"), "remains", {}, node("div", { class: "scroll list-box", tabindex: 0, role: "region", "aria-label": say("expert.classes.rules within the limits") }, list.listing), list.more),
    ...apart("try", section(say("expert.classes.try the rule on"), "batch", { class: "batch" }, ...batch.parts)),
    section(say("expert.classes.take it along"), "along", { class: "screen" }, ...take.parts),
    node("div", { class: "bar", "aria-hidden": "true" }, ...bar));
  costs.draw();
  limits.draw();
  draw();
  for (const each of [root, ...Object.values(rows)]) rochullTake.tables(each);

  function set(changes) { // as if a person had: any of index, objective, only, costs, priors, limits
    assign(state, structuredClone(changes));
    if (changes.index !== undefined || !state.only) wanted = state.index;
    costs.kind.value = state.objective;
    costs.draw();
    limits.draw();
    redraw();
  }
  return {
    select, model: data,
    link: () => (flush(), data.link(state)),
    state: () => (flush(), {
      index: state.index, remaining: found.remaining.slice(), best: found.best, closest: found.closest,
      value: found.values[state.index], python: data.python(state), command: data.commandLine(state),
    }),
    set,
    /** Whether the report's own condition is left. */
    left: () => ["objective", "costs", "priors", "limits"].some((name) => JSON.stringify(state[name]) !== JSON.stringify(data.initial()[name])),
  };
}

// --- a page of its own -----------------------------------------------------------------------------

function page() {
  const facts = JSON.parse(document.getElementById("facts").textContent);
  rochullTheme.bind(document.getElementById("theme"));
  findAll("[data-total]").forEach((element) => {
    const total = element.dataset.total === "all" ? facts.classes.reduce((sum, c) => sum + c.total, 0) : facts.classes[Number(element.dataset.total)].total;
    element.replaceChildren(live("span", `total:${element.dataset.total}`, total, (facts.weighted ? F.threshold : F.count)(total)));
  });
  const main = document.getElementById("multiclass"), notice = document.getElementById("link-notice");
  let timer = 0, write = () => {}, tell = () => {};
  const view = mount(main, facts, () => {
    notice.hidden = true;
    tell();
    clearTimeout(timer);
    timer = setTimeout(() => write(), 300); // when nothing moves any more
  }, document.getElementById("verdict"), fromEntries(["why", "sure", "try"].map((row) => [row, findOne(`#layer-${row} > .body`)])));
  rochullTerms.bind(document.getElementById("told"));
  write = rochullMulticlassLink.bind(view, notice);
  const [own, other] = ["[data-own]", "[data-other]"].map((kind) => findOne(kind));
  tell = () => ([own.hidden, other.hidden] = [view.left(), !view.left()]);
  tell();
  on(document.getElementById("back"), "click", () => view.set(view.model.initial()));
  on(findOne(".skip"), "click", (event) => { // without another address
    event.preventDefault();
    main.closest("details").open = true;
    main.focus();
    main.scrollIntoView();
  });
  return view;
}

export { mount, page };
