// long: one view, kept in one file so that other pages can embed it
// Moves along operating points of several classes: rochullMulticlass.mount(element, facts) draws the view, page() a whole page.
// Labels are data: they reach the page as text nodes and attribute values only, never as markup. What is computed is in
// multiclass_model.js; an element that shows one of its numbers has it in full as data-value, under the name data-key.
"use strict";
const rochullMulticlass = (() => {
  const F = rochullFormat;
  const PANEL = { width: 300, height: 280, left: 48, right: 18, top: 10, bottom: 44 };
  const LISTED = 50;
  let mounted = 0;

  // --- numbers -----------------------------------------------------------------------------------

  const ordinal = (n) => {
    const tens = n % 100;
    return n + (tens > 10 && tens < 14 ? "th" : { 1: "st", 2: "nd", 3: "rd" }[n % 10] || "th");
  };
  const SUPERSCRIPT = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };
  const scientific = (value) => { // weights of many classes are as far apart as 1 and 1e-20
    if (value === 0 || (value >= 1e-4 && value < 1e6)) return F.number(value);
    const [digits, power] = value.toExponential(2).split("e");
    return `${F.number(Number(digits))} × 10${[...power.replace("+", "")].map((c) => SUPERSCRIPT[c]).join("")}`;
  };
  const cut = (text, most) => (text.length > most ? text.slice(0, most - 1) + "…" : text);
  // What is typed as a percentage: 12.3 is 0.123 to the bit, which 12.3 / 100 need not be.
  const share = (text) => {
    const found = F.read(text);
    return /%\s*$/.test(text) ? found : Number((found / 100).toPrecision(15));
  };
  const inPercent = (value) => F.field(Number((100 * value).toPrecision(15)));

  // --- elements ----------------------------------------------------------------------------------

  function fill(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes)) {
      if (value === true) element.setAttribute(name, "");
      else if (value !== false && value !== null) element.setAttribute(name, String(value));
    }
    element.append(...children); // a string becomes a text node
    return element;
  }
  const node = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
  const shape = (tag, attributes = {}, ...children) =>
    fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
  const on = (element, event, act) => {
    element.addEventListener(event, act);
    return element;
  };
  const button = (text, act, attributes = {}) => on(node("button", { type: "button", ...attributes }, text), "click", act);
  const label = (name) => node("bdi", {}, name); // a label of another script does not turn the line around
  const live = (tag, key, value, text, attributes = {}) => node(tag, { ...attributes, "data-key": key, "data-value": value }, text);
  const column = (attributes, ...children) => node("th", { scope: "col", ...attributes }, ...children);

  // --- a field that holds a text to be taken along -------------------------------------------------

  function copyable(id, title, said, rows) {
    const area = node("textarea", { class: "code", readonly: true, rows, id, spellcheck: "false", wrap: "soft" });
    const why = node("p", { class: "soft", hidden: true });
    const copy = button("Copy", async () => {
      const done = await rochullExport.copy(area); // what may not be copied is selected
      said.textContent = done ? `Copied: ${title}.` : "Selected: copy it with the keyboard.";
      if (done) copy.focus();
    }, { "aria-label": `Copy: ${title}` });
    const box = node("div", { class: "copyable" },
      node("div", { class: "above" }, node("label", { for: id }, title), copy), area, why);
    return {
      box, area, copy,
      show(made) { // { text }, or { why } there is none
        const has = made.text !== undefined;
        area.value = has ? made.text : "";
        [area.hidden, copy.hidden, why.hidden] = [!has, !has, has];
        why.replaceChildren(has ? "" : label(made.why));
      },
    };
  }

  // --- projections: the errors of two classes against each other -----------------------------------

  // What it shows: { data, names, scale, limits(), inside(p), track(), index(), select(p), drag(p), said(p) }.
  function projection(shown, first, second) {
    const { data, names } = shown, axes = { x: first, y: second };
    const end = (axis) => shown.scale[axes[axis]].end;
    const X = (v) => PANEL.left + (v / end("x")) * (PANEL.width - PANEL.left - PANEL.right);
    const Y = (v) => PANEL.height - PANEL.bottom - (v / end("y")) * (PANEL.height - PANEL.top - PANEL.bottom);
    const lines = shape("g", { class: "grid-lines" }), marks = shape("g"), titles = shape("g", { class: "titles" });
    const out = shape("path", { class: "out" }), kept = shape("path", { class: "in" }), front = shape("path", { class: "front" });
    const cross = shape("path", { class: "here" }), ring = shape("circle", { class: "here", r: 7 });
    const svg = shape("svg", {
      viewBox: `0 0 ${PANEL.width} ${PANEL.height}`, tabindex: 0, role: "slider", "aria-valuemin": 0, "aria-valuemax": data.k - 1,
    }, lines, marks, out, front, kept, ring, cross, titles);
        function drawGrid() {
      const at = (axis) => {
        const { end: last, unit } = shown.scale[axes[axis]];
        return Array.from({ length: Math.round(last / unit) + 1 }, (_, n) => n * unit);
      };
      lines.replaceChildren(
        ...at("x").flatMap((v) => [shape("line", { x1: X(v), x2: X(v), y1: Y(0), y2: Y(end("y")) }),
          shape("text", { x: X(v), y: Y(0) + 15, "text-anchor": "middle" }, F.share(v))]),
        ...at("y").flatMap((v) => [shape("line", { x1: X(0), x2: X(end("x")), y1: Y(v), y2: Y(v) }),
          ...(v ? [shape("text", { x: X(0) - 5, y: Y(v) + 4, "text-anchor": "end" }, F.share(v))] : [])]));
    }
    const xy = (p) => [data.errors[p][axes.x], data.errors[p][axes.y]];
    let along = [], dots = [], sorted = null; // of these axes: the points from left to right, and the dot of each
    function arrange() {
      if (sorted === `${axes.x},${axes.y}`) return;
      sorted = `${axes.x},${axes.y}`;
      along = data.errors.map((_, p) => p).sort((p, q) => xy(p)[0] - xy(q)[0] || xy(p)[1] - xy(q)[1] || p - q);
      dots = data.errors.map((_, p) => `M${X(xy(p)[0]).toFixed(1)} ${Y(xy(p)[1]).toFixed(1)}h0`);
      svg.setAttribute("aria-label", `Operating points by the error of ${names[axes.x]} and the error of ${names[axes.y]}`);
      drawGrid();
      titles.replaceChildren(
        shape("text", { x: (X(0) + X(end("x"))) / 2, y: PANEL.height - 8, "text-anchor": "middle" }, `error of ${cut(names[axes.x], 28)}`),
        shape("text", { x: 0, y: 0, "text-anchor": "middle", transform: `translate(12 ${(Y(0) + Y(end("y"))) / 2}) rotate(-90)` },
          `error of ${cut(names[axes.y], 28)}`));
    }
    function drawFront(line) { // the lower left front of what remains
      let low = Infinity, path = "";
      for (const p of line) {
        const [x, y] = xy(p);
        if (y >= low) continue;
        path += path ? `H${X(x)}V${Y(y)}` : `M${X(x)} ${Y(y)}`;
        low = y;
      }
      front.setAttribute("d", path);
    }
    const made = {
      element: svg, axes,
      draw() {
        arrange();
        const line = along.filter(shown.inside);
        out.setAttribute("d", along.map((p) => (shown.inside(p) ? "" : dots[p])).join(""));
        kept.setAttribute("d", line.map((p) => dots[p]).join(""));
        drawFront(line);
        const limits = (axis) => shown.limits().filter((l) => l.kind === "error" && l.true === axes[axis] && l.limit <= end(axis));
        marks.replaceChildren(
          ...limits("x").map((l) => shape("line", { class: "limit", x1: X(l.limit), x2: X(l.limit), y1: Y(0), y2: Y(end("y")) })),
          ...limits("y").map((l) => shape("line", { class: "limit", x1: X(0), x2: X(end("x")), y1: Y(l.limit), y2: Y(l.limit) })));
        made.mark();
      },
      mark() {
        const [x, y] = xy(shown.index()), cx = X(x), cy = Y(y);
        ring.setAttribute("cx", cx);
        ring.setAttribute("cy", cy);
        cross.setAttribute("d", `M${cx - 11} ${cy}h22M${cx} ${cy - 11}v22`);
        svg.setAttribute("aria-valuenow", along.indexOf(shown.index()));
        svg.setAttribute("aria-valuetext", `${shown.said(shown.index())}; ${names[axes.x]} ${F.rate(x)}, ${names[axes.y]} ${F.rate(y)}`);
      },
    };
    const nearest = (event) => {
      const box = svg.getBoundingClientRect(), scale = PANEL.width / box.width;
      const at = [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
      let found = null, least = Infinity;
      for (const p of shown.track()) {
        const [x, y] = xy(p), far = (X(x) - at[0]) ** 2 + (Y(y) - at[1]) ** 2;
        if (far < least) [found, least] = [p, far];
      }
      if (found !== shown.index()) shown.drag(found);
    };
    on(svg, "pointerdown", (event) => {
      if (event.button !== 0) return;
      nearest(event);
      if (event.pointerType === "mouse") svg.setPointerCapture(event.pointerId);
    });
    on(svg, "pointermove", (event) => {
      if (event.buttons & 1 && event.pointerType === "mouse") nearest(event);
    });
    on(svg, "keydown", (event) => {
      const track = new Set(shown.track()), line = along.filter((p) => track.has(p));
      const at = line.indexOf(shown.index()), last = line.length - 1;
      const to = { ArrowRight: at + 1, ArrowUp: at + 1, ArrowLeft: at - 1, ArrowDown: at - 1, Home: 0, End: last,
        PageUp: at + 10, PageDown: at - 10 }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      shown.select(line[Math.min(last, Math.max(0, to))]);
    });
    return made;
  }

  // --- the view ------------------------------------------------------------------------------------

  // `told` is called after whatever a person changes.
  function mount(root, facts, told = () => {}) {
    const data = rochullMulticlassModel(facts);
    const id = (name) => `multiclass-${prefix}-${name}`, prefix = mounted++;
    const names = facts.classes.map((c) => c.name);
    const state = data.initial();
    let found = data.evaluate(state), wanted = state.index; // the point that was asked for: limits may keep another one
    const panels = [];

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

    const amount = facts.weighted ? F.threshold : F.count;
    const track = () => (state.only && found.remaining.length ? found.kept : found.order);
    const valueText = (value) =>
      value === Infinity ? "not defined" : /error/.test(state.objective) ? F.rate(value) : F.number(value);
    const objectiveText = () => ({
      max_error: "largest error", error_rate: "error rate", mean_error: "mean error", expected_cost: "expected cost",
    })[state.objective] || facts.objective.text;
    const limited = (limit) =>
      limit.kind === "error" ? `error of ${names[limit.true]}` : `${names[limit.true]} called ${names[limit.called]}`;
    const limitText = (limit) =>
      limit.kind === "given" ? limit.text : `${limited(limit)} at ${limit.side === "<=" ? "most" : "least"} ${F.share(limit.limit)}`;
    const said = (p) =>
      `point ${p}, ${objectiveText()} ${valueText(found.values[p])}, ${found.inside[p] ? "remains" : "excluded by the limits"}`;

    // --- the operating point -----------------------------------------------------------------------

    const slider = node("input", { type: "range", id: id("slider"), min: 0, step: 1, value: 0, class: "slider" });
    const only = node("input", { type: "checkbox", id: id("only"), checked: state.only });
    const toBest = button("", () => select(found.best), { class: "main" });
    const where = node("p", { class: "where" });
    const weightTable = node("table", { class: "small" });
    const table = node("table", { class: "confusion" });
    const status = node("p", { class: "status", role: "status", "aria-live": "polite" });
    const limitList = node("ul", { class: "limits" });
    const plots = node("div", { class: "panels" });
    const listing = node("table", { class: "list" });
    const more = node("p", { class: "soft" });
    const goal = node("p", { class: "printed" });
    const breaks = node("p", { class: "breaks", hidden: true });
    const copied = node("p", { class: "soft copied", role: "status", "aria-live": "polite" });
    const commandLine = copyable(id("command"), "Command line", copied, 3);
    const python = copyable(id("code"), "Python", copied, 4);
    const sql = copyable(id("sql"), "SQL expression", copied, 6);
    const dialect = on(node("select", { id: id("dialect") }, ...data.dialects.map((name) => node("option", { value: name }, name))),
      "change", () => drawRule());

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

    function drag(p) {
      state.index = wanted = p;
      soon(drawPoint);
    }
    function select(p) {
      drag(p);
      flush();
    }

    function drawPoint() {
      const p = state.index, line = track(), at = line.indexOf(p);
      slider.max = String(line.length - 1);
      slider.value = String(Math.max(at, 0));
      slider.setAttribute("aria-valuetext", said(p));
      where.replaceChildren(
        live("strong", "point", p, `Point ${p}`), ` of ${data.k}, ${objectiveText()} `,
        live("strong", "value", found.values[p], valueText(found.values[p])),
        ` (${line.length < data.k && at >= 0 ? `${ordinal(at + 1)} of ${line.length} that remain, ` : ""}` +
          `${ordinal(found.order.indexOf(p) + 1)} of ${data.k} by ${objectiveText()}) `,
        ...(state.limits.length ? [node("span", { class: found.inside[p] ? "kept" : "broken" }, found.inside[p] ? "within all limits" : "breaks a limit")] : []));
      drawWeights(p);
      drawTable(p);
      panels.forEach((panel) => panel.mark());
      markList();
      drawRule();
    }

    function drawWeights(p) {
      const total = data.weights[p].reduce((a, b) => a + b, 0), largest = Math.max(...data.weights[p]);
      const far = data.weights[p].some((w) => w > 0 && w / total < 0.001); // then shares say nothing
      const logarithm = (w) => (w === 0 ? "−∞" : F.number(Number(Math.log10(w / largest).toPrecision(3))));
      const compared = (w, c) =>
        far ? live("td", `log:${c}`, Math.log10(w / largest), logarithm(w)) : live("td", `share:${c}`, w / total, F.rate(w / total));
      weightTable.replaceChildren(
        node("caption", {}, "Weights of the classes"),
        node("thead", {}, node("tr", {}, ...["class", "weight", far ? "log₁₀ to the largest" : "share", "error"].map((text, i) =>
          column({ class: i ? null : "text" }, text)))),
        node("tbody", {}, ...names.map((name, c) => node("tr", {},
          node("th", { scope: "row" }, label(name)), live("td", `weight:${c}`, data.weights[p][c], scientific(data.weights[p][c])),
          compared(data.weights[p][c], c), live("td", `error:${c}`, data.errors[p][c], F.rate(data.errors[p][c]))))));
    }

    function drawTable(p) {
      const focused = table.contains(document.activeElement) ? document.activeElement.dataset.cell : null;
      const cell = (i, j) => {
        const limits = state.limits.filter((limit) => limit.kind !== "given" && limit.true === i &&
          (i === j ? limit.kind === "error" : limit.kind === "cell" && limit.called === j));
        const broken = limits.some((limit) => data.excess(limit, p) > 0);
        const bound = limits.map((limit) =>
          `${i === j ? "error " : ""}${limit.side === "<=" ? "≤" : "≥"} ${F.share(limit.limit)}`).join(", ");
        const rate = data.rates[p][i][j], count = data.confusion[p][i][j];
        const what = `${names[i]} called ${names[j]}: ${F.rate(rate)}, ${amount(count)} ` +
          `${facts.weighted ? "weight" : "examples"}${bound ? `; limit: ${bound}${broken ? ", broken" : ""}` : ""}`;
        const made = button("", () => addLimit(i, j), {
          "data-cell": `${i},${j}`, "aria-label": `${what}. Set a limit.`, title: "Set a limit",
          class: `cell${i === j ? " diagonal" : ""}${broken ? " over" : limits.length ? " limited" : ""}`,
        });
        made.append(live("span", `rate:${i}:${j}`, rate, F.rate(rate), { class: "rate" }),
          live("span", `count:${i}:${j}`, count, amount(count), { class: "count" }));
        if (bound) made.append(node("span", { class: "bound" }, `${broken ? "✗ " : "✓ "}${bound}`));
        made.style.setProperty("--share", `${(45 * rate).toFixed(1)}%`);
        return node("td", {}, made);
      };
      table.replaceChildren(
        node("caption", {}, "Confusion matrix: rates of each class, and counts"),
        node("thead", {}, node("tr", {}, column({ class: "text" }, "class"), ...names.map((name) => column({}, "called ", label(name))))),
        node("tbody", {}, ...names.map((name, i) =>
          node("tr", {}, node("th", { scope: "row" }, label(name)), ...names.map((_, j) => cell(i, j))))));
      if (focused) table.querySelector(`[data-cell="${focused}"]`).focus();
    }

    // --- what is taken along -------------------------------------------------------------------------

    function drawRule() {
      commandLine.show(data.commandLine(state));
      python.show({ text: data.python(state) });
      const made = data.sql(state.index, dialect.value);
      sql.show(made);
      [sqlFile.hidden, policyFile.hidden, noPolicy.hidden] = [made.text === undefined, !facts.deploy.policy, Boolean(facts.deploy.policy)];
      copied.textContent = "";
      const broken = state.limits.filter((limit) => data.excess(limit, state.index) > 0);
      breaks.hidden = broken.length === 0;
      breaks.replaceChildren(...(broken.length ? [`Point ${state.index}, which is taken along, breaks ${broken.length === 1 ? "a limit" : "limits"}: `,
        ...broken.flatMap((limit, n) => [n ? "; " : "", label(limitText(limit))]), "."] : []));
    }
    const policyFile = button("Policy (.json)", () => rochullExport.save(`policy-point-${state.index}.json`, "application/json", data.policy(state.index).text));
    const sqlFile = button("SQL (.sql)", () => rochullExport.save(`point-${state.index}-${dialect.value}.sql`, "application/sql", `${data.sql(state.index, dialect.value).text}\n`));
    const noPolicy = node("p", { class: "soft" }, "There is no policy document: ", label(facts.deploy.why || ""));

    // --- limits ------------------------------------------------------------------------------------

    function addLimit(i, j) {
      const kind = i === j ? "error" : "cell";
      let at = state.limits.findIndex((limit) => limit.kind === kind && limit.true === i && (kind === "error" || limit.called === j));
      if (at < 0) {
        const now = kind === "error" ? data.errors[state.index][i] : data.rates[state.index][i][j];
        const whole = Math.ceil(Number((100 * now).toPrecision(12))); // the present point stays inside
        state.limits.push({ kind, true: i, called: kind === "error" ? null : j, side: "<=", limit: whole / 100 });
        at = state.limits.length - 1;
        drawLimits();
        redraw();
      }
      const input = limitList.children[at].querySelector("input");
      if (input) {
        input.focus();
        input.select();
      }
    }

    function limitField(limit, wrong) {
      const input = node("input", {
        type: "text", inputmode: "decimal", size: 6, value: inPercent(limit.limit), autocomplete: "off",
        "aria-label": `${limited(limit)}, limit in per cent`, "aria-describedby": wrong.id,
      });
      on(input, "input", () => {
        const value = share(input.value), bad = !(value >= 0 && value <= 1);
        input.setAttribute("aria-invalid", String(bad));
        wrong.textContent = bad ? `A limit is a share from ${F.share(0)} to ${F.share(1)}.` : "";
        if (bad) return;
        limit.limit = value;
        soon(draw);
      });
      return on(input, "keydown", (event) => { // as a number input does, without its rounding
        const by = { ArrowUp: 1, ArrowDown: -1 }[event.key];
        if (!by) return;
        event.preventDefault();
        const now = 100 * limit.limit + by * (event.shiftKey ? 10 : 1);
        input.value = F.field(Number(Math.min(100, Math.max(0, now)).toPrecision(12)));
        input.dispatchEvent(new Event("input"));
      });
    }

    function drawLimits() {
      limitList.replaceChildren(...state.limits.map((limit, n) => {
        const item = node("li");
        const remove = button("remove", () => {
          state.limits.splice(state.limits.indexOf(limit), 1);
          drawLimits();
          redraw();
          add.focus();
        }, { "aria-label": `remove the limit: ${limitText(limit)}` });
        if (limit.kind === "given") {
          item.append(node("span", {}, label(limit.text)), remove);
          return item;
        }
        const side = on(node("select", { "aria-label": `side of the limit on: ${limited(limit)}` },
          node("option", { value: "<=", selected: limit.side === "<=" }, "at most"),
          node("option", { value: ">=", selected: limit.side === ">=" }, "at least")), "change", () => {
          limit.side = side.value;
          redraw();
        });
        const text = limit.kind === "error" ? ["error of ", label(names[limit.true])]
          : [label(names[limit.true]), " called ", label(names[limit.called])];
        const wrong = node("span", { class: "wrong", id: id(`limit-${n}`) });
        item.append(node("span", { class: "screen" }, ...text), side, node("span", { class: "unit" }, limitField(limit, wrong), "%"),
          remove, wrong, node("span", { class: "printed" })); // what paper shows instead of fields
        item.limit = limit;
        return item;
      }));
      if (!state.limits.length) limitList.append(node("li", { class: "soft" }, "No limits.", node("span", { class: "screen" }, " Click a cell of the confusion matrix, or choose one here.")));
    }
    const choices = names.flatMap((_, i) => names.map((_, j) => [i, j])).sort((a, b) => (b[0] === b[1]) - (a[0] === a[1]));
    const chooser = node("select", { id: id("chooser") }, ...choices.map(([i, j]) =>
      node("option", { value: `${i},${j}` }, i === j ? `error of ${names[i]}` : `${names[i]} called ${names[j]}`)));
    const add = button("Add a limit", () => addLimit(...chooser.value.split(",").map(Number)));

    // --- objective ---------------------------------------------------------------------------------

    const kinds = [["max_error", "largest error of any class"], ["mean_error", "mean error of the classes"],
      ["error_rate", "error rate of all examples"], ["expected_cost", "expected cost"]];
    if (facts.objective.kind === "given") kinds.unshift(["given", facts.objective.text]);
    const chosenKind = on(node("select", { id: id("objective") },
      ...kinds.map(([value, text]) => node("option", { value, selected: value === state.objective }, text))), "change", () => {
      state.objective = chosenKind.value;
      redraw();
    });
    const wrongCost = node("p", { class: "wrong", id: id("wrong-cost") });
    const numeric = (value, what, least, set) => {
      const input = node("input", {
        type: "text", inputmode: "decimal", size: 5, value: F.field(Number(value.toPrecision(4))), "aria-label": what,
        "aria-describedby": wrongCost.id, autocomplete: "off",
      });
      return on(input, "input", () => {
        const typed = F.read(input.value);
        const bad = !Number.isFinite(typed) || typed < least || !set(typed);
        input.setAttribute("aria-invalid", String(bad));
        const still = costs.querySelector('[aria-invalid="true"]');
        wrongCost.textContent = still ? `The ${still.getAttribute("aria-label")} must be a number` +
          `${/^prior/.test(still.getAttribute("aria-label")) ? ", 0 or more, and not all priors 0" : ""}.` : "";
        if (!bad) soon(draw);
      });
    };
    const totals = facts.classes.map((c) => c.total), all = totals.reduce((a, b) => a + b, 0);
    const prior = (c) => (state.priors || totals.map((t) => t / all))[c];
    const costs = node("div", { class: "costs", hidden: true });
    function drawCosts() {
      costs.replaceChildren(
        node("div", { class: "scroll" }, node("table", { class: "small" },
          node("caption", {}, "Costs of calling an example of one class another"),
          node("thead", {}, node("tr", {}, column({ class: "text" }, "class"),
            ...names.map((name) => column({}, "called ", label(name))), column({}, "prior"))),
          node("tbody", {}, ...names.map((name, i) => node("tr", {}, node("th", { scope: "row" }, label(name)),
            ...names.map((other, j) => node("td", {}, numeric(state.costs[i][j], `cost of ${name} called ${other}`, -Infinity, (v) => {
              state.costs[i][j] = v;
              return true;
            }))),
            node("td", {}, numeric(prior(i), `prior of ${name}`, 0, (v) => {
              const next = names.map((_, c) => prior(c));
              next[i] = v;
              if (!next.some((p) => p > 0)) return false;
              state.priors = next;
              return true;
            }))))))), wrongCost,
        button("Priors as in the examples", () => {
          state.priors = null;
          drawCosts();
          redraw();
        }));
      wrongCost.textContent = "";
    }

    // --- projections -------------------------------------------------------------------------------

    const scale = names.map((_, c) => { // of the errors of each class
      const top = Math.max(0.02, ...data.errors.map((row) => row[c]));
      const unit = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.25].find((size) => top / size <= 5) || 0.25;
      return { unit, end: Math.min(1, Math.ceil((top * 1.02) / unit) * unit) };
    });
    const shown = {
      data, names, scale, track, select, drag, said, limits: () => state.limits, inside: (p) => found.inside[p], index: () => state.index,
    };
    function makePanels() {
      const C = data.C, panel = (x, y) => projection(shown, x, y);
      if (C <= 4) {
        for (let i = 0; i < C; i++) for (let j = i + 1; j < C; j++) panels.push(panel(i, j));
      } else panels.push(panel(0, 1), panel(2, 3)); // of many classes one chooses which are seen
      plots.replaceChildren(...panels.map((made, n) => {
        const holder = node("div", { class: "panel" }, made.element);
        if (C > 4) {
          const pick = (axis) => {
            const select = node("select", { "aria-label": `panel ${n + 1}: class on the ${axis} axis` },
              ...names.map((name, c) => node("option", { value: c, selected: c === made.axes[axis] }, name)));
            return on(select, "change", () => {
              made.axes[axis] = Number(select.value);
              made.draw();
            });
          };
          holder.prepend(node("p", { class: "pick screen" }, pick("y"), " against ", pick("x")));
        }
        return holder;
      }));
    }

    // --- what remains ------------------------------------------------------------------------------

    const listHead = node("thead"), listBody = node("tbody"), rows = []; // rows are made once, and filled again and again
    listing.append(node("caption", {}, "Points that remain, the best first"), listHead, listBody);
    function rowOf(n) {
      const row = { shown: null, point: live("th", `listed:${n}`, "", "", { scope: "row" }), value: live("td", `listed_value:${n}`, "", ""),
        errors: names.map((_, c) => live("td", `listed_error:${n}:${c}`, "", "")) };
      row.button = button("", () => select(row.shown), { "aria-pressed": "false" });
      row.point.replaceChildren(row.button);
      row.element = node("tr", {}, row.point, row.value, ...row.errors);
      return row;
    }
    function write(element, value, text) {
      element.dataset.value = value;
      if (element.textContent !== text) element.textContent = text;
    }
    function drawList() {
      const line = found.kept, listed = Math.min(LISTED, line.length);
      listHead.replaceChildren(node("tr", {}, column({ class: "text" }, "point"), column({}, label(objectiveText())),
        ...names.map((name) => column({}, "error of ", label(name)))));
      while (rows.length < listed) rows.push(rowOf(rows.length));
      for (let n = 0; n < listed; n++) {
        const row = rows[n], p = line[n];
        write(row.value, found.values[p], valueText(found.values[p]));
        row.button.setAttribute("aria-label", said(p));
        if (row.shown !== p) {
          row.shown = p;
          row.element.dataset.point = row.point.dataset.value = p;
          row.button.textContent = String(p);
          row.errors.forEach((cell, c) => write(cell, data.errors[p][c], F.rate(data.errors[p][c])));
        }
        if (!row.element.isConnected) listBody.append(row.element);
      }
      while (listBody.children.length > listed) listBody.lastChild.remove();
      more.textContent = line.length > LISTED ? `The best ${LISTED} of ${line.length} are listed.`
        : line.length ? "" : "No point is within all limits.";
    }
    function markList() {
      for (const row of rows) {
        const seen = row.shown === state.index;
        if (row.element.classList.contains("current") === seen) continue;
        row.element.classList.toggle("current", seen);
        row.button.setAttribute("aria-pressed", String(seen));
      }
    }

    function drawStatus() {
      const k = data.k, n = found.remaining.length;
      status.classList.toggle("none", n === 0);
      if (n) {
        status.replaceChildren(live("strong", "remaining", n, `${n} of ${k}`),
          ` point${k === 1 ? "" : "s"} remain${n === 1 ? "s" : ""}${state.limits.length ? "." : ": there are no limits."}`);
        return;
      }
      const p = found.closest, worst = state.limits.reduce((most, l) => (data.excess(l, p) > data.excess(most, p) ? l : most));
      const by = data.excess(worst, p);
      status.replaceChildren(live("strong", "remaining", 0, "No point"), " is within all limits. The closest is ",
        live("span", "closest", p, `point ${p}`), ": beyond “", label(limitText(worst)), "” by ",
        live("span", "excess", by, worst.kind === "given" ? F.number(by * worst.scale) : `${F.number(100 * by)} percentage points`), ".");
    }

    function draw() {
      found = data.evaluate(state);
      state.index = state.only && !found.inside[wanted] ? found.best : wanted; // if none remains the best is the closest
      costs.hidden = state.objective !== "expected_cost";
      drawStatus();
      toBest.textContent = found.remaining.length ? (state.limits.length ? "Best of those that remain" : "Best point") : "Closest to the limits";
      for (const item of limitList.children) if (item.limit) item.querySelector(".printed").replaceChildren(label(limitText(item.limit)));
      goal.replaceChildren("Minimised: ", label(objectiveText()));
      drawList();
      panels.forEach((made) => made.draw());
      drawPoint();
    }

    const section = (title, name, attributes, ...children) =>
      node("section", { "aria-labelledby": id(name), ...attributes }, node("h2", { id: id(name) }, title), ...children);
    root.replaceChildren(
      section("Operating point", "point", {},
        node("div", { class: "controls" },
          node("label", { for: id("slider") }, "Along the points, from the best on"), slider,
          node("span", { class: "buttons" }, button("‹", step(-1), { "aria-label": "previous point" }), button("›", step(1), { "aria-label": "next point" })),
          toBest, node("label", {}, only, " only those that remain")),
        where,
        node("div", { class: data.C > 5 ? "many" : "sides" }, node("div", { class: "scroll" }, table), node("div", {}, node("div", { class: "scroll" }, weightTable)))),
      node("div", { class: "sides even" },
        section("Limits", "limits", {}, status, limitList, node("p", { class: "adder" }, node("label", { for: id("chooser") }, "On "), chooser, add)),
        section("What is minimised", "goal", {}, node("p", { class: "screen" }, node("label", { for: id("objective") }, "Objective "), chosenKind), goal, costs)),
      section("Errors of the classes", "errors", {}, node("p", { class: "soft" },
        "Large dots remain within the limits, small ones do not; the line is the front of those that remain.",
        node("span", { class: "screen" }, " Click, drag, or use the arrow keys.")), plots),
      section("What remains", "remains", {}, node("div", { class: "scroll list-box", tabindex: 0, role: "region", "aria-labelledby": id("remains") }, listing), more),
      section("Take it along", "along", { class: "screen" }, breaks,
        node("div", { class: "sides even" },
          node("div", {}, node("h3", {}, "Copy condition"),
            node("p", { class: "soft" }, "Limits, objective and costs, and the point that is seen. Without --weights the command searches within the limits."),
            commandLine.box, python.box),
          node("div", {}, node("h3", {}, "Download rule"),
            node("p", { class: "soft" }, "The point that is seen, to decide new cases with: as a policy, and as SQL for a table with the outputs of the classes."),
            node("p", { class: "files" }, policyFile, sqlFile, node("label", { for: id("dialect") }, "for "), dialect), noPolicy, sql.box)),
        copied));
    drawCosts();
    makePanels();
    drawLimits();
    draw();

    return {
      select, model: data,
      link: () => (flush(), data.link(state)),
      state: () => (flush(), {
        index: state.index, remaining: found.remaining.slice(), best: found.best, closest: found.closest,
        value: found.values[state.index], python: data.python(state), command: data.commandLine(state),
      }),
      set(changes) { // as if a person had: any of index, objective, only, costs, priors, limits
        Object.assign(state, structuredClone(changes));
        if (changes.index !== undefined || !state.only) wanted = state.index;
        chosenKind.value = state.objective;
        only.checked = state.only;
        drawCosts();
        drawLimits();
        redraw();
      },
    };
  }

  // --- a page of its own -----------------------------------------------------------------------------

  // The address holds what is seen, so that a bookmark does. What it says is data: it is read, or told not to fit.
  function link(view, notice) {
    const write = () => {
      try {
        history.replaceState(null, "", `#${view.link()}`);
      } catch { // a page in a frame may have no address
      }
    };
    function read() {
      const given = location.hash.slice(1);
      if (given === "" || document.getElementById(given)) return;
      const asked = view.model.linked(given);
      if (asked) view.set(asked);
      else write();
      notice.hidden = asked !== null;
      notice.textContent = asked ? "" : "The link does not fit this report, and is left aside.";
    }
    on(window, "hashchange", read);
    read();
    return write;
  }

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
    });
    write = link(view, notice);
    on(document.querySelector(".skip"), "click", (event) => { // without another address
      event.preventDefault();
      main.focus();
      main.scrollIntoView();
    });
    return view;
  }

  return { mount, page };
})();
