// Limits that are typed into the confusion matrix: at most so many of the positives missed, or of the others flagged.
import { rochullFormat } from "./report_format.js";
import { rochullTyped } from "./report_typed.js";

export const rochullCells = (() => {
  const F = rochullFormat;
  // Of each cell the limit of the condition, and its number as the largest share of the class.
  const LIMITS = { fn: { key: "min_recall", turned: (x) => Number((1 - x).toPrecision(15)) }, fp: { key: "max_fpr", turned: (x) => x } };
  const inForce = (state) => (state.goal === "cost" ? Object.fromEntries(rochullTyped.limitsOf(state)) : { [state.goal]: state[state.goal] });

  /** `limit` takes a key and its number, or null for none; returns what brings the fields up to a state. */
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
        const { key, turned } = of(input), text = key in inForce(state) ? F.inPercent(turned(inForce(state)[key])) : "";
        input.parentElement.hidden = state.goal === "report"; // whose own limits no field holds
        if (input === document.activeElement) continue;
        if (input.value !== text) input.value = text;
        say(input, true);
      }
    }
    for (const input of fields) {
      const { key, turned } = of(input);
      input.addEventListener("input", () => {
        const empty = input.value.trim() === "", value = F.percentage(input.value), good = empty || (value >= 0 && value <= 1);
        say(input, good);
        if (!good || (empty && !(key in inForce(last)))) return;
        limit(key, empty ? null : turned(value));
      });
      input.addEventListener("blur", () => setTimeout(() => show(last)));
    }
    return show;
  }
  return { bind };
})();
