// How the scores of one classifier lie: positives above the line and negatives below, coloured by what a threshold makes
// of them. The threshold is dragged, by mouse, finger or keys; that pins the classifier's single rule.
import { say } from "./answer/words";
import * as lists from "./lists";
import { html, svg, share, at as put, shown as visible, sample, frame, ticks, living, ruleText, STAR, DIAMOND } from "./report_charts.js";
import * as rochullCurves from "./report_curves.js";
import * as F from "./report_format.js";
import * as rochullHover from "./report_hover.js";
import * as rochullTyped from "./report_typed.js";
import * as rochullViews from "./report_views.js";
import { abs, entries, fromEntries, isFinite, listOf, max, min, round, sqrt } from "./maths";

rochullViews.add((() => {
  const WORDS = { tp: "caught", fn: "missed", fp: say("expert.compare.false alarms"), tn: say("expert.scores.correctly passed") };
  const BARS = 50, STEPS = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10 };
  const BEST = [["rc-star", STAR, say("expert.lines.best rule")], ["rc-single", DIAMOND, say("expert.marks.the best single threshold")]], NEAR = 4; // pixels
  const STEEP = 10, SHARES = [-1, -0.5, -0.2, -0.05, -0.01, 0, 0.01, 0.05, 0.2, 0.5, 1];

  /** Bars of equal width where the scores are probabilities, else the blocks of the hull: {low, high, fp, tp}, and {pos, neg}
   *  as shares of the class; and all thresholds whose outcomes are known, ascending. */
  function barsOf(own, { negatives, positives }) {
    const steps = rochullCurves.steps(own), all = listOf(steps.threshold, (threshold, i) => ({ threshold, fp: steps.fp[i], tp: steps.tp[i] }));
    const lower = own.lower_is_positive, even = (t) => abs(t * BARS - round(t * BARS)) < 1e-9;
    const edges = own.hundredths ? all.filter(({ threshold: t }) => t >= 0 && t <= 1 && even(t) && (lower ? t > 0 : t < 1)) : all;
    const thresholds = Float64Array.from(steps.threshold).sort();
    const last = edges.length - 1, far = own.calibration && Number(own.calibration.high[0]);
    const end = own.hundredths ? (lower ? 0 : 1) : isFinite(far) ? far : edges[0] && edges[0].threshold;
    const bars = edges.map(({ threshold, fp, tp }, i) => {
      const before = i ? edges[i - 1] : { threshold: end, fp: 0, tp: 0 };
      const [low, high] = [threshold, before.threshold].sort((a, b) => a - b);
      const more = { fp: fp - before.fp, tp: tp - before.tp };
      return { low, high, ...more, pos: more.tp / positives, neg: more.fp / negatives };
    });
    return { bars: last < 0 ? [] : bars, thresholds, lower };
  }

  function chart(base, element) {
    const { model, facts } = base, scored = facts.classifiers.map((each, i) => i).filter((i) => barsOf(facts.classifiers[i], model.totals).bars.length);
    const select = html("select", { "aria-label": say("expert.scores.classifier whose scores are") },
      ...scored.map((i) => html("option", { value: i }, model.names[i])));
    const said = html("p", { class: "rc-said" });
    element.append(html("div", { class: "rc-controls" }, select, said));
    const shell = frame(element, { label: say("expert.scores.threshold of this classifier"), roledescription: null });
    const plot = shell.plot;
    plot.setAttribute("role", "slider");
    plot.removeAttribute("aria-roledescription");
    const cells = ["tp", "fn", "fp", "tn"];
    const paths = fromEntries(cells.map((key) => [key, svg("path", { class: `rc-outcome o-${key}` })]));
    const sides = [0, 1].map((k) => svg("rect", { class: `rc-side${k}` }));
    const clips = sides.map((rect, k) => svg("clipPath", { id: `rc-side-${shell.serial}-${k}` }, rect));
    shell.drawing.append(...clips);
    const flag = (k) => svg("g", { "clip-path": `url(#rc-side-${shell.serial}-${k})` });
    const halves = [flag(0), flag(1)]; // left and right of the threshold
    shell.layers.curves.append(...halves);
    const labels = fromEntries(cells.map((key) => [key, svg("text", { class: "rc-count" })]));
    const line = svg("path", { class: "rc-threshold" }), grip = svg("circle", { class: "rc-grip", r: 8 });
    const stars = BEST.map(([name, d]) => svg("path", { class: name, d }));
    const keys = BEST.map(([name, , text]) => html("span", { class: "rc-key" }, sample(name), text));
    shell.layers.top.append(...Object.values(labels), line, grip, ...stars);
    shell.root.append(html("div", { class: "rc-keys" }, ...keys));
    const classes = facts.positive === "positive" ? ["positives", "negatives"] : [F.isolated(facts.positive), `not ${F.isolated(facts.positive)}`];
    let i = -1, shown = null, state = null, result = null, asked = 0, chosenByReader = false, threshold = NaN, best = null;
    let height = (density) => density; // as it is drawn

    // Flagged is on the right, or where low scores are positive on the left.
    function show(next) {
      i = next;
      select.value = String(i);
      shown = barsOf(facts.classifiers[i], model.totals);
      const [right, left] = shown.lower ? [0, 1] : [1, 0];
      halves[right].replaceChildren(paths.tp, paths.fp);
      halves[left].replaceChildren(paths.fn, paths.tn);
      draw();
    }
    function draw() {
      shell.layout({ left: 52, right: 20, top: 28, bottom: 44 });
      const { bars } = shown, [up, deep] = ["pos", "neg"].map((key) => lists.max(bars, (bar) => bar[key] / (bar.high - bar.low || Infinity)) || 1);
      const low = lists.min(bars, (bar) => bar.low), high = lists.max(bars, (bar) => bar.high), width = (high - low) / BARS || 1;
      shell.x.domain([low, high > low ? high : low + 1]);
      // One bar that is many times as high as the mean would flatten all others.
      const isSteep = max(up, deep) * (high - low) > STEEP;
      height = isSteep ? sqrt : (density) => density;
      shell.y.domain([-1.16 * height(deep), 1.16 * height(up)]);
      const y0 = shell.y(0), [least, most] = shell.y.domain();
      const path = (key) => bars.map((bar) => {
        const x = shell.x(bar.low), w = max(1, shell.x(bar.high) - x - 1), tall = height(bar[key] / (bar.high - bar.low || width));
        return tall ? `M${x.toFixed(1)},${y0.toFixed(1)}V${shell.y(key === "pos" ? tall : -tall).toFixed(1)}h${w.toFixed(1)}V${y0.toFixed(1)}Z` : "";
      }).join("");
      for (const key of cells) paths[key].setAttribute("d", path(key === "tp" || key === "fn" ? "pos" : "neg"));
      const tops = isSteep ? SHARES.map((part) => ({ value: Math.sign(part) * sqrt(abs(part) / width), text: share(abs(part)) })).filter(({ value }) => value > least && value < most)
        : shell.y.ticks(6).map((value) => ({ value, text: share(round(abs(value) * width * 1e6) / 1e6) }));
      shell.axes(ticks(shell.x, F.number, shell.width < 480 ? 5 : 8), tops);
      shell.titles.x.textContent = "score →";
      shell.titles.y.textContent = `↑ ${classes[0]}, ↓ ${classes[1]}${isSteep ? say("expert.scores.square root axis") : say("expert.scores.shares of each")}`;
      hover.hide();
      move();
    }
    const isOwn = (rule) => rule.kind === "threshold" && rule.classifier === model.names[i];
    /** The threshold that is shown: the pinned one, else that of the answer, else the classifier's own best one. */
    function current() {
      const pinned = base.pinned();
      if (pinned && pinned.classifier === i) return pinned.threshold;
      const of = (point) => point && point.rules.map(({ rule }) => rule).find(isOwn);
      const rule = of(result.chosen) || of(result.regret[i].point);
      return rule ? Number(rule.threshold) : shown.thresholds[shown.thresholds.length >> 1];
    }
    /** Mark the best rule, or the best single one, if it is a threshold of the classifier that is shown. Its words. */
    function markBest() {
      const points = [result.chosen, result.single], k = points.findIndex((point) => point && point.rules.length === 1 && isOwn(point.rules[0].rule));
      best = k < 0 ? null : Number(points[k].rules[0].rule.threshold);
      BEST.forEach((_, j) => [stars[j], keys[j]].forEach((node) => visible(node, j === k)));
      if (k < 0) return "";
      put(stars[k], shell.x(best), shell.y(0));
      return BEST[k][2];
    }
    function move() {
      if (!result || !shown) return;
      threshold = current();
      const point = model.ruleAt(i, threshold), found = model.judged(state, point), cases = F.wholeCases(found.confusion);
      if (!point) return;
      const [left, right] = shell.x.range(), [bottom, top] = shell.y.range();
      const x = min(right, max(left, shell.x(Number(point.rules[0].rule.threshold))));
      [[left - 2, x], [x, right + 2]].forEach(([from, to], k) => {
        for (const [key, value] of entries({ x: from, y: top, width: max(0, to - from), height: bottom - top })) sides[k].setAttribute(key, value);
      });
      grip.setAttribute("cx", x);
      grip.setAttribute("cy", shell.y(0));
      for (const key of cells) {
        const flagged = (key === "tp" || key === "fp") !== shown.lower, upper = key === "tp" || key === "fn", node = labels[key];
        node.setAttribute("text-anchor", flagged ? "end" : "start");
        node.setAttribute("x", flagged ? right - 4 : left + 4);
        node.setAttribute("y", upper ? top + 14 : bottom - 6);
        node.textContent = cases ? `${F.counts(cases[key])} ${WORDS[key]}` : WORDS[key];
      }
      const width = (key) => 7.5 * labels[key].textContent.length + 8;
      const stacked = (one, other) => width(one) + width(other) > right - left; // then one stands nearer to the middle
      if (stacked("tp", "fn")) labels.fn.setAttribute("y", top + 30);
      if (stacked("fp", "tn")) labels.tn.setAttribute("y", bottom - 22);
      // The line ends before a text that would stand across it.
      const crossed = (...keys) => keys.some((key) => {
        const from = Number(labels[key].getAttribute("x"));
        return labels[key].getAttribute("text-anchor") === "end" ? x > from - width(key) : x < from + width(key);
      });
      const ends = [["fp", "tn"], ["tp", "fn"]].map((pair) => (crossed(...pair) ? (stacked(...pair) ? 38 : 21) : 0));
      line.setAttribute("d", `M${x},${bottom - ends[0]}V${top + ends[1]}`);
      const [{ rule }] = point.rules, word = markBest(), isBest = Number(rule.threshold) === best, costs = [found.expected_cost, result.expected_cost];
      const notes = [...(isBest ? [word] : []), ...(found.breaks ? [say("expert.scores.breaks the limit", { more: rochullTyped.limitCount(state) > 1 ? "s" : "" })] : [])].join(", ");
      const against = isBest && word === BEST[0][2] || !costs.every((cost) => typeof cost === "number") ? "" : say("expert.scores.the best rule", { compared: F.compared(...costs) });
      const text = `${ruleText(rule)}${notes && ` (${notes})`}${costs[0] === null ? "" : say("expert.scores.expected cost per case", { costs: F.numbers(costs[0]), against })}`;
      said.textContent = `${text}. ${base.pinned() && base.pinned().classifier === i ? say("expert.scores.this is your current") : say("expert.scores.drag the line to")}`;
      for (const [key, value] of [["valuemin", shown.thresholds[0]], ["valuemax", shown.thresholds[shown.thresholds.length - 1]], ["valuenow", threshold]]) {
        plot.setAttribute(`aria-${key}`, value);
      }
      plot.setAttribute("aria-valuetext", text);
    }
    function pin(value) {
      chosenByReader = true;
      base.pin({ classifier: i, threshold: value });
    }
    const barAt = (score) => shown.bars.findIndex(({ low, high }) => score >= low && score <= high);
    const hover = rochullHover.attach(shell, {
      same: (one, other) => one.j === other.j,
      nearest(x) {
        const j = dragging ? -1 : barAt(shell.x.invert(x));
        return j < 0 ? null : { j };
      },
      keys: () => [], // they move the threshold
      at({ j }) {
        const { low, high, pos } = shown.bars[j];
        return [(shell.x(low) + shell.x(high)) / 2, shell.y(height(pos / (high - low || Infinity)))];
      },
      tell({ j }) {
        const { low, high, tp, fp, pos, neg } = shown.bars[j], { negatives, positives } = model.totals;
        const rows = [[tp, pos], [fp, neg]].map(([count, part], k) => [classes[k], F.count(count), say("expert.scores.of the class", { part: F.rate(part) })]);
        return { name: `Scores ${F.numbers([low, high])}`, swatch: "", rules: [], rows, counts: null,
          notes: [say("expert.scores.of the", { positives: F.count(negatives + positives), more: facts.examples.weighted ? say("expert.hover.in weight") : "examples" })], data: { bar: j } };
      },
      mark() {},
    });
    const nearest = (value) => shown.thresholds[min(shown.thresholds.length - 1, max(0, lists.bisectCenter(shown.thresholds, value)))];

    // --- dragging -----------------------------------------------------------------------------------

    function dragged(event) {
      const box = shell.drawing.getBoundingClientRect(), x = (event.clientX - box.left) * shell.width / box.width;
      const value = best !== null && abs(shell.x(best) - x) <= NEAR ? best : nearest(shell.x.invert(x));
      if (value === threshold && base.pinned()) return;
      cancelAnimationFrame(asked); // at most once a frame
      asked = requestAnimationFrame(() => pin(value));
    }
    let dragging = false;
    plot.addEventListener("pointerdown", (event) => {
      dragging = true;
      hover.hide();
      plot.setPointerCapture(event.pointerId);
      dragged(event);
    });
    plot.addEventListener("pointermove", (event) => dragging && dragged(event));
    for (const type of ["pointerup", "pointercancel"]) plot.addEventListener(type, () => { dragging = false; });
    plot.addEventListener("keydown", (event) => {
      const all = shown.thresholds, last = all.length - 1, at = lists.bisectCenter(all, threshold);
      const to = event.key in STEPS ? min(last, max(0, at + STEPS[event.key])) : { Home: 0, End: last }[event.key];
      if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      pin(all[to]);
      hover.show({ j: barAt(all[to]) }, true);
    });
    select.addEventListener("change", () => {
      chosenByReader = true;
      show(Number(select.value));
    });
    const made = {
      id: "scores", scales: { x: shell.x, y: shell.y }, element: shell.root,
      update(newState, newResult) {
        state = newState;
        result = newResult;
        const pinned = base.pinned(), rules = result.chosen ? result.chosen.rules : [];
        const own = rules.map(({ rule }) => base.index.get(rule.classifier)).find((k) => scored.includes(k));
        const wanted = pinned && scored.includes(pinned.classifier) && !chosenByReader ? pinned.classifier : i >= 0 ? i : own ?? scored[0];
        if (wanted !== i) show(wanted);
        else move();
      },
      resize: () => shown && draw(),
    };
    return living(shell, hover, made);
  }

  const isPossible = ({ model, facts }) => facts.classifiers.some((each) => barsOf(each, model.totals).bars.length);
  return { id: "scores", title: "Scores", about: say("expert.scores.about"), chart, isPossible };
})());
