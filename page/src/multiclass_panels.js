// The errors of two classes against each other: the rules, those within the limits and their front, the one that is
// seen, and the largest output without weights. A click or a drag chooses the nearest rule.
import { say } from "./answer/words";
import { node, on } from "./multiclass_parts.js";
import { attr, svg } from "./report_elements.js";
import * as F from "./report_format.js";
import * as rochullTake from "./report_take.js";
import { ceil, listOf, max, min, round } from "./maths";

const PANEL = { width: 300, height: 280, left: 48, right: 18, top: 10, bottom: 44 };
const cut = (text, most) => (text.length > most ? text.slice(0, most - 1) + "…" : text);

/** A panel of a view; the `scale` of each error, and the point that is `usual`, or null. */
function projection(shown, { scale, usual }, first, second) {
  const { data, names } = shown, axes = { x: first, y: second };
  const inside = (p) => shown.found.inside[p];
  const end = (axis) => scale[axes[axis]].end;
  const X = (v) => PANEL.left + (v / end("x")) * (PANEL.width - PANEL.left - PANEL.right);
  const Y = (v) => PANEL.height - PANEL.bottom - (v / end("y")) * (PANEL.height - PANEL.top - PANEL.bottom);
  const lines = svg("g", { class: "grid-lines" }), marks = svg("g"), titles = svg("g", { class: "titles" });
  const out = svg("path", { class: "out" }), kept = svg("path", { class: "in" }), front = svg("path", { class: "front" });
  const diamond = svg("path", { class: "usual" }), cross = svg("path", { class: "here" }), ring = svg("circle", { class: "here", r: 7 });
  const plane = svg("svg", {
    class: "rc-drawing", width: PANEL.width, height: PANEL.height, viewBox: `0 0 ${PANEL.width} ${PANEL.height}`, tabindex: 0, role: "slider", "aria-valuemin": 0, "aria-valuemax": data.k - 1,
  }, lines, marks, out, front, kept, ...(usual === null ? [] : [diamond]), ring, cross, titles);
  function drawGrid() {
    const at = (axis) => {
      const { end: last, unit } = scale[axes[axis]];
      return listOf({ length: round(last / unit) + 1 }, (_, n) => n * unit);
    };
    lines.replaceChildren(
      ...at("x").flatMap((v) => [svg("line", { x1: X(v), x2: X(v), y1: Y(0), y2: Y(end("y")) }),
        svg("text", { x: X(v), y: Y(0) + 15, "text-anchor": "middle" }, F.share(v))]),
      ...at("y").flatMap((v) => [svg("line", { x1: X(0), x2: X(end("x")), y1: Y(v), y2: Y(v) }),
        ...(v ? [svg("text", { x: X(0) - 5, y: Y(v) + 4, "text-anchor": "end" }, F.share(v))] : [])]));
  }
  const xy = (p) => [data.errors[p][axes.x], data.errors[p][axes.y]];
  let along = [], dots = [], sorted = null; // of these axes: the points from left to right, and the dot of each
  function arrange() {
    if (sorted === `${axes.x},${axes.y}`) return;
    sorted = `${axes.x},${axes.y}`;
    along = data.weights.map((_, p) => p).sort((p, q) => xy(p)[0] - xy(q)[0] || xy(p)[1] - xy(q)[1] || p - q);
    dots = along.map((_, p) => `M${X(xy(p)[0]).toFixed(1)} ${Y(xy(p)[1]).toFixed(1)}h0`);
    attr(plane, "aria-label", say("expert.classes panels.rules by the error", { names: names[axes.x], names2: names[axes.y] }));
    drawGrid();
    if (usual !== null) attr(diamond, "d", `M${X(xy(usual)[0])} ${Y(xy(usual)[1]) - 7}l7 7l-7 7l-7 -7z`);
    titles.replaceChildren(
      svg("text", { x: (X(0) + X(end("x"))) / 2, y: PANEL.height - 8, "text-anchor": "middle" }, say("answer.classes.error of", { name: cut(names[axes.x], 28) })),
      svg("text", { x: 0, y: 0, "text-anchor": "middle", transform: `translate(12 ${(Y(0) + Y(end("y"))) / 2}) rotate(-90)` },
        say("answer.classes.error of", { name: cut(names[axes.y], 28) })));
  }
  function drawFront(line) { // the lower left front of what remains
    let low = Infinity, path = "";
    for (const p of line) {
      const [x, y] = xy(p);
      if (y >= low) continue;
      path += path ? `H${X(x)}V${Y(y)}` : `M${X(x)} ${Y(y)}`;
      low = y;
    }
    attr(front, "d", path);
  }
  const made = {
    element: plane, axes,
    draw() {
      arrange();
      const line = along.filter(inside);
      attr(out, "d", along.map((p) => (inside(p) ? "" : dots[p])).join(""));
      attr(kept, "d", line.map((p) => dots[p]).join(""));
      drawFront(line);
      const limits = (axis) => shown.state.limits.filter((l) => l.kind === "error" && l.true === axes[axis] && l.limit <= end(axis));
      marks.replaceChildren(
        ...limits("x").map((l) => svg("line", { class: "limit", x1: X(l.limit), x2: X(l.limit), y1: Y(0), y2: Y(end("y")) })),
        ...limits("y").map((l) => svg("line", { class: "limit", x1: X(0), x2: X(end("x")), y1: Y(l.limit), y2: Y(l.limit) })));
      made.mark();
    },
    mark() {
      const [x, y] = xy(shown.state.index), cx = X(x), cy = Y(y);
      attr(ring, "cx", cx);
      attr(ring, "cy", cy);
      attr(cross, "d", `M${cx - 11} ${cy}h22M${cx} ${cy - 11}v22`);
      attr(plane, "aria-valuenow", along.indexOf(shown.state.index));
      attr(plane, "aria-valuetext", `${shown.words.said(shown.state.index)}; ${names[axes.x]} ${F.rate(x)}, ${names[axes.y]} ${F.rate(y)}`);
    },
  };
  const nearest = (event) => {
    const box = plane.getBoundingClientRect(), scale = PANEL.width / box.width;
    const at = [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
    let found = null, least = Infinity;
    for (const p of shown.track()) {
      const [x, y] = xy(p), far = (X(x) - at[0]) ** 2 + (Y(y) - at[1]) ** 2;
      if (far < least) [found, least] = [p, far];
    }
    if (found !== shown.state.index) shown.drag(found);
  };
  plane.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    if (event.pointerType !== "mouse") return; // a finger may be about to scroll
    nearest(event);
    plane.setPointerCapture(event.pointerId);
  });
  plane.addEventListener("click", (event) => { if (event.pointerType !== "mouse") nearest(event); });
  plane.addEventListener("pointermove", (event) => {
    if (event.buttons & 1 && event.pointerType === "mouse") nearest(event);
  });
  plane.addEventListener("keydown", (event) => {
    const track = new Set(shown.track()), line = along.filter((p) => track.has(p));
    const at = line.indexOf(shown.state.index), last = line.length - 1;
    const to = { ArrowRight: at + 1, ArrowUp: at + 1, ArrowLeft: at - 1, ArrowDown: at - 1, Home: 0, End: last,
      PageUp: at + 10, PageDown: at - 10 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    shown.select(line[min(last, max(0, to))]);
  });
  return made;
}

/** All panels of a view: of few classes each pair has one, of many the reader chooses. */
function all(view) {
  const { data, names, facts } = view, usual = facts.baselines[0].kind === "largest" ? data.k : null;
  const scale = names.map((_, c) => { // of the errors of each class
    const top = data.weights.reduce((most, _, p) => max(most, data.errors[p][c]), 0.02);
    const unit = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.25].find((size) => top / size <= 5) || 0.25;
    return { unit, end: min(1, ceil((top * 1.02) / unit) * unit) };
  });
  const C = data.C, panels = [], panel = (x, y) => projection(view, { scale, usual }, x, y);
  if (C <= 4) {
    for (let i = 0; i < C; i++) for (let j = i + 1; j < C; j++) panels.push(panel(i, j));
  } else panels.push(panel(0, 1), panel(2, 3)); // of many classes one chooses which are seen
  const element = node("div", { class: "panels" }, ...panels.map((made, n) => {
    const holder = node("div", { class: "panel" }, node("div", { class: "rc-plot" }, made.element));
    const taken = () => {
      holder.querySelector(".takes")?.remove();
      rochullTake.chart({ element: holder }, say("expert.classes panels.errors of and", { names: names[made.axes.x], names2: names[made.axes.y] }));
    };
    taken();
    if (C > 4) {
      const pick = (axis) => {
        const select = node("select", { "aria-label": say("expert.classes panels.panel class on the", { x: n + 1, axis }) },
          ...names.map((name, c) => node("option", { value: c, selected: c === made.axes[axis] }, name)));
        return on(select, "change", () => {
          made.axes[axis] = Number(select.value);
          made.draw();
          taken();
        });
      };
      holder.prepend(node("p", { class: "pick screen" }, pick("y"), say("expert.classes panels.against"), pick("x")));
    }
    return holder;
  }));
  return { element, marked: usual !== null, draw: () => panels.forEach((made) => made.draw()), mark: () => panels.forEach((made) => made.mark()) };
}

export { all };
