// Two segments side by side: how the scores of each lie, and what one threshold for all and its own make of them.
"use strict";
const rochullPair = (() => {
  const { html, svg } = rochullElements, F = rochullFormat;
  const RULES = [["one", "One threshold for all"], ["own", "A threshold for each"]];
  const FIGURES = [["flagged", "flagged", F.rate], ["tpr", "caught of the positives", F.rate], ["fpr", "wrongly flagged of the others", F.rate],
    ["precision", "positive of the flagged", F.rate], ["cost", "expected cost per case", F.number]];
  const WIDE = 320, HIGH = 120;
  let made = 0;

  /** The bars of a segment: blocks of the classifier's hull, ascending, with the shares of the segment's classes. */
  function barsOf({ hull: { thresholds }, calibration, hundredths, lower_is_positive: lower }, { straight: { fp, tp }, negatives, positives }) {
    const known = [...thresholds, ...(calibration ? calibration.high : [])].map(Number).filter(Number.isFinite);
    const [least, most] = hundredths ? [0, 1] : [Math.min(...known), Math.max(...known)], pad = hundredths ? 0 : (most - least) / 20;
    const clamp = (value) => Math.min(most + pad, Math.max(least - pad, Number(value)));
    const bars = [];
    for (let v = 1; v < thresholds.length; v += 1) {
      const [low, high] = [thresholds[v], v > 1 ? thresholds[v - 1] : (lower ? "-inf" : "inf")].map(clamp).sort((a, b) => a - b);
      if (high > low) bars.push({ low, high, pos: positives ? (tp[v] - tp[v - 1]) / positives : 0, neg: negatives ? (fp[v] - fp[v - 1]) / negatives : 0 });
    }
    return { bars, domain: [least - pad, most + pad], clamp };
  }
  function drawing(lower) {
    const id = `rc-pair-${made++}`, sides = [0, 1].map(() => svg("rect", { y: 0, height: HIGH }));
    const paths = Object.fromEntries(["tp", "fn", "fp", "tn"].map((key) => [key, svg("path", { class: `rc-outcome o-${key}` })]));
    const half = (k, ...keys) => svg("g", { "clip-path": `url(#${id}-${k})` }, ...keys.map((key) => paths[key]));
    const [left, right] = lower ? [["tp", "fp"], ["fn", "tn"]] : [["fn", "tn"], ["tp", "fp"]];
    const line = svg("path", { class: "rc-threshold" });
    const plane = svg("svg", { class: "rc-drawing", viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img" },
      svg("defs", {}, ...sides.map((rect, k) => svg("clipPath", { id: `${id}-${k}` }, rect))), half(0, ...left), half(1, ...right), line);
    function draw({ bars, domain: [from, to], clamp }, thresholds, label) {
      const X = (value) => ((value - from) / (to - from || 1)) * WIDE, dense = (key) => Math.max(...bars.map((bar) => bar[key] / (bar.high - bar.low)), 1e-300);
      const Y = HIGH / 2, times = { pos: (Y - 2) / dense("pos"), neg: (Y - 2) / dense("neg") };
      const path = (key, sign) => bars.map((bar) => {
        const high = (bar[key] / (bar.high - bar.low)) * times[key], left = X(bar.low), width = Math.max(0.7, X(bar.high) - left - 0.3);
        return high ? `M${left.toFixed(1)},${Y}v${(sign * high).toFixed(1)}h${width.toFixed(1)}V${Y}Z` : "";
      }).join("");
      for (const key of ["tp", "fn"]) paths[key].setAttribute("d", path("pos", -1));
      for (const key of ["fp", "tn"]) paths[key].setAttribute("d", path("neg", 1));
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
    const one = (value) => (value === "inf" ? "flag none" : value === "-inf" ? "flag all" : `${sign} ${F.threshold(value)}`);
    return second ? `${one(first)} (${F.rate(share)}) or ${one(second[0])} (${F.rate(second[1])})` : one(first);
  };
  /** How much more, or less, the first has of a share than the second. */
  function apart(a, b) {
    if (a === null || b === null) return F.NONE;
    const points = 100 * (a - b);
    return Math.abs(points) < 0.05 ? "alike" : `${points > 0 ? "+" : "−"}${F.number(Number(Math.abs(points).toFixed(1)))} points`;
  }

  /** The section; `update` takes the rows of rochullBeside. */
  function create({ facts }) {
    const { live, classifier } = facts.segments, own = facts.classifiers.find(({ name }) => name === classifier);
    const lower = own.lower_is_positive, sign = F.sign({ lower_is_positive: lower });
    const known = live.segments.filter(({ straight, negatives, positives }) => straight && (negatives || positives));
    const largest = known.map((each, i) => [each.negatives + each.positives, i]).sort((a, b) => b[0] - a[0]).map(([, i]) => i);
    if (known.length < 2) return null;
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
        side.draw(barsOf(own, shown[k]), found[k].thresholds, `Scores in ${F.segment(shown[k].segment)}: positives above the line, all others below; flagged where ${words}.`);
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
