// The answer in one sentence, and what it is compared with: the outputs as they are, and one class always.
// The sentence is that of rochull.report.multiclass_verdict.
"use strict";
const rochullMulticlassCompare = (() => {
  const F = rochullFormat, { html } = rochullElements;
  const MOST_WEIGHTS = 6; // that a sentence can hold
  const isolated = (name) => `\u2068${name}\u2069`; // a name written from right to left does not turn the rest around
  const listed = (parts) => (parts.length === 1 ? parts[0] : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`);

  function named({ kind, class: c }, names) {
    if (kind === "always") return `calling every case ${isolated(names[c])}`;
    return kind === "largest" ? "the largest output without weights" : "outputs divided by the share of their class";
  }
  /** What needs no choice of weights, then the class that does best alone. */
  function shown(rows, names = null) {
    if (names && names.length <= MOST_WEIGHTS) return rows;
    const alone = rows.filter(({ kind }) => kind === "always");
    return [...rows.filter(({ kind }) => kind !== "always"), alone.reduce((best, row) => (row.value < best.value ? row : best))];
  }
  function verdict(names, weights, measure, { value, within }, rows, write) {
    const by = names.length > MOST_WEIGHTS ? "" : ` (${names.map((name, c) => `${isolated(name)} ${F.number(weights[c])}`).join(", ")})`;
    const against = shown(rows).map((row) => `${write(row.value)} for ${named(row, names)}${row.within ? "" : " (beyond a limit)"}`);
    return `Multiply each output by the weight of its class${by} and take the largest. ${measure} ${write(value)}${within ? "" : " (beyond a limit)"}, against ${listed(against)}.`;
  }

  /** The table of the point that is seen and the baselines; returns what fills it. */
  function table(element, names) {
    const cell = (tag, attributes, ...children) => html(tag, attributes, ...children);
    const write = (value, text, key) => cell("td", { "data-key": key, "data-value": value }, text);
    return (measure, errors, seen, rows, text, limited) => {
      const line = (head, key, value, p, within, attributes) => cell("tr", attributes, cell("th", { scope: "row" }, head),
        write(value, text(value), `${key}_value`), ...names.map((_, c) => write(errors[p][c], F.rate(errors[p][c]), `${key}_error:${c}`)),
        ...(limited ? [cell("td", { class: "text" }, within ? "yes" : "no")] : []));
      element.replaceChildren(cell("caption", {}, "The selected point, and rules that choose no weights"),
        cell("thead", {}, cell("tr", {}, cell("th", { scope: "col", class: "text" }, "rule"), cell("th", { scope: "col" }, html("bdi", {}, measure)),
          ...names.map((name) => cell("th", { scope: "col" }, "error of ", html("bdi", {}, name))),
          ...(limited ? [cell("th", { scope: "col", class: "text" }, "within the limits")] : []))),
        cell("tbody", {}, line(`point ${seen.index}`, "seen", seen.value, seen.index, seen.within, { class: "current" }),
          ...rows.map((row, b) => line(row.kind === "largest" ? "the largest output (baseline)" : named(row, names), `base:${b}`,
            row.value, row.index, row.within, { "data-baseline": row.kind }))));
    };
  }
  return { verdict, shown, table };
})();
