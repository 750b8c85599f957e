// long: one view, kept in one file so that other pages can embed it
// Moves along operating points of several classes: rochullMulticlass.mount(element, facts) draws the view.
// Labels are data: they reach the page as text nodes and attribute values only, never as markup.
"use strict";
const rochullMulticlass = (() => {
  const PANEL = { width: 300, height: 280, left: 48, right: 10, top: 10, bottom: 44 };
  const LISTED = 50;
  let mounted = 0;

  // --- numbers -----------------------------------------------------------------------------------

  const percent = (share) =>
    share !== 0 && Math.abs(share) < 0.0005 ? (100 * share).toPrecision(1) + " %" : (100 * share).toFixed(1) + " %";
  const number = (value, digits = 4) => String(Number(Number(value).toPrecision(digits)));
  const ordinal = (n) => {
    const tens = n % 100;
    return n + (tens > 10 && tens < 14 ? "th" : { 1: "st", 2: "nd", 3: "rd" }[n % 10] || "th");
  };
  const SUPERSCRIPT = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };
  const scientific = (value) => { // weights of many classes are as far apart as 1 and 1e-20
    if (value === 0 || (value >= 1e-4 && value < 1e6)) return number(value);
    const [digits, power] = value.toExponential(2).split("e");
    return `${Number(digits)} × 10${[...power.replace("+", "")].map((c) => SUPERSCRIPT[c]).join("")}`;
  };
  const cut = (text, most) => (text.length > most ? text.slice(0, most - 1) + "…" : text);
  // "12.3" per cent is 0.123 to the bit, which 12.3 / 100 need not be.
  const share = (text) => {
    const plain = String(text).trim().replace(",", ".");
    if (!/^[-+]?(\d+\.?\d*|\.\d+)$/.test(plain)) return null;
    return Number(plain + "e-2");
  };
  const inPercent = (value) => {
    const shown = String(Number((100 * value).toPrecision(15)));
    return share(shown) === value ? shown : String(100 * value);
  };

  function model(facts) {
    const { weights, confusion } = facts.points;
    const k = weights.length, C = facts.classes.length;
    const sum = (row) => row.reduce((total, cell) => total + cell, 0);
    const rates = facts.points.rates || confusion.map((matrix) => matrix.map((row) => {
      const total = sum(row);
      return row.map((cell) => cell / total);
    }));
    const errors = facts.points.errors || confusion.map((matrix) => matrix.map((row, i) => {
      const total = sum(row);
      return (total - row[i]) / total;
    }));
    const measured = (limit, p) => (limit.kind === "cell" ? rates[p][limit.true][limit.called] : errors[p][limit.true]);
    const excess = (limit, p) => {
      if (limit.kind === "given") return limit.excess[p] === null ? Infinity : limit.excess[p];
      const beyond = measured(limit, p) - limit.limit;
      return limit.side === "<=" ? beyond : -beyond;
    };
    const largest = (limits, p) => limits.reduce((most, limit) => Math.max(most, excess(limit, p)), -Infinity);
    const cost = (p, costs, priors) => {
      if (!priors) return sum(confusion[p].map((row, i) => sum(row.map((cell, j) => cell * costs[i][j])))) / sum(confusion[p].map(sum));
      const all = sum(priors);
      return sum(rates[p].map((row, i) => (priors[i] / all) * sum(row.map((rate, j) => rate * costs[i][j]))));
    };
    const value = (objective, p, costs, priors) => {
      if (objective === "max_error") return Math.max(...errors[p]);
      if (objective === "error_rate") return cost(p, rates[p].map((row, i) => row.map((_, j) => (i === j ? 0 : 1))), null);
      if (objective === "mean_error") return sum(errors[p]) / C;
      if (objective === "expected_cost") return cost(p, costs, priors);
      const found = facts.objective.values[p];
      return found === null ? Infinity : found;
    };
    return { k, C, weights, confusion, rates, errors, excess, largest, value };
  }

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

  function mount(root, facts) {
    const data = model(facts);
    const id = (name) => `multiclass-${prefix}-${name}`, prefix = mounted++;
    const names = facts.classes.map((c) => c.name), codes = facts.classes.map((c) => c.code);
    const state = {
      index: facts.chosen.index, objective: facts.objective.kind, only: facts.limits.length > 0,
      costs: facts.costs.map((row) => row.slice()), priors: facts.priors && facts.priors.slice(),
      limits: facts.limits.map((limit) => ({ ...limit })),
    };
    let order = [], values = [], remaining = [], inside = [], closest = 0;
    const panels = [];

    // What follows from the state; nothing is drawn here.
    function derive() {
      const points = Array.from({ length: data.k }, (_, p) => p);
      values = points.map((p) => data.value(state.objective, p, state.costs, state.priors));
      const ranked = values.map((value) => (Number.isFinite(value) ? Number(value.toPrecision(12)) : value)); // ties stay ties
      order = points.slice().sort((p, q) => (ranked[p] < ranked[q] ? -1 : ranked[p] > ranked[q] ? 1 : p - q));
      const excess = points.map((p) => data.largest(state.limits, p));
      inside = excess.map((most) => !(most > 0));
      remaining = points.filter((p) => inside[p]);
      closest = order.reduce((best, p) => (excess[p] < excess[best] ? p : best), order[0]); // of equals the best
    }
    const track = () => (state.only && remaining.length ? order.filter((p) => inside[p]) : order);
    const best = () => (remaining.length ? order.find((p) => inside[p]) : closest);
    const shown = (p) =>
      values[p] === Infinity ? "not defined" : /error/.test(state.objective) ? percent(values[p]) : number(values[p]);
    const objectiveText = () => ({
      max_error: "largest error", error_rate: "error rate", mean_error: "mean error", expected_cost: "expected cost",
    })[state.objective] || facts.objective.text;
    const limitText = (limit) =>
      limit.kind === "given" ? limit.text
        : (limit.kind === "error" ? `error of ${names[limit.true]}` : `${names[limit.true]} called ${names[limit.called]}`) +
          ` at ${limit.side === "<=" ? "most" : "least"} ${inPercent(limit.limit)} %`;
    const said = (p) => `point ${p}, ${objectiveText()} ${shown(p)}, ${inside[p] ? "remains" : "excluded by the limits"}`;

    // --- Python ------------------------------------------------------------------------------------

    const list = (row) => `[${row.map((v) => String(v)).join(", ")}]`;
    const matrix = (rows) => `[${rows.map(list).join(", ")}]`;
    function minimised() {
      if (state.objective === "max_error") return "rh.MaxError()";
      if (state.objective === "error_rate") return "rh.ErrorRate()";
      if (state.objective === "given") return facts.objective.code;
      if (state.objective === "expected_cost") {
        return `rh.CostMatrix(${matrix(state.costs)}${state.priors ? `, priors=${list(state.priors)}` : ""})`;
      }
      const wrong = names.map((_, i) => names.map((_, j) => (i === j ? 0 : 1)));
      return `rh.CostMatrix(${matrix(wrong)}, priors=${list(names.map(() => 1))})`;
    }
    const limitCode = (limit) =>
      limit.kind === "given" ? limit.code
        : (limit.kind === "error" ? `rh.Error(${codes[limit.true]})` : `rh.Cell(${codes[limit.true]}, ${codes[limit.called]})`) +
          ` ${limit.side} ${limit.limit}`;
    const python = () => `${facts.source}.at(minimise=${minimised()}, subject_to=[${state.limits.map(limitCode).join(", ")}])`;
    const pythonPoint = () =>
      facts.source === "mc" ? `mc.points_at(${list(data.weights[state.index])})[0]` : `points[${state.index}]`;

    // --- the operating point -----------------------------------------------------------------------

    const slider = node("input", { type: "range", id: id("slider"), min: 0, step: 1, value: 0, class: "slider" });
    const only = node("input", { type: "checkbox", id: id("only"), checked: state.only });
    const toBest = button("", () => select(best()), { class: "main" });
    const where = node("p", { class: "where" });
    const weightTable = node("table", { class: "small" });
    const table = node("table", { class: "confusion" });
    const status = node("p", { class: "status", role: "status", "aria-live": "polite" });
    const limitList = node("ul", { class: "limits" });
    const plots = node("div", { class: "panels" });
    const listing = node("table", { class: "list" });
    const more = node("p", { class: "soft" });
    const goal = node("p", { class: "printed" });
    const code = node("textarea", { class: "code", readonly: true, rows: 4, id: id("code"), spellcheck: "false" });
    const copied = node("span", { class: "soft", role: "status", "aria-live": "polite" });

    on(slider, "input", () => select(track()[Number(slider.value)]));
    on(only, "change", () => {
      state.only = only.checked;
      if (state.only && remaining.length && !inside[state.index]) state.index = best();
      draw();
    });
    const step = (by) => () => {
      const line = track(), at = line.indexOf(state.index);
      select(line[Math.min(line.length - 1, Math.max(0, at + by))]);
    };

    function select(p) {
      state.index = p;
      drawPoint();
    }

    function drawPoint() {
      const p = state.index, line = track(), at = line.indexOf(p);
      slider.max = String(line.length - 1);
      slider.value = String(Math.max(at, 0));
      slider.setAttribute("aria-valuetext", said(p));
      where.replaceChildren(
        node("strong", {}, `Point ${p}`), ` of ${data.k}, ${objectiveText()} `, node("strong", {}, shown(p)),
        ` (${line.length < data.k && at >= 0 ? `${ordinal(at + 1)} of ${line.length} that remain, ` : ""}` +
          `${ordinal(order.indexOf(p) + 1)} of ${data.k} by ${objectiveText()}) `,
        ...(state.limits.length ? [node("span", { class: inside[p] ? "kept" : "broken" }, inside[p] ? "within all limits" : "breaks a limit")] : []));
      drawWeights(p);
      drawTable(p);
      panels.forEach((panel) => panel.mark());
      for (const row of listing.querySelectorAll("tr[data-point]")) {
        row.classList.toggle("current", Number(row.dataset.point) === p);
        row.querySelector("button").setAttribute("aria-pressed", String(Number(row.dataset.point) === p));
      }
      code.value = `${python()}\n${pythonPoint()}  # what is seen`;
      copied.textContent = "";
    }

    function drawWeights(p) {
      const total = data.weights[p].reduce((a, b) => a + b, 0), largest = Math.max(...data.weights[p]);
      const far = data.weights[p].some((w) => w > 0 && w / total < 0.001); // then shares say nothing
      const compared = (w) => (!far ? percent(w / total) : w === 0 ? "−∞" : number(Math.log10(w / largest), 3).replace("-", "−"));
      weightTable.replaceChildren(
        node("caption", {}, "Weights of the classes"),
        node("thead", {}, node("tr", {}, ...["class", "weight", far ? "log₁₀ to the largest" : "share", "error"].map((text, i) =>
          node("th", { scope: "col", class: i ? "" : "text" }, text)))),
        node("tbody", {}, ...names.map((name, c) => node("tr", {},
          node("th", { scope: "row" }, label(name)), node("td", {}, scientific(data.weights[p][c])),
          node("td", {}, compared(data.weights[p][c])), node("td", {}, percent(data.errors[p][c]))))));
    }

    function drawTable(p) {
      const focused = table.contains(document.activeElement) ? document.activeElement.dataset.cell : null;
      const cell = (i, j) => {
        const limits = state.limits.filter((limit) => limit.kind !== "given" && limit.true === i &&
          (i === j ? limit.kind === "error" : limit.kind === "cell" && limit.called === j));
        const broken = limits.some((limit) => data.excess(limit, p) > 0);
        const bound = limits.map((limit) =>
          `${i === j ? "error " : ""}${limit.side === "<=" ? "≤" : "≥"} ${inPercent(limit.limit)} %`).join(", ");
        const rate = data.rates[p][i][j];
        const what = `${names[i]} called ${names[j]}: ${percent(rate)}, ${number(data.confusion[p][i][j], 7)} ` +
          `${facts.weighted ? "weight" : "examples"}${bound ? `; limit: ${bound}${broken ? ", broken" : ""}` : ""}`;
        const made = button("", () => addLimit(i, j), {
          "data-cell": `${i},${j}`, "aria-label": `${what}. Set a limit.`, title: "Set a limit",
          class: `cell${i === j ? " diagonal" : ""}${broken ? " over" : limits.length ? " limited" : ""}`,
        });
        made.append(node("span", { class: "rate" }, percent(rate)),
          node("span", { class: "count" }, number(data.confusion[p][i][j], 7)));
        if (bound) made.append(node("span", { class: "bound" }, `${broken ? "✗ " : "✓ "}${bound}`));
        made.style.setProperty("--share", `${(45 * rate).toFixed(1)}%`);
        return node("td", {}, made);
      };
      table.replaceChildren(
        node("caption", {}, "Confusion matrix: rates of each class, and counts"),
        node("thead", {}, node("tr", {}, node("th", { scope: "col", class: "text" }, "class"),
          ...names.map((name) => node("th", { scope: "col" }, "called ", label(name))))),
        node("tbody", {}, ...names.map((name, i) =>
          node("tr", {}, node("th", { scope: "row" }, label(name)), ...names.map((_, j) => cell(i, j))))));
      if (focused) table.querySelector(`[data-cell="${focused}"]`).focus();
    }

    // --- limits ------------------------------------------------------------------------------------

    function addLimit(i, j) {
      const kind = i === j ? "error" : "cell";
      let at = state.limits.findIndex((limit) => limit.kind === kind && limit.true === i && (kind === "error" || limit.called === j));
      if (at < 0) {
        const now = kind === "error" ? data.errors[state.index][i] : data.rates[state.index][i][j];
        const whole = Math.ceil(Number((100 * now).toPrecision(12))); // the present point stays inside
        state.limits.push({ kind, true: i, called: kind === "error" ? null : j, side: "<=", limit: share(whole) });
        at = state.limits.length - 1;
        drawLimits();
        draw();
      }
      const input = limitList.children[at].querySelector("input");
      if (input) {
        input.focus();
        input.select();
      }
    }

    function drawLimits() {
      limitList.replaceChildren(...state.limits.map((limit) => {
        const item = node("li");
        const remove = button("remove", () => {
          state.limits.splice(state.limits.indexOf(limit), 1);
          drawLimits();
          draw();
          add.focus();
        }, { "aria-label": `remove the limit: ${limitText(limit)}` });
        if (limit.kind === "given") {
          item.append(node("span", {}, label(limit.text)), remove);
          return item;
        }
        const what = limit.kind === "error" ? `error of ${names[limit.true]}` : `${names[limit.true]} called ${names[limit.called]}`;
        const side = on(node("select", { "aria-label": `side of the limit on: ${what}` },
          node("option", { value: "<=", selected: limit.side === "<=" }, "at most"),
          node("option", { value: ">=", selected: limit.side === ">=" }, "at least")), "change", () => {
          limit.side = side.value;
          draw();
        });
        const input = node("input", {
          type: "text", inputmode: "decimal", size: 6, value: inPercent(limit.limit), "aria-label": `${what}, limit in per cent`,
        });
        on(input, "input", () => {
          const found = share(input.value), bad = found === null || found < 0 || found > 1;
          input.setAttribute("aria-invalid", String(bad));
          input.title = bad ? "A limit is from 0 to 100 %." : "";
          if (bad) return;
          limit.limit = found;
          draw();
        });
        const nudge = (event) => { // as a number input does, without its rounding
          const by = { ArrowUp: 1, ArrowDown: -1 }[event.key];
          if (!by) return;
          event.preventDefault();
          input.value = inPercent(Math.min(1, Math.max(0, share(inPercent(limit.limit + by * (event.shiftKey ? 0.1 : 0.01))))));
          input.dispatchEvent(new Event("input"));
        };
        on(input, "keydown", nudge);
        const text = limit.kind === "error" ? ["error of ", label(names[limit.true])]
          : [label(names[limit.true]), " called ", label(names[limit.called])];
        item.append(node("span", { class: "screen" }, ...text), side, node("span", { class: "unit" }, input, " %"), remove,
          node("span", { class: "printed" })); // what paper shows instead of fields
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
      costs.hidden = state.objective !== "expected_cost";
      draw();
    });
    const numeric = (value, what, least, set) => {
      const input = node("input", { type: "text", inputmode: "decimal", size: 5, value: number(value, 6), "aria-label": what });
      return on(input, "input", () => {
        const text = input.value.trim().replace(",", "."), found = Number(text);
        const bad = !/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text) || !Number.isFinite(found) || found < least || !set(found);
        input.setAttribute("aria-invalid", String(bad));
        if (!bad) draw();
      });
    };
    const totals = facts.classes.map((c) => c.total), all = totals.reduce((a, b) => a + b, 0);
    const prior = (c) => (state.priors || totals.map((t) => t / all))[c];
    const costs = node("div", { class: "costs", hidden: state.objective !== "expected_cost" });
    function drawCosts() {
      costs.replaceChildren(
        node("div", { class: "scroll" }, node("table", { class: "small" },
          node("caption", {}, "Costs of calling an example of one class another"),
          node("thead", {}, node("tr", {}, node("th", { scope: "col", class: "text" }, "class"),
            ...names.map((name) => node("th", { scope: "col" }, "called ", label(name))), node("th", { scope: "col" }, "prior"))),
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
            }))))))),
        button("Priors as in the examples", () => {
          state.priors = null;
          drawCosts();
          draw();
        }));
    }

    // --- projections -------------------------------------------------------------------------------

    const top = Math.max(0.02, ...data.errors.map((row) => Math.max(...row)));
    const unit = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.25].find((step) => top / step <= 5) || 0.25;
    const end = Math.min(1, Math.ceil((top * 1.02) / unit) * unit);
    const X = (v) => PANEL.left + (v / end) * (PANEL.width - PANEL.left - PANEL.right);
    const Y = (v) => PANEL.height - PANEL.bottom - (v / end) * (PANEL.height - PANEL.top - PANEL.bottom);

    function panel(first, second) {
      const axes = { x: first, y: second };
      const lines = shape("g", { class: "grid-lines" }), marks = shape("g");
      const out = shape("path", { class: "out" }), kept = shape("path", { class: "in" }), front = shape("path", { class: "front" });
      const cross = shape("path", { class: "here" }), ring = shape("circle", { class: "here", r: 7 });
      const titles = shape("g", { class: "titles" });
      const svg = shape("svg", {
        viewBox: `0 0 ${PANEL.width} ${PANEL.height}`, tabindex: 0, role: "slider", "aria-valuemin": 0, "aria-valuemax": data.k - 1,
      }, lines, marks, out, front, kept, ring, cross, titles);
      for (let v = 0; v <= end + 1e-9; v += unit) {
        const text = number(100 * v, 3) + (v ? "" : " %");
        lines.append(shape("line", { x1: X(v), x2: X(v), y1: Y(0), y2: Y(end) }), shape("line", { x1: X(0), x2: X(end), y1: Y(v), y2: Y(v) }),
          shape("text", { x: X(v), y: Y(0) + 15, "text-anchor": "middle" }, text));
        if (v) lines.append(shape("text", { x: X(0) - 5, y: Y(v) + 4, "text-anchor": "end" }, text));
      }
      const xy = (p) => [data.errors[p][axes.x], data.errors[p][axes.y]];
      const line = () => order.slice().sort((p, q) => xy(p)[0] - xy(q)[0] || xy(p)[1] - xy(q)[1] || p - q);
      let along = [];
      const dots = (points) => points.map((p) => `M${X(xy(p)[0]).toFixed(1)} ${Y(xy(p)[1]).toFixed(1)}h0`).join("");
      const made = {
        element: svg,
        draw() {
          svg.setAttribute("aria-label", `Operating points by the error of ${names[axes.x]} and the error of ${names[axes.y]}`);
          titles.replaceChildren(
            shape("text", { x: (X(0) + X(end)) / 2, y: PANEL.height - 8, "text-anchor": "middle" }, `error of ${cut(names[axes.x], 28)}`),
            shape("text", { x: 0, y: 0, "text-anchor": "middle", transform: `translate(12 ${(Y(0) + Y(end)) / 2}) rotate(-90)` },
              `error of ${cut(names[axes.y], 28)}`));
          along = line();
          out.setAttribute("d", dots(along.filter((p) => !inside[p])));
          kept.setAttribute("d", dots(along.filter((p) => inside[p])));
          let low = Infinity, path = "";
          for (const p of along.filter((q) => inside[q])) { // the lower left front of what remains
            const [x, y] = xy(p);
            if (y >= low) continue;
            path += path ? `H${X(x)}V${Y(y)}` : `M${X(x)} ${Y(y)}`;
            low = y;
          }
          front.setAttribute("d", path);
          marks.replaceChildren(...state.limits.filter((l) => l.kind === "error" && l.limit >= 0 && l.limit <= end).flatMap((l) => [
            ...(l.true === axes.x ? [shape("line", { class: "limit", x1: X(l.limit), x2: X(l.limit), y1: Y(0), y2: Y(end) })] : []),
            ...(l.true === axes.y ? [shape("line", { class: "limit", x1: X(0), x2: X(end), y1: Y(l.limit), y2: Y(l.limit) })] : []),
          ]));
          made.mark();
        },
        mark() {
          const [x, y] = xy(state.index), cx = X(x), cy = Y(y);
          ring.setAttribute("cx", cx);
          ring.setAttribute("cy", cy);
          cross.setAttribute("d", `M${cx - 11} ${cy}h22M${cx} ${cy - 11}v22`);
          svg.setAttribute("aria-valuenow", along.indexOf(state.index));
          svg.setAttribute("aria-valuetext", `${said(state.index)}; ${names[axes.x]} ${percent(x)}, ${names[axes.y]} ${percent(y)}`);
        },
        axes,
      };
      const nearest = (event) => {
        const box = svg.getBoundingClientRect(), scale = PANEL.width / box.width;
        const at = [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
        const line = track();
        let found = line[0], least = Infinity;
        for (const p of line) {
          const [x, y] = xy(p), far = (X(x) - at[0]) ** 2 + (Y(y) - at[1]) ** 2;
          if (far < least) [found, least] = [p, far];
        }
        select(found);
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
        const line = state.only && remaining.length ? along.filter((p) => inside[p]) : along;
        const at = line.indexOf(state.index), last = line.length - 1;
        const to = { ArrowRight: at + 1, ArrowUp: at + 1, ArrowLeft: at - 1, ArrowDown: at - 1, Home: 0, End: last,
          PageUp: at + 10, PageDown: at - 10 }[event.key];
        if (to === undefined) return;
        event.preventDefault();
        select(line[Math.min(last, Math.max(0, to))]);
      });
      return made;
    }

    function makePanels() {
      const C = data.C;
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

    function drawList() {
      const line = order.filter((p) => inside[p]);
      listing.replaceChildren(
        node("caption", {}, "Points that remain, the best first"),
        node("thead", {}, node("tr", {}, node("th", { scope: "col", class: "text" }, "point"), node("th", { scope: "col" }, objectiveText()),
          ...names.map((name) => node("th", { scope: "col" }, "error of ", label(name))))),
        node("tbody", {}, ...line.slice(0, LISTED).map((p) => node("tr", { "data-point": p },
          node("th", { scope: "row" }, button(String(p), () => select(p), { "aria-label": said(p) })), node("td", {}, shown(p)),
          ...data.errors[p].map((error) => node("td", {}, percent(error)))))));
      more.textContent = line.length > LISTED ? `The best ${LISTED} of ${line.length} are listed.` : "";
    }

    function draw() {
      derive();
      const k = data.k, n = remaining.length;
      status.classList.toggle("none", n === 0);
      if (n) status.replaceChildren(node("strong", {}, `${n} of ${k}`), ` point${k === 1 ? "" : "s"} remain${n === 1 ? "s" : ""}${state.limits.length ? "." : ": there are no limits."}`);
      else {
        const worst = state.limits.reduce((most, l) => (data.excess(l, closest) > data.excess(most, closest) ? l : most));
        const by = data.excess(worst, closest);
        status.replaceChildren(node("strong", {}, "No point"), ` is within all limits. The closest is point ${closest}: beyond “`,
          label(limitText(worst)), `” by ${worst.kind === "given" ? number(by * worst.scale) : `${number(100 * by)} percentage points`}.`);
      }
      toBest.textContent = n ? (state.limits.length ? "Best of those that remain" : "Best point") : "Closest to the limits";
      for (const item of limitList.children) if (item.limit) item.querySelector(".printed").replaceChildren(label(limitText(item.limit)));
      goal.replaceChildren("Minimised: ", label(objectiveText()));
      drawList();
      panels.forEach((made) => made.draw());
      drawPoint();
    }

    const copy = button("Copy", async () => {
      try {
        await navigator.clipboard.writeText(code.value);
        copied.textContent = "Copied.";
      } catch { // a notebook's frame may not: then the text is selected for the keys
        code.focus();
        code.select();
        copied.textContent = document.execCommand("copy") ? "Copied." : "Selected: copy it with the keyboard.";
      }
    });
    const section = (title, name, ...children) =>
      node("section", { "aria-labelledby": id(name), class: name === "python" ? "screen" : null }, node("h2", { id: id(name) }, title), ...children);
    root.replaceChildren(
      section("Operating point", "point",
        node("div", { class: "controls" },
          node("label", { for: id("slider") }, "Along the points, from the best on"), slider,
          node("span", { class: "buttons" }, button("‹", step(-1), { "aria-label": "previous point" }), button("›", step(1), { "aria-label": "next point" })),
          toBest, node("label", {}, only, " only those that remain")),
        where,
        node("div", { class: data.C > 5 ? "many" : "sides" }, node("div", { class: "scroll" }, table), node("div", {}, node("div", { class: "scroll" }, weightTable)))),
      node("div", { class: "sides even" },
        section("Limits", "limits", status, limitList, node("p", { class: "adder" }, node("label", { for: id("chooser") }, "On "), chooser, add)),
        section("What is minimised", "goal", node("p", { class: "screen" }, node("label", { for: id("objective") }, "Objective "), chosenKind), goal, costs)),
      section("Errors of the classes", "errors", node("p", { class: "soft" },
        "Large dots remain within the limits, small ones do not; the line is the front of those that remain.",
        node("span", { class: "screen" }, " Click, drag, or use the arrow keys.")), plots),
      section("What remains", "remains", node("div", { class: "scroll list-box" }, listing), more),
      section("In Python", "python", node("p", {}, node("label", { for: id("code") }, "The best of what remains, and the point that is seen:")), code,
        node("p", {}, copy, " ", copied)));
    drawCosts();
    makePanels();
    drawLimits();
    draw();

    return {
      select, draw,
      state: () => ({
        index: state.index, remaining: remaining.slice(), best: best(), closest, value: values[state.index], python: python(),
      }),
      setLimits(limits) {
        state.limits = limits.map((limit) => ({ ...limit }));
        drawLimits();
        draw();
      },
    };
  }

  return { mount };
})();
