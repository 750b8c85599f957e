// What is minimised: the objective, and the costs and priors of an expected cost.
import { around, say } from "./answer/words";
import { node, on, button, label, column } from "./multiclass_parts.js";
import * as F from "./report_format.js";
import * as rochullTake from "./report_take.js";
import { isFinite, rounded } from "./maths";
import { attr } from "./report_elements.js";

export const rochullMulticlassCosts = (view) => {
  const { facts, names, state } = view;
  const kinds = [["max_error", say("expert.classes costs.largest error of any")], ["mean_error", say("expert.classes costs.mean error of the")],
    ["error_rate", say("expert.classes costs.error rate of all")], ["expected_cost", say("answer.classes.short.cost")]];
  if (facts.objective.kind === "given") kinds.unshift(["given", facts.objective.text]);
  const chosenKind = on(node("select", { id: view.id("objective") },
    ...kinds.map(([value, text]) => node("option", { value, selected: value === state.objective }, text))), "change", () => {
    state.objective = chosenKind.value;
    view.redraw();
  });
  const wrongCost = node("p", { class: "wrong", id: view.id("wrong-cost") });
  const numeric = (value, what, least, set) => {
    const input = node("input", {
      type: "text", inputmode: "decimal", size: 5, value: F.field(rounded(value, 4)), "aria-label": what,
      "aria-describedby": wrongCost.id, autocomplete: "off",
    });
    return on(input, "input", () => {
      const typed = F.read(input.value);
      const bad = !isFinite(typed) || typed < least || !set(typed);
      attr(input, "aria-invalid", String(bad));
      const still = costs.querySelector('[aria-invalid="true"]');
      wrongCost.textContent = still ? say("expert.classes costs.the must be a", { get_attribute: still.getAttribute("aria-label") }) +
        `${/^prior/.test(still.getAttribute("aria-label")) ? say("expert.classes costs.or more and not") : ""}.` : "";
      if (!bad) view.soon();
    });
  };
  const totals = facts.classes.map((c) => c.total), all = totals.reduce((a, b) => a + b, 0);
  const prior = (c) => (state.priors || totals.map((t) => t / all))[c];
  const costs = node("div", { class: "costs", hidden: true });
  function draw() {
    costs.replaceChildren(
      node("h3", { id: view.id("priced") }, say("expert.classes costs.what it costs to")),
      node("div", { class: "scroll priced", tabindex: 0, role: "region", "aria-labelledby": view.id("priced") }, node("table", { class: "small" },
        node("caption", { class: "visually-hidden" }, say("expert.classes costs.cost of a case")),
        node("thead", {}, node("tr", {}, column({ class: "text" }, "class"), ...names.map((name) => column({}, ...around("answer.classes.called", { name: label(name) }))))),
        node("tbody", {}, ...names.map((name, i) => node("tr", {}, node("th", { scope: "row" }, label(name)),
          ...names.map((other, j) => node("td", {}, numeric(state.costs[i][j], say("expert.classes costs.cost of called", { name, other }), -Infinity, (v) => {
            state.costs[i][j] = v;
            return true;
          })))))))),
      node("table", { class: "small" }, node("caption", {}, say("expert.classes costs.shares of the classes")),
        node("thead", { class: "visually-hidden" }, node("tr", {}, column({ class: "text" }, "class"), column({}, "share"))),
        node("tbody", {}, ...names.map((name, i) => node("tr", {}, node("th", { scope: "row" }, label(name)), node("td", {}, numeric(prior(i), say("expert.classes costs.prior of", { name }), 0, (v) => {
            const next = names.map((_, c) => prior(c));
            next[i] = v;
            if (!next.some((p) => p > 0)) return false;
            state.priors = next;
            return true;
          })))))), wrongCost,
      button(say("expert.classes costs.shares as in these"), () => {
        state.priors = null;
        draw();
        view.redraw();
      }));
    wrongCost.textContent = "";
    rochullTake.tables(costs);
  }
  return { kind: chosenKind, costs, draw };
};
