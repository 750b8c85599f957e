// Limits on cells of the confusion matrix and on errors of classes: the list of them, and how many rules they leave.
import { around, say } from "./answer/words";
import { node, on, button, label, live } from "./multiclass_parts.js";
import * as F from "./report_format.js";
import { ceil, entries, max, min, rounded } from "./maths";
import { attr } from "./report_elements.js";

export const rochullMulticlassLimits = (view) => {
  const { data, names, state, words } = view;
  const limitList = node("ul", { class: "limits" });
  const status = node("p", { class: "status", role: "status", "aria-live": "polite" });

  /** A cell, or on the diagonal the error of a class, as a limit names it. */
  const cell = (i, j) => (i === j ? { kind: "error", true: i, called: null } : { kind: "cell", true: i, called: j });
  const place = (i, j) => state.held.findIndex((limit) => entries(cell(i, j)).every(([name, value]) => limit[name] === value));

  /** "At most this"; false where that has a limit already. */
  function hold(i, j) {
    const old = state.held[place(i, j)], now = i === j ? data.errors[state.index][i] : data.rates[state.index][i][j];
    if (old && !old.off) return false;
    if (old) old.off = undefined;
    else state.held.push({ ...cell(i, j), side: "<=", limit: ceil(rounded(100 * now, 12)) / 100 }); // the present point stays inside
    draw();
    view.redraw();
    return true;
  }
  function type(i, j) {
    const input = limitList.children[place(i, j)].querySelector("[type=text]");
    input.focus();
    input.select();
  }
  /** A limit in per cent, so many steps away: of a percentage point, or near 0 of a tenth of one. */
  function stepped(limit, by) {
    const now = rounded(100 * limit.limit, 12), unit = now > 1 || (now === 1 && by > 0) ? 1 : 0.1;
    return F.field(rounded(min(100, max(0, now + by * unit)), 12));
  }
  /** Lowers or raises the limit of a cell, whose rule follows. */
  function move(i, j, by) {
    const limit = state.held[place(i, j)];
    limit.limit = F.percentage(stepped(limit, by));
    state.only = true;
    draw();
    view.soon();
  }

  function limitField(limit, wrong) {
    const input = node("input", {
      type: "text", inputmode: "decimal", size: 6, value: F.inPercent(limit.limit), autocomplete: "off",
      "aria-label": say("expert.classes limits.limit in per cent", { limit: words.limited(limit) }), "aria-describedby": wrong.id,
    });
    on(input, "input", () => {
      const value = F.percentage(input.value), bad = !(value >= 0 && value <= 1);
      attr(input, "aria-invalid", String(bad));
      wrong.textContent = bad ? say("expert.classes limits.a limit is a", { low: F.share(0), high: F.share(1) }) : "";
      if (bad) return;
      limit.limit = value;
      view.soon();
    });
    return on(input, "keydown", (event) => { // as a number input does, without its rounding
      const by = { ArrowUp: 1, ArrowDown: -1 }[event.key];
      if (!by) return;
      event.preventDefault();
      input.value = stepped(limit, by * (event.shiftKey ? 10 : 1));
      input.dispatchEvent(new Event("input"));
    });
  }

  function draw() {
    limitList.replaceChildren(...state.held.map((limit, n) => {
      const item = node("li", { class: limit.off ? "off" : null });
      const box = on(node("input", { type: "checkbox", checked: !limit.off, "aria-label": say("expert.classes limits.keep", { limit: words.limited(limit) }) }), "change", () => {
        limit.off = !box.checked || undefined;
        item.classList.toggle("off", !box.checked);
        view.redraw();
      });
      const remove = button("✕", () => {
        state.held.splice(state.held.indexOf(limit), 1);
        draw();
        view.redraw();
        add.focus();
      }, { "aria-label": say("expert.classes limits.remove the limit", { limit: words.limit(limit) }) });
      if (limit.kind === "given") {
        item.append(node("label", {}, box, " ", label(limit.text)), remove);
        return item;
      }
      const side = on(node("select", { "aria-label": say("expert.classes limits.side of the limit", { limit: words.limited(limit) }) },
        node("option", { value: "<=", selected: limit.side === "<=" }, say("expert.classes limits.at most")),
        node("option", { value: ">=", selected: limit.side === ">=" }, say("expert.classes limits.at least"))), "change", () => {
        limit.side = side.value;
        view.redraw();
      });
      const text = limit.kind === "error" ? around("answer.classes.error of", { name: label(names[limit.true]) })
        : [label(names[limit.true]), " ", ...around("answer.classes.called", { name: label(names[limit.called]) })];
      const wrong = node("span", { class: "wrong", id: view.id(`limit-${n}`) });
      item.append(node("label", { class: "screen" }, box, " ", ...text), side, node("span", { class: "unit" }, limitField(limit, wrong), "% ", remove),
        wrong, node("span", { class: "printed" })); // what paper shows instead of fields
      item.limit = limit;
      return item;
    }));
    if (!state.held.length) limitList.append(node("li", { class: "soft" }, node("span", { class: "screen" }, say("expert.classes limits.to limit an error"))));
  }
  const choices = names.flatMap((_, i) => names.map((_, j) => [i, j])).sort((a, b) => (b[0] === b[1]) - (a[0] === a[1]));
  const chooser = node("select", { id: view.id("chooser") }, ...choices.map(([i, j]) =>
    node("option", { value: `${i},${j}` }, words.limited({ kind: i === j ? "error" : "cell", true: i, called: j }))));
  const add = button(say("expert.classes limits.add a limit"), () => {
    const [i, j] = chooser.value.split(",").map(Number);
    hold(i, j);
    type(i, j);
  });

  function tell() {
    const { found } = view, k = data.k, n = found.remaining.length, isFree = state.limits.length === 0;
    status.classList.toggle("none", n === 0);
    if (n) {
      status.replaceChildren(...(isFree ? [say("expert.classes limits.no limits")] : []), live("strong", "remaining", n, isFree ? words.rules(n) : say("expert.classes limits.some of", { n: F.count(n), rules: words.rules(k) })),
        isFree ? say("expert.classes limits.to choose from") : say("expert.classes limits.keeping", { n, limits: words.limits("all") }));
      return;
    }
    const p = found.closest, worst = state.limits.reduce((most, l) => (data.excess(l, p) > data.excess(most, p) ? l : most));
    const by = data.excess(worst, p);
    status.replaceChildren(live("strong", "remaining", 0, say("expert.classes limits.no rule")), `${say("expert.classes limits.keeping", { n: 1, limits: words.limits("all") })} `,
      live("span", "closest", p, say("expert.classes limits.the closest")), ...around("expert.classes limits.broken by", { limit: label(words.limit(worst)), excess: live("span", "excess", by, words.excess(worst, by)) }));
  }
  /** What follows from a change of limits or of the objective. */
  function update() {
    tell();
    for (const item of limitList.children) if (item.limit) item.querySelector(".printed").replaceChildren(label(words.limit(item.limit)));
  }
  return { status, list: limitList, chooser, add, limit: (i, j) => hold(i, j) || type(i, j), move, draw, update };
};
