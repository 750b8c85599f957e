// Two segments side by side: how the scores of each lie, what thresholds make of them that the reader chooses or drags, and what
// these cost beside the cheapest.
import { say } from "./answer/words";
import * as lists from "./lists";
import { attr, html, on, put, svg } from "./report_elements.js";
import * as rochullExact from "./report_exact.js";
import * as F from "./report_format.js";
import * as G from "./report_groups.js";
import * as rochullTyped from "./report_typed.js";
import { abs, entries, floor, fromEntries, isFinite, keys, listOf, max, min } from "./maths";

const RULES = { // what is chosen, and what that means
  one: [say("expert.pair.one threshold for all"), say("expert.pair.every case is held")],
  own: [say("expert.pair.a threshold for each"), say("expert.pair.each segment has its")],
  none: [say("expert.pair.the lowest cost in"), say("expert.pair.each segment has the")],
  demographic_parity: [say("expert.pair.the same share flagged"), say("expert.pair.of both segments the")],
  equal_tpr: [say("expert.pair.the same share of"), say("expert.pair.of the positives of")],
  equal_fpr: [say("expert.pair.the same share of negatives"), say("expert.pair.of the negatives of")],
  mine: [say("expert.pair.your own"), say("expert.pair.you set these thresholds")],
};
const STEPS = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10, Home: -Infinity, End: Infinity };
const FIGURES = [["flagged", "flagged", F.rate], ["tpr", say("expert.batch.caught of the positives"), F.rate], ["fpr", say("expert.batch.wrongly flagged of the"), F.rate],
  ["precision", say("expert.batch.positive of the flagged"), F.rate], ["cost", say("expert.pair.expected cost per case"), F.number]];
const WIDE = 320, HIGH = 120, BARS = 40;
let made = 0;

/** The bars of a segment, of equal width: the blocks of the classifier's hull in it, each spread over its scores; ascending,
 *  in shares of the segment's classes. */
function barsOf({ hull: { thresholds }, calibration, hundredths, lower_is_positive: lower }, { straight: { fp, tp }, negatives, positives }) {
  const known = [...thresholds, ...(calibration ? calibration.high : [])].map(Number).filter(isFinite);
  const [from, to] = hundredths ? [0, 1] : [lists.min(known), lists.max(known)], clamp = (value) => min(to, max(from, Number(value)));
  const width = (to - from) / BARS || 1, at = (value) => min(BARS - 1, floor((value - from) / width));
  const bars = { pos: new Float64Array(BARS), neg: new Float64Array(BARS) };
  for (let v = 1; v < thresholds.length; v += 1) {
    const [low, high] = [thresholds[v], v > 1 ? thresholds[v - 1] : (lower ? "-inf" : "inf")].map(clamp).sort((a, b) => a - b);
    for (const [key, counts, total] of [["pos", tp, positives], ["neg", fp, negatives]]) {
      const share = total ? (counts[v] - counts[v - 1]) / total : 0;
      for (let b = at(low); b <= at(high); b += 1) {
        const part = high > low ? max(0, min(high, from + (b + 1) * width) - max(low, from + b * width)) / (high - low) : Number(b === at(low));
        bars[key][b] += part * share;
      }
    }
  }
  return { bars, domain: [from, to], clamp };
}
function drawing(lower) {
  const id = `rc-pair-${made++}`, sides = [0, 1].map(() => svg("rect", { y: 0, height: HIGH }));
  const cells = ["tp", "fn", "fp", "tn"], paths = fromEntries(cells.map((key) => [key, svg("path", { class: `rc-outcome o-${key}` })]));
  const half = (k, ...keys) => svg("g", { "clip-path": `url(#${id}-${k})` }, ...keys.map((key) => paths[key]));
  const [left, right] = lower ? [["tp", "fp"], ["fn", "tn"]] : [["fn", "tn"], ["tp", "fp"]];
  const line = svg("path", { class: "rc-threshold" }), grip = svg("circle", { class: "rc-grip", cy: HIGH / 2, r: 6 });
  const plane = svg("svg", { class: "rc-drawing", viewBox: `0 0 ${WIDE} ${HIGH}`, role: "slider", tabindex: 0 },
    svg("defs", {}, ...sides.map((rect, k) => svg("clipPath", { id: `${id}-${k}` }, rect))), half(0, ...left), half(1, ...right), line, grip);
  let shown = null;
  function draw(now, thresholds, main, label, text) {
    const { bars, domain: [from, to], clamp } = now;
    const X = (value) => ((value - from) / (to - from || 1)) * WIDE, Y = HIGH / 2, wide = WIDE / BARS;
    const path = (values, sign) => listOf(values, (value, k) => {
      const high = (Y - 2) * value / (lists.max(values) || 1);
      return high ? `M${(k * wide).toFixed(1)},${Y}v${(sign * high).toFixed(1)}h${(wide - 0.6).toFixed(1)}V${Y}Z` : "";
    }).join("");
    if (shown !== now) for (const key of cells) attr(paths[key], "d", key === "tp" || key === "fn" ? path(bars.pos, -1) : path(bars.neg, 1));
    shown = now;
    const none = main === "inf" ? !lower : main === "-inf" ? lower : null;
    const x = none === null ? X(clamp(main)) : none ? WIDE : 0;
    [[0, x], [x, WIDE]].forEach(([start, end], k) => {
      attr(sides[k], "x", start);
      attr(sides[k], "width", max(0, end - start));
    });
    attr(line, "d", thresholds.map(([value]) => (isFinite(Number(value)) ? `M${X(clamp(value)).toFixed(1)},0V${HIGH}` : "")).join(""));
    attr(grip, "cx", x);
    for (const [key, value] of entries({ label, valuetext: text, valuemin: from, valuemax: to, valuenow: none === null ? clamp(main) : none ? to : from })) attr(plane, `aria-${key}`, value);
  }
  /** The score at a place of the screen. */
  const scoreAt = (clientX, from, to) => from + (new DOMPoint(clientX, 0).matrixTransform(plane.getScreenCTM().inverse()).x / WIDE) * (to - from);
  return { plane, draw, scoreAt };
}
const said = ([[first, share], second], sign) => {
  const one = (value) => (value === "inf" ? say("expert.pair.flag none") : value === "-inf" ? say("expert.pair.flag all") : `${sign} ${F.threshold(value, sign === "≤")}`);
  return second ? `${one(first)} (${F.rate(share)}) or ${one(second[0])} (${F.rate(second[1])})` : one(first);
};
/** How much more, or less, the first has of a share than the second. */
function apartness(a, b) {
  if (a === null || b === null) return F.NONE;
  return abs(a - b) < 5e-4 ? "alike" : `${a > b ? "+" : ""}${F.points(a - b)} points`;
}

const difference = (key, [a, b]) => (a.sure?.[key] && b.sure?.[key] ? rochullExact.sumInterval([1, [a[key] ?? 0, ...a.sure[key]]], [-1, [b[key] ?? 0, ...b.sure[key]]]) : null);

const knownOf = ({ live }) => live.segments.filter(({ straight, negatives, positives }) => straight && (negatives || positives));
/** What is chosen, {segments, rule, mine: both thresholds if they are the reader's}, as a link holds it. */
const link = ({ segments, rule, mine = [] }) => `&pair=${[rule, ...mine].join(":")}${segments.map((name) => `&segment=${encodeURIComponent(name)}`).join("")}`;
/** What a link holds of it; null if nothing, undefined if it cannot be read. */
function linked(given, { segments: found }) {
  if (!given.has("pair")) return null;
  const [rule, ...mine] = given.get("pair").split(":"), segments = given.getAll("segment"), names = found?.live ? knownOf(found).map(({ segment }) => segment) : [];
  const isGood = Object.hasOwn(RULES, rule) && mine.length === (rule === "mine" ? 2 : 0) && segments.length === 2 && segments.every((name) => names.includes(name));
  return isGood ? { segments, rule, ...(mine.length && { mine }) } : undefined;
}

/** The section; `update` takes a state and the rows of rochullBeside. */
function create(base) {
  const { facts } = base, { classifier } = facts.segments, own = facts.classifiers.find(({ name }) => name === classifier);
  const lower = own.lower_is_positive, sign = F.sign({ lower_is_positive: lower });
  const known = knownOf(facts.segments);
  const largest = known.map((each, i) => [each.negatives + each.positives, i]).sort((a, b) => b[0] - a[0]).map(([, i]) => i);
  if (known.length < 2) return null;
  const once = (make) => {
    const made = new Map();
    return (i) => made.get(i) || made.set(i, make(known[i])).get(i);
  };
  const barsAt = once((segment) => barsOf(own, segment)), rungsAt = once((segment) => G.ladder(own, segment)), mine = new Map();
  const first = { segments: largest.slice(0, 2).map((i) => known[i].segment), rule: "one" }, now = () => base.pair || first;
  let rows = null, state = null, mains = [];
  const name = `rc-pair-rule-${made++}`;
  const choices = entries(RULES).map(([key, [text]]) => {
    const radio = html("input", { type: "radio", name, value: key }), price = html("small", { "data-price": key });
    on(radio, "change", () => take(key));
    return { key, radio, price, label: html("label", { class: "radio" }, radio, html("span", {}, text, " ", price)) };
  });
  const choice = html("fieldset", { class: "rc-controls" }, html("legend", { class: "visually-hidden" }, say("expert.pair.which thresholds are shown")), ...choices.map(({ label }) => label));
  const sides = ["First", "Second"].map((place, k) => {
    const select = html("select", { "aria-label": `${place} segment` }, ...known.map(({ segment }, i) => html("option", { value: i }, F.segment(segment))));
    on(select, "change", () => {
      const { rule, segments } = now(), other = known[select.value].segment;
      take(rule, { segments: segments.map((name, j) => (j === k ? other : name)) });
    });
    const side = { select, i: () => Number(select.value), ...drawing(lower), rule: html("p", { class: "soft" }) };
    draggable(side, k);
    return { ...side, figure: html("figure", {}, select, side.plane, side.rule) };
  });
  const heads = sides.map(() => html("bdi", {})), meaning = html("p", { class: "soft" });
  const lines = FIGURES.map(([key, text, format]) => {
    const cells = ["a", "b", "apart"].map((side) => {
      const [value, sure] = [html("span", { "data-pair": `${key}:${side}` }), html("small", {})];
      return { value, sure, cell: html("td", {}, value, sure) };
    });
    return { key, format, cells, row: html("tr", {}, html("th", { scope: "row" }, text), ...cells.map(({ cell }) => cell)) };
  });
  const table = html("table", { class: "small" }, html("caption", {}, say("expert.pair.both segments by these")),
    html("thead", {}, html("tr", {}, html("td", {}), ...heads.map((head) => html("th", { scope: "col" }, head)), html("th", { scope: "col" }, say("expert.pair.first less second")))),
    html("tbody", {}, ...lines.map(({ row }) => row)));
  const element = html("div", { class: "two" }, choice, meaning, html("div", { class: "pair" }, ...sides.map(({ figure }) => figure)),
    html("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": say("expert.pair.both segments by these") }, table));

  /** Choose a rule and two segments, and the thresholds that are the reader's own. */
  function take(rule, { segments } = now(), own) {
    base.pair = { segments, rule };
    own?.forEach((threshold, k) => mine.set(segments[k], threshold));
    write();
    if (rule === "mine") base.pair.mine = [...mains];
    base.paired();
  }
  /** The threshold of one segment is the reader's own from now on, and that of the other stays where it is. */
  function move(k, rung) {
    const threshold = mainOf(rung);
    if (threshold !== mains[k] || now().rule !== "mine") take("mine", now(), mains.map((main, j) => (j === k ? threshold : main)));
  }
  function draggable({ plane, i, scoreAt }, k) {
    let dragging = false;
    function dragged(event) {
      const rungs = rungsAt(i()), { domain: [from, to] } = barsAt(i()), score = scoreAt(event.clientX, from, to);
      move(k, rungs[score <= from ? 0 : score >= to ? rungs.length - 1 : lists.bisectCenter(rungs.map(({ level }) => level), score)]);
    }
    on(plane, "pointerdown", (event) => {
      dragging = true;
      plane.setPointerCapture(event.pointerId);
      dragged(event);
    });
    on(plane, "pointermove", (event) => dragging && dragged(event));
    for (const type of ["pointerup", "pointercancel"]) on(plane, type, () => { dragging = false; });
    on(plane, "keydown", (event) => {
      if (!(event.key in STEPS) || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      const rungs = rungsAt(i()), at = rungs.findIndex((rung) => mainOf(rung) === mains[k]);
      move(k, rungs[min(rungs.length - 1, max(0, at + STEPS[event.key]))]);
    });
  }
  /** What each choice makes of both segments, {rule: [first, second]}: of the constraints only where costs alone decide. */
  function choicesOf(both, total) {
    const judged = sides.map((side, k) => rungsAt(side.i()).map((rung) => both[k].by(rung, rung.thresholds)));
    const own = (k) => judged[k].find((rung) => String(mainOf(rung)) === String(mine.get(both[k].segment) ?? mainOf(both[k].one || judged[k][0])));
    const found = { one: both.map(({ one }) => one), mine: [own(0), own(1)] };
    if (state.goal !== "cost" || rochullTyped.limitsOf(state).length) found.own = both.map((row) => row.own);
    else for (const key of keys(G.RATES)) found[key] = G.choose(key, judged, total);
    return found;
  }
  const mainOf = ({ thresholds }) => [...thresholds].sort((a, b) => b[1] - a[1])[0][0];
  function write() {
    element.hidden = !rows;
    if (!rows) return;
    const { segments: shown, rule, mine: own } = now();
    own?.forEach((threshold, k) => mine.set(shown[k], threshold));
    sides.forEach(({ select }, k) => { select.value = known.findIndex(({ segment }) => segment === shown[k]); });
    const both = shown.map((name) => rows.find(({ segment }) => segment === name));
    const [{ weight: a }, { weight: b }] = both, total = ([x, y]) => (a * x.cost + b * y.cost) / (a + b);
    const found = choicesOf(both, total), seen = [rule, "one", "own"].find((key) => found[key]?.every(Boolean)), pair = found[seen], rate = G.RATES[seen];
    for (const { key, radio, price, label } of choices) {
      label.hidden = !found[key]?.every(Boolean);
      radio.checked = key === seen;
      put(price, label.hidden || !found.none ? "" : key === "none" ? say("expert.pair.costs per case of", { none: F.number(total(found.none)) })
        : say("expert.pair.costs the cheapest thresholds", { none: F.compared(total(found[key]), total(found.none)) }));
    }
    const apart = rate && F.points(abs(pair[0][rate] - pair[1][rate]));
    put(meaning, say("expert.pair.drag a line to", { meaning: RULES[seen][1], apart: apart ? say("expert.pair.as nearly as one", { apart }) : "", laws: seen === "one" ? "" : say("expert.pair.laws may forbid thresholds") }));
    mains = pair.map(mainOf);
    sides.forEach((side, k) => {
      const words = said(pair[k].thresholds, sign), segment = F.segment(shown[k]);
      side.draw(barsAt(side.i()), pair[k].thresholds, mains[k], say("expert.pair.threshold of on its", { segment }), `${words}: ${F.rate(pair[k].flagged)} flagged`);
      put(side.rule, say("expert.pair.flagged where the score", { words }));
      put(heads[k], shown[k]);
    });
    for (const { key, format, cells, row } of lines) {
      const values = pair.map((each) => each[key]), between = difference(key, pair), cost = key === "cost";
      const texts = [...values.map(format), cost ? F.number(values[0] - values[1]) : apartness(...values)], ends = cost ? F.numbers : F.rates;
      const sure = [...pair.map((each) => each.sure?.[key] && ends(each.sure[key])), between && (cost ? F.numbers(between) : between.map(F.points).join(" to "))];
      row.classList.toggle("best", key === rate); // what is made alike
      cells.forEach(({ value, sure: small }, k) => {
        value.dataset.value = (k < 2 ? values[k] : values.includes(null) ? "" : values[0] - values[1]) ?? "";
        put(value, texts[k]);
        put(small, sure[k] ? `(${sure[k]})` : "");
      });
    }
  }
  return { element, update(next, condition) {
    rows = next;
    state = condition;
    write();
  } };
}

export { create, link, linked };
