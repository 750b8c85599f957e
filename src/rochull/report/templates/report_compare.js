// The answer in one sentence, and what it is compared with: the baselines, and the reader's rule of today.
// The sentence is that of rochull.report.verdict.
"use strict";
const rochullCompare = (() => {
  const F = rochullFormat;
  const byId = (id) => document.getElementById(id);
  const { isolated } = F;
  const put = (node, text) => { if (node.textContent !== text) node.textContent = text; };

  // --- words ----------------------------------------------------------------------------------------

  const when = (rule) =>
    (rule.kind === "threshold" ? `${isolated(rule.classifier)} ${F.sign(rule)} ${F.threshold(rule.threshold)}` : rule.kind);
  /** A rule as an order. */
  function flagging(positive, { rules }) {
    const [{ rule: { kind } }] = rules, name = isolated(positive);
    if (rules.length === 1 && kind !== "threshold") return `Flag ${kind === "never" ? "no" : "every"} case as ${name}`;
    const said = rules.map(({ rule, probability }) =>
      when(rule) + (rules.length > 1 ? ` (${F.rate(probability)} of the time)` : ""));
    return `Flag a case as ${name} when ${said.join(" or ")}`;
  }
  /** How much less, or more, than another cost. */
  function compared(cost, other) {
    const share = other ? 1 - cost / other : cost ? -1 : 0;
    if (Math.abs(share) < 0.005) return "as much as";
    return `${F.wholeRate(Math.abs(share))} ${share > 0 ? "less" : "more"} than`;
  }
  function named({ kind, classifier }) {
    if (kind === "never" || kind === "always") return kind === "never" ? "flagging none" : "flagging all";
    return `${isolated(classifier)} ${kind === "half" ? `at ${F.number(0.5)}` : "at its best"}`;
  }
  function shown([never, always, ...rows]) {
    const usable = rows.filter(({ point }) => point), halves = usable.filter(({ kind }) => kind === "half");
    const usual = (halves.length ? halves : usable).sort((a, b) => a.expected_cost - b.expected_cost);
    return [...usual.slice(0, 1), always, never];
  }
  /** The answer in one sentence. */
  function verdict(positive, state, result) {
    const { chosen, baselines, expected_cost: cost } = result;
    if (!chosen) return "No rule can do that.";
    const text = flagging(positive, chosen);
    if (result.interval) {
      return `${text}. Expected cost ${F.numbers(cost)} per case: at most ${F.number(result.worst)} more than the best rule, whatever the true numbers in the range.`;
    }
    if (state.goal === "cost") {
      const against = shown(baselines).map((row) => `${compared(cost, row.expected_cost)} ${named(row)}`);
      return `${text}. Expected cost ${F.number(cost)} per case: ${against.join(", ")}.`;
    }
    const found = `${text}. That catches ${F.rate(chosen.tpr)} of the ${isolated(positive)} cases and wrongly flags ${F.rate(chosen.fpr)} of the others`;
    const usual = baselines.filter(({ kind }) => kind === "half"), own = chosen.rules.map(({ rule }) => rule.classifier);
    const other = usual.find(({ classifier }) => own.includes(classifier)) || usual[0];
    if (!other) return `${found}.`;
    return `${found}; ${named(other)} catches ${F.rate(other.point.tpr)} and wrongly flags ${F.rate(other.point.fpr)}.`;
  }

  // --- side by side ---------------------------------------------------------------------------------

  const CELLS = ["flagged", "caught", "missed", "false alarms", "cost"];
  /** The table of the best rule, the rule of today and the baselines; `changed` when the reader pins another rule. */
  function create(model, facts, changed) {
    const body = byId("compare-rows"), rows = new Map();
    const fields = Object.fromEntries(["classifier", "threshold"].map((part) => [part, byId(`today-${part}`)]));
    const cases = byId("per-cases"), unit = byId("cost-unit"), note = byId("today-note");
    let pinned = null; // {classifier: its position, asked, point}
    let last = null; // what update was called with

    function rowOf(key) {
      if (!rows.has(key)) {
        const row = document.createElement("tr"), head = document.createElement("th");
        head.scope = "row";
        row.dataset.row = key;
        row.append(head, ...["cost", "less", ...CELLS.slice(0, 4)].map((cell) => { // what a phone shows first
          const made = document.createElement("td");
          made.dataset.cell = cell;
          return made;
        }));
        rows.set(key, row);
      }
      return rows.get(key);
    }
    function write(key, name, found, cost) {
      const row = rowOf(key), [head, price, less, ...counts] = row.children, each = size() / 10000;
      const cells = [...counts, price, less];
      put(head, name);
      const table = found.confusion, times = (value, by) => (Array.isArray(value) ? value.map((x) => x * by) : value * by);
      const plus = (a, b) => (Array.isArray(a) ? [a[0] + b[0], a[1] + b[1]] : a + b);
      const values = table ? [plus(table.tp, table.fp), table.tp, table.fn, table.fp].map((v) => times(v, each)) : [null, null, null, null];
      values.push(found.expected_cost === null ? null : times(found.expected_cost, size()));
      const money = unit.value.trim();
      values.forEach((value, i) => {
        const full = value === null ? "" : String(value);
        if (cells[i].dataset.value !== full) cells[i].dataset.value = full;
        const text = i < 4 ? F.counts(value) : F.numbers(value);
        put(cells[i], i === 4 && money && value !== null ? `${text} ${money}` : text);
      });
      const single = (value) => typeof value === "number";
      put(cells[5], key !== "best" && single(cost) && single(found.expected_cost)
        ? compared(cost, found.expected_cost).replace(/ (than|as)$/, "") : "");
      return row;
    }
    function size() {
      const value = F.read(cases.value), good = value > 0 && value <= 1e12;
      cases.setAttribute("aria-invalid", String(!good));
      return good ? value : 10000;
    }
    function update(state, result) {
      last = [state, result];
      const cost = result.expected_cost, wanted = [];
      if (result.chosen) wanted.push(write("best", result.interval ? "the rule that risks least" : "the best rule", result, cost));
      if (pinned) {
        const { point } = pinned, { rule } = point.rules[0];
        wanted.push(write("today", `your rule of today: ${when(rule)}`, model.figures(state, point), cost));
      }
      for (const each of result.baselines) {
        if (each.point) wanted.push(write(`${each.kind} ${each.classifier ?? ""}`, named(each), each, cost));
      }
      if (wanted.length !== body.children.length || wanted.some((row, i) => row !== body.children[i])) body.replaceChildren(...wanted);
    }
    const again = () => last && update(...last);

    /** Pin a rule of a classifier: {classifier, threshold}, or null. */
    function pin(asked) {
      const point = asked && model.ruleAt(asked.classifier, asked.threshold);
      pinned = point ? { ...asked, point } : null;
      fields.classifier.value = asked ? String(asked.classifier) : "";
      fields.threshold.disabled = !asked;
      if (asked && F.read(fields.threshold.value) !== asked.threshold) fields.threshold.value = F.field(asked.threshold);
      const known = point && point.rules[0].rule.threshold;
      put(note, !asked ? "" : !point ? "No threshold of this classifier is known here."
        : known === asked.threshold ? "" : `The nearest threshold whose outcomes this page knows is ${F.threshold(known)}.`);
      again();
    }
    fields.classifier.addEventListener("change", () => {
      const chosen = fields.classifier.value;
      if (fields.threshold.value.trim() === "") fields.threshold.value = F.field(0.5);
      pin(chosen === "" ? null : { classifier: Number(chosen), threshold: F.read(fields.threshold.value) });
      changed();
    });
    fields.threshold.addEventListener("input", () => {
      const threshold = F.read(fields.threshold.value), good = Number.isFinite(threshold);
      fields.threshold.setAttribute("aria-invalid", String(!good));
      if (!good) return;
      pin({ classifier: Number(fields.classifier.value), threshold });
      changed();
    });
    cases.addEventListener("input", again);
    unit.addEventListener("input", again);
    byId("compare").hidden = false;
    /** What the rule of today makes of 10,000 cases; null without one. */
    const outcomes = (state) => pinned && model.figures(state, pinned.point).confusion;
    return { update, pin, outcomes, get pinned() { return pinned && { classifier: pinned.classifier, threshold: pinned.threshold }; } };
  }

  return { create, verdict };
})();
