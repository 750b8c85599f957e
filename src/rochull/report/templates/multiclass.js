// long: one view, kept in one file so that other pages can embed it
// Moves along operating points of several classes: rochullMulticlass.mount(element, facts) draws the view, page() a whole page.
// Labels are data: they reach the page as text nodes and attribute values only, never as markup. What is computed is in
// multiclass_model.js; an element that shows one of its numbers has it in full as data-value, under the name data-key.
"use strict";
const rochullMulticlass = (() => {
  const F = rochullFormat;
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
  // What is typed as a percentage: 12.3 is 0.123 to the bit, which 12.3 / 100 need not be.
  const share = (text) => {
    const found = F.read(text);
    return /%\s*$/.test(text) ? found : Number((found / 100).toPrecision(15));
  };
  const inPercent = (value) => F.field(Number((100 * value).toPrecision(15)));

  // --- elements ----------------------------------------------------------------------------------

  const { html: node } = rochullElements;
  const on = (element, event, act) => {
    element.addEventListener(event, act);
    return element;
  };
  const button = (text, act, attributes = {}) => on(node("button", { type: "button", ...attributes }, text), "click", act);
  const label = (name) => node("bdi", {}, name); // a label of another script does not turn the line around
  const live = (tag, key, value, text, attributes = {}) => node(tag, { ...attributes, "data-key": key, "data-value": value }, text);
  /** A word that the glossary of the page, if it has one, explains. */
  function term(word) {
    const words = JSON.parse(document.getElementById("told")?.dataset.words ?? "{}");
    return word in words ? node("span", { class: "term", "data-told": words[word] }, word) : word;
  }
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

  // --- the view ------------------------------------------------------------------------------------

  /** `told` is called after whatever a person changes; `headline` has the answer in one sentence. */
  function mount(root, facts, told = () => {}, headline = null) {
    const data = rochullMulticlassModel(facts);
    const verdict = headline || node("p", { class: "verdict" });
    const id = (name) => `multiclass-${prefix}-${name}`, prefix = mounted++;
    const names = facts.classes.map((c) => c.name);
    const state = data.initial();
    let found = data.evaluate(state), usual = data.baselines(state), wanted = state.index; // the point that was asked for: limits may keep another one
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
    const comparison = node("table", { class: "comparison" }), fillComparison = rochullMulticlassCompare.table(comparison, names);
    const batch = rochullMulticlassBatch.section(facts.classes, id("batch-file"));
    const bar = [node("span", { class: "bar-rule" }), node("span", { class: "bar-figures" })];
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
      drawVerdict(p);
      panels.forEach((panel) => panel.mark());
      markList();
      drawRule();
      clearTimeout(waiting);
      waiting = setTimeout(() => batch.show(data.weights[p]), 200); // of many rows it takes longer than a frame
    }
    let waiting = 0;

    function drawVerdict(p) {
      const measure = objectiveText(), value = found.values[p], seen = { index: p, value, within: found.inside[p] };
      const begin = state.objective === "given" ? measure : measure.replace(/^./, (first) => first.toUpperCase());
      const text = rochullMulticlassCompare.verdict(names, data.weights[p], begin, seen, usual, valueText);
      if (verdict.textContent !== text) verdict.textContent = text;
      fillComparison(measure, data.errors, seen,
        rochullMulticlassCompare.shown(usual, names), valueText, state.limits.length > 0);
      const worst = names.map((_, c) => c).sort((a, b) => data.errors[p][b] - data.errors[p][a] || a - b);
      bar[0].textContent = `Point ${p}: ${measure} ${valueText(value)}${found.inside[p] ? "" : ", breaks a limit"}`;
      bar[1].textContent = `errors: ${worst.map((c) => `\u2068${names[c]}\u2069 ${F.rate(data.errors[p][c])}`).join(" · ")}`;
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

    /** What one cell adds to the expected cost. */
    function spent(p, i, j) {
      if (state.objective !== "expected_cost") return 0;
      const shares = state.priors || totals;
      return (shares[i] / shares.reduce((a, b) => a + b, 0)) * data.rates[p][i][j] * state.costs[i][j];
    }
    function drawTable(p) {
      const focused = table.contains(document.activeElement) ? document.activeElement.dataset.cell : null;
      const cell = (i, j) => {
        const limits = state.limits.filter((limit) => limit.kind !== "given" && limit.true === i &&
          (i === j ? limit.kind === "error" : limit.kind === "cell" && limit.called === j));
        const broken = limits.some((limit) => data.excess(limit, p) > 0);
        const bound = limits.map((limit) =>
          `${i === j ? "error " : ""}${limit.side === "<=" ? "≤" : "≥"} ${F.share(limit.limit)}`).join(", ");
        const rate = data.rates[p][i][j], count = data.confusion[p][i][j], price = spent(p, i, j);
        const made = button("", () => addLimit(i, j), {
          "data-cell": `${i},${j}`, title: "Set a limit",
          class: `cell${i === j ? " diagonal" : ""}${broken ? " over" : limits.length ? " limited" : ""}`,
        });
        const aloud = (text) => node("span", { class: "visually-hidden" }, text);
        made.append(aloud(`${names[i]} called ${names[j]}: `));
        made.append(live("span", `rate:${i}:${j}`, rate, F.rate(rate), { class: "rate" }),
          aloud(", "), live("span", `count:${i}:${j}`, count, amount(count), { class: "count" }));
        if (data.C <= 5) made.append(aloud(" "), node("span", { class: "word" }, i === j ? "right" : "taken for ", ...(i === j ? [] : [label(names[j])])));
        if (price && data.C <= 5) made.append(aloud(", "), node("span", { class: "word" }, `cost ${F.number(price)}`));
        if (bound) made.append(aloud(`; ${broken ? "breaks the limit" : "within the limit"} `), node("span", { class: "bound" }, `${broken ? "✗ " : "✓ "}${bound}`));
        made.style.setProperty("--share", `${(45 * rate).toFixed(1)}%`);
        return node("td", { "data-value": count }, made);
      };
      table.replaceChildren(
        node("caption", {}, `Of the cases of each class: share, and ${facts.weighted ? "weight" : "number"}`),
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
      rochullTake.tables(costs);
    }

    // --- projections -------------------------------------------------------------------------------

    const scale = names.map((_, c) => { // of the errors of each class
      const top = data.weights.reduce((most, _, p) => Math.max(most, data.errors[p][c]), 0.02);
      const unit = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.25].find((size) => top / size <= 5) || 0.25;
      return { unit, end: Math.min(1, Math.ceil((top * 1.02) / unit) * unit) };
    });
    const shown = {
      data, names, scale, usual: facts.baselines[0].kind === "largest" ? data.k : null, track, select, drag, said, limits: () => state.limits, inside: (p) => found.inside[p], index: () => state.index,
    };
    function makePanels() {
      const C = data.C, panel = (x, y) => rochullPanels.projection(shown, x, y);
      if (C <= 4) {
        for (let i = 0; i < C; i++) for (let j = i + 1; j < C; j++) panels.push(panel(i, j));
      } else panels.push(panel(0, 1), panel(2, 3)); // of many classes one chooses which are seen
      plots.replaceChildren(...panels.map((made, n) => {
        const holder = node("div", { class: "panel" }, node("div", { class: "rc-plot" }, made.element));
        const taken = () => {
          holder.querySelector(".takes")?.remove();
          rochullTake.chart({ element: holder }, `Errors of ${names[made.axes.x]} and ${names[made.axes.y]}`);
        };
        taken();
        if (C > 4) {
          const pick = (axis) => {
            const select = node("select", { "aria-label": `panel ${n + 1}: class on the ${axis} axis` },
              ...names.map((name, c) => node("option", { value: c, selected: c === made.axes[axis] }, name)));
            return on(select, "change", () => {
              made.axes[axis] = Number(select.value);
              made.draw();
              taken();
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
      [found, usual] = [data.evaluate(state), data.baselines(state)];
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
    const reset = button("Reset", () => set(data.initial()), { "aria-label": "Reset to the report’s own conditions" });
    root.replaceChildren(
      ...(headline ? [] : [verdict]),
      node("div", { class: "live" },
        section("Conditions", "conditions", { class: "conditions" }, reset,
          node("h3", {}, "Limits"), status, limitList, node("p", { class: "adder" }, node("label", { for: id("chooser") }, "On "), chooser, add),
          node("h3", {}, "What is minimised"), node("p", { class: "screen" }, node("label", { for: id("objective") }, "Objective "), chosenKind), goal, costs),
        section("What the cases of each class are called", "outcomes", { class: "outcomes" },
          node("p", { class: "soft" }, "The ", term("confusion matrix"), " at the point that is seen.", node("span", { class: "screen" }, " A click on a cell limits it.")),
          node("div", { class: data.C > 5 ? "scroll many" : "scroll" }, table)),
        section("Errors of the classes", "errors", { class: "charts" }, node("p", { class: "soft" },
          "Large dots remain within the limits, small ones do not; the line is the ", term("Pareto front"), " of those that remain; the diamond is the largest output.",
          node("span", { class: "screen" }, " Click, drag, or use the arrow keys.")), plots),
        section("Operating point", "point", { class: "answer" },
          where,
          node("div", { class: "controls" },
            node("label", { for: id("slider") }, "Along the points, from the best on"), slider,
            node("span", { class: "buttons" }, button("‹", step(-1), { "aria-label": "previous point" }), button("›", step(1), { "aria-label": "next point" })),
            toBest, node("label", {}, only, " only those that remain")),
          node("div", { class: "scroll" }, weightTable),
          node("p", { class: "soft" }, "The ", term("class weights"), " multiply the outputs; the class with the largest product is called."))),
      section("What it is compared with", "compared", {}, node("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Rules side by side" }, comparison)),
      section("What remains", "remains", {}, node("div", { class: "scroll list-box", tabindex: 0, role: "region", "aria-label": "The points that remain" }, listing), more),
      section("Cases of your own", "batch", { class: "batch" }, ...batch.parts),
      section("Take it along", "along", { class: "screen" }, breaks,
        node("div", { class: "sides even" },
          node("div", {}, node("h3", {}, "Copy condition"),
            node("p", { class: "soft" }, "Limits, objective and costs, and the point that is seen. Without --weights the command searches within the limits."),
            commandLine.box, python.box),
          node("div", {}, node("h3", {}, "Download rule"),
            node("p", { class: "soft" }, "The point that is seen, to decide new cases with: as a policy, and as SQL for a table with the outputs of the classes."),
            node("p", { class: "files" }, policyFile, sqlFile, node("label", { for: id("dialect") }, "for "), dialect), noPolicy, sql.box)),
        copied),
      node("div", { class: "bar", "aria-hidden": "true" }, ...bar));
    drawCosts();
    makePanels();
    drawLimits();
    draw();
    rochullTake.tables(root);

    function set(changes) { // as if a person had: any of index, objective, only, costs, priors, limits
      Object.assign(state, structuredClone(changes));
      if (changes.index !== undefined || !state.only) wanted = state.index;
      chosenKind.value = state.objective;
      only.checked = state.only;
      drawCosts();
      drawLimits();
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

  // The address holds what is seen, so that a bookmark does. What it says is data: it is read, or told not to fit.
  function link(view, notice) {
    let last = view.link(); // what the address tells, or would
    const write = (how = "pushState") => {
      if (view.link() === last && how === "pushState") return;
      last = view.link();
      try {
        history[how](null, "", `#${last}`); // Back undoes
      } catch { // a page in a frame may have no address
      }
    };
    function read() {
      const given = location.hash.slice(1);
      if (given !== "" && document.getElementById(given)) return;
      const asked = given === "" ? view.model.initial() : view.model.linked(given);
      if (asked) {
        view.set(asked);
        last = view.link();
      } else write("replaceState");
      notice.hidden = asked !== null;
      notice.textContent = asked ? "" : "The link does not fit this report, and is left aside.";
    }
    on(window, "hashchange", read);
    if (location.hash) read();
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
    }, document.getElementById("verdict"));
    rochullTerms.bind(document.getElementById("told"));
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
