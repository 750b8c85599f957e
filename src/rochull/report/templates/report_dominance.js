// Who is best while a miss costs so many false alarms: the dominance table, live with the prevalence.
"use strict";
const rochullDominance = (() => {
  const F = rochullFormat, { isolated } = F;
  const three = (value) => F.number(Number(value.toPrecision(3)));

  /** Rows as ratios of costs (a miss in false alarms), ascending; neighbours with the same classifiers are one. */
  function ratios(rows, p) {
    const ratio = (slope) => (Number(slope) === 0 ? Infinity : slope === "inf" ? 0 : (1 - p) / (p * Number(slope)));
    const found = [];
    for (const { low, high, classifiers, rule } of [...rows].reverse()) {
      const last = found[found.length - 1], name = classifiers.join("\u0000") || rule;
      if (last && last.name === name) last.high = ratio(low);
      else found.push({ name, classifiers, rule, low: ratio(high), high: ratio(low) });
    }
    return found;
  }
  /** "a miss costs more than 1,100 false alarms". */
  function bound(ratio, more) {
    if (ratio >= 1) return `a miss costs ${more ? "more" : "less"} than ${three(ratio)} false alarms`;
    return `a false alarm costs ${more ? "less" : "more"} than ${three(1 / ratio)} misses`;
  }
  const who = ({ classifiers, rule }) =>
    (classifiers.length ? classifiers.map(isolated).join(" or ") : rule === "never" ? "flagging none" : "flagging all");
  /** Where one of the rows is best, in a sentence. */
  function sentence(row) {
    if (row.low === 0 && row.high === Infinity) return `${who(row)} is best whatever errors cost.`;
    if (row.low === 0) return `${who(row)} is best unless ${bound(row.high, true)}.`;
    if (row.high === Infinity) return `${who(row)} is best unless ${bound(row.low, false)}.`;
    return `${who(row)} is best unless ${bound(row.low, false)}, or ${bound(row.high, true)}.`;
  }
  /** What the table says under a state: the row of its costs, or else the widest one. */
  function words(rows, state) {
    const p = rochullCurves.middle(state.prevalence);
    if (!(p > 0 && p < 1)) return "";
    const found = ratios(rows, p), { cost_fp: fp, cost_fn: fn } = state;
    const now = state.goal === "cost" && ![fp, fn].some(Array.isArray) && fp > 0 ? fn / fp : null;
    const width = ({ low, high }) => Math.log(Math.min(high, 1e6) / Math.max(low, 1e-6));
    const row = found.find(({ low, high }) => now !== null && low <= now && now <= high) || found.reduce((a, b) => (width(b) > width(a) ? b : a));
    return `At a prevalence of ${F.share(Number(p.toPrecision(6)))}, ${sentence(row)}`;
  }

  /** Keep the table and its sentence up to the state. */
  function bind(rows) {
    const said = document.getElementById("dominance-words"), cells = [...document.querySelectorAll("[data-ratio]")];
    let shown = null;
    return (state) => {
      const p = rochullCurves.middle(state.prevalence), known = p > 0 && p < 1, text = words(rows, state);
      if (said.textContent !== text) said.textContent = text;
      said.hidden = !known;
      if (shown === p) return;
      shown = p;
      for (const cell of cells) cell.hidden = !known;
      cells.slice(1).forEach((cell, i) => { // the first is the head of the column
        if (!known) return;
        const [{ low, high }] = ratios([rows[i]], p);
        cell.dataset.value = [low, high].join();
        cell.textContent = F.numbers([low, high]);
      });
    };
  }
  return { ratios, words, bind };
})();
