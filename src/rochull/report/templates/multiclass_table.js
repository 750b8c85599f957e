// The weights of the rule that is seen, and its confusion matrix: a cell tells its limits, and is where one is set.
"use strict";
const rochullMulticlassTable = (() => {
  const F = rochullFormat, { node, button, label, live, term, column, scientific } = rochullMulticlassParts;

  return (view) => {
    const { facts, data, names, state, words: { amount } } = view, totals = facts.classes.map((c) => c.total), what = facts.weighted ? "weight" : "number";
    const weightTable = node("table", { class: "small" }), table = node("table", { class: "confusion" });

    const baseline = facts.baselines[0].kind === "largest" ? data.k : null, legend = node("p", { class: "soft" });

    function drawWeights(p) {
      weightTable.replaceChildren(
        node("caption", {}, "Weights of the classes"),
        node("thead", {}, node("tr", {}, ...["class", "weight", "error"].map((text, i) => column({ class: i ? null : "text" }, text)))),
        node("tbody", {}, ...names.map((name, c) => node("tr", {},
          node("th", { scope: "row" }, label(name)), live("td", `weight:${c}`, data.weights[p][c], scientific(data.weights[p][c])),
          node("td", {}, live("span", `error:${c}`, data.errors[p][c], F.rate(data.errors[p][c])), ...interval(p, c))))));
    }
    /** Wilson's, of an error that is a quotient of counts. */
    function interval(p, c) {
      if (facts.weighted) return [];
      const right = data.confusion[p][c][c];
      return [node("small", {}, F.rates(rochullExact.wilson(totals[c] - right, totals[c])))];
    }
    function drawLegend() {
      legend.replaceChildren("A row holds the cases of one class, a column what this rule calls them (the ", term("confusion matrix"), ")",
        baseline === null ? "." : `; in brackets the ${what} by the largest output without weights, the baseline.`,
        node("span", { class: "screen" }, " Click a cell to limit it."));
    }

    /** What one cell adds to the expected cost. */
    function spent(p, i, j) {
      if (state.objective !== "expected_cost") return 0;
      const shares = state.priors || totals;
      return (shares[i] / shares.reduce((a, b) => a + b, 0)) * data.rates[p][i][j] * state.costs[i][j];
    }
    function drawTable(p) {
      const focused = table.contains(document.activeElement) ? document.activeElement.dataset.cell : null;
      const isShared = state.costs.flat().every((cost) => cost >= 0); // of gains there are no shares
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
          aloud(", "), node("span", { class: "count" }, live("span", `count:${i}:${j}`, count, amount(count)),
            ...(baseline === null ? [] : [node("span", { class: "by-baseline" }, aloud(", baseline"), " (", live("span", `usual:${i}:${j}`, data.confusion[baseline][i][j], amount(data.confusion[baseline][i][j])), ")")])));
        if (data.C <= 5) made.append(aloud(" "), node("span", { class: "word" }, i === j ? "right" : "taken for ", ...(i === j ? [] : [label(names[j])])));
        if (price && data.C <= 5) made.append(aloud(", "), node("span", { class: "word" }, isShared ? `${F.rate(price / view.found.values[p])} of the cost` : `cost ${F.number(price)}`));
        if (bound) made.append(aloud(`; ${broken ? "breaks the limit" : "within the limit"} `), node("span", { class: "bound" }, `${broken ? "✗ " : "✓ "}${bound}`));
        made.style.setProperty("--share", `${(45 * rate).toFixed(1)}%`);
        return node("td", { "data-value": count }, made);
      };
      table.replaceChildren(
        node("caption", {}, `Of the cases of each class: share, and ${what}`),
        node("thead", {}, node("tr", {}, column({ class: "text" }, "class"), ...names.map((name) => column({}, "called ", label(name))))),
        node("tbody", {}, ...names.map((name, i) =>
          node("tr", {}, node("th", { scope: "row" }, label(name)), ...names.map((_, j) => cell(i, j))))));
      if (focused) table.querySelector(`[data-cell="${focused}"]`).focus();
    }

    const draw = (p) => {
      drawWeights(p);
      drawTable(p);
      drawLegend();
    };
    return { weights: weightTable, matrix: table, legend, draw };
  };
})();
