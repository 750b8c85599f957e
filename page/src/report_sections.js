// The parts of the page below the decision: numbers in the reader's locale, charts drawn when
// they come into view, thresholds by segment, and what is printed.
import { showFair } from "./answer/Answer";
import { isApart } from "./answer/Fair";
import { draw as drawApart } from "./experts/Apart";
import * as F from "./report_format";
import { byId, findAll, html, on } from "./report_elements";

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
