// Limits on cells of the confusion matrix and on errors of classes: the list of them, and how many rules they leave.
"use strict";
const rochullMulticlassLimits = (() => {
  const F = rochullFormat, { node, on, button, label, live } = rochullMulticlassParts;

  return (view) => {
    const { data, names, state, words } = view;
    const limitList = node("ul", { class: "limits" });
    const status = node("p", { class: "status", role: "status", "aria-live": "polite" });

    function addLimit(i, j) {
      const kind = i === j ? "error" : "cell";
      let at = state.limits.findIndex((limit) => limit.kind === kind && limit.true === i && (kind === "error" || limit.called === j));
      if (at < 0) {
        const now = kind === "error" ? data.errors[state.index][i] : data.rates[state.index][i][j];
        const whole = Math.ceil(Number((100 * now).toPrecision(12))); // the present point stays inside
        state.limits.push({ kind, true: i, called: kind === "error" ? null : j, side: "<=", limit: whole / 100 });
        at = state.limits.length - 1;
        draw();
        view.redraw();
      }
      const input = limitList.children[at].querySelector("input");
      if (input) {
        input.focus();
        input.select();
      }
    }

    function limitField(limit, wrong) {
      const input = node("input", {
        type: "text", inputmode: "decimal", size: 6, value: F.inPercent(limit.limit), autocomplete: "off",
        "aria-label": `${words.limited(limit)}, limit in per cent`, "aria-describedby": wrong.id,
      });
      on(input, "input", () => {
        const value = F.percentage(input.value), bad = !(value >= 0 && value <= 1);
        input.setAttribute("aria-invalid", String(bad));
        wrong.textContent = bad ? `A limit is a share from ${F.share(0)} to ${F.share(1)}.` : "";
        if (bad) return;
        limit.limit = value;
        view.soon();
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

    function draw() {
      limitList.replaceChildren(...state.limits.map((limit, n) => {
        const item = node("li");
        const remove = button("✕", () => {
          state.limits.splice(state.limits.indexOf(limit), 1);
          draw();
          view.redraw();
          add.focus();
        }, { "aria-label": `remove the limit: ${words.limit(limit)}` });
        if (limit.kind === "given") {
          item.append(node("span", {}, label(limit.text)), remove);
          return item;
        }
        const side = on(node("select", { "aria-label": `side of the limit on: ${words.limited(limit)}` },
          node("option", { value: "<=", selected: limit.side === "<=" }, "at most"),
          node("option", { value: ">=", selected: limit.side === ">=" }, "at least")), "change", () => {
          limit.side = side.value;
          view.redraw();
        });
        const text = limit.kind === "error" ? ["error of ", label(names[limit.true])]
          : [label(names[limit.true]), " called ", label(names[limit.called])];
        const wrong = node("span", { class: "wrong", id: view.id(`limit-${n}`) });
        item.append(node("span", { class: "screen" }, ...text), side, node("span", { class: "unit" }, limitField(limit, wrong), "%"),
          remove, wrong, node("span", { class: "printed" })); // what paper shows instead of fields
        item.limit = limit;
        return item;
      }));
      if (!state.limits.length) limitList.append(node("li", { class: "soft" }, node("span", { class: "screen" }, "To limit an error, click a cell of the confusion matrix, or choose one here.")));
    }
    const choices = names.flatMap((_, i) => names.map((_, j) => [i, j])).sort((a, b) => (b[0] === b[1]) - (a[0] === a[1]));
    const chooser = node("select", { id: view.id("chooser") }, ...choices.map(([i, j]) =>
      node("option", { value: `${i},${j}` }, i === j ? `error of ${names[i]}` : `${names[i]} called ${names[j]}`)));
    const add = button("Add a limit", () => addLimit(...chooser.value.split(",").map(Number)));

    function tell() {
      const { found } = view, k = data.k, n = found.remaining.length, isFree = state.limits.length === 0;
      status.classList.toggle("none", n === 0);
      if (n) {
        status.replaceChildren(...(isFree ? ["No limits: "] : []), live("strong", "remaining", n, isFree ? words.rules(n) : `${F.count(n)} of ${words.rules(k)}`),
          isFree ? " to choose from." : ` keep${n === 1 ? "s" : ""} ${words.limits("all")}.`);
        return;
      }
      const p = found.closest, worst = state.limits.reduce((most, l) => (data.excess(l, p) > data.excess(most, p) ? l : most));
      const by = data.excess(worst, p);
      status.replaceChildren(live("strong", "remaining", 0, "No rule"), ` keeps ${words.limits("all")}. `,
        live("span", "closest", p, "The closest"), " breaks “", label(words.limit(worst)), "” by ", live("span", "excess", by, words.excess(worst, by)), ".");
    }
    /** What follows from a change of limits or of the objective. */
    function update() {
      tell();
      for (const item of limitList.children) if (item.limit) item.querySelector(".printed").replaceChildren(label(words.limit(item.limit)));
    }
    return { status, list: limitList, chooser, add, limit: addLimit, draw, update };
  };
})();
