// Draws the facts. It computes nothing but positions: every number shown is in the facts.
"use strict";
(() => {
  const facts = JSON.parse(document.getElementById("facts").textContent);
  const DASHES = ["solid", "dash", "dot", "dashdot"];
  const COLOURS = 6;

  // Plotly reads a few HTML tags in its texts; a name must stay text.
  const plain = (text) =>
    String(text).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  const short = (text) => plain(text.length > 28 ? text.slice(0, 27) + "…" : text);
  const digits = (value, n = 4) =>
    typeof value === "string" ? value.replace("inf", "∞") : String(Number(value.toPrecision(n)));
  const percent = (value) => (100 * value).toFixed(1) + " %";
  const ruleText = (rule) =>
    rule.kind === "threshold" ? `${rule.classifier} ≥ ${digits(rule.threshold, 6)}` : `${rule.kind} positive`;

  const style = () => {
    const css = getComputedStyle(document.documentElement);
    const read = (name) => css.getPropertyValue(name).trim();
    return {
      ink: read("--ink"), soft: read("--soft"), rule: read("--rule"), page: read("--page"), card: read("--card"),
      colours: Array.from({ length: COLOURS }, (_, i) => read("--c" + i)),
    };
  };
  const index = new Map(facts.classifiers.map((c, i) => [c.name, i]));
  const colourOf = (theme, name) => (index.has(name) ? theme.colours[index.get(name) % COLOURS] : theme.soft);
  const dashOf = (name) => DASHES[Math.floor(index.get(name) / COLOURS) % DASHES.length];
  const narrow = () => window.innerWidth < 640;

  const axis = (theme, title, more) => ({
    title: { text: title, standoff: 8 }, color: theme.soft, gridcolor: theme.rule, zeroline: false,
    linecolor: theme.rule, automargin: true, ...more,
  });
  const layout = (theme, x, y, more) => ({
    font: { family: getComputedStyle(document.body).fontFamily, size: 13, color: theme.ink },
    paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
    margin: { l: 52, r: 12, t: 8, b: 44 }, hovermode: "closest", dragmode: narrow() ? false : "zoom",
    hoverlabel: { bgcolor: theme.card, bordercolor: theme.rule, font: { color: theme.ink }, align: "left" },
    legend: { orientation: "h", yref: "container", y: 0, yanchor: "bottom", x: 0, font: { size: 12 } },
    xaxis: x, yaxis: y, ...more,
  });
  const config = {
    responsive: true, displaylogo: false, displayModeBar: false, doubleClick: "reset", scrollZoom: false,
  };
  const line = (x, y, name, look, text, more) => ({
    type: "scatter", mode: "lines", x, y, name, line: look, text,
    hoverinfo: text ? "text" : "skip", ...more,
  });

  function roc(theme) {
    const traces = [
      line([0, 1], [0, 1], "chance", { color: theme.soft, width: 1, dash: "dot" }, null, { showlegend: false }),
    ];
    traces.push(...bands(theme));
    for (const c of facts.classifiers) {
      const curve = c.curve || c.hull;
      const label = plain(c.name);
      const text = curve.fpr.map((x, i) => `${label}<br>FPR ${percent(x)}, TPR ${percent(curve.tpr[i])}`);
      traces.push(line(curve.fpr, curve.tpr, short(c.name),
        { color: colourOf(theme, c.name), width: 1.6, dash: dashOf(c.name) }, text));
    }
    const hull = facts.hybrid;
    traces.push(line(hull.fpr, hull.tpr, "union hull", { color: theme.ink, width: 2.4 },
      hull.owners.map((rules, i) =>
        `<b>hull</b>: ${rules.map((rule) => plain(ruleText(rule))).join("<br>or ")}` +
        `<br>FPR ${percent(hull.fpr[i])}, TPR ${percent(hull.tpr[i])}`),
      {
        mode: "lines+markers",
        marker: {
          size: hull.fpr.length > 40 ? 5 : 7, line: { color: theme.ink, width: 1 },
          color: hull.owners.map((rules) => colourOf(theme, rules[0].classifier)),
        },
      }));
    if (facts.line) {
      const [from, to] = facts.line.points;
      traces.push(line([from[0], to[0]], [from[1], to[1]],
        facts.line.kind === "constraint" ? "limit of the condition" : "iso-performance line",
        { color: theme.ink, width: 1.6, dash: "dash" }, null));
    }
    if (facts.chosen) traces.push(chosen(theme));
    traces.push(...cross(theme));
    return [traces, layout(theme,
      axis(theme, "false positive rate", { range: [-0.01, 1.01] }),
      axis(theme, "true positive rate", { range: [-0.01, 1.02] }))];
  }

  const sure = facts.uncertainty || {};
  const faint = (colour) => colour + "26"; // the theme's colours are written as six digits

  function bands(theme) {
    const level = `${digits(100 * sure.level)} % band`;
    return (sure.bootstrap ? sure.bootstrap.bands : []).map((band) =>
      line(band.fpr.concat(band.fpr.slice().reverse()), band.high.concat(band.low.slice().reverse()),
        `${short(band.name)}: ${level}`, { width: 0 }, null,
        { fill: "toself", fillcolor: faint(colourOf(theme, band.name)) }));
  }

  function cross(theme) {
    const found = sure.folds && sure.folds.chosen;
    if (!found) return [];
    const bar = (rate) => ({ type: "data", array: [rate.sem], color: theme.ink, thickness: 1.6, width: 5 });
    return [{
      type: "scatter", mode: "markers", x: [found.fpr.mean], y: [found.tpr.mean], name: "mean of the folds ± sd",
      error_x: bar(found.fpr), error_y: bar(found.tpr), hoverinfo: "text",
      marker: { symbol: "cross-thin", size: 9, line: { color: theme.ink, width: 1.6 } },
      text: [`<b>mean of ${sure.folds.n_folds} folds</b>, in-sample<br>FPR ${percent(found.fpr.mean)} ± ` +
        `${percent(found.fpr.sem)}<br>TPR ${percent(found.tpr.mean)} ± ${percent(found.tpr.sem)}`],
    }];
  }

  function costOfRule(theme) {
    const found = sure.bootstrap && sure.bootstrap.chosen && sure.bootstrap.chosen.normalised_cost;
    if (!found || found.low === null) return [];
    return [{
      type: "scatter", mode: "markers", x: [facts.condition.probability_cost], y: [found.estimate],
      name: "the chosen rule", hoverinfo: "text",
      text: [`<b>best for the condition</b>, in-sample<br>cost ${digits(found.estimate)} ` +
        `(${digits(found.low)} to ${digits(found.high)})`],
      error_y: { type: "data", symmetric: false, array: [found.high - found.estimate],
        arrayminus: [found.estimate - found.low], color: theme.ink, thickness: 1.6, width: 5 },
      marker: { symbol: "star", size: 13, color: "#f0e442", line: { color: theme.ink, width: 1.5 } },
    }];
  }

  function chosen(theme) {
    const point = facts.chosen;
    const rules = point.rules.map((part) =>
      plain(ruleText(part.rule)) + (part.probability < 1 ? ` (${percent(part.probability)})` : ""));
    return {
      type: "scatter", mode: "markers", x: [point.fpr], y: [point.tpr], name: "best for the condition",
      marker: { symbol: "star", size: 17, color: "#f0e442", line: { color: theme.ink, width: 1.5 } },
      hoverinfo: "text",
      text: [`<b>best for the condition</b><br>${rules.join("<br>or ")}` +
        `<br>FPR ${percent(point.fpr)}, TPR ${percent(point.tpr)}`],
    };
  }

  function cost(theme) {
    const curve = (c, name, look) => line(c.probability_cost, c.cost, short(name), look,
      c.cost.map((y, i) => `${plain(name)}<br>cost ${digits(y)} at ${digits(c.probability_cost[i])}`));
    const traces = facts.classifiers.map((c) =>
      curve(c.cost_curve, c.name, { color: colourOf(theme, c.name), width: 1.6, dash: dashOf(c.name) }));
    traces.push(line([0, 0.5, 1], [0, 0.5, 0], "without a classifier",
      { color: theme.soft, width: 1, dash: "dot" }, null));
    traces.push(curve(facts.hybrid.cost_curve, "hybrid", { color: theme.ink, width: 2.4 }));
    const rule = costOfRule(theme);
    const ends = rule.map((trace) => trace.y[0] + trace.error_y.array[0]);
    const top = 1.08 * Math.max(...facts.classifiers.flatMap((c) => c.cost_curve.cost), ...ends, 0.01);
    const shapes = [];
    const condition = facts.condition || {};
    if (condition.probability_cost !== null && condition.probability_cost !== undefined) {
      const x = condition.probability_cost;
      traces.push(line([x, x], [0, top], "the condition", { color: theme.ink, width: 1.6, dash: "dash" }, null));
    } else if (condition.probability_cost_range) {
      const [x0, x1] = condition.probability_cost_range;
      shapes.push({ type: "rect", x0, x1, y0: 0, y1: 1, yref: "paper", line: { width: 0 },
        fillcolor: theme.soft, opacity: 0.18 });
    }
    traces.push(...rule);
    return [traces, layout(theme,
      axis(theme, "probability-cost", { range: [0, 1] }),
      axis(theme, "normalised expected cost", { range: [0, top] }), { shapes })];
  }

  function bent(theme) {
    const found = facts.segments, { straight, bent: inSample, held_out: heldOut } = found.curves;
    const curve = (c, name, look) => line(c.fpr, c.tpr, name, look,
      c.fpr.map((x, i) => `${name}<br>FPR ${percent(x)}, TPR ${percent(c.tpr[i])}`));
    const traces = [
      line([0, 1], [0, 1], "chance", { color: theme.soft, width: 1, dash: "dot" }, null, { showlegend: false }),
      curve(straight, "straight", { color: theme.soft, width: 1.8 }),
      curve(inSample, "bent, in-sample", { color: theme.colours[1], width: 1.4, dash: "dot" }),
    ];
    if (heldOut) traces.push(curve(heldOut, "bent, held out", { color: theme.colours[0], width: 2.4 }));
    const points = found.points && (found.points.held_out || found.points);
    const where = found.points && found.points.held_out ? "held out" : "in-sample";
    for (const [kind, colour, label] of [
      ["straight", theme.soft, "one threshold"], ["bent", theme.colours[0], "by segment"],
    ]) {
      if (!points) continue;
      traces.push({
        type: "scatter", mode: "markers", x: [points[kind].fpr], y: [points[kind].tpr], name: `${label}, ${where}`,
        marker: { symbol: "diamond", size: 11, color: colour, line: { color: theme.ink, width: 1.2 } },
        hoverinfo: "text",
        text: [`<b>${label}</b>, ${where}<br>FPR ${percent(points[kind].fpr)}, TPR ${percent(points[kind].tpr)}`],
      });
    }
    return [traces, layout(theme,
      axis(theme, "false positive rate", { range: [-0.01, 1.01] }),
      axis(theme, "true positive rate", { range: [-0.01, 1.02] }))];
  }

  // Scores may be infinite; they are drawn at the edge.
  function finite(values) {
    const known = values.filter((value) => typeof value === "number");
    const low = Math.min(...known), high = Math.max(...known);
    const pad = known.length ? 0.05 * (high - low || 1) : 1;
    const edge = { inf: (known.length ? high : 0) + pad, "-inf": (known.length ? low : 0) - pad };
    return (value) => (typeof value === "number" ? value : edge[value]);
  }

  function calibration(theme, c) {
    const blocks = c.calibration;
    const place = finite(blocks.low.concat(blocks.high));
    const order = blocks.low.map((_, i) => i).reverse(); // from low scores to high
    const low = order.map((i) => place(blocks.low[i])), high = order.map((i) => place(blocks.high[i]));
    const share = order.map((i) => blocks.posterior[i]);
    const size = order.map((i) => blocks.pos[i] + blocks.neg[i]);
    const largest = Math.max(...size);
    const text = order.map((i) =>
      `scores ${digits(blocks.low[i])} to ${digits(blocks.high[i])}<br>${percent(blocks.posterior[i])} positive` +
      ` (${digits(blocks.pos[i], 7)} of ${digits(blocks.pos[i] + blocks.neg[i], 7)})`);
    const colour = colourOf(theme, c.name);
    const traces = [
      line(low.concat(high[high.length - 1]), share.concat(share[share.length - 1]), "",
        { color: colour, width: 2, shape: "hv" }, null),
      {
        type: "scatter", mode: "markers", x: low.map((x, i) => (x + high[i]) / 2), y: share, text,
        hoverinfo: "text",
        marker: { color: colour, opacity: 0.75, size: size.map((n) => 4 + 16 * Math.sqrt(n / largest)),
          line: { color: theme.card, width: 1 } },
      },
    ];
    if (low[0] >= 0 && high[high.length - 1] <= 1) {
      traces.unshift(line([0, 1], [0, 1], "", { color: theme.soft, width: 1, dash: "dot" }, null));
    }
    return [traces, layout(theme, axis(theme, "score"), axis(theme, "share positive", { range: [-0.06, 1.06] }),
      { showlegend: false, margin: { l: 46, r: 8, t: 4, b: 38 }, font: { size: 12, color: theme.ink } })];
  }

  function draw() {
    const theme = style();
    const show = (element, [traces, design]) => Plotly.react(element, traces, design, config);
    show(document.getElementById("roc"), roc(theme));
    show(document.getElementById("cost"), cost(theme));
    if (facts.segments) show(document.getElementById("bent"), bent(theme));
    for (const element of document.querySelectorAll(".chart.calibration")) {
      show(element, calibration(theme, facts.classifiers[index.get(element.dataset.classifier)]));
    }
  }
  draw();
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
})();
