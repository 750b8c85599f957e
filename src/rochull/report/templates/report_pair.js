// Two segments side by side: how the scores of each lie, and what one threshold for all and its own make of them.
"use strict";
const rochullPair = (() => {
  const { html, svg } = rochullElements, F = rochullFormat;
  const RULES = [["one", "One threshold for all"], ["own", "A threshold for each"]];
  const FIGURES = [["flagged", "flagged", F.rate], ["tpr", "caught of the positives", F.rate], ["fpr", "wrongly flagged of the negatives", F.rate],
    ["precision", "positive of the flagged", F.rate], ["cost", "expected cost per case", F.number]];
  const WIDE = 320, HIGH = 120, BARS = 40;
  let made = 0;

  /** The bars of a segment, of equal width: the blocks of the classifier's hull in it, each spread over its scores; ascending,
   *  in shares of the segment's classes. */
  function barsOf({ hull: { thresholds }, calibration, hundredths, lower_is_positive: lower }, { straight: { fp, tp }, negatives, positives }) {
    const known = [...thresholds, ...(calibration ? calibration.high : [])].map(Number).filter(Number.isFinite);
    const [from, to] = hundredths ? [0, 1] : [d3.min(known), d3.max(known)], clamp = (value) => Math.min(to, Math.max(from, Number(value)));
    const width = (to - from) / BARS || 1, at = (value) => Math.min(BARS - 1, Math.floor((value - from) / width));
    const bars = { pos: new Float64Array(BARS), neg: new Float64Array(BARS) };
    for (let v = 1; v < thresholds.length; v += 1) {
      const [low, high] = [thresholds[v], v > 1 ? thresholds[v - 1] : (lower ? "-inf" : "inf")].map(clamp).sort((a, b) => a - b);
      for (const [key, counts, total] of [["pos", tp, positives], ["neg", fp, negatives]]) {
        const share = total ? (counts[v] - counts[v - 1]) / total : 0;
        for (let b = at(low); b <= at(high); b += 1) {
          const part = high > low ? Math.max(0, Math.min(high, from + (b + 1) * width) - Math.max(low, from + b * width)) / (high - low) : Number(b === at(low));
          bars[key][b] += part * share;
        }
      }
    }
    return { bars, domain: [from, to], clamp };
  }
  function drawing(lower) {
    const id = `rc-pair-${made++}`, sides = [0, 1].map(() => svg("rect", { y: 0, height: HIGH }));
    const cells = ["tp", "fn", "fp", "tn"], paths = Object.fromEntries(cells.map((key) => [key, svg("path", { class: `rc-outcome o-${key}` })]));
    const half = (k, ...keys) => svg("g", { "clip-path": `url(#${id}-${k})` }, ...keys.map((key) => paths[key]));
    const [left, right] = lower ? [["tp", "fp"], ["fn", "tn"]] : [["fn", "tn"], ["tp", "fp"]];
    const line = svg("path", { class: "rc-threshold" });
    const plane = svg("svg", { class: "rc-drawing", viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img" },
      svg("defs", {}, ...sides.map((rect, k) => svg("clipPath", { id: `${id}-${k}` }, rect))), half(0, ...left), half(1, ...right), line);
    let shown = null;
    function draw(now, thresholds, label) {
      const { bars, domain: [from, to], clamp } = now;
      const X = (value) => ((value - from) / (to - from || 1)) * WIDE, Y = HIGH / 2, wide = WIDE / BARS;
      const path = (values, sign) => Array.from(values, (value, k) => {
        const high = (Y - 2) * value / (d3.max(values) || 1);
        return high ? `M${(k * wide).toFixed(1)},${Y}v${(sign * high).toFixed(1)}h${(wide - 0.6).toFixed(1)}V${Y}Z` : "";
      }).join("");
      if (shown !== now) for (const key of cells) paths[key].setAttribute("d", key === "tp" || key === "fn" ? path(bars.pos, -1) : path(bars.neg, 1));
      shown = now;
      const [main] = [...thresholds].sort((a, b) => b[1] - a[1])[0], none = main === "inf" ? !lower : main === "-inf" ? lower : null;
      const x = none === null ? X(clamp(main)) : none ? WIDE : 0;
      [[0, x], [x, WIDE]].forEach(([start, end], k) => {
        sides[k].setAttribute("x", start);
        sides[k].setAttribute("width", Math.max(0, end - start));
      });
      line.setAttribute("d", thresholds.map(([value]) => (Number.isFinite(Number(value)) ? `M${X(clamp(value)).toFixed(1)},0V${HIGH}` : "")).join(""));
      plane.setAttribute("aria-label", label);
    }
    return { plane, draw };
  }
  const said = ([[first, share], second], sign) => {
    const one = (value) => (value === "inf" ? "flag none" : value === "-inf" ? "flag all" : `${sign} ${F.threshold(value, sign === "≤")}`);
    return second ? `${one(first)} (${F.rate(share)}) or ${one(second[0])} (${F.rate(second[1])})` : one(first);
  };
  /** How much more, or less, the first has of a share than the second. */
  function apart(a, b) {
    if (a === null || b === null) return F.NONE;
    return Math.abs(a - b) < 5e-4 ? "alike" : `${a > b ? "+" : ""}${F.points(a - b)} points`;
  }

  /** The section; `update` takes the rows of rochullBeside. */
  function create({ facts }) {
    const { live, classifier } = facts.segments, own = facts.classifiers.find(({ name }) => name === classifier);
    const lower = own.lower_is_positive, sign = F.sign({ lower_is_positive: lower });
    const known = live.segments.filter(({ straight, negatives, positives }) => straight && (negatives || positives));
    const largest = known.map((each, i) => [each.negatives + each.positives, i]).sort((a, b) => b[0] - a[0]).map(([, i]) => i);
    if (known.length < 2) return null;
    const bars = new Map(), barsAt = (i) => bars.get(i) || bars.set(i, barsOf(own, known[i])).get(i);
    let rows = null, rule = "one";
    const name = `rc-pair-rule-${made++}`;
    const choice = html("fieldset", { class: "rc-controls" }, html("legend", { class: "visually-hidden" }, "Which rule is shown"), ...RULES.map(([key, text]) => {
      const radio = html("input", { type: "radio", name, value: key, checked: key === rule });
      radio.addEventListener("change", () => {
        rule = key;
        write();
      });
      return html("label", { class: "radio" }, radio, ` ${text}`);
    }));
    const sides = ["First", "Second"].map((place, k) => {
      const select = html("select", { "aria-label": `${place} segment` }, ...known.map(({ segment }, i) => html("option", { value: i, selected: i === largest[k] }, F.segment(segment))));
      select.addEventListener("change", () => write());
      const { plane, draw } = drawing(lower), rule = html("p", { class: "soft" });
      return { select, plane, draw, rule, figure: html("figure", {}, select, plane, rule) };
    });
    const heads = sides.map(() => html("bdi", {}));
    const lines = FIGURES.map(([key, text, format]) => {
      const cells = ["a", "b", "apart"].map((side) => html("td", { "data-pair": `${key}:${side}` }));
      return { key, format, cells, row: html("tr", {}, html("th", { scope: "row" }, text), ...cells) };
    });
    const table = html("table", { class: "small" }, html("caption", {}, "Both segments by this rule"),
      html("thead", {}, html("tr", {}, html("td", {}), ...heads.map((head) => html("th", { scope: "col" }, head)), html("th", { scope: "col" }, "first less second"))),
      html("tbody", {}, ...lines.map(({ row }) => row)));
    const element = html("div", { class: "two" }, choice, html("div", { class: "pair" }, ...sides.map(({ figure }) => figure)),
      html("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Both segments by this rule" }, table));
    function write() {
      const shown = sides.map(({ select }) => known[Number(select.value)]);
      const found = shown.map(({ segment }) => rows && rows.find((row) => row.segment === segment)?.[rule]);
      element.hidden = !found.every(Boolean);
      if (element.hidden) return;
      sides.forEach((side, k) => {
        const words = said(found[k].thresholds, sign);
        side.draw(barsAt(Number(side.select.value)), found[k].thresholds, `Scores in ${F.segment(shown[k].segment)}: positives above the line, all others below; flagged where ${words}.`);
        side.rule.textContent = `Flagged where the score is ${words}`;
        heads[k].textContent = shown[k].segment;
      });
      for (const { key, format, cells } of lines) {
        const values = found.map((each) => each[key]), texts = [...values.map(format), key === "cost" ? F.number(values[0] - values[1]) : apart(...values)];
        cells.forEach((cell, k) => {
          cell.dataset.value = (k < 2 ? values[k] : values.includes(null) ? "" : values[0] - values[1]) ?? "";
          if (cell.textContent !== texts[k]) cell.textContent = texts[k];
        });
      }
    }
    return { element, update(next) {
      rows = next;
      write();
    } };
  }
  return { create };
})();
