// The page: one state, and everything that shows it. Every live number stands in an element with a data-key, its
// data-value being the number with all its digits ("low,high" for a range, "" for none) and its text the rounded one.
// rochullReport.set(state) does what a person could; rochullReport.state and .result tell what is seen.
import { mount } from "./answer/Answer.tsx";
import { rochullActions } from "./report_actions.js";
import { rochullBatch } from "./report_batch.js";
import { rochullCells } from "./report_cells.js";
import { rochullCharts } from "./report_charts.js";
import { rochullCompare } from "./report_compare.js";
import { rochullControls } from "./report_controls.js";
import { rochullCurves } from "./report_curves.js";
import { rochullDominance } from "./report_dominance.js";
import { rochullExport } from "./report_export.js";
import { rochullFacts } from "./report_facts.js";
import { rochullFormat } from "./report_format.js";
import { rochullLosses } from "./report_losses.js";
import { rochullModel } from "./report_model.js";
import { rochullOutcomes } from "./report_outcomes.js";
import { rochullPair } from "./report_pair.js";
import { rochullParts } from "./report_parts.js";
import { rochullReviewed } from "./report_reviewed.js";
import { rochullRule } from "./report_rule.js";
import { rochullSections } from "./report_sections.js";
import { rochullShares } from "./report_shares.js";
import { rochullSort } from "./report_sort.js";
import { rochullTabs } from "./report_tabs.js";
import { rochullTake } from "./report_take.js";
import { rochullTerms } from "./report_terms.js";
import { rochullTheme } from "./report_theme.js";
import { rochullTyped } from "./report_typed.js";
import { rochullViews } from "./report_views.js";

export const rochullReport = () => {
  const F = rochullFormat, C = rochullControls;
  const byId = (id) => document.getElementById(id);
  const facts = rochullFacts.read();
  const model = rochullModel.create(facts);
  const views = rochullViews.create(model, facts);
  const own = facts.condition || facts.review ? model.initial() : null;
  const holdsSingle = own !== null && Boolean(JSON.parse(facts.deploy?.policy ?? "{}").singles); // the policy, that of the condition
  const first = facts.review ? "reviews" : views.names[0].id;
  let state = model.initial(), result = null, controls = null, compare = null;
  let cut = null; // the threshold that was set by hand, {classifier, threshold}, instead of the best
  let unused = null; // why what a field holds is not part of the state
  // Counts of cases mean something unless the examples are weighted, or there are none.
  model.counted = Boolean(facts.examples && !facts.examples.weighted);

  // --- live numbers ---------------------------------------------------------------------------------

  const live = (() => {
    const found = new Map(); // key -> {node, value, text}
    const adopt = (root) => {
      for (const node of root.querySelectorAll("[data-key]")) found.set(node.dataset.key, { node, value: null, text: null });
    };
    function write(key, value, text) {
      const place = found.get(key);
      if (place === undefined) return;
      const full = value === null || value === undefined ? "" : String(value);
      if (place.value !== full) place.node.dataset.value = place.value = full;
      if (place.text !== text) place.node.textContent = place.text = text;
    }
    return { adopt, write };
  })();
  const put = (node, text) => { if (node.textContent !== text) node.textContent = text; };
  const ruleLine = rochullRule.lines(live), { inWords, isRounded } = rochullRule;

  // --- the answer -----------------------------------------------------------------------------------

  live.adopt(document);
  const writeRule = ruleLine(byId("rule"), Object.fromEntries(["threshold:0", "threshold:1", "probability:0", "probability:1"].map((key) => [key, key])));
  const writeSingle = ruleLine(byId("single-rule"), { "threshold:0": "single_threshold" });
  const bar = { rule: document.querySelector("#bar .bar-rule"), figures: document.querySelector("#bar .bar-figures"),
    unused: document.createElement("span") };
  bar.unused.className = "bar-unused";
  bar.unused.hidden = true;
  bar.rule.before(bar.unused);
  const answer = byId("answer"), amounts = answer.querySelectorAll("[data-amount]"), names = byId("optimal");
  const plain = document.querySelectorAll("[data-plain]"); // that rules are compared without reviews
  const [owned, others] = ["[data-own]", "[data-other]"].map((kind) => [...document.querySelectorAll(kind)]);
  const outcomes = rochullOutcomes.bind(live, facts), showActions = rochullActions.bind(model, facts), losses = rochullLosses.bind(live);
  /** A line that is there when there is something to say. */
  function notice(id, before) {
    const made = document.createElement("p");
    Object.assign(made, { id, className: "notice", hidden: true });
    before.after(made);
    return (text) => {
      made.hidden = text === "";
      put(made, text);
    };
  }
  const sayUnused = notice("unused", byId("condition-words"));
  const sayVerdict = notice("unused-verdict", byId("meaning"));
  const sayLink = notice("link-notice", document.querySelector("#conditions > .line"));
  const FIGURES = Object.fromEntries(facts.numbers.map(({ key, share }) => [key, share ? F.rates : F.numbers]));
  Object.assign(FIGURES, { slope: F.numbers, probability_cost: F.numbers });
  const sameRules = (one, other) => one.rules.length === other.rules.length && one.fpr === other.fpr && one.tpr === other.tpr;
  /** The answer with reviews, while that is what is seen; else null. */
  const reviewed = () => (state.goal === "report" ? facts.review && views.reviewed(state) : view === "reviews" ? views.reviewed(state) : null);
  const isOwn = () => own !== null && cut === null && keyFigures(state) === keyFigures(own) && (facts.review
    ? reviewed() !== null && JSON.stringify(views.asked) === JSON.stringify(rochullReviewed.begun(facts)) : reviewed() === null);
  /** What of a state its condition is made of, as text. */
  function keyFigures(given) {
    const keys = given.goal === "cost" ? ["cost_fp", "cost_fn"] : [C.keyOf(given.goal)];
    return JSON.stringify([given.goal, given.prevalence, given.mixtures !== false, ...keys.map((key) => given[key]), rochullTyped.limitsOf(given)]);
  }

  function showAnswer() {
    const { unit } = compare.scale;
    const { chosen, single } = result, withReviews = reviewed(), feasible = result.feasible && withReviews === null;
    put(byId("condition-words"), `${words(withReviews)}.`);
    put(byId("answer-kind"), withReviews ? "The best rule with reviews" : result.interval ? "The rule whose worst extra cost is smallest" : `The best rule${facts.review ? " without reviews" : ""}${chosen && chosen.rules.length > 1 ? ", which draws some cases at random" : ""}`);
    byId("infeasible").hidden = feasible || withReviews !== null;
    put(byId("infeasible"), feasible ? "" : result.message);
    sayUnused(unused === null ? "" : `This answer does not use all that you typed. ${unused}`);
    sayVerdict(unused === null ? "" : `The sentence above does not use all that you typed. ${unused}`);
    answer.classList.toggle("stale", unused !== null);
    bar.unused.hidden = unused === null;
    put(bar.unused, unused === null ? "" : `Not used: ${unused}`);
    byId("feasible").hidden = !feasible;
    byId("open-rule").disabled = !feasible;
    byId("unmoved").hidden = state.goal !== "report";
    byId("rule-why").hidden = withReviews === null;
    for (const id of ["alone", "compare", "shares"]) byId(id).hidden = Boolean(result.told); // of rules without reviews, which there are none then
    for (const node of plain) node.hidden = !withReviews && !facts.review;
    byId("compare-plain").hidden = !withReviews;
    answer.classList.toggle("range", result.interval);
    writeRule(chosen);
    live.write("fpr", chosen && chosen.fpr, F.rate(chosen && chosen.fpr));
    live.write("tpr", chosen && chosen.tpr, F.rate(chosen && chosen.tpr));
    for (const [key, format] of Object.entries(FIGURES)) live.write(key, result[key], `${format(result[key])}${key === "expected_cost" && result[key] !== null ? unit : ""}`);
    for (const node of amounts) node.hidden = result.expected_cost === null && result[node.dataset.amount] === null;
    outcomes.show(result, unused !== null, state, compare.outcomes(state), compare.scale);
    showActions(withReviews, state, compare.scale);
    byId("verdict").classList.toggle("stale", unused !== null);
    const isPriced = state.goal === "cost" || (state.goal === "report" && (facts.condition?.slope ?? null) !== null);
    const isFree = isPriced && !result.interval && !rochullTyped.limitCount(state); // a vertex is best
    const oneEach = state.mixtures === false && !isFree;
    byId("alone-mixed").hidden = oneEach || isFree || (state.goal === "report" && state.own.sure !== null);
    byId("alone-single").hidden = !oneEach;
    const told = facts.chosen && isOwn() ? facts.uncertainty : null;
    outcomes.sure(rochullCurves.intervals(model, facts, state, chosen), FIGURES, chosen, told, result, state.prevalence === model.prevalence);
    byId("rounded").hidden = ![chosen, single].some(isRounded);
    put(byId("all-digits"), isRounded(chosen) ? `With all digits ${F.allDigits(chosen)}.` : "");
    for (const id of ["wilson-costs", "wilson-but"]) byId(id).hidden = result.expected_cost === null;
    byId("slopes").hidden = result.slope === null;
    byId("intervals").hidden = !result.interval || result.measure !== "expected cost";
    byId("optimal-part").hidden = !result.optimal;
    put(byId("optimal-where"), (result.optimal || []).length === 1 ? "Throughout" : "Somewhere in");
    live.write("worst", result.worst, `${F.number(result.worst)}${unit}`);
    const list = (result.optimal || []).join("\u0000");
    if (names.dataset.list !== list) {
      names.dataset.list = list;
      const nodes = (result.optimal || []).flatMap((each, i) => {
        const bold = Object.assign(document.createElement("bdi"), { textContent: each });
        return i ? [", ", bold] : [bold];
      });
      names.replaceChildren(...(nodes.length ? nodes : ["no classifier"]));
    }
    const differs = Boolean(single && chosen && !sameRules(single, chosen));
    byId("single").hidden = !differs;
    byId("single-tick").hidden = state.goal === "report"; // whose limits the controls may not be able to set
    byId("single-ask").hidden = state.goal !== "report";
    writeSingle(single);
    const kept = own !== null && !result.interval && keyFigures({ ...state, mixtures: own.mixtures }) === keyFigures(own);
    const between = (differs || (chosen && state.mixtures === false)) && !isFree;
    put(byId("singles-told"), between ? F.gaps(facts.singles, kept) : "");
    byId("singles-told").hidden = !byId("singles-told").textContent;
    live.write("single_fpr", single && single.fpr, F.rate(single && single.fpr));
    live.write("single_tpr", single && single.tpr, F.rate(single && single.tpr));
    compare.headline(state, result, isOwn() ? facts.need : null);
    const isHeld = holdsSingle && keyFigures({ ...state, mixtures: own.mixtures }) === keyFigures(own);
    byId("policy-single").hidden = !chosen || chosen.single === undefined || isHeld; // the policy holds that of the report's condition
    put(bar.rule, chosen ? inWords(chosen) : result.message);
    put(bar.figures, chosen ? `caught ${F.rate(chosen.tpr)}${result.positive_rate === null ? "" : ` · flagged ${F.rates(result.positive_rate)}`}${result.expected_cost === null ? "" : ` · cost ${F.numbers(result.expected_cost)}`}` : "");
    if (withReviews) sayReviewed(withReviews);
    else if (facts.review && chosen) put(byId("verdict"), `Without reviews: ${lower(byId("verdict").textContent)}`);
    const mine = isOwn();
    for (const node of owned) node.hidden = !mine;
    for (const node of others) node.hidden = mine;
  }

  /** The answer with reviews as a row beside rules without. */
  const rivalOf = (found) => found && rochullReviewed.figures(found);
  const lower = (text) => text.replace(/^./, (first) => first.toLowerCase());
  /** The condition, with what is asked of reviews. */
  const words = (withReviews) => (withReviews && state.goal !== "report"
    ? `${C.words(rochullReviewed.single(state))}; ${C.reviewWords(views.asked)}` : C.words(state));
  /** The headline with reviews, and the line at the foot of a small screen. */
  function sayReviewed(found) {
    const { review_rate: share, tpr, expected_cost: cost } = found, { scale } = compare;
    byId("limit-note").hidden = true; // limits do not apply to reviews
    if (state.goal !== "report") {
      const said = rochullReviewed.verdict(facts.positive, found, views.asked, state, scale, facts.examples && facts.examples.prevalence), isSet = views.review || facts.review;
      put(byId("verdict"), isSet ? said : `If a review cost ${F.number(views.asked.cost)}${scale.unit} (enter your own number): ${lower(said)}`);
      put(byId("meaning"), rochullCompare.meaning(facts, { ...rochullReviewed.single(state), review: views.asked }, scale.unit, found.rules));
    }
    put(bar.rule, rochullReviewed.reviewing(facts.positive, found.rules));
    put(bar.figures, `reviewed ${F.rate(share)} · caught ${F.rate(tpr)} · cost ${F.number(cost)}`);
  }

  /** Of ranges, the numbers at which views are drawn that need one number. */
  function showMiddle() {
    const { cost_fn: fn, prevalence: p } = state, varies = (value) => Array.isArray(value) && value[0] !== value[1];
    const said = [...(varies(p) ? [`${F.share(Number(rochullCurves.middle(p).toPrecision(6)))} positive`] : []),
      ...(varies(fn) ? [`a miss cost of ${F.number(rochullCurves.middle(fn))}`] : [])];
    byId("drawn-at").hidden = !said.length;
    put(byId("drawn-at"), said.length ? `Where a chart needs one number, it takes the middle of your range: ${said.join(", ")}.` : "");
  }

  // --- the views ------------------------------------------------------------------------------------

  const mounted = new Map(); // id -> {panel, chart, stale}
  let view = first, tabs = null;
  function makeTabs() {
    tabs = rochullTabs.create(byId("tabs"), byId("more-views"), views.names, (id) => {
      quiet = false;
      choose(id);
    });
    for (const { id, about } of views.names) {
      const panel = document.createElement("div");
      Object.assign(panel, { id: `view-${id}`, className: "chart view" });
      panel.setAttribute("role", "tabpanel");
      panel.setAttribute("aria-labelledby", `tab-${id}`);
      if (about) panel.append(rochullCharts.html("p", { class: "about" }, about));
      byId("views").append(panel);
      mounted.set(id, { panel, chart: null, stale: true });
    }
  }
  function choose(id) {
    view = id;
    for (const [each, { panel }] of mounted) panel.hidden = each !== id;
    tabs.show(id);
    const shown = mounted.get(id);
    if (shown.chart === null) shown.chart = views.mount(shown.panel, id);
    else shown.chart.resize();
    shown.chart.update(state, result);
    shown.stale = false;
    showAnswer(); // with reviews, or without
    parts.show(false);
    later();
  }
  /** Choosing a vertex of the hull asks for the costs under which it is best: the middle of its slopes. One of a
   *  classifier's own hull is pinned, as the rule of today. */
  function select(v, classifier = -1) {
    if (classifier >= 0) {
      const threshold = Number(facts.classifiers[classifier].hull.thresholds[v]);
      if (Number.isFinite(threshold)) pin({ classifier, threshold });
      return;
    }
    const p = Array.isArray(state.prevalence) ? state.prevalence[0] : state.prevalence, ratio = rochullCurves.ratioAt(model.union, v, p), before = state;
    if (ratio === null) return;
    set({ ...state, goal: "cost", cost_fp: 1, cost_fn: ratio, prevalence: p, within: {} });
    sayClicked(`A miss now costs ${F.number(ratio)} and a false alarm ${F.number(1)}, because you clicked a point: under these costs it is best.`, () => set(before));
  }
  /** That a click has changed the costs, and what undoes it; empty if none has. */
  function sayClicked(text, undo = null) {
    const place = byId("clicked"), [said, button] = place.children;
    place.hidden = text === "";
    put(said, text);
    button.onclick = undo;
  }

  // --- from a change to what is seen: at most once a frame ---------------------------------------------

  let frame = 0, timer = 0, whole = false; // whether parts that are out of sight follow too
  let showCells = () => {}, showBatch = () => {}, showShares = () => {};
  const parts = rochullParts.create(), showDominance = rochullDominance.bind(facts.dominance.rows);
  function update(now) {
    [frame, whole] = [0, false];
    result = model.evaluate(state, cut);
    showFirst();
    for (const [id, each] of mounted) {
      if (id === view && each.chart) each.chart.update(state, result);
      else each.stale = true;
    }
    showAnswer();
    showMiddle();
    showCells(state);
    parts.show(now);
    later();
  }
  let answered = null; // shows the first screen
  function showFirst() {
    if (!facts.answer) return;
    answered ??= mount({ facts, model, change: (next) => C.valid(next) && soon(() => take(next)), cut: (next) => soon(() => { cut = next; }) });
    answered({ state, result, hand: cut !== null, own: isOwn() });
  }
  /** Change something, and show it in the next frame. */
  function soon(change) {
    change();
    quiet = false;
    if (!frame) frame = requestAnimationFrame(() => update(whole));
  }
  function changed(next, why, dragged) {
    [state, unused] = [next, why];
    quiet = false;
    whole ||= !dragged;
    sayLink("");
    sayClicked("");
    if (!frame) frame = requestAnimationFrame(() => update(whole));
  }
  /** What the reader changed beside the condition. */
  function touched() {
    quiet = false;
    mounted.get(view).chart.update(state, result);
    showAnswer();
    parts.show(false);
    later();
  }
  function pin(asked) {
    compare.pin(asked);
    touched();
  }
  /** What waits until nothing has moved for a while: the link, the order of rows, what is said aloud. */
  let quiet = true; // until somebody has changed something
  function later() {
    clearTimeout(timer);
    timer = setTimeout(() => {
      parts.settle();
      rochullSort.again();
      showBatch(result, state, reviewed() !== null); // of many rows it takes longer than a frame
      showShares(state);
      if (quiet) return;
      writeLink();
      put(byId("said"), aloud());
    }, 500);
  }
  function aloud() {
    const { chosen } = result;
    if (unused !== null) return `Not used: ${unused}`;
    if (reviewed() || !chosen) return reviewed() ? byId("verdict").textContent : result.message;
    const cost = result.expected_cost === null ? "" : `, expected cost ${F.numbers(result.expected_cost)} per case`;
    return `${inWords(chosen)}: true positive rate ${F.rate(chosen.tpr)}, false positive rate ${F.rate(chosen.fpr)}${cost}.`;
  }

  // --- the link: a bookmark keeps the condition ---------------------------------------------------------

  function writeLink(replaced = false) {
    const today = compare && compare.pinned;
    const pinned = today ? `&today=${today.threshold}:${encodeURIComponent(facts.classifiers[today.classifier].name)}` : "";
    const asked = views.review, review = asked ? `&review=${asked.cost}:${asked.most}` : "";
    const link = `#${C.link(state)}&view=${view}${review}${pinned}${views.pair ? rochullPair.link(views.pair) : ""}`;
    if (location.hash === link) return;
    try {
      history[replaced ? "replaceState" : "pushState"](null, "", link); // Back undoes
    } catch {
      // a page in a frame may have no address
    }
  }
  /** The state and view that the address tells; null if it tells none. `otherwise` says what holds if it cannot be read. */
  function readLink(otherwise) {
    const hash = location.hash.slice(1);
    if (hash === "" || byId(hash)) return null;
    const given = new URLSearchParams(hash), found = C.linked(given, model.initial());
    const asked = views.names.find(({ id }) => id === given.get("view"));
    if (found) return { state: found, view: asked ? asked.id : view, today: todayOf(given.get("today")), review: C.linkedReview(given.get("review")), pair: rochullPair.linked(given, facts) };
    const text = `The link to this page holds no condition that can be read; ${otherwise}.`;
    sayLink(text);
    put(byId("said"), text);
    writeLink(true); // so that it can be copied again
    return null;
  }
  /** Whether the link's choice of two segments was understood. */
  const sayPair = ({ pair }) => pair === undefined && sayLink("The link’s choice of two segments cannot be read; the page begins with the largest two.");
  function todayOf(text) {
    const [, threshold, name] = /^([^:]+):([^]+)$/.exec(text || "") || [], classifier = model.names.indexOf(name);
    return classifier >= 0 && Number.isFinite(Number(threshold)) ? { classifier, threshold: Number(threshold) } : null;
  }
  /** A link to a place in the page goes there without taking the condition out of the address. */
  function follow(event) {
    const link = event.target.closest('a[href^="#"]'), to = link && byId(link.hash.slice(1));
    if (!to || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    if (!to.hasAttribute("tabindex")) to.tabIndex = -1;
    if (to.closest("details")) to.closest("details").open = true;
    to.focus({ preventScroll: true });
    to.scrollIntoView();
  }

  // --- begin ----------------------------------------------------------------------------------------

  function take(next) {
    controls.set(next);
    [state, unused, quiet] = [controls.state(), null, false];
    sayLink("");
    sayClicked("");
  }
  function set(next) {
    if (!C.valid(next)) throw new Error("This is no state: a goal and numbers, as in rochullReport.state.");
    take(next);
    cancelAnimationFrame(frame);
    update(true);
  }
  function begin() {
    const asked = readLink(own ? "the condition is the report’s own" : "the condition is the one that the page begins with");
    if (asked) ({ state, view, review: views.review, pair: views.pair } = asked);
    compare = rochullCompare.create(model, facts, touched);
    if (asked) compare.pin(asked.today);
    controls = C.create(byId("conditions"), state, changed, model.isUnasked);
    showCells = rochullCells.bind(controls.limit);
    if (own !== null && byId("own")) byId("own").hidden = true;
    for (const id of ["live", "alone", "points", "shares"]) byId(id).hidden = false;
    if (byId("calibration-section")) byId("calibration-section").hidden = false;
    rochullSections.localise(document);
    rochullTheme.bind(byId("theme"));
    rochullTake.tables(byId("main"));
    rochullTerms.bind(byId("told"));
    makeTabs();
    showBatch = rochullBatch.bind(model, facts, (yours) => {
      views.yours = yours;
      mounted.get(view).chart.update(state, result);
    });
    showShares = rochullShares.bind(model, byId("shares"), inWords);
    const showSegments = rochullSections.segments(model, views, facts, live);
    const below = { compare: () => compare.update(state, result, rivalOf(reviewed())), alone: () => losses.show(result), segments: () => showSegments(state),
      "dominance-words": () => showDominance(state, result) };
    for (const table of document.querySelectorAll("[data-sort]")) rochullSort.bind(table);
    for (const [id, show] of Object.entries(below)) if (byId(id)) parts.add(byId(id).closest("section"), show);
    update(true);
    choose(view);
    if (asked) sayPair(asked);
    Object.assign(views, { onselect: select, onpin: pin, onpair: () => { quiet = false; later(); }, onreview: () => (state.goal === "report" ? set({ ...state, goal: "cost" }) : touched()), pinned: () => compare.pinned });
    const restart = () => {
      cut = null;
      views.review = null;
      set(model.initial());
      choose(facts.review || view === "reviews" ? first : view);
    };
    for (const id of ["reset", "back"]) byId(id)?.addEventListener("click", restart);
    rochullOutcomes.foldNever(facts, losses.rows);
    document.addEventListener("click", follow);
    window.addEventListener("hashchange", () => {
      const start = { state: model.initial(), view: first, today: null, review: null, pair: null };
      const found = location.hash === "" ? start : readLink("the condition is as it was");
      if (!found) return;
      compare.pin(found.today);
      [views.review, views.pair] = [found.review, found.pair];
      set(found.state);
      choose(found.view);
      sayPair(found);
    });
    const now = () => ({ state, result, review: view === "reviews" && state.goal !== "report" ? views.asked : null });
    rochullExport.dialogs({ model, facts, now, writeRule: (node) => ruleLine(node, {})(result.chosen) });
    rochullSections.pointsTable(model, facts.hybrid.owners, byId("points-details"));
    rochullSections.scoresTable(model, facts, byId("scores-details"));
    for (const details of document.querySelectorAll("[data-blocks]")) rochullSections.blocksTable(model, details);
    const calibrations = rochullSections.calibrations(views);
    rochullSections.printing(views, now, () => {
      parts.settle();
      calibrations();
    });
  }
  begin();

  return {
    set, choose, model, views, facts,
    allow() { // as if the report had been asked for mixtures of two rules from the start
      model.allow();
      if (own) own.mixtures = facts.mixtures;
      if (!new URLSearchParams(location.hash.slice(1)).has("goal")) controls.set((state = { ...state, mixtures: facts.mixtures }));
      update(true);
    },
    pin: (asked) => compare.pin(asked), verdict: (given, asked = model.evaluate(given)) => rochullCompare.verdict(facts.positive, given, asked, { savings: model.savings, figures: (point) => model.figures(given, point), past: facts.examples && facts.examples.prevalence, sure: rochullCurves.intervals(model, facts, given, asked.chosen)?.expected_cost }),
    get state() { return structuredClone(state); },
    get result() { return result; },
    get view() { return view; },
    get chart() { return mounted.get(view).chart; },
  };
};
