// The weights of the point that is seen, and its confusion matrix: a cell tells its limits, and is where one is set.
"use strict";
const rochullMulticlassTable = (() => {
  const F = rochullFormat, { node, button, label, live, column, scientific } = rochullMulticlassParts;

  return (view) => {
    const { facts, data, names, state, words: { amount } } = view, totals = facts.classes.map((c) => c.total);
    const weightTable = node("table", { class: "small" }), table = node("table", { class: "confusion" });

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
        const made = button("", () => view.limit(i, j), {
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

    const draw = (p) => {
      drawWeights(p);
      drawTable(p);
    };
    return { weights: weightTable, matrix: table, draw };
  };
})();
