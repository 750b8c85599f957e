// The weights of the rule that is seen, and its confusion matrix: a cell tells its limits, and is where one is set.
import { around, say } from "./answer/words";
import { node, on, button, label, live, write, term, column, scientific } from "./multiclass_parts.js";
import * as rochullExact from "./report_exact.js";
import * as F from "./report_format.js";
import { attr } from "./report_elements.js";

export const rochullMulticlassTable = (view) => {
  const { facts, data, names, state, words: { amount } } = view, totals = facts.classes.map((c) => c.total), what = facts.weighted ? "weight" : "number";
  const weightTable = node("table", { class: "small" }), table = node("table", { class: "confusion" });
  const baseline = facts.baselines[0].kind === "largest" ? data.k : null, legend = node("p", { class: "soft" });
  const each = names.map((_, c) => c), hasWords = data.C <= 5;

  // Elements are made once, and filled again and again: a handle is dragged along.
  const weightRows = each.map((c) => ({ weight: live("td", `weight:${c}`, "", ""), error: live("span", `error:${c}`, "", ""), interval: node("small") }));
  weightTable.append(
    node("caption", {}, say("expert.classes table.weights of the classes")),
    node("thead", {}, node("tr", {}, ...["class", "weight", "error"].map((text, i) => column({ class: i ? null : "text" }, text)))),
    node("tbody", {}, ...weightRows.map(({ weight, error, interval }, c) => node("tr", {}, node("th", { scope: "row" }, label(names[c])), weight,
      node("td", {}, error, ...(facts.weighted ? [] : [interval]))))));
  // How sure each class is: errors of those that are of it, and of those that are called so.
  const sureRows = each.map(() => [node("td"), node("td")]), sure = node("table", { class: "small" },
    node("caption", {}, say("page.classes.sure")),
    node("thead", {}, node("tr", {}, column({ class: "text" }, say("page.classes.class")), column({}, say("page.classes.error")), column({}, term(say("page.classes.precision"))))),
    node("tbody", {}, ...sureRows.map((cells, c) => node("tr", {}, node("th", { scope: "row" }, label(names[c])), ...cells))));
  function drawSure(p) {
    sureRows.forEach(([error, precision], c) => {
      const [right, all] = data.called(p, c);
      error.textContent = F.rates(rochullExact.wilson(totals[c] - data.confusion[p][c][c], totals[c]));
      precision.textContent = F.rates(all ? rochullExact.wilson(right, all) : null);
    });
  }
  function drawWeights(p) {
    weightRows.forEach(({ weight, error, interval }, c) => {
      write(weight, data.weights[p][c], scientific(data.weights[p][c]));
      write(error, data.errors[p][c], F.rate(data.errors[p][c]));
      // Wilson's, of an error that is a quotient of counts
      if (!facts.weighted) interval.textContent = F.rates(rochullExact.wilson(totals[c] - data.confusion[p][c][c], totals[c]));
    });
  }
  legend.append(say("expert.classes table.a row holds the"), term(say("expert.classes table.confusion matrix")), ")",
    baseline === null ? "." : say("expert.classes table.in brackets the by", { what }),
    node("span", { class: "screen" }, say("expert.classes table.press a cell to")));

  /** What one cell adds to the expected cost. */
  function spent(p, i, j) {
    if (state.objective !== "expected_cost") return 0;
    const shares = state.priors || totals;
    return (shares[i] / shares.reduce((a, b) => a + b, 0)) * data.rates[p][i][j] * state.costs[i][j];
  }
  function cellOf(i, j) {
    const cell = { rate: live("span", `rate:${i}:${j}`, "", "", { class: "rate" }), count: live("span", `count:${i}:${j}`, "", ""),
      cost: node("span", { class: "word" }), bound: node("span", { class: "bound" }) };
    const usual = baseline === null ? [] : [node("span", { class: "by-baseline" }, " (",
      live("span", `usual:${i}:${j}`, data.confusion[baseline][i][j], amount(data.confusion[baseline][i][j])), ")")];
    const word = node("span", { class: "word" }, ...(i === j ? ["right"] : [say("expert.classes table.taken for"), label(names[j])]));
    cell.button = button("", () => view.limit(i, j), { class: "cell", "data-cell": `${i},${j}`, title: say("expert.classes table.at most this") });
    cell.button.append(cell.rate, node("span", { class: "count" }, cell.count, ...usual), ...(hasWords ? [word, cell.cost] : []), cell.bound);
    const held = view.words.limited({ kind: i === j ? "error" : "cell", true: i, called: j });
    cell.hold = node("div", { class: "hold", hidden: true }, ...[["−", "lower", -1], ["+", "raise", 1]].map(([sign, does, by]) =>
      button(sign, () => view.move(i, j, by), { "aria-label": say("expert.classes table.the limit", { does, held }) })));
    cell.element = on(node("td", {}, cell.button, cell.hold), "keydown", (event) => {
      const by = { ArrowUp: 1, ArrowDown: -1 }[event.key];
      if (!by || cell.hold.hidden) return;
      event.preventDefault();
      view.move(i, j, by * (event.shiftKey ? 10 : 1));
    });
    return cell;
  }
  const precisions = each.map((c) => live("td", `precision:${c}`, "", ""));
  const cells = each.map((i) => each.map((j) => cellOf(i, j)));
  table.append(
    node("caption", {}, say("expert.classes table.of the cases of", { what })),
    node("thead", {}, node("tr", {}, column({ class: "text" }, "class"), ...names.map((name) => column({}, ...around("answer.classes.called", { name: label(name) }))))),
    node("tbody", {}, ...names.map((name, i) =>
      node("tr", {}, node("th", { scope: "row" }, label(name)), ...cells[i].map(({ element }) => element)))),
    node("tfoot", {}, node("tr", {}, node("th", { scope: "row" }, term("precision")), ...precisions)));
  function drawCell(p, i, j, isShared) {
    const { rate, count, cost, bound, button: made, hold, element } = cells[i][j], share = data.rates[p][i][j], price = spent(p, i, j);
    const limits = state.limits.filter((limit) => limit.kind !== "given" && limit.true === i &&
      (i === j ? limit.kind === "error" : limit.kind === "cell" && limit.called === j));
    const over = (limit) => data.excess(limit, p) > 0, broken = limits.some(over);
    const bounds = limits.map((limit) => say("expert.classes table.bound", { error: i === j ? F.rate(data.errors[p][i]) : null, over: over(limit) ? "yes" : "no", way: limit.side === "<=" ? "≤" : "≥", limit: F.share(limit.limit) })).join(", ");
    write(rate, share, F.rate(share));
    write(count, data.confusion[p][i][j], amount(data.confusion[p][i][j]));
    write(cost, price, !price ? "" : isShared ? say("expert.classes table.of the cost", { values: F.rate(price / view.found.values[p]) }) : say("expert.classes table.cost", { cost: F.number(price) }));
    write(bound, limits.length, limits.length ? `${broken ? "✗" : "✓"} ${bounds}` : "");
    hold.hidden = !limits.length;
    attr(made, "aria-label", [say("expert.classes.called so often", { name: names[i], other: names[j], rate: rate.textContent }), count.textContent,
      ...(baseline === null ? [] : [say("expert.classes table.baseline", { count: amount(data.confusion[baseline][i][j]) })]), ...(price ? [cost.textContent] : []),
      ...(limits.length ? [say("expert.classes table.the limit 5", { more: broken ? "breaks" : "keeps", bounds })] : [])].join(", "));
    element.dataset.value = data.confusion[p][i][j];
    element.className = `${i === j ? "diagonal" : ""}${broken ? " over" : limits.length ? " limited" : ""}`;
    element.style.setProperty("--share", `${(45 * share).toFixed(1)}%`);
  }
  function drawTable(p) {
    const isShared = state.costs.flat().every((cost) => cost >= 0); // of gains there are no shares
    for (const i of each) for (const j of each) drawCell(p, i, j, isShared);
    precisions.forEach((cell, c) => {
      const [right, all] = data.called(p, c);
      write(cell, all ? right / all : "", F.rate(all ? right / all : null));
    });
  }

  const draw = (p) => {
    drawWeights(p);
    drawTable(p);
    if (!facts.weighted) drawSure(p);
  };
  return { sure, weights: weightTable, matrix: table, legend, draw };
};
