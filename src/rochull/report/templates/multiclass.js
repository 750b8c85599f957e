// Moves along operating points of several classes: rochullMulticlass.mount(element, facts) draws the view, page() a whole page.
// Labels are data: they reach the page as text nodes and attribute values only, never as markup. What is computed is in
// multiclass_model.js; an element that shows one of its numbers has it in full as data-value, under the name data-key.
"use strict";
const rochullMulticlass = (() => {
  const F = rochullFormat, { node, on, button, live, term, ordinal } = rochullMulticlassParts;
  let mounted = 0;

  /** `told` is called after whatever a person changes; `headline` has the answer in one sentence. */
  function mount(root, facts, told = () => {}, headline = null) {
    const data = rochullMulticlassModel(facts), prefix = mounted++, id = (name) => `multiclass-${prefix}-${name}`;
    const verdict = headline || node("p", { class: "verdict" });
    const names = facts.classes.map((c) => c.name);
    const state = data.initial();
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

    const view = { facts, data, names, state, id, track, drag, select, redraw, soon: () => soon(draw), limit: (i, j) => limits.limit(i, j), get found() { return found; } };
    const words = view.words = rochullMulticlassWords(view);
    const table = rochullMulticlassTable(view), limits = rochullMulticlassLimits(view), costs = rochullMulticlassCosts(view);
    const panels = rochullPanels.all(view), list = rochullMulticlassList(view), take = rochullMulticlassTake(view);
    const comparison = node("table", { class: "comparison" }), fillComparison = rochullMulticlassCompare.table(comparison, names);
    const batch = rochullMulticlassBatch.section(facts.classes, id("batch-file"));

    // --- the operating point -----------------------------------------------------------------------

    const slider = node("input", { type: "range", id: id("slider"), min: 0, step: 1, value: 0, class: "slider" });
    const only = node("input", { type: "checkbox", id: id("only"), checked: state.only });
    const toBest = button("", () => select(found.best), { class: "main" });
    const where = node("p", { class: "where" }), goal = node("p", { class: "printed" });
    const bar = [node("span", { class: "bar-rule" }), node("span", { class: "bar-figures" })];
    on(slider, "input", () => drag(track()[Number(slider.value)]));
    on(only, "change", () => {
      state.only = only.checked;
      if (!state.only) wanted = state.index; // what is seen stays
      redraw();
    });
    const step = (by) => () => {
      const line = track(), at = line.indexOf(state.index);
      select(line[Math.min(line.length - 1, Math.max(0, at + by))]);
    };

    function drawPoint() {
      const p = state.index, line = track(), at = line.indexOf(p);
      slider.max = String(line.length - 1);
      slider.value = String(Math.max(at, 0));
      slider.setAttribute("aria-valuetext", words.said(p));
      where.replaceChildren(
        live("strong", "point", p, `Point ${p}`), ` of ${data.k}, ${words.objective()} `,
        live("strong", "value", found.values[p], words.value(found.values[p])),
        ` (${line.length < data.k && at >= 0 ? `${ordinal(at + 1)} of ${line.length} that remain, ` : ""}` +
          `${ordinal(found.order.indexOf(p) + 1)} of ${data.k} by ${words.objective()}) `,
        ...(state.limits.length ? [node("span", { class: found.inside[p] ? "kept" : "broken" }, found.inside[p] ? "within all limits" : "breaks a limit")] : []));
      table.draw(p);
      drawVerdict(p);
      panels.mark();
      list.mark();
      take.draw();
      clearTimeout(waiting);
      waiting = setTimeout(() => batch.show(data.weights[p], facts.weighted ? null : data.confusion[p]), 200); // of many rows it takes longer than a frame
    }
    let waiting = 0;

    function drawVerdict(p) {
      const measure = words.objective(), value = found.values[p], seen = { index: p, value, within: found.inside[p] };
      const begin = state.objective === "given" ? measure : measure.replace(/^./, (first) => first.toUpperCase());
      const text = rochullMulticlassCompare.verdict(names, data.weights[p], begin, seen, usual, words.value);
      if (verdict.textContent !== text) verdict.textContent = text;
      fillComparison(measure, data.errors, seen,
        rochullMulticlassCompare.shown(usual, names), words.value, state.limits.length > 0);
      const worst = names.map((_, c) => c).sort((a, b) => data.errors[p][b] - data.errors[p][a] || a - b);
      bar[0].textContent = `Point ${p}: ${measure} ${words.value(value)}${found.inside[p] ? "" : ", breaks a limit"}`;
      bar[1].textContent = `errors: ${worst.map((c) => `\u2068${names[c]}\u2069 ${F.rate(data.errors[p][c])}`).join(" · ")}`;
    }

    function draw() {
      [found, usual] = [data.evaluate(state), data.baselines(state)];
      state.index = state.only && !found.inside[wanted] ? found.best : wanted; // if none remains the best is the closest
      costs.costs.hidden = state.objective !== "expected_cost";
      limits.update();
      toBest.textContent = found.remaining.length ? (state.limits.length ? "Best of those that remain" : "Best point") : "Closest to the limits";
      goal.replaceChildren("Minimised: ", node("bdi", {}, words.objective()));
      list.draw();
      panels.draw();
      drawPoint();
    }

    const section = (title, name, attributes, ...children) =>
      node("section", { "aria-labelledby": id(name), ...attributes }, node("h2", { id: id(name) }, title), ...children);
    const scroll = (name, ...children) => node("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": name }, ...children);
    const reset = button("Back to the report’s assumptions", () => set(data.initial()));
    root.replaceChildren(
      ...(headline ? [] : [verdict]),
      node("div", { class: "live" },
        section("Your assumptions and goal", "conditions", { class: "conditions" }, reset,
          node("h3", {}, "Limits"), limits.status, limits.list, node("p", { class: "adder" }, node("label", { for: id("chooser") }, "On "), limits.chooser, limits.add),
          node("h3", {}, "What is minimised"), node("p", { class: "screen" }, node("label", { for: id("objective") }, "Objective "), costs.kind), goal, costs.costs),
        section("What the cases of each class are called", "outcomes", { class: "outcomes" },
          node("p", { class: "soft" }, "The ", term("confusion matrix"), " at the selected point.", node("span", { class: "screen" }, " A click on a cell limits it.")),
          node("div", { class: data.C > 5 ? "scroll many" : "scroll" }, table.matrix)),
        section("Errors of the classes", "errors", { class: "charts" }, node("p", { class: "soft" },
          "Large dots remain within the limits, small ones do not; the line is the ", term("Pareto front"), " of those that remain; the diamond is the largest output.",
          node("span", { class: "screen" }, " Click, drag, or use the arrow keys.")), panels.element),
        section("Operating point", "point", { class: "answer" },
          where,
          node("div", { class: "controls" },
            node("label", { for: id("slider") }, "Along the points, from the best on"), slider,
            node("span", { class: "buttons" }, button("‹", step(-1), { "aria-label": "previous point" }), button("›", step(1), { "aria-label": "next point" })),
            toBest, node("label", {}, only, " only those that remain")),
          node("div", { class: "scroll" }, table.weights),
          node("p", { class: "soft" }, "The ", term("class weights"), " multiply the outputs; the class with the largest product is called."))),
      section("Compared with other rules", "compared", {}, scroll("Rules side by side", comparison)),
      section("What remains", "remains", {}, node("div", { class: "scroll list-box", tabindex: 0, role: "region", "aria-label": "The points that remain" }, list.listing), list.more),
      section("Try the rule on your own cases", "batch", { class: "batch" }, ...batch.parts),
      section("Take it along", "along", { class: "screen" }, ...take.parts),
      node("div", { class: "bar", "aria-hidden": "true" }, ...bar));
    costs.draw();
    limits.draw();
    draw();
    rochullTake.tables(root);

    function set(changes) { // as if a person had: any of index, objective, only, costs, priors, limits
      Object.assign(state, structuredClone(changes));
      if (changes.index !== undefined || !state.only) wanted = state.index;
      costs.kind.value = state.objective;
      only.checked = state.only;
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
    };
  }

  // --- a page of its own -----------------------------------------------------------------------------

  function page() {
    const facts = JSON.parse(document.getElementById("facts").textContent);
    rochullTheme.bind(document.getElementById("theme"));
    document.querySelectorAll("[data-total]").forEach((element) => {
      const total = facts.classes[Number(element.dataset.total)].total;
      element.replaceChildren(live("span", `total:${element.dataset.total}`, total, (facts.weighted ? F.threshold : F.count)(total)));
    });
    const main = document.getElementById("multiclass"), notice = document.getElementById("link-notice");
    let timer = 0, write = () => {};
    const view = mount(main, facts, () => {
      notice.hidden = true;
      clearTimeout(timer);
      timer = setTimeout(() => write(), 300); // when nothing moves any more
    }, document.getElementById("verdict"));
    rochullTerms.bind(document.getElementById("told"));
    write = rochullMulticlassLink.bind(view, notice);
    on(document.querySelector(".skip"), "click", (event) => { // without another address
      event.preventDefault();
      main.focus();
      main.scrollIntoView();
    });
    return view;
  }

  return { mount, page };
})();