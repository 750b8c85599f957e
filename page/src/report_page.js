// The page: one state, and everything that shows it. Every live number stands in an element with a data-key, its
// data-value being the number with all its digits ("low,high" for a range, "" for none) and its text the rounded one.
// rochullReport.set(state) does what a person could; rochullReport.state and .result tell what is seen.
import { say } from "./answer/words";
import { mount } from "./answer/Answer.tsx";
import { mount as mountGoal } from "./experts/Goal.tsx";
import { mount as mountPanel } from "./experts/Panel.tsx";
import { draw as drawRule } from "./experts/RuleLine.tsx";
import { create } from "./store";
import * as rochullBatch from "./report_batch.js";
import * as rochullCharts from "./report_charts.js";
import * as rochullCompare from "./report_compare.js";
import * as C from "./report_controls.js";
import * as rochullCurves from "./report_curves.js";
import * as rochullDominance from "./report_dominance.js";
import * as rochullExport from "./report_export.js";
import * as rochullFacts from "./report_facts.js";
import * as F from "./report_format.js";
import * as rochullLosses from "./report_losses.js";
import * as rochullModel from "./report_model.js";
import * as rochullPair from "./report_pair.js";
import * as rochullParts from "./report_parts.js";
import * as R from "./report_reviewed.js";
import { inWords } from "./report_rule.js";
import * as rochullSections from "./report_sections.js";
import * as rochullShares from "./report_shares.js";
import * as rochullSort from "./report_sort.js";
import * as rochullTabs from "./report_tabs.js";
import * as rochullTake from "./report_take.js";
import * as rochullTerms from "./report_terms.js";
import * as rochullTheme from "./report_theme.js";
import * as rochullTyped from "./report_typed.js";
import * as rochullViews from "./report_views.js";
import { byId, findAll, findOne, html, on, put } from "./report_elements.js";
import { assign, entries, isArray, isFinite, rounded } from "./maths";

export const rochullReport = () => {
  const facts = rochullFacts.read();
  const model = rochullModel.create(facts);
  const views = rochullViews.create(model, facts);
  const own = facts.condition || facts.review ? model.initial() : null;
  const holdsSingle = own !== null && Boolean(JSON.parse(facts.deploy?.policy ?? "{}").singles); // the policy, that of the condition
  const first = facts.review ? "reviews" : views.names[0].id;
  const store = create(model, { reviews: Boolean(facts.review), view: first }, update);
  let showGoal = null, compare = null;
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

  // --- the answer -----------------------------------------------------------------------------------

  live.adopt(document);
  const bar = { rule: findOne("#bar .bar-rule"), figures: findOne("#bar .bar-figures"),
    unused: html("span", { class: "bar-unused", hidden: true }) };
  bar.rule.before(bar.unused);
  const plain = findAll("[data-plain]"); // that rules are compared without reviews
  const [owned, others] = ["[data-own]", "[data-other]"].map((kind) => [...findAll(kind)]);
  const losses = rochullLosses.bind(live, facts), place = byId("outcomes").querySelector("[data-view]"), classes = [...place.children].map((name) => name.textContent);
  place.replaceChildren();
  const showPanel = mountPanel(facts, classes);
  /** A line that is there when there is something to say. */
  function notice(id, before) {
    const made = html("p", { id, class: "notice", hidden: true });
    before.after(made);
    return (text) => {
      made.hidden = text === "";
      put(made, text);
    };
  }
  const sayLink = notice("link-notice", findOne("#conditions > .line"));
  const sameRules = (one, other) => one.rules.length === other.rules.length && one.fpr === other.fpr && one.tpr === other.tpr;
  /** Limits, a range and other goals are answered without reviews. */
  const isPlain = ({ goal, within, ...state }) => goal === "cost" && !Object.keys(within || {}).length && ![state.cost_fn, state.prevalence].some(isArray);
  /** The answer with reviews, where people decide some cases; else null. */
  const reviewed = () => (store.state.goal === "report" ? facts.review && views.reviewed(store.state) : store.reviews && isPlain(store.state) ? views.reviewed(store.state) : null);
  const isOwn = () => own !== null && store.cut === null && keyFigures(store.state) === keyFigures(own) && (facts.review
    ? reviewed() !== null && JSON.stringify(views.asked) === JSON.stringify(R.begun(facts)) : reviewed() === null);
  /** Whether what is seen is what the answer was written for: the same, or what the page begins with where nobody asked. */
  const begun = model.initial(), isBegun = () => (own === null ? store.cut === null && reviewed() === null && keyFigures(store.state) === keyFigures(begun) : isOwn());
  /** What of a state its condition is made of, as text. */
  function keyFigures(given) {
    const keys = given.goal === "cost" ? ["cost_fp", "cost_fn"] : [C.keyOf(given.goal)];
    return JSON.stringify([given.goal, given.prevalence, given.mixtures !== false, ...keys.map((key) => given[key]), rochullTyped.limitsOf(given)]);
  }

  function showAnswer() {
    const { state, result } = store, { chosen, single } = result, withReviews = reviewed(), mine = isOwn(), { unit } = compare.scale;
    bar.unused.hidden = store.unused === null;
    put(bar.unused, store.unused === null ? "" : say("expert.page.not used", { unused: store.unused }));
    byId("open-rule").disabled = !result.feasible || withReviews !== null;
    byId("unmoved").hidden = state.goal !== "report";
    byId("rule-why").hidden = withReviews === null;
    for (const id of ["alone", "compare", "shares"]) byId(id).hidden = Boolean(result.told); // of rules without reviews, which there are none then
    for (const node of plain) node.hidden = !withReviews && !facts.review;
    byId("compare-plain").hidden = !withReviews;
    const isPriced = state.goal === "cost" || (state.goal === "report" && (facts.condition?.slope ?? null) !== null);
    const isFree = isPriced && !result.interval && !rochullTyped.limitCount(state); // a vertex is best
    const oneEach = state.mixtures === false && !isFree;
    byId("alone-mixed").hidden = oneEach || isFree || (state.goal === "report" && state.own.sure !== null);
    byId("alone-single").hidden = !oneEach;
    const differs = Boolean(single && chosen && !sameRules(single, chosen)), isAsked = own !== null && keyFigures({ ...state, mixtures: own.mixtures }) === keyFigures(own);
    showPanel({
      state, result, reviewed: withReviews, unused: store.unused, words: words(withReviews), own: mine, differs, today: compare.outcomes(state), scale: compare.scale,
      ends: rochullCurves.intervals(model, facts, state, chosen), atData: state.prevalence === model.prevalence,
      ofReviews: withReviews && R.intervals(model, facts, state, withReviews),
      further: withReviews && state.goal !== "report" ? R.further(withReviews, views.asked, state, unit) : "",
      gaps: (differs || (chosen && state.mixtures === false)) && !isFree ? F.gaps(facts.singles, isAsked && !result.interval) : "",
    });
    compare.notes(state, result);
    byId("policy-single").hidden = !chosen || chosen.single === undefined || (holdsSingle && isAsked); // the policy holds that of the report's condition
    put(bar.rule, chosen ? inWords(chosen) : result.message);
    put(bar.figures, chosen ? `caught ${F.rate(chosen.tpr)}${result.positive_rate === null ? "" : ` · flagged ${F.rates(result.positive_rate)}`}${result.expected_cost === null ? "" : ` · cost ${F.numbers(result.expected_cost)}`}` : "");
    if (withReviews) sayReviewed(withReviews);
    for (const node of owned) node.hidden = !mine;
    for (const node of others) node.hidden = mine;
  }

  /** The answer with reviews as a row beside rules without. */
  const rivalOf = (found) => found && R.figures(found);
  /** The condition, with what is asked of reviews. */
  const words = (withReviews) => (withReviews && store.state.goal !== "report"
    ? `${C.words(R.single(store.state))}; ${C.reviewWords(views.asked)}` : C.words(store.state));
  /** The line at the foot of a small screen, with reviews. */
  function sayReviewed(found) {
    const { review_rate: share, tpr, expected_cost: cost } = found;
    byId("limit-note").hidden = true; // limits do not apply to reviews
    put(bar.rule, R.reviewing(facts.positive, found.rules));
    put(bar.figures, `reviewed ${F.rate(share)} · caught ${F.rate(tpr)} · cost ${F.number(cost)}`);
  }

  /** Of ranges, the numbers at which views are drawn that need one number. */
  function showMiddle() {
    const { cost_fn: fn, prevalence: p } = store.state, varies = (value) => isArray(value) && value[0] !== value[1];
    const said = [...(varies(p) ? [`${F.share(rounded(rochullCurves.middle(p), 6))} positive`] : []),
      ...(varies(fn) ? [say("expert.page.a miss cost of", { fn: F.number(rochullCurves.middle(fn)) })] : [])];
    byId("drawn-at").hidden = !said.length;
    put(byId("drawn-at"), said.length ? say("expert.page.where a chart needs", { numbers: said.join(", ") }) : "");
  }

  // --- the views ------------------------------------------------------------------------------------

  const mounted = new Map(); // id -> {panel, chart, stale}
  let tabs = null;
  function makeTabs() {
    tabs = rochullTabs.create(byId("tabs"), byId("more-views"), views.names, (id) => {
      quiet = false;
      choose(id);
    });
    for (const { id, about } of views.names) {
      const panel = html("div", { id: `view-${id}`, class: "chart view", hidden: true, role: "tabpanel", "aria-labelledby": `tab-${id}` });
      if (about) panel.append(rochullCharts.html("p", { class: "about" }, about));
      byId("views").append(panel);
      mounted.set(id, { panel, chart: null, stale: true });
    }
  }
  function choose(id) {
    store.put({ view: id });
    for (const [each, { panel }] of mounted) panel.hidden = each !== id;
    tabs.show(id);
    const shown = mounted.get(id);
    if (shown.chart === null) shown.chart = views.mount(shown.panel, id);
    else shown.chart.resize();
    shown.chart.update(store.state, store.result);
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
      if (isFinite(threshold)) pin({ classifier, threshold });
      return;
    }
    const { state } = store, p = isArray(state.prevalence) ? state.prevalence[0] : state.prevalence, ratio = rochullCurves.ratioAt(model.union, v, p);
    if (ratio === null) return;
    set({ ...state, goal: "cost", cost_fp: 1, cost_fn: ratio, prevalence: p, within: {} });
    sayClicked(`A miss now costs ${F.number(ratio)} and a false alarm ${F.number(1)}, because you clicked a point: under these costs it is best.`, () => set(state));
  }
  /** That a click has changed the costs, and what undoes it; empty if none has. */
  function sayClicked(text, undo = null) {
    const place = byId("clicked"), [said, button] = place.children;
    place.hidden = text === "";
    put(said, text);
    button.onclick = undo;
  }

  // --- from a change to what is seen: at most once a frame ---------------------------------------------

  let timer = 0;
  let showBatch = () => {}, showShares = () => {};
  const parts = rochullParts.create(), showDominance = rochullDominance.bind(facts);
  function update(now) {
    for (const [id, each] of mounted) {
      if (id === store.view && each.chart) each.chart.update(store.state, store.result);
      else each.stale = true;
    }
    showGoal(store.state);
    showAnswer();
    showMiddle();
    parts.show(now);
    later();
  }
  let answered = null; // shows the first screen
  function showFirst() {
    const withReviews = reviewed();
    answered ??= mount({ facts, model, change: (next) => C.valid(next) && take(next, false), cut: setCut, review: setReview, get asked() { return views.asked; } });
    answered({ state: store.state, result: store.result, hand: store.cut !== null, own: isBegun(),
      reviewed: withReviews && { ...withReviews, ...R.figures(withReviews), whole: (size) => R.whole(withReviews, size) } });
  }
  /** Set the threshold by hand, or again to the best. */
  function setCut(next) {
    quiet = false;
    store.change({ cut: next });
  }
  /** Let people decide some cases, {cost, most}, which needs costs alone; null for nobody. */
  function setReview(asked) {
    views.review = asked;
    store.put({ reviews: asked !== null, cut: null });
    take(asked || store.state.goal === "report" ? R.single(store.state) : store.state, false);
  }
  function changed(next, why, dragged) {
    quiet = false;
    sayLink("");
    sayClicked("");
    store.change({ state: next, unused: why }, { all: !dragged });
  }
  /** What the reader changed beside the condition. */
  function touched() {
    quiet = false;
    mounted.get(store.view).chart?.update(store.state, store.result);
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
      showBatch(store.result, store.state, reviewed() !== null); // of many rows it takes longer than a frame
      showShares(store.state);
      if (quiet) return;
      writeLink();
      put(byId("said"), aloud());
    }, 500);
  }
  function aloud() {
    const { chosen } = store.result;
    if (store.unused !== null) return say("expert.page.not used", { unused: store.unused });
    if (reviewed() || !chosen) return reviewed() ? R.reviewing(facts.positive, reviewed().rules) : store.result.message;
    const cost = store.result.expected_cost === null ? "" : say("expert.page.expected cost per case", { expected_cost: F.numbers(store.result.expected_cost) });
    return say("expert.page.true positive rate false", { chosen: inWords(chosen), tpr: F.rate(chosen.tpr), fpr: F.rate(chosen.fpr), cost });
  }

  // --- the link: a bookmark keeps the condition ---------------------------------------------------------

  function writeLink(replaced = false) {
    const today = compare && compare.pinned, placeText = ({ threshold, classifier }) => `${threshold}:${encodeURIComponent(facts.classifiers[classifier].name)}`;
    const pinned = today ? `&today=${placeText(today)}` : "";
    const { cost, most } = views.asked, review = store.reviews ? `&review=${cost}:${most}` : "";
    const set = store.cut, cut = set ? `&cut=${placeText(set)}` : "";
    const link = `#${C.link(store.state)}&view=${store.view}${review}${cut}${pinned}${SEGMENTS && views.pair ? rochullPair.link(views.pair) : ""}`;
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
    if (found) return { state: found, view: asked ? asked.id : store.view, today: placeOf(given.get("today")), cut: placeOf(given.get("cut")), review: C.linkedReview(given.get("review")), pair: SEGMENTS ? rochullPair.linked(given, facts) : given.has("pair") ? undefined : null };
    const text = say("expert.page.the link to this", { otherwise });
    sayLink(text);
    put(byId("said"), text);
    writeLink(true); // so that it can be copied again
    return null;
  }
  /** Whether the link's choice of two segments was understood. */
  const sayPair = ({ pair }) => pair === undefined && sayLink("The link’s choice of two segments cannot be read; the page begins with the largest two.");
  function placeOf(text) {
    const [, threshold, name] = /^([^:]+):([^]+)$/.exec(text || "") || [], classifier = model.names.indexOf(name);
    return classifier >= 0 && isFinite(Number(threshold)) ? { classifier, threshold: Number(threshold) } : null;
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

  function take(next, now) {
    quiet = false;
    sayLink("");
    sayClicked("");
    store.change({ state: C.settled(next), unused: null }, { now });
  }
  function set(next) {
    if (!C.valid(next)) throw new Error("This is no state: a goal and numbers, as in rochullReport.state.");
    take(next, true);
  }
  function begin() {
    const asked = readLink(own ? say("expert.page.the condition is the") : say("expert.page.the condition is the one"));
    if (asked) {
      store.put({ state: asked.state, view: asked.view, cut: asked.cut, reviews: asked.review !== null });
      [views.review, views.pair] = [asked.review, asked.pair];
    }
    compare = rochullCompare.create(model, facts, touched);
    if (asked) compare.pin(asked.today);
    showGoal = mountGoal(byId("goal"), store.state, model.isUnasked, changed);
    for (const id of ["live", "alone", "points", "shares"]) byId(id).hidden = false;
    if (byId("calibration-section")) byId("calibration-section").hidden = false;
    rochullSections.places(facts);
    rochullSections.localise(document);
    rochullTheme.bind(byId("theme"));
    rochullTerms.bind(byId("told"));
    makeTabs();
    showBatch = rochullBatch.bind(model, facts, classes, (yours) => {
      views.yours = yours;
      mounted.get(store.view).chart?.update(store.state, store.result);
    });
    showShares = rochullShares.bind(model, byId("shares"), inWords);
    const showSegments = rochullSections.segments(model, views, facts, live, isBegun, () => store.cut && store.result.chosen?.rules[0]);
    const below = { compare: () => compare.update(store.state, store.result, rivalOf(reviewed())), alone: () => losses.show(store.result), segments: () => showSegments(store.state),
      "dominance-words": () => showDominance(store.state, store.result) };
    for (const table of findAll("[data-sort]")) rochullSort.bind(table);
    if (facts.answer) parts.add(byId("first"), showFirst);
    for (const [id, show] of entries(below)) if (byId(id)) parts.add(byId(id).closest("section"), show);
    update(true);
    rochullTake.tables(byId("main"));
    if (byId("experts").open) choose(store.view);
    else on(byId("experts"), "toggle", () => choose(store.view), { once: true }); // no chart before it can be seen
    if (asked) sayPair(asked);
    assign(views, { onselect: select, onpin: pin, onpair: () => { quiet = false; later(); }, onreview: (asked) => setReview(asked), isReviewing: () => reviewed() !== null, pinned: () => compare.pinned });
    const restart = () => {
      store.put({ cut: null, reviews: Boolean(facts.review) });
      views.review = null;
      set(model.initial());
      choose(facts.review ? first : store.view);
    };
    for (const id of ["reset", "back"]) if (byId(id)) on(byId(id), "click", restart);
    rochullLosses.foldNever(facts, losses.rows);
    on(document, "click", follow);
    on(window, "hashchange", () => {
      const start = { state: model.initial(), view: first, today: null, cut: null, review: facts.review && R.begun(facts), pair: null };
      const found = location.hash === "" ? start : readLink(say("expert.page.the condition is as"));
      if (!found) return;
      compare.pin(found.today);
      [views.review, views.pair] = [found.review, found.pair];
      store.put({ cut: found.cut, reviews: found.review !== null });
      set(found.state);
      choose(found.view);
      sayPair(found);
    });
    const now = () => ({ state: store.state, result: store.result, review: store.reviews && store.state.goal !== "report" ? views.asked : null });
    rochullExport.dialogs({ model, facts, now, showRule: (node) => drawRule(store.result.chosen, node) });
    rochullSections.pointsTable(model, facts.hybrid.owners, byId("points-details"));
    rochullSections.scoresTable(model, facts, byId("scores-details"));
    for (const details of findAll("[data-blocks]")) rochullSections.blocksTable(model, details);
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
      if (own) own.mixtures = model.initial().mixtures;
      if (!new URLSearchParams(location.hash.slice(1)).has("goal")) store.put({ state: { ...store.state, mixtures: model.initial().mixtures } });
      store.change({ state: store.state }, { now: true });
    },
    pin: (asked) => compare.pin(asked),
    get state() { return structuredClone(store.state); },
    get result() { return store.result; },
    get view() { return store.view; },
    get chart() {
      if (!mounted.get(store.view).chart) choose(store.view);
      return mounted.get(store.view).chart;
    },
  };
};
