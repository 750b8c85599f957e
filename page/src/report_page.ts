// The page: one state, and everything that shows it. Every live number stands in an element with a data-key, its
// data-value being the number with all its digits ("low,high" for a range, "" for none) and its text the rounded one.
// rochullReport.set(state) does what a person could; rochullReport.state and .result tell what is seen.
import { say } from "./answer/words";
import { mount } from "./answer/Answer";
import { draw as drawAlone } from "./experts/Alone";
import { draw as drawBar } from "./experts/Bar";
import { draw as drawBatch, outcome } from "./experts/Batch";
import { draw as drawCharts } from "./experts/Charts";
import { mount as mountDominance } from "./experts/Dominance";
import { mount as mountGoal } from "./experts/Goal";
import { bind as bindDialogs } from "./experts/Dialogs";
import { bind as bindOpened } from "./experts/Opened";
import { mount as mountPanel } from "./experts/Panel";
import { draw as drawShares } from "./experts/Shares";
import { draw as drawCompare } from "./experts/Compare";
import { scaleOf } from "./experts/shown";
import { create } from "./store";
import * as rochullCompare from "./report_compare";
import * as C from "./report_controls";
import * as rochullCurves from "./report_curves";
import * as rochullFacts from "./report_unpack";
import * as F from "./report_format";
import * as rochullModel from "./report_model";
import * as rochullPair from "./report_pair";
import * as rochullParts from "./report_parts";
import * as R from "./report_reviewed";
import { inWords } from "./report_rule";
import * as rochullSections from "./report_sections";
import * as rochullSort from "./report_sort";
import * as rochullTake from "./report_take";
import * as rochullTerms from "./report_terms";
import * as rochullTheme from "./report_theme";
import * as rochullTyped from "./report_typed";
import * as rochullViews from "./report_views";
import { byId, findAll, on, put } from "./report_elements";
import type { Point, Reviewing, State } from "./answer/numbers";
import type { Host } from "./answer/Answer";
import type { Chart } from "./report_charts";
import type { Pair } from "./experts/Pair";
import type { Answer } from "./report_found";
import type { Placed } from "./report_known";
import type { Cut, Store, Today } from "./store";
import { assign, entries, isArray, isFinite } from "./maths";

declare const SEGMENTS: boolean; // whether the page is built for them

type Reviewed = R.Reviewed & { outcomes: NonNullable<R.Reviewed["outcomes"]> };
type Change = Parameters<Store<State, Answer>["put"]>[0];

export const rochullReport = () => {
  const facts = rochullFacts.read();
  const model = rochullModel.create(facts) as rochullModel.Model & { counted: boolean };
  const views = rochullViews.create(model, facts);
  const own = facts.condition || facts.review ? model.initial() : null;
  const holdsSingle = own !== null && Boolean(JSON.parse(facts.deploy?.policy ?? "{}").singles); // the policy, that of the condition
  const first = facts.review ? "reviews" : views.names[0].id;
  const store = create(model, { review: facts.review && R.begun(facts), view: first }, update);
  let showGoal: ReturnType<typeof mountGoal> | null = null;
  // Counts of cases mean something unless the examples are weighted, or there are none.
  model.counted = Boolean(facts.examples && !facts.examples.weighted);

  // --- the answer -----------------------------------------------------------------------------------

  const place = byId("outcomes").querySelector("[data-view]")!, classes = [...place.children].map((name) => name.textContent!);
  place.replaceChildren();
  const showPanel = mountPanel(facts as Parameters<typeof mountPanel>[0], classes);
  /** The reader's rule of today, as a point; null without one. */
  const current = ({ today } = store) => (today && today.classifier !== null && model.ruleAt(today.classifier, today.threshold)) as Placed | null;
  const ownBeaten = byId("beaten").textContent!;
  const sameRules = (one: Point, other: Point) => one.rules.length === other.rules.length && one.fpr === other.fpr && one.tpr === other.tpr;
  /** Limits, a range and other goals are answered without reviews. */
  const isPlain = ({ goal, within, ...state }: State) => goal === "cost" && !Object.keys(within || {}).length && ![state.cost_fn, state.prevalence].some(isArray);
  /** The answer with reviews, where people decide some cases; else null. */
  const reviewed = () => (store.state.goal === "report" ? facts.review && views.reviewed(store.state) : store.review && isPlain(store.state) ? views.reviewed(store.state) : null) as Reviewed | null;
  const isOwn = () => own !== null && store.cut === null && keyFigures(store.state) === keyFigures(own) && (facts.review
    ? reviewed() !== null && JSON.stringify(views.asked) === JSON.stringify(R.begun(facts)) : reviewed() === null);
  /** Whether what is seen is what the answer was written for: the same, or what the page begins with where nobody asked. */
  const begun = model.initial(), isBegun = () => (own === null ? store.cut === null && reviewed() === null && keyFigures(store.state) === keyFigures(begun) : isOwn());
  /** What of a state its condition is made of, as text. */
  function keyFigures(given: State): string {
    const keys = given.goal === "cost" ? ["cost_fp", "cost_fn"] : [C.keyOf(given.goal)];
    return JSON.stringify([given.goal, given.prevalence, given.mixtures !== false, ...keys.map((key) => given[key]), rochullTyped.limitsOf(given)]);
  }

  /** Whether it is the report's own condition that is asked about, by mixtures or without. */
  const isAsked = () => own !== null && keyFigures({ ...store.state, mixtures: own.mixtures }) === keyFigures(own);
  /** Whether a vertex is best, so that there is nothing to mix. */
  const isFree = ({ state, result } = store) => (state.goal === "cost" || (state.goal === "report" && (facts.condition?.slope ?? null) !== null)) && !result.interval && !rochullTyped.limitCount(state);
  function showAlone() {
    const { state, result } = store, more = isFree() ? null : state.mixtures === false ? "single" : state.goal === "report" && state.own!.sure !== null ? null : "mixed";
    drawAlone({ classifiers: facts.classifiers, result, more, plain: Boolean(reviewed() || facts.review) });
  }
  function showAnswer() {
    const { state, result } = store, { chosen, single } = result, withReviews = reviewed(), mine = isOwn(), scale = scaleOf(store), point = current();
    (byId("open-rule") as HTMLButtonElement).disabled = !result.feasible || withReviews !== null;
    const differs = Boolean(single && chosen && !sameRules(single, chosen));
    showPanel({
      state, result, reviewed: withReviews, unused: store.unused, words: words(withReviews), own: mine, differs, today: point && model.figures(state, point).confusion, scale,
      ends: rochullCurves.intervals(model, facts, state, chosen), atData: state.prevalence === model.prevalence,
      ofReviews: withReviews && R.intervals(model, facts, state, withReviews),
      further: withReviews && state.goal !== "report" ? R.further(withReviews, views.asked, state, scale.unit) : "",
      gaps: (differs || (chosen && state.mixtures === false)) && !isFree() ? F.gaps(facts.singles, isAsked() && !result.interval) : "",
    });
    const hidden: Record<string, boolean> = { // of what Python wrote
      "[data-own]": !mine, "[data-other]": mine, "#unmoved": state.goal !== "report", "#rule-why": !withReviews,
      "#alone, #compare, #shares": result.told as boolean, "[data-plain]": !withReviews && !facts.review, // of rules without reviews, which there are none then
    };
    for (const [selector, isHidden] of entries(hidden)) for (const node of findAll(selector)) node.hidden = isHidden;
    const texts: Record<string, string> = {
      "link-notice": store.notice, "limit-note": withReviews ? "" : rochullCompare.limited(model, facts.positive, state, result), // limits do not apply to reviews
      beaten: state.goal === "report" ? ownBeaten : rochullCompare.beaten(model, facts.positive, state, result, point && { kind: "today", ...model.judged(state, point) }),
    };
    for (const [id, text] of entries(texts)) {
      byId(id).hidden = !text;
      put(byId(id), text);
    }
    drawBar({ result, reviewed: withReviews, unused: store.unused, positive: facts.positive });
    if (!(byId("shares") as HTMLDetailsElement).open) showShares(); // its heading alone, which takes no time
  }

  /** The answer with reviews as a row beside rules without. */
  const rivalOf = (found: Reviewed | null) => found && R.figures(found);
  /** The condition, with what is asked of reviews. */
  const words = (withReviews: Reviewed | null) => (withReviews && store.state.goal !== "report"
    ? `${C.words(R.single(store.state))}; ${C.reviewWords(views.asked)}` : C.words(store.state));
  // --- the views ------------------------------------------------------------------------------------

  const charts = new Map<string, Chart<State, Answer>>(); // those that have been seen, by their ids
  const showCharts = () => drawCharts({ ...store, names: views.names, mount: views.mount, charts, choose: (id) => {
    quiet = false;
    choose(id);
  } });
  const choose = (view: string) => store.change({ view, isSeen: true }, { all: false, now: true });
  /** Choosing a vertex of the hull asks for the costs under which it is best: the middle of its slopes. One of a
   *  classifier's own hull is pinned, as the rule of today. */
  function select(v: number, classifier = -1): void {
    if (classifier >= 0) {
      const threshold = Number(facts.classifiers[classifier].hull.thresholds[v]);
      if (isFinite(threshold)) pin({ classifier, threshold });
      return;
    }
    const { state } = store, p = isArray(state.prevalence) ? state.prevalence[0] : state.prevalence, ratio = rochullCurves.ratioAt(model.union, v, p);
    if (ratio === null) return;
    set({ ...state, goal: "cost", cost_fp: 1, cost_fn: ratio, prevalence: p, within: {} });
    store.put({ clicked: { text: say("expert.charts.clicked", { ratio: F.number(ratio), one: F.number(1) }), undo: () => set(state) } });
    showCharts();
  }

  // --- from a change to what is seen: at most once a frame ---------------------------------------------

  let timer = 0;
  const showShares = () => drawShares(model, store.state, Boolean(reviewed() || facts.review));
  const parts = rochullParts.create(), showDominance = mountDominance(facts);
  function update(now: boolean): void {
    showCharts();
    showGoal!(store.state);
    showAnswer();
    parts.show(now);
    later();
  }
  let answered: ReturnType<typeof mount> | null = null; // shows the first screen
  function showFirst() {
    const withReviews = reviewed();
    answered ??= mount({ facts: facts as unknown as Host["facts"], model, change: (next) => C.valid(next) && take(next, false), cut: setCut, review: setReview, get asked() { return views.asked; } });
    answered({ state: store.state, result: store.result, hand: store.cut !== null, own: isBegun(),
      reviewed: withReviews && { ...withReviews, ...R.figures(withReviews), whole: (size) => R.whole(withReviews, size) } });
  }
  /** Set the threshold by hand, or again to the best. */
  function setCut(next: Cut | null): void {
    quiet = false;
    store.change({ cut: next });
  }
  /** Let people decide some cases, {cost, most}, which needs costs alone; null for nobody. */
  function setReview(asked: Reviewing | null): void {
    store.put({ review: asked, cut: null });
    take(asked || store.state.goal === "report" ? R.single(store.state) : store.state, false);
  }
  function changed(next: State, why: string | null, dragged: boolean): void {
    quiet = false;
    store.change({ state: next, unused: why, clicked: null, notice: "" }, { all: !dragged });
  }
  /** What the reader changed beside the condition; `all` but while something is dragged. */
  function touched(more: Change, all = true): void {
    quiet = false;
    store.change(more, { all, now: true });
  }
  let yours: NonNullable<ReturnType<typeof outcome>>["yours"] = null; // what the rule did on the reader's own cases, as it was last counted
  function showBatch() {
    const made = outcome({ ...store, model, facts });
    drawBatch({ ...store, model, facts, classes, made, reviewed: reviewed() !== null, change: (more) => {
      store.put(more);
      showBatch();
    } });
    yours = made && made.yours;
    if (made) showCharts();
  }
  const pin = (today: Today) => touched({ today }, false);
  const showCompare = () => drawCompare({ ...store, model, facts, reviewed: rivalOf(reviewed()), point: current(), scale: scaleOf(store), change: touched });
  /** What waits until nothing has moved for a while: the link, the order of rows, what is said aloud. */
  let quiet = true; // until somebody has changed something
  function later() {
    clearTimeout(timer);
    timer = setTimeout(() => {
      parts.settle();
      rochullSort.again();
      showBatch(); // of many rows it takes longer than a frame
      showShares();
      if (quiet) return;
      writeLink();
      put(byId("said"), aloud());
    }, 500);
  }
  function aloud(): string {
    const { chosen } = store.result;
    if (store.unused !== null) return say("expert.page.not used", { unused: store.unused });
    if (reviewed() || !chosen) return reviewed() ? R.reviewing(facts.positive, reviewed()!.rules) : store.result.message!;
    const cost = store.result.expected_cost === null ? "" : say("expert.page.expected cost per case", { expected_cost: F.numbers(store.result.expected_cost) });
    return say("expert.page.true positive rate false", { chosen: inWords(chosen), tpr: F.rate(chosen.tpr), fpr: F.rate(chosen.fpr), cost });
  }

  // --- the link: a bookmark keeps the condition ---------------------------------------------------------

  function writeLink(replaced = false) {
    const today = views.pinned(), placeText = ({ threshold, classifier }: { threshold: number; classifier: number | null }) => `${threshold}:${encodeURIComponent(facts.classifiers[classifier!].name)}`;
    const pinned = today ? `&today=${placeText(today)}` : "";
    const { cost, most } = views.asked, review = store.review ? `&review=${cost}:${most}` : "";
    const set = store.cut, cut = set ? `&cut=${placeText(set)}` : "";
    const link = `#${C.link(store.state)}&view=${store.view}${review}${cut}${pinned}${SEGMENTS && store.pair ? rochullPair.link(store.pair) : ""}`;
    if (location.hash === link) return;
    try {
      history[replaced ? "replaceState" : "pushState"](null, "", link); // Back undoes
    } catch {
      // a page in a frame may have no address
    }
  }
  /** The state and view that the address tells; null if it tells none. `otherwise` says what holds if it cannot be read. */
  function readLink(otherwise: string) {
    const hash = location.hash.slice(1);
    if (hash === "" || byId(hash)) return null;
    const given = new URLSearchParams(hash), found = C.linked(given, model.initial());
    const asked = views.names.find(({ id }) => id === given.get("view"));
    if (found) return { state: found, view: asked ? asked.id : store.view, today: placeOf(given.get("today")), cut: placeOf(given.get("cut")), review: C.linkedReview(given.get("review")), pair: SEGMENTS ? rochullPair.linked(given, facts) : given.has("pair") ? undefined : null };
    const text = say("expert.page.the link to this", { otherwise });
    store.change({ notice: text });
    put(byId("said"), text);
    writeLink(true); // so that it can be copied again
    return null;
  }
  /** Whether the link's choice of two segments was understood. */
  const sayPair = ({ pair }: { pair?: unknown }) => pair === undefined && store.change({ notice: say("expert.page.the link s choice") });
  function placeOf(text: string | null): Cut | null {
    const [, threshold, name] = /^([^:]+):([^]+)$/.exec(text || "") || [], classifier = model.names.indexOf(name);
    return classifier >= 0 && isFinite(Number(threshold)) ? { classifier, threshold: Number(threshold) } : null;
  }
  /** A link to a place in the page goes there without taking the condition out of the address. */
  function follow(event: MouseEvent): void {
    const link = (event.target as Element).closest<HTMLAnchorElement>('a[href^="#"]'), to = link && byId(link.hash.slice(1));
    if (!to || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    if (!to.hasAttribute("tabindex")) to.tabIndex = -1;
    if (to.closest("details")) to.closest("details")!.open = true;
    to.focus({ preventScroll: true });
    to.scrollIntoView();
  }

  // --- begin ----------------------------------------------------------------------------------------

  function take(next: State, now: boolean): void {
    quiet = false;
    store.change({ state: C.settled(next), unused: null, clicked: null, notice: "" }, { now });
  }
  function set(next: State): void {
    if (!C.valid(next)) throw new Error("This is no state: a goal and numbers, as in rochullReport.state.");
    take(next, true);
  }
  function begin() {
    const asked = readLink(own ? say("expert.page.the condition is the") : say("expert.page.the condition is the one"));
    if (asked) store.put({ state: asked.state, view: asked.view, today: asked.today, pair: asked.pair, cut: asked.cut, review: asked.review });
    showGoal = mountGoal(byId("goal"), store.state, model.isUnasked, changed);
    for (const id of ["live", "alone", "points", "shares", "batch"]) byId(id).hidden = false;
    if (byId("calibration-section")) byId("calibration-section").hidden = false;
    bindOpened(model, facts);
    rochullSections.localise(document);
    rochullTheme.bind(byId("theme"));
    rochullTerms.bind(byId("told"));
    on(byId("shares"), "toggle", showShares);
    assign(views, { onselect: select, onpin: pin, pair: () => store.pair, onpair: (pair: Pair) => touched({ pair }, false), onreview: (asked: Reviewing | null) => setReview(asked), isReviewing: () => reviewed() !== null, pinned: () => (current() ? store.today : null), review: () => store.review, yours: () => yours });
    const showSegments = rochullSections.segments(model, views, facts, isBegun, () => store.cut && store.result.chosen?.rules[0]);
    const below: Record<string, () => void> = { compare: showCompare, alone: showAlone, segments: () => showSegments(store.state),
      "dominance-words": () => showDominance(store.state, store.result) };
    for (const table of findAll("[data-sort]")) rochullSort.bind(table as HTMLTableElement);
    if (facts.answer) parts.add(byId("first"), showFirst);
    for (const [id, show] of entries(below)) if (byId(id)) parts.add(byId(id).closest("section")!, show);
    showBatch();
    showShares();
    update(true);
    rochullTake.tables(byId("main"));
    if ((byId("experts") as HTMLDetailsElement).open) choose(store.view);
    else on(byId("experts"), "toggle", () => choose(store.view), { once: true }); // no chart before it can be seen
    if (asked) sayPair(asked);
    const restart = () => {
      store.put({ cut: null, review: facts.review && R.begun(facts) });
      set(model.initial());
      choose(facts.review ? first : store.view);
    };
    for (const id of ["reset", "back"]) if (byId(id)) on(byId(id), "click", restart);
    on(document, "click", follow);
    on(window, "hashchange", () => {
      const start = { state: model.initial(), view: first, today: null, cut: null, review: facts.review && R.begun(facts), pair: null };
      const found = location.hash === "" ? start : readLink(say("expert.page.the condition is as"));
      if (!found) return;
      store.put({ today: found.today, pair: found.pair, cut: found.cut, review: found.review });
      set(found.state);
      choose(found.view);
      sayPair(found);
    });
    const now = () => ({ state: store.state, result: store.result, review: store.review && store.state.goal !== "report" ? views.asked : null });
    bindDialogs(() => {
      const { review, result: { chosen }, state } = { ...store, ...now() };
      return { model, facts, state, review, chosen, sql: store.sql, isBetween: chosen?.single !== undefined && !(holdsSingle && isAsked()) }; // the policy holds that of the report's condition
    }, (sql) => store.put({ sql }));
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
    pin: (today: Today) => store.change({ today }, { now: true }),
    get state() { return structuredClone(store.state); },
    get result() { return store.result; },
    get view() { return store.view; },
    get chart() {
      if (!store.isSeen) choose(store.view);
      return charts.get(store.view);
    },
  };
};
