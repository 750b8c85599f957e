// Limits that are typed into the confusion matrix: at most so many of the positives missed, or of the others flagged.
"use strict";
const rochullCells = (() => {
  const F = rochullFormat;
  // Of each cell the limit of the condition, and its number as the largest share of the class.
  const LIMITS = { fn: { goal: "min_recall", key: "min_recall", turned: (x) => Number((1 - x).toPrecision(15)) }, fp: { goal: "max_fpr", key: "max_fpr", turned: (x) => x } };

  /** `limit` takes a key and its number, or null for the lowest cost; returns what brings the fields up to a state. */
  function bind(limit) {
    const fields = [...document.querySelectorAll("[data-cell-limit]")], fault = document.getElementById("e-cells");
    const of = (input) => LIMITS[input.dataset.cellLimit];
    let last = null;
    function say(input, good) {
      input.setAttribute("aria-invalid", String(!good));
      fault.hidden = fields.every((each) => each.getAttribute("aria-invalid") !== "true");
      fault.textContent = fault.hidden ? "" : `A limit is a share from ${F.share(0)} to ${F.share(1)}.`;
    }
    function show(state) {
      last = state;
      for (const input of fields) {
        const { goal, key, turned } = of(input), text = state.goal === goal ? F.inPercent(turned(state[key])) : "";
        if (input === document.activeElement) continue;
        if (input.value !== text) input.value = text;
        say(input, true);
      }
    }
    for (const input of fields) {
      const { key, goal, turned } = of(input);
      input.addEventListener("input", () => {
        const empty = input.value.trim() === "", value = F.percentage(input.value), good = empty || (value >= 0 && value <= 1);
        say(input, good);
        if (!good || (empty && last.goal !== goal)) return;
        limit(empty ? null : key, turned(value));
      });
      input.addEventListener("blur", () => setTimeout(() => show(last)));
    }
    return show;
  }
  return { bind };
})();
