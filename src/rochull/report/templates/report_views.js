// Five views of one state: the ROC plane, the same plane mapped pointwise into precision-recall, lift and DET,
// and cost space, its dual. What the state does not change is drawn once.
"use strict";
const rochullViews = (() => {
  const { share, clipped, path, at, frame, ticks } = rochullCharts;
  const { probit } = rochullExact;
  const { prepared, drawnAt, marksOf, finished } = rochullMarks;
  const { rate, number } = rochullFormat;

  // --- the views -----------------------------------------------------------------------------------------
  // x and y map rates (and the prevalence p) into the view. `moves`: its curves depend on the prevalence.

  const called = (f, t, p) => p * t + (1 - p) * f;
  // Of all points: the share called positive, or `times` the true positive rate by it.
  function loop(f, t, p, ratio, times) {
    const found = new Float64Array(f.length);
    for (let i = 0; i < found.length; i++) {
      const share = p * t[i] + (1 - p) * f[i];
      found[i] = ratio ? (times * t[i]) / share : share;
    }
    return found;
  }
  const percents = (scale, most) => ticks(scale, (value) => share(value), most);
  const DET_TICKS = [1e-5, 1e-4, 1e-3, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99, 0.999, 0.9999, 0.99999];
  const detTicks = (scale) => DET_TICKS.map((value) => ({ value: probit(value), text: share(value) }))
    .filter(({ value }) => value >= scale.domain()[0] && value <= scale.domain()[1]);
  const unit = { domain: () => [[0, 1], [0, 1]], xTicks: percents, yTicks: percents };
  const PLANES = {
    roc: { ...unit, title: "ROC", xTitle: "false positive rate", yTitle: "true positive rate", chance: "chance",
      x: (f) => f, y: (f, t) => t, all: (f, t) => ({ x: f, y: t }), told: () => [] },
    pr: { ...unit, title: "Precision–recall", xTitle: "recall (true positive rate)", yTitle: "precision",
      chance: "precision of chance: the prevalence", moves: true,
      x: (f, t) => t, y: (f, t, p) => (p * t) / called(f, t, p),
      all: (f, t, p) => ({ x: t, y: loop(f, t, p, true, p) }),
      told: (f, t, p) => [["precision", rate((p * t) / called(f, t, p))]] }, // a dash where nobody is called
    lift: { ...unit, title: "Lift", xTitle: "share called positive", yTitle: "lift", chance: "lift of chance: 1",
      moves: true,
      x: called, y: (f, t, p) => t / called(f, t, p),
      all: (f, t, p) => ({ x: loop(f, t, p, false), y: loop(f, t, p, true, 1) }),
      domain: (plane, p) => [[0, 1], [0, liftTop(plane, p)]],
      yTicks: (scale, most) => ticks(scale, number, most),
      told: (f, t, p) => [["called", rate(called(f, t, p))], ["lift", number(t / called(f, t, p))]] },
    det: { ...unit, title: "DET", xTitle: "false positive rate", yTitle: "miss rate (normal deviates)",
      chance: "chance",
      x: (f) => probit(f), y: (f, t) => probit(1 - t),
      all: (f, t) => ({ x: Float64Array.from(f, probit), y: Float64Array.from(t, (value) => probit(1 - value)) }),
      domain: detDomain, xTicks: detTicks, yTicks: detTicks,
      told: (f, t) => [["miss rate", rate(1 - t)]] },
  };
  const NAMES = ["roc", "cost", "pr", "lift", "det"].map((id) => ({ id, title: id === "cost" ? "Cost" : PLANES[id].title }));

  // The axis of lift ends at a round number, so that it stands still while the prevalence moves a little. The
  // highest lifts are those of a handful of cases: it shows the lifts from one case in a hundred on.
  const TOPS = [1.5, 2, 2.5, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100];
  function liftTop({ hull }, p) {
    let most = 1;
    for (let i = 0; i < hull.fpr.length; i++) {
      const part = called(hull.fpr[i], hull.tpr[i], p);
      if (part >= 0.01) most = Math.max(most, hull.tpr[i] / part);
    }
    return TOPS.find((top) => top >= 1.04 * most) || 110;
  }

  // From half of the smallest rate that is not 0 up to as near to 1.
  function detDomain({ lowest }) {
    const edge = probit(Math.min(0.01, Math.max(1e-5, lowest / 2)));
    return [[edge, -edge], [edge, -edge]];
  }
  const lowestRate = (curves) => {
    let lowest = 1;
    for (const { fpr, tpr } of curves) {
      for (let i = 0; i < fpr.length; i++) {
        if (fpr[i] > 0) lowest = Math.min(lowest, fpr[i]);
        if (tpr[i] < 1) lowest = Math.min(lowest, 1 - tpr[i]);
      }
    }
    return lowest;
  };

  const MARGINS = { lift: 40, det: 60 }; // for the texts of the ticks

  // --- a chart in the ROC plane, or in an image of it ---------------------------------------------------------

  function planeChart(base, element, id) {
    const view = PLANES[id], { model } = base;
    const plane = { curves: model.curves, hull: model.union, lowest: lowestRate([model.union, ...model.curves]) };
    let p = model.prevalence, state = null, result = null;
    const map = { x: (f, t) => view.x(f, t, p), y: (f, t) => view.y(f, t, p), all: (f, t) => view.all(f, t, p) };
    const shell = frame(element, {
      label: `${view.title} chart of ${base.n} classifiers and their union hull. Arrow keys step along the hull.`,
    });
    const marks = marksOf(base, shell);
    const draw = (node, curve, ...more) => node.setAttribute("d", curve ? path(curve, map, shell, ...more) : "");
    // Where nobody is called positive, precision and lift are level with the hull's first rule.
    function spot(f, t) {
      const { fpr, tpr } = model.union, v = view.y(f, t, p);
      return [view.x(f, t, p), v === v ? v : view.y(fpr[1], tpr[1], p) || 0];
    }
    const pixel = (f, t) => shell.pixel(...spot(f, t));

    function layout() {
      const wide = shell.plot.clientWidth || 640;
      shell.layout({ left: MARGINS[id] || 50, right: 20, top: 28, bottom: 44 });
      shell.most = wide < 480 ? 4 : 6;
      shell.titles.x.textContent = `${view.xTitle} →`;
      shell.titles.y.textContent = `↑ ${view.yTitle}`;
      shell.tops = null;
      curves();
    }
    function axes() {
      const [x, y] = view.domain(plane, p), now = String([x, y]);
      if (shell.tops === now) return;
      shell.tops = now;
      shell.x.domain(x);
      shell.y.domain(y);
      shell.axes(view.xTicks(shell.x, shell.most), view.yTicks(shell.y, shell.most + 1));
    }
    function curves() {
      axes();
      const where = view.moves ? `, at prevalence ${rate(p)}${state && Array.isArray(state.prevalence) ? " (middle)" : ""}` : "";
      shell.titles.note.textContent = `in-sample${where}`;
      draw(marks.chance, { fpr: [0, 1], tpr: [0, 1] });
      plane.curves.forEach((curve, i) => base.hidden.has(i) || draw(marks.curves[i], curve));
      base.bands.forEach((band, i) => {
        marks.bands[i].setAttribute("d", `${path(around(band), map, shell)}Z`);
      });
      draw(marks.hull, plane.hull);
      dots(base, marks, shell, map);
    }
    function condition() {
      marks.condition(result, state);
      const lines = result.lines || [result.line];
      lines.forEach((line, i) => draw(marks.lines[i], line && clipped(line)));
      if (lines.length < 2) marks.lines[1].setAttribute("d", "");
      marks.wedge.setAttribute("d", result.lines ? wedge() : "");
      const { fpr, tpr } = model.union, span = result.span;
      const lit = span && { fpr: fpr.subarray(span[0], span[1] + 1), tpr: tpr.subarray(span[0], span[1] + 1) };
      draw(marks.span, lit);
      const { chosen, single } = result;
      if (chosen) at(marks.star, ...pixel(chosen.fpr, chosen.tpr));
      if (marks.shows.single) at(marks.single, ...pixel(single.fpr, single.tpr));
      marks.ends.setAttribute("d", chosen && chosen.share > 0 && chosen.share < 1
        ? [chosen.left, chosen.left + 1].map((v) => ring(...pixel(fpr[v], tpr[v]))).join("") : "");
      if (marks.shows.cross) marks.cross.setAttribute("d", cross());
    }
    // Between the hull and the two extreme lines that touch it.
    function wedge() {
      const [two, one] = result.lines, [from, to] = result.span || [];
      const { fpr, tpr } = model.union;
      const touches = (line, v) => Math.abs(line.a * tpr[v] + line.b * fpr[v] - line.c) <= 1e-9 * Math.abs(line.a || line.b);
      if (!result.span || from === to || !touches(one, from) || !touches(two, to)) return "";
      const det = one.a * two.b - two.a * one.b;
      const t = (one.c * two.b - two.c * one.b) / det, f = (one.a * two.c - two.a * one.c) / det;
      if (!Number.isFinite(t + f)) return "";
      const outer = { fpr: [fpr[from], f, fpr[to]], tpr: [tpr[from], t, tpr[to]] };
      const inner = { fpr: fpr.subarray(from, to + 1), tpr: tpr.subarray(from, to + 1) };
      return `${path(outer, map, shell)}L${path(inner, map, shell, true).slice(1)}Z`;
    }
    function cross() {
      const { fpr: f, tpr: t } = base.cross, clamp = (value) => Math.min(1, Math.max(0, value));
      const arm = (fs, ts) => path({ fpr: fs.map(clamp), tpr: ts.map(clamp) }, map, shell);
      return arm([f.mean - f.sem, f.mean + f.sem], [t.mean, t.mean]) + arm([f.mean, f.mean], [t.mean - t.sem, t.mean + t.sem]);
    }

    const hover = rochullHover.attach(shell, rochullHover.plane(base, {
      pixel, marks, draw, told: (f, t) => view.told(f, t, p), place: () => `${p} ${shell.tops} ${shell.width}`,
      chosen: () => result && result.chosen,
    }));
    const chart = {
      id, scales: { x: shell.x, y: shell.y }, star: marks.star, element: shell.root,
      map: spot, pixel,
      update(newState, newResult) {
        state = newState;
        result = newResult;
        const now = drawnAt(state);
        if (now !== p) {
          p = now;
          if (view.moves) curves();
        }
        condition();
        hover.refresh();
      },
      resize() {
        layout();
        if (result) condition();
        hover.refresh();
      },
    };
    return finished(base, shell, marks, hover, chart, (i) => draw(marks.curves[i], plane.curves[i]), view.chance);
  }

  // A band's edge, once around: its ends are edges too, which are curved in the images of the plane. Where
  // nobody is called precision has no value; a little above it has.
  const LEAST = 1e-9;
  function around({ fpr, low, high }) {
    const some = (t) => Math.max(t, LEAST), back = Array.from(fpr, (_, i) => fpr.length - 1 - i);
    return {
      fpr: Float64Array.from([...fpr, ...back.map((i) => fpr[i]), fpr[0]]),
      tpr: Float64Array.from([...Array.from(high, some), ...back.map((i) => some(low[i])), some(high[0])]),
    };
  }

  const ring = (x, y) => `M${x - 5},${y}a5,5 0 1 0 10,0a5,5 0 1 0 -10,0`;

  // The vertices of the hull, as dots of their owner's colour: one path for each colour, thinned where they
  // would cover each other.
  function dots({ model, facts, index }, marks, shell, map) {
    const { fpr, tpr } = model.union, texts = marks.dots.map(() => "");
    const [left, right] = shell.x.range(), [bottom, top] = shell.y.range();
    const place = (f, t) => [shell.x(map.x(f, t)), shell.y(map.y(f, t))];
    let lastX = -100, lastY = -100;
    for (let v = 0; v < fpr.length; v++) {
      const [x, y] = place(fpr[v], tpr[v]);
      const inside = x >= left && x <= right && y >= top && y <= bottom; // false for NaN
      if (!inside || Math.hypot(x - lastX, y - lastY) < 8) continue;
      const owner = index.get(facts.hybrid.owners[v][0].classifier);
      texts[owner === undefined ? 6 : owner % 6] += `M${x.toFixed(1)},${y.toFixed(1)}h0`;
      lastX = x;
      lastY = y;
    }
    marks.dotted.setAttribute("d", texts.join(""));
    marks.dots.forEach((node, i) => node.setAttribute("d", texts[i]));
  }

  // --- what the page calls ---------------------------------------------------------------------------------

  function create(model, facts) {
    const base = prepared(model, facts);
    const views = {
      names: NAMES,
      onselect: null,
      mount: (element, id) => (id === "cost" ? rochullCost.chart(base, element) : planeChart(base, element, id)),
      bent: (element) => rochullSmallCharts.bent(base, element),
      calibration: (element, i) => rochullSmallCharts.calibration(base, element, i),
    };
    base.select = (vertex) => views.onselect && views.onselect(vertex);
    return views;
  }
  return { create };
})();
