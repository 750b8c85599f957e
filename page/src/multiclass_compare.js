// The answer in one sentence, and what it is compared with: the outputs as they are, and one class always.
// The sentence is that of rochull.report.multiclass_verdict.
import { say } from "./answer/words";
import * as rochullMulticlassSavings from "./multiclass_savings.js";
import { html } from "./report_elements.js";
import * as F from "./report_format.js";
import { isolated } from "./report_format.js";
import { abs, max, min } from "./maths";

const TOLD = 3, MOST = 6, FAR = 1e-3; // risen errors, and weights, that a sentence can hold, and what part of the largest they are at least
const listed = (parts) => (parts.length === 1 ? parts[0] : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`);

function named({ kind, class: c }, names) {
  if (kind === "always") return say("expert.classes compare.calling every case", { names: isolated(names[c]) });
  return kind === "largest" ? say("expert.classes compare.the largest output without") : say("expert.classes compare.outputs divided by the");
}
/** Whether two rules decide alike. */
const alike = (data, p, q) => JSON.stringify(data.confusion[p]) === JSON.stringify(data.confusion[q]);
/** What needs no weights, then the class that does best alone, within the limits if one is. */
function shown(rows) {
  const alone = rows.filter(({ kind }) => kind === "always");
  const best = alone.reduce((first, row) => (row.within === first.within ? row.value < first.value : row.within) ? row : first);
  return [...rows.filter(({ kind }) => kind !== "always"), best];
}
/** The rule at a point as an order; where it breaks a limit, after a colon. */
function order({ data, names, found, words }, p, isIdle) {
  const inside = found.inside[p], begin = inside ? "C" : "c", none = !found.kept.length && data.k > 1;
  const broken = inside ? "" : none ? say("expert.classes compare.none of keeps", { rules: words.rules(data.k), limits: words.limits("all"), more: p === found.closest ? say("expert.classes limits.the closest") : say("expert.classes compare.this one") })
    : `Breaking ${words.limits("a")}: `;
  if (isIdle) return say("expert.classes compare.all a case the class", { broken, more: inside && data.k > 1 && found.values[p] <= found.values[found.best] ? say("expert.classes compare.no weights are needed") : begin });
  const weights = data.weights[p], short = names.length <= MOST && min(...weights.filter(Boolean)) >= FAR * max(...weights);
  const by = short ? names.map((name, c) => `${isolated(name)} ${F.number(weights[c])}`).join(", ") : say("expert.classes compare.weights below");
  return say("expert.classes compare.all a case the", { broken, begin, by });
}
function verdict(view, p, baselines) {
  const { data, names, state, found, words } = view, value = found.values[p], inside = found.inside[p];
  const isIdle = baselines[0].kind === "largest" && alike(data, p, data.k), rows = shown(baselines).filter((row, n, all) =>
    !(isIdle && row.kind === "largest") && !(row.kind === "balanced" && all[0].kind === "largest" && alike(data, all[0].index, row.index)));
  const kept = (row) => (row.within === inside ? "" : `which ${row.within ? `keeps ${words.limits("all")}` : `breaks ${words.limits("a")}`}`);
  const noted = (row, ...notes) => named(row, names) + (notes.some(Boolean) ? ` (${notes.filter(Boolean).join("; ")})` : "");
  const saved = ([row, { ends, isSure, isAlike }], n, all) => {
    const isFirst = n === all.findIndex(([, each]) => each.isSure), sure = isSure ? { sure: isFirst ? "first" : "yes", low: ends[0], high: ends[1] } : undefined;
    return `${F.compared(value, row.value, sure)} ${noted(row, kept(row), isAlike ? say("expert.classes compare.not told apart on") : "")}`;
  };
  const measure = words.objective(words.LONG), isNamed = state.objective !== "given" || view.facts.objective.named;
  const told = say("expert.classes compare.by the past cases", { order: order(view, p, isIdle), article: isNamed ? "the " : "", measure, value: words.value(value), per: state.objective === "expected_cost" ? say("expert.classes words.per case") : "" });
  if (state.objective === "expected_cost" && min(value, ...rows.map((row) => row.value)) >= 0) { // of gains there are no shares
    return `${told}: ${rows.map((row) => [row, saving(view, p, row)]).map(saved).join(", ")}.${price(view, p)}`;
  }
  return `${told}, against ${listed(rows.map((row) => `${words.value(row.value)} for ${noted(row, kept(row))}`))}.${price(view, p)}`;
}
/** The interval of what is saved against a baseline, whether it is told, and whether both cannot be told apart. */
function saving(view, p, row) {
  const ends = rochullMulticlassSavings.interval(view, p, row);
  if (!ends || F.asMuch(view.found.values[p], row.value)) return { ends: null, isSure: false, isAlike: false };
  const isAlike = ends[0] <= 0 && ends[1] >= 0, [low, high] = ends.map(abs).sort((a, b) => a - b).map(F.wholeRate);
  return { ends: [low, high], isSure: !isAlike, isAlike };
}
/** What the limits cost, of the best rule: which errors are larger than those of the best rule without them. */
function price({ data, names, state, found, words }, p) {
  const { limits } = state, many = limits.length > 1, free = found.order[0];
  if (!limits.length || !found.inside[p] || p !== found.best) return "";
  if (alike(data, p, free)) {
    const [change, them] = many ? [say("expert.classes compare.limits change"), "them"] : [say("expert.classes compare.limit changes"), "it"];
    return say("expert.classes compare.the nothing here of", { change, them });
  }
  const risen = names.map((name, c) => [data.errors[p][c] - data.errors[free][c], isolated(name), ...[free, p].map((q) => F.rate(data.errors[q][c]))])
    .filter(([more, , b, a]) => more > 0 && a !== b).sort((x, y) => y[0] - x[0]);
  const what = many ? say("expert.classes compare.all limits") : `${limits[0].kind === "cell" ? say("expert.classes compare.the share of") : "the"} ${words.limit(limits[0], isolated)}`;
  const without = say("expert.classes compare.by the best rule", { more: many ? "them" : "it" }), rest = risen.length - TOLD;
  const told = risen.slice(0, TOLD).map(([, name, b, a]) => say("expert.classes compare.instead of", { name, a, b })).join(", ") + (rest > 0 ? `, and ${rest} more` : "");
  return say("expert.classes compare.to keep", { what, more: risen.length ? say("expert.classes compare.errors are larger than", { without, told }) : say("expert.classes compare.no error is larger", { without }) });
}

/** Which errors are smaller than by the largest output, and which are larger; twin of multiclass_verdict.traded. */
function traded({ data: { errors, k }, data, names }, p, [first]) {
  if (first.kind !== "largest" || alike(data, p, k)) return "";
  const moved = names.map((name, c) => [errors[p][c], errors[first.index][c], isolated(name)]).filter(([a, b]) => F.rate(a) !== F.rate(b));
  return [["Smaller", 1], ["Larger", -1]].map(([what, sign]) => [what, moved.filter(([a, b]) => sign * (a - b) < 0).sort(([a, b], [c, d]) => sign * (a - b - c + d))])
    .filter(([, found]) => found.length)
    .map(([what, found]) => say("expert.classes compare.errors than by the", { what, errors: found.slice(0, TOLD).map(([a, b, name]) => say("expert.classes compare.instead of", { name, a: F.rate(a), b: F.rate(b) })).join(", ") })).join(" ");
}

/** The table of the rule that is seen and the baselines; returns what fills it. */
function table(element) {
  const cell = (tag, attributes, ...children) => html(tag, attributes, ...children);
  let drawn = "";
  const write = (value, text, key) => cell("td", { "data-key": key, "data-value": value }, text);
  return ({ data: { errors }, names, state, found, words }, p, title, rows) => {
    const limited = state.limits.length > 0;
    const line = (head, key, value, q, within, attributes) => cell("tr", attributes, cell("th", { scope: "row" }, head),
      write(value, words.value(value), `${key}_value`), ...names.map((_, c) => write(errors[q][c], F.rate(errors[q][c]), `${key}_error:${c}`)),
      ...(limited ? [cell("td", { class: "text" }, within ? "yes" : "no")] : []));
    const seen = line(title, "seen", found.values[p], p, found.inside[p], { class: "current" });
    const key = JSON.stringify([words.objective(), words.limits("all"), limited, rows]);
    if (key === drawn) return element.tBodies[0].rows[0].replaceWith(seen); // the others stand
    drawn = key;
    return element.replaceChildren(cell("caption", {}, say("expert.classes compare.this rule and rules")),
      cell("thead", {}, cell("tr", {}, cell("th", { scope: "col", class: "text" }, "rule"), cell("th", { scope: "col" }, words.head()),
        ...names.map((name) => cell("th", { scope: "col" }, say("expert.classes compare.error of"), html("bdi", {}, name))),
        ...(limited ? [cell("th", { scope: "col", class: "text" }, `keeps ${words.limits("all")}`)] : []))),
      cell("tbody", {}, seen,
        ...shown(rows).map((row, b) => line(row.kind === "largest" ? say("expert.classes compare.the largest output without weights") : named(row, names), `base:${b}`,
          row.value, row.index, row.within, { "data-baseline": row.kind }))));
  };
}

export { verdict, traded, table };
