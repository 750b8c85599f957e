// What the answer is compared with: the baselines, and the reader's rule of today.
import { choose, say } from "./answer/words";
import * as F from "./report_format.js";
import * as rochullRule from "./report_rule.js";
import * as rochullSort from "./report_sort.js";
import * as rochullTyped from "./report_typed.js";
import { attr, byId, html, on, put } from "./report_elements.js";
import { abs, entries, fromEntries, isArray, isFinite, keys, listOf, max, min, round, rounded } from "./maths";
import { isCut } from "./report_format.js";

// --- words ----------------------------------------------------------------------------------------

/** The same as a share of the other cost: negative where that is the lower one. */
const saved = (share) => (share === -Infinity ? F.NONE : share < 1 && share >= 0.995 ? `>${F.wholeRate(0.99)}` : F.wholeRate(abs(share) < 0.005 ? 0 : share));
/** A baseline in words; of a classifier's own rule for a range that it is one of this classifier alone. */
function named({ kind, classifier, point }, state, interval = false) {
  const isOne = kind === "best" && !interval && point.rules.length === 1 && isCut(point.rules[0].rule);
  return choose("baseline", { kind, classifier, half: F.number(0.5), by: isOne ? "threshold" : kind === "best" && interval ? "itself" : null, rule: isOne ? rochullRule.inWords(point) : null, limit_count: rochullTyped.limitCount(state) });
}
/** From the least to the most of what `savings` finds of a rule over a range, once if they are the same. */
function ends(found) {
  const shares = found.map(({ share }) => share);
  return [...new Set([min(...shares), max(...shares)])];
}
/** The corner of a range, by what varies in it. */
function corner({ cost_fn: fn, prevalence: p }, state, positive) {
  return [["prevalence", F.share(p)], ["cost_fn", F.number(fn)]].filter(([name]) => isArray(state[name]) && state[name][0] !== state[name][1])
    .map(([varies, value]) => choose("corner", { varies, value, positive }));
}
/** Where in a range another rule is cheaper than the answer; empty if nowhere. */
function beaten(model, positive, state, { chosen, interval, baselines }, today) {
  if (!interval || state.goal === "report") return "";
  const found = new Map(), most = 3;
  for (const row of [...(today ? [today] : []), ...baselines].filter(({ kind, point }) => point && kind !== "best")) {
    const worst = model.savings(state, chosen, row.point).reduce((a, b) => (b.share < a.share ? b : a));
    const where = JSON.stringify(corner(worst, state, positive));
    if (worst.share < -0.005) found.set(where, [...(found.get(where) || []), named(row, state)]);
  }
  const cheaper = listOf(found, ([where, names]) => {
    const more = names.length > most ? [{ key: "answer.more", n: names.length - most }] : [];
    return say("answer.beaten.at", { corner: JSON.parse(where), rules: [...names.slice(0, most), ...more], rule_count: names.length });
  });
  return cheaper.length ? [say("answer.beaten"), ...cheaper].join(" ") : "";
}

const FEW = 30; // cases, by whom a share is hardly measured
/** What is to be known of a limit that is met on these data. */
function limited({ totals: { negatives, positives }, counted, prevalence }, positive, state, { chosen, limited: bound = true }) {
  const { goal } = state, count = rochullTyped.limitCount(state), own = goal === "report" ? state.own : null;
  if (!chosen || !count) return "";
  const flagged = round(chosen.fpr * negatives + chosen.tpr * positives), shares = goal === "cost" ? keys(state.within || {}) : [goal]; // some limits are of shares of all cases
  const typed = shares.some((name) => ["capacity", "fraction", "min_precision"].includes(name)) && !isArray(state.prevalence) ? state.prevalence : null;
  const at = own ? own.limitedAt : typed;
  return choose("limit", { limit_count: count, assured: own && own.sure !== null ? "yes" : "no", sure: own && own.sure, limited: (own ? own.limited : bound) ? "yes" : "no",
    at: at !== null && at !== prevalence ? "other" : "past", p: at && rounded(at, 4), positive, few: counted && goal === "min_precision" && flagged < FEW ? "yes" : "no", flagged });
}

// --- side by side ---------------------------------------------------------------------------------

/** From which score on a calibrated probability, measured at a prevalence `p0`, is flagged under costs; null if these are ranges or none. */
function byCosts({ goal, cost_fp: fp, cost_fn: fn, prevalence: p }, p0) {
  const [alarm, miss] = [p0 * (1 - p) * fp, (1 - p0) * p * fn], found = rounded(alarm / (alarm + miss), 6);
  return goal === "cost" && found > 0 && found < 1 ? found : null;
}
const CELLS = ["flagged", "caught", "missed", say("expert.compare.false alarms"), "cost"];
/** The table of the best rule, the rule of today and the baselines; `changed` when the reader pins another rule. */
function create(model, facts, changed) {
  const body = byId("compare-rows"), rows = new Map(), priced = byId("compare").querySelectorAll("[data-priced]");
  const fields = fromEntries(["classifier", "threshold"].map((part) => [part, byId(`today-${part}`)]));
  const cases = byId("per-cases"), unit = byId("cost-unit"), note = byId("today-note"), costs = byId("today-costs");
  const ownBeaten = byId("beaten").textContent;
  fields.classifier.append(...model.names.map((name, i) => new Option(name, i)));
  let pinned = null; // {classifier: its position, asked, point}
  let last = null; // what update was called with
  let reviewed = null, first = "best"; // the answer with reviews, if that is what is seen, and the first row

  function rowOf(key) {
    if (!rows.has(key)) {
      rows.set(key, html("tr", { "data-row": key }, html("th", { scope: "row" }),
        ...["cost", "less", ...CELLS.slice(0, 4)].map((cell) => html("td", { "data-cell": cell })))); // what a phone shows first
    }
    return rows.get(key);
  }
  function write(key, name, found, { state, result }) {
    const row = rowOf(key), [head, price, less, ...counts] = row.children, each = size() / 10000;
    const cells = [...counts, price, less];
    put(head, found.breaks && result.expected_cost === null ? say("answer.baseline.broken", { rule: name, limit_count: rochullTyped.limitCount(state) }) : name);
    price.hidden = less.hidden = result.expected_cost === null;
    const table = found.confusion, times = (value, by) => (isArray(value) ? value.map((x) => x * by) : value * by);
    const values = table ? [times(found.positive_rate, 10000), table.tp, table.fn, table.fp].map((v) => times(v, each)) : [null, null, null, null];
    values.push(found.expected_cost === null ? null : times(found.expected_cost, size()));
    const { unit: money } = scale(), shown = found.whole ? found.whole(size()) : F.wholeCases(table && fromEntries(entries(table).map(([cell, value]) => [cell, times(value, each)])));
    const texts = shown && typeof shown.tp === "number" ? [shown.tp + shown.fp, shown.tp, shown.fn, shown.fp] : values;
    values.forEach((value, i) => {
      const full = value === null ? "" : String(value);
      if (cells[i].dataset.value !== full) cells[i].dataset.value = full;
      put(cells[i], i < 4 ? F.counts(texts[i]) : `${F.numbers(value)}${value === null ? "" : money}`);
    });
    const told = key !== first && found.expected_cost !== null, shares = !told || found.breaks ? [] : first === "reviewed"
      ? [found.expected_cost ? 1 - reviewed.expected_cost / found.expected_cost : reviewed.expected_cost ? -Infinity : 0] : ends(model.savings(state, result.chosen, found.point));
    cells[5].dataset.value = String(shares);
    put(cells[5], told && found.breaks ? say("answer.baseline.breaks", { limit_count: rochullTyped.limitCount(state) }) : [...new Set(shares.map(saved))].join(" to "));
    return row;
  }
  function size() {
    const value = F.read(cases.value), good = value > 0 && value <= 1e12;
    attr(cases, "aria-invalid", String(!good));
    byId("cases-note").hidden = good;
    put(byId("cases-note"), good ? "" : say("expert.compare.the number of cases", { typed: cases.value.slice(0, 24), count: F.count(10000) }));
    return good ? max(1, round(value)) : 10000;
  }
  /** What the reader counts in: a number of cases, and what stands after an amount of costs. */
  const scale = () => ({ size: size(), unit: unit.value.trim() && ` ${unit.value.trim()}` });
  /** Bring the sentences up to a state. */
  function notes(state, result) {
    last = [state, result];
    const today = current(state);
    const text = state.goal === "report" ? ownBeaten : beaten(model, facts.positive, state, result, today);
    for (const [id, said] of [["beaten", text], ["limit-note", limited(model, facts.positive, state, result)]]) {
      byId(id).hidden = said === "";
      put(byId(id), said);
    }
  }
  /** Offer the threshold that the costs set for a probability, to a classifier whose scores are within [0, 1]. */
  function offer(state) {
    const own = facts.classifiers[fields.classifier.value], known = own && own.hundredths ? byCosts(state, model.prevalence) : null;
    const threshold = known !== null && own.lower_is_positive ? rounded(1 - known, 6) : known;
    costs.hidden = threshold === null;
    if (threshold === null) return;
    put(costs, say("expert.compare.by the costs if", { threshold: F.number(threshold) }));
    costs.onclick = () => {
      pin({ classifier: Number(fields.classifier.value), threshold });
      changed();
    };
  }
  /** Bring the table up to a state, and to an answer with reviews, which is then the first row; null without. */
  function update(state, result, withReviews = reviewed) {
    [reviewed, first] = [withReviews, withReviews ? "reviewed" : "best"];
    offer(state);
    const today = current(state), wanted = [], now = { state, result };
    for (const head of priced) head.hidden = result.expected_cost === null;
    if (reviewed) wanted.push(write("reviewed", say("expert.compare.the best rule with"), reviewed, now));
    if (result.chosen) wanted.push(write("best", result.interval ? say("expert.compare.the rule whose worst") : say("expert.compare.the best rule", { more: facts.review || reviewed ? say("expert.compare.without reviews") : "" }), result, now));
    if (today && result.chosen) wanted.push(write("today", say("expert.compare.your current rule 5", { point: rochullRule.inWords(today.point), elsewhere: elsewhere(pinned, today.point) && say("expert.compare.you typed", { threshold: F.field(pinned.threshold) }) }), today, now));
    for (const each of result.baselines) {
      if (each.point) wanted.push(write(`${each.kind} ${each.classifier ?? ""}`, named(each, state, result.interval), each, now));
    }
    const rows = [...wanted.slice(0, 1), ...ordered(wanted.slice(1))]; // the first is what all others are compared with
    if (rows.length !== body.children.length || rows.some((row, i) => row !== body.children[i])) body.replaceChildren(...rows);
  }
  /** The rule of today as a baseline; null without one. */
  const current = (state) => pinned && { kind: "today", classifier: null, ...model.judged(state, pinned.point) };
  function again() {
    if (!last) return;
    notes(...last);
    update(...last);
  }

  /** What is to be known of a threshold that no score reaches, or that is evaluated at another one; else empty. */
  function outside({ classifier, threshold }) {
    const ends = model.scores(classifier);
    return ends && (threshold < ends[0] || threshold > ends[1])
      ? say("expert.compare.is outside the scores", { threshold: F.number(threshold), ends: ends.map(F.number).join(" to ") }) : "";
  }
  function elsewhere({ threshold }, point) {
    const known = point.rules[0].rule.threshold;
    return known === threshold ? "" : say("expert.compare.evaluated at the nearest", { known: F.field(known), threshold: F.field(threshold) });
  }
  /** Pin a rule of a classifier: {classifier, threshold}, or null. */
  function pin(asked) {
    const point = asked && model.ruleAt(asked.classifier, asked.threshold);
    pinned = point ? { ...asked, point } : null;
    fields.classifier.value = asked ? String(asked.classifier) : "";
    fields.threshold.disabled = !asked;
    if (asked && F.read(fields.threshold.value) !== asked.threshold) fields.threshold.value = F.field(asked.threshold);
    put(note, !asked ? "" : !point ? say("expert.compare.no threshold of this") : outside(asked) || elsewhere(asked, point));
    again();
  }
  on(fields.classifier, "change", () => {
    const chosen = fields.classifier.value;
    if (fields.threshold.value.trim() === "") fields.threshold.value = F.field(0.5);
    pin(chosen === "" ? null : { classifier: Number(chosen), threshold: F.read(fields.threshold.value) });
    changed();
  });
  on(fields.threshold, "input", () => {
    const threshold = F.read(fields.threshold.value), good = isFinite(threshold);
    attr(fields.threshold, "aria-invalid", String(!good));
    if (!good) {
      put(note, say("expert.compare.the threshold must be", { typed: fields.threshold.value.slice(0, 24) }));
      return;
    }
    pin({ classifier: Number(fields.classifier.value), threshold });
    changed();
  });
  for (const input of [cases, unit]) {
    on(input, "input", () => {
      again();
      changed();
    });
  }
  byId("compare").hidden = false;
  const ordered = rochullSort.bind(body.parentElement, () => last && update(...last));
  /** What the rule of today makes of 10,000 cases; null without one. */
  const outcomes = (state) => pinned && model.figures(state, pinned.point).confusion;
  return { notes, update, pin, outcomes, get pinned() { return pinned && { classifier: pinned.classifier, threshold: pinned.threshold }; }, get scale() { return scale(); } };
}

export { create };
