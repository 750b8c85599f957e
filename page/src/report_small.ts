// The charts beside the views: straight and bent curves of segments, and the calibration of a classifier.
import { say } from "./answer/words";
import type { Rates, State } from "./answer/numbers";
import * as lists from "./lists";
import { html, svg, share, flat, path, at, shown, sample, frame, ticks, living, STAR, DIAMOND, PLUS, TIMES, type Chart, type Place } from "./report_charts";
import * as rochullFormat from "./report_format";
import { rate, rates, number, numbers, count } from "./report_format";
import * as rochullHover from "./report_hover";
import type { Source, Told } from "./report_hover";
import type { Base } from "./report_marks";
import { entries, hypot, isFinite, max, min, sqrt } from "./maths";
import { attr, type Attributes } from "./report_elements";

const add = (layer: Element, name: string, more: Attributes = {}) => {
  const node = svg("path", { class: name, ...more });
  layer.append(node);
  return node;
};
const key = (kind: string, text: string, more?: string) => html("span", { class: "rc-key" }, sample(kind, more), text);

/** Points for the mouse and the arrow keys: `places` are their pixels, `tell` says what item j is. */
function points(places: () => Place[], tell: (j: number) => Told): Source<{ j: number }> {
  return {
    same: (one, other) => one.j === other.j,
    nearest(x, y, reach) {
      let best: { j: number } | null = null, least = reach;
      places().forEach(([px, py], j) => {
        const distance = hypot(px - x, py - y);
        if (distance < least) [best, least] = [{ j }, distance];
      });
      return best;
    },
    keys: () => places().map((_, j) => ({ j })),
    start: () => 0,
    at: ({ j }) => places()[j]!,
    tell: ({ j }) => tell(j),
    mark: () => {},
  };
}

// --- straight and bent curves ------------------------------------------------------------------------------

/** What is best of segments. */
export interface Parted {
  chosen: Rates | null;
  straight: Rates | null;
}
function bent({ facts, isReport }: Base, element: HTMLElement): Chart<State, Parted | null> {
  const { straight, bent: inSample, held_out: heldOut } = facts.segments!.curves;
  const shell = frame(element, { label: say("expert.small.roc curves of one")
    + say("expert.small.arrow keys step along") });
  const series = [
    { curve: straight, name: say("expert.small.one threshold in sample"), look: "rc-straight" },
    { curve: inSample, name: say("expert.small.by segment in sample"), look: "rc-bent" },
    ...(heldOut ? [{ curve: heldOut, name: say("expert.small.by segment held out"), look: "rc-held" }] : []),
  ];
  const chance = add(shell.layers.below, "rc-chance");
  const lines = series.map(({ look }) => add(shell.layers.curves, look));
  const fixed = (facts.segments!.points && facts.segments!.points.held_out) || null;
  const marks = {
    one: add(shell.layers.top, "rc-heldpoints", { d: PLUS }), several: add(shell.layers.top, "rc-heldpoints", { d: TIMES }),
    bent: add(shell.layers.top, "rc-other", { d: DIAMOND }),
    star: add(shell.layers.top, "rc-star", { d: STAR }),
  };
  const keys = {
    star: key("rc-star", say("expert.small.one threshold for the")), bent: key("rc-other", say("expert.small.by segment for the")),
    one: key("rc-plus", say("expert.small.one threshold held out")), several: key("rc-times", say("expert.small.by segment held out")),
  };
  shell.root.append(html("div", { class: "rc-keys" },
    ...series.map(({ look, name }) => key(look, name)), key("rc-chance", "chance"), ...Object.values(keys)));
  let state: State | null = null, result: Parted | null = null, places: Place[] | null = null;
  const all = series.flatMap(({ curve, name }) =>
    curve.fpr.map((fpr, v) => ({ name, fpr, tpr: curve.tpr[v]!, v })));
  const hover = rochullHover.attach(shell, points(
    () => (places = places || all.map(({ fpr, tpr }) => shell.pixel(fpr, tpr))),
    (j) => ({ name: all[j]!.name, swatch: "", rules: [], rows: [["FPR", rate(all[j]!.fpr)], ["TPR", rate(all[j]!.tpr)]],
      counts: null, notes: [], data: { point: all[j]!.v } })));

  function live() {
    const held = state && isReport(state) ? fixed : null;
    const point = { star: result && result.straight, bent: result && result.chosen, // the star is the rule that the page tells
      one: held && held.straight, several: held && held.bent };
    for (const [name, found] of entries(point)) {
      shown(marks[name as keyof typeof marks], Boolean(found));
      shown(keys[name as keyof typeof keys], Boolean(found));
      if (found) at(marks[name as keyof typeof marks], ...shell.pixel(found.fpr, found.tpr));
    }
  }
  return living(shell, hover, {
    id: "bent", scales: { x: shell.x, y: shell.y }, star: marks.star, element: shell.root,
    update(newState: State, newResult: Parted | null) {
      state = newState;
      result = newResult;
      live();
    },
    resize() {
      shell.layout({ left: 52, right: 20, top: 28, bottom: 44 });
      shell.titles.x.textContent = say("expert.small.false positive rate");
      shell.titles.y.textContent = say("expert.small.true positive rate");
      const most = shell.width < 480 ? 4 : 6;
      shell.axes(ticks(shell.x, share, most), ticks(shell.y, share, most + 1));
      places = null;
      attr(chance, "d", path({ fpr: [0, 1], tpr: [0, 1] }, flat, shell));
      series.forEach(({ curve }, i) => attr(lines[i]!, "d", path(curve, flat, shell)));
      live();
      hover.refresh();
    },
  });
}

// --- calibration -------------------------------------------------------------------------------------------

// Scores may be infinite; those are drawn at the edge.
function edges(values: number[]) {
  const known = values.filter(isFinite), low = lists.min(known) ?? 0, high = lists.max(known) ?? 0;
  const pad = 0.04 * (high - low || 1);
  return { low, high, place: (value: number) => min(high + pad, max(low - pad, value)), domain: [low - pad, high + pad] };
}
const numeric = (value: number | string) => (value === "inf" ? Infinity : value === "-inf" ? -Infinity : value) as number;

function calibration({ model, facts, look }: Base, element: HTMLElement, i: number): Chart<State, unknown> {
  const blocks = model.blocks(i), { name } = facts.classifiers[i]!;
  const shell = frame(element, { label: say("expert.small.calibration of the share", { name: rochullFormat.isolated(name) })
    + say("expert.small.arrow keys step along the") });
  shell.root.classList.add("rc-small");
  if (!blocks) throw new Error(`classifier ${i} has no calibration`);
  const falls = facts.classifiers[i]!.lower_is_positive;
  const order = lists.range(0, blocks.pos.length); // from low scores to high
  if (!falls) order.reverse();
  const [low, high] = [blocks.low, blocks.high].map((column) => order.map((j) => numeric(column[j]!))) as [number[], number[]];
  const posterior = order.map((j) => blocks.posterior[j]!), pos = order.map((j) => blocks.pos[j]!);
  const size = order.map((j, k) => pos[k]! + blocks.neg[j]!), largest = lists.max(size)!;
  const { place, domain, low: least, high: most } = edges([...low, ...high]);
  const probabilities = least >= 0 && most <= 1;
  const diagonal = probabilities ? add(shell.layers.below, "rc-chance") : null;
  const steps = add(shell.layers.curves, `rc-steps ${look(i)}`);
  const circles = order.map(() => svg("circle", { class: `rc-block ${look(i)}` }));
  shell.layers.top.append(...circles);
  shell.x.domain(probabilities ? [0, 1] : domain);
  shell.y.domain([0, 1]);
  // A score between two blocks belongs to the one with fewer positives.
  const end = (k: number) => (k + 1 < low.length && !falls ? low[k + 1]! : high[k]!);
  const middle = (k: number) => (place(low[k]!) + place(high[k]!)) / 2;
  let places: Place[] = [];
  const whole = facts.examples && !facts.examples.weighted;
  const hover = rochullHover.attach(shell, points(() => places, (k) => ({
    name: say("expert.small.scores", { scores: numbers([low[k]!, high[k]!]) }), swatch: "", rules: [],
    rows: [["positive", rate(posterior[k]!), whole ? `${rochullFormat.share(0.95)}: ${rates(model.wilson(pos[k]!, size[k]!))}` : ""]],
    counts: null, notes: [`${say("page.of", { n: count(pos[k]), all: count(size[k]) })}${whole ? "" : say("expert.small.in weight")}`],
    data: { block: order[k]!, pos: pos[k]!, size: size[k]! },
  })));
  return living(shell, hover, {
    id: "calibration", scales: { x: shell.x, y: shell.y }, element: shell.root,
    update() {},
    resize() {
      shell.layout({ left: 46, right: 20, top: 26, bottom: 40 });
      shell.titles.x.textContent = say("expert.small.score");
      shell.titles.y.textContent = say("expert.small.share positive");
      shell.axes(ticks(shell.x, number, 4), ticks(shell.y, share, 4));
      if (diagonal) attr(diagonal, "d", path({ fpr: [0, 1], tpr: [0, 1] }, flat, shell));
      attr(steps, "d", posterior.map((y, k) =>
        `${k ? "V" : `M${shell.x(place(low[0]!))},`}${shell.y(y).toFixed(1)}H${shell.x(place(end(k))).toFixed(1)}`).join(""));
      places = posterior.map((y, k) => [shell.x(middle(k)), shell.y(y)]);
      places.forEach(([x, y], k) => {
        attr(circles[k]!, "cx", x.toFixed(1));
        attr(circles[k]!, "cy", y.toFixed(1));
        attr(circles[k]!, "r", (2 + 8 * sqrt(size[k]! / largest)).toFixed(1));
      });
      hover.refresh();
    },
  });
}

export { bent, calibration, points };
