// The parts of the page below the decision: numbers in the reader's locale, charts drawn when
// they come into view, thresholds by segment, and what is printed.
import { showFair } from "./answer/Answer";
import { isApart } from "./answer/Fair";
import { draw as drawApart } from "./experts/Apart";
import * as F from "./report_format";
import type { State } from "./answer/numbers";
import type { AnswerFacts } from "./answer/situation";
import type { Answer } from "./report_found";
import { byId, findAll, html, on } from "./report_elements";
import type { Facts } from "./report_facts.d";
import type { Model } from "./report_model";
import type { Views } from "./report_views";

/** Numbers that Python has written, in the reader's locale; names stand elsewhere. */
declare const SEGMENTS: boolean; // whether the page is built for them

function localise(root: ParentNode): void {
  for (const holder of root.querySelectorAll("[data-number], [data-numbers] td")) {
    const texts = document.createTreeWalker(holder, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      // A comma before a space divides numbers, and is no part of one.
      const node = texts.currentNode as Text, text = node.data.split(/(, )/).map((part) => F.localised(part)).join("");
      if (text !== node.data) node.data = text;
    }
  }
}

/** Draw the calibration charts as they come near the window, and the others one by one when there is nothing else
 *  to do, for whoever captures or saves the whole page; all of them at once for paper. */
function calibrations(views: Views): () => void {
  const waiting = new Map<Element, () => void>();
  for (const holder of findAll("[data-calibration]")) {
    waiting.set(holder, () => views.calibration(holder, Number(holder.dataset.calibration)));
  }
  const draw = (holder: Element) => {
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
  const idle = (then: () => void) => ((window.requestIdleCallback as unknown) ? requestIdleCallback(then, { timeout: 500 }) : setTimeout(then, 200));
  const next = () => {
    const [holder] = waiting.keys();
    if (holder === undefined) return;
    draw(holder);
    idle(next);
  };
  const row = byId("experts") as HTMLDetailsElement, begin = () => requestAnimationFrame(() => idle(next)); // the page itself is painted first
  if (row.open) begin();
  else on(row, "toggle", begin, { once: true });
  return () => [...waiting.keys()].forEach(draw);
}

/** The thresholds of the segments under the present condition, and the bent curve. */
type Cut = NonNullable<Parameters<NonNullable<Model["segments"]>["at"]>[0]>;
function apart(model: Model, views: Views, facts: Facts, isBegun: () => boolean, cut: () => Cut | null | undefined): (state: State) => void {
  if (!facts.segments) return () => {};
  const figure = byId("bent-figure"), found = model.segments, answer = facts.answer as unknown as AnswerFacts | null;
  figure.hidden = false;
  const chart = (views.bent as Exclude<Views["bent"], false>)(byId("bent"));
  if (!found) {
    const why = byId("segments-why");
    why.hidden = !facts.segments.live_why;
    why.textContent = facts.segments.live_why || "";
    return (state) => chart.update(state, null);
  }
  const fixed = [...findAll("[data-static-segments]")], place = byId("segments-live"), caption = place.textContent!.trim();
  place.replaceChildren();
  return (state) => {
    const result = found.evaluate(state), isFixed = state.goal === "report"; // as the report tells it
    for (const part of fixed) part.hidden = !isFixed;
    place.hidden = isFixed;
    const set = cut(); // of another classifier's segments nothing is known
    if (answer) showFair(byId("fair"), found.names, set ? found.at(set) : result.rows, answer, isBegun() && isApart(answer), Boolean(set));
    drawApart({ ...facts.segments!.live!, lower: facts.segments!.lower_is_positive, caption, result });
    chart.update(state, result);
  };
}

const segments: typeof apart = SEGMENTS ? apart : () => () => {};

/** All views on paper, made just before printing and taken away after it. */
function printing(views: Views, now: () => { state: State; result: Answer }, drawAll: () => void): void {
  const place = byId("printed");
  let charts: ReturnType<Views["mount"]>[] = [], folded: HTMLDetailsElement[] = [];
  const begin = () => {
    if (charts.length) return;
    drawAll();
    folded = [...findAll(".expert:not([open])") as Iterable<HTMLDetailsElement>];
    for (const each of folded) each.open = true;
    place.classList.add("measuring"); // it has no size on a screen, and charts need one
    for (const { id, title } of views.names) {
      const box = html("div", { class: "chart view" });
      place.append(html("figure", {}, html("h3", {}, title), box));
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

export { localise, calibrations, segments, printing };
