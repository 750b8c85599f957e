// What a point of a chart is: a tooltip under the mouse, a finger or the arrow keys, said aloud too.
import { say } from "./answer/words";
import * as lists from "./lists";
import type { Rule } from "./answer/numbers";
import { html, svg, type Numbers, type Place, type Shell } from "./report_charts";
import type { Classifier, Facts } from "./report_facts.d";
import type { Placed } from "./report_known";
import type { Base, Envelope, Marks } from "./report_marks";
import type { Hull } from "./report_found";
import * as rochullFormat from "./report_format";
import { abs, assign, keys, listOf, max, min, round, sqrt } from "./maths";
import { isCut, ruleText } from "./report_format";
import { attr, boxOf, on } from "./report_elements";

/** What is told of a point: [label, value, interval] in rows. */
export interface Told {
  name: string;
  swatch: string;
  rules: string[];
  rows: Row[];
  counts: [label: string, value: string][] | null;
  notes: string[];
  data: Record<string, string | number>;
}
export type Row = [label: string, value: string, interval?: string];
export interface Source<Item> {
  same(one: Item, other: Item): boolean;
  nearest(x: number, y: number, reach: number): Item | null;
  keys(): Item[];
  start(): number;
  at(item: Item): Numbers;
  tell(item: Item): Told;
  mark(item: Item | null): void;
  select?(item: Item): void;
}
type Listener = [target: EventTarget, type: "pointermove" | "pointerleave" | "click" | "keydown" | "blur" | "scroll", act: (event: never) => unknown, options?: AddEventListenerOptions];
export interface Hover<Item = never> {
  show(item: Item | null, spoken?: boolean): void;
  hide(): void;
  refresh(): void;
  destroy(): void;
}
const STEPS: Record<string, number> = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10 };

// `source` knows the points:
//   nearest(x, y, reach) -> item or null     keys: items in order, for the arrow keys
//   at(item) -> [x, y]                        tell(item) -> see `write`
//   mark(item or null)                        select(item), if clicking means something
function attach<Item>(frame: Shell, source: Source<Item>): Hover<Item> {
  const { plot, drawing, layers } = frame;
  const ring = svg("circle", { class: "rc-ring rc-off", r: 7 });
  layers.top.append(ring);
  const tip = html("div", { class: "rc-tip", "aria-hidden": "true", hidden: true });
  const live = html("div", { class: "rc-unseen visually-hidden", role: "status", "aria-live": "polite" });
  frame.root.append(tip, live);
  let shown: Item | null = null, step = -1, stood = "";
  const stands = ({ left, top }: DOMRect) => `${left} ${top}`;

  function write({ name, swatch, rules, rows, counts, notes, data }: Told) {
    const title = html("div", { class: "rc-tip-name" });
    if (swatch) title.append(html("span", { class: `rc-dot ${swatch}` }));
    title.append(html("bdi", {}, name));
    const parts = [title, ...rules.map((text) => html("div", { class: "rc-tip-rule" }, text))];
    if (rows.length) {
      parts.push(html("table", {}, html("tbody", {}, ...rows.map(([label, value, interval]) =>
        html("tr", {}, html("th", { scope: "row" }, label), html("td", {}, value),
          html("td", { class: "rc-soft" }, interval || ""))))));
    }
    if (counts) {
      parts.push(html("div", { class: "rc-counts" }, ...counts.map(([label, value]) =>
        html("span", {}, html("span", { class: "rc-soft" }, `${label} `), value))));
    }
    parts.push(...notes.map((text) => html("div", { class: "rc-soft" }, text)));
    tip.replaceChildren(...parts);
    for (const key of keys(tip.dataset)) delete tip.dataset[key];
    assign(tip.dataset, data);
  }

  function place(item: Item) {
    const [x, y] = source.at(item) as unknown as Place;
    attr(ring, "cx", x);
    attr(ring, "cy", y);
    const box = boxOf(drawing), size = boxOf(tip);
    stood = stands(box);
    const scale = box.width / frame.width;
    const px = box.left + x * scale, py = box.top + y * scale, gap = 14, edge = 6;
    const fits = px + gap + size.width < window.innerWidth - edge;
    const left = max(edge, min(fits ? px + gap : px - gap - size.width,
      window.innerWidth - edge - size.width));
    const above = py - gap - size.height;
    const top = above > edge ? above : min(py + gap, window.innerHeight - edge - size.height);
    tip.style.left = `${round(left)}px`;
    tip.style.top = `${round(max(edge, top))}px`;
  }

  function show(item: Item | null, spoken?: boolean): void {
    if (item === null) return hide();
    const told = source.tell(item);
    write(told);
    shown = item;
    tip.hidden = false;
    ring.classList.remove("rc-off");
    source.mark(item);
    place(item);
    if (spoken) {
      const rows = told.rows.map(([label, value, interval]) => `${label} ${value}${interval ? `, ${interval}` : ""}`);
      const counts = (told.counts || []).map(([label, value]) => `${label} ${value}`);
      live.textContent = [told.name, ...told.rules, ...rows, ...counts, ...told.notes].join(". ");
    }
  }
  function hide() {
    if (!shown) return;
    shown = null;
    tip.hidden = true;
    ring.classList.add("rc-off");
    source.mark(null);
  }

  const within = (event: MouseEvent): Place => {
    const box = boxOf(drawing), scale = frame.width / box.width;
    return [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
  };
  const find = (event: PointerEvent, reach = event.pointerType === "touch" ? 48 : 28) => source.nearest(...within(event), reach);
  const listeners: Listener[] = [
    [plot, "pointermove", (event: PointerEvent) => event.pointerType !== "touch" && show(find(event))],
    [plot, "pointerleave", (event: PointerEvent) => event.pointerType !== "touch" && hide()],
    [plot, "click", (event: PointerEvent) => {
      const item = find(event), again = shown && item && source.same(item, shown);
      show(item);
      // Only what was hit is chosen: a click beside a curve changes nothing.
      // A first tap shows what a second one chooses.
      const hit = event.pointerType === "touch" ? again && item : find(event, 8);
      if (hit && source.select) source.select(hit);
    }],
    [plot, "keydown", key],
    [plot, "blur", () => { step = -1; hide(); }],
    [window, "scroll", scrolled, { passive: true, capture: true }],
  ];
  // The keys bring the chart into view; a reader who scrolls has left the point. The event of a scroll
  // may come after the mouse has moved to where the chart then stood.
  function scrolled() {
    if (!shown || stands(boxOf(drawing)) === stood) return;
    if (step >= 0) place(shown);
    else hide();
  }
  function key(event: KeyboardEvent) {
    const items = source.keys();
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") {
      step = -1;
      live.textContent = "";
      hide();
    } else if (!items.length) {
      return;
    } else if (event.key === "Enter" || event.key === " ") {
      if (!shown || !source.select) return;
      source.select(shown);
    } else {
      const start = step < 0 ? max(0, source.start()) : step;
      if (event.key in STEPS) step = step < 0 ? start : min(items.length - 1, max(0, start + STEPS[event.key]!));
      else if (event.key === "Home") step = 0;
      else if (event.key === "End") step = items.length - 1;
      else return;
      show(items[step]!, true);
    }
    event.preventDefault();
  }
  for (const [target, type, act, options] of listeners) on(target, type, act as (event: Event) => unknown, options);
  return {
    show, hide,
    // After a change of what is drawn: the point may stand elsewhere.
    refresh() {
      if (!shown) return;
      write(source.tell(shown));
      source.mark(shown);
      place(shown);
    },
    destroy() {
      for (const [target, type, act, options] of listeners) target.removeEventListener(type, act as (event: Event) => unknown, options);
    },
  };
}

// --- vertices of hulls -----------------------------------------------------------------------------------
// An item is a vertex `v` of the hull of classifier `i`, or of the union hull where `i` is -1.

interface Vertex {
  i: number;
  v: number;
  x?: number; // where its line is, in the space of costs
}
const same = (one: Vertex, other: Vertex) => one.i === other.i && one.v === other.v;
const hullOf = ({ model }: Pick<Base, "model">, i: number): Hull => (i < 0 ? model.union : model.hulls[i]!);

/** What is known of a vertex: name, rules, rates with intervals, and counts. `extra` are rows of the view. */
function told({ model, facts, look }: Base, { i, v }: Vertex, extra: Row[]): Told {
  const hull = hullOf({ model }, i), counts = (i < 0 ? facts.hybrid : facts.classifiers[i]!.hull);
  const { negatives, positives } = model.totals, fp = counts.fp[v]!, tp = counts.tp[v]!;
  const owners = i < 0 ? facts.hybrid.owners[v]! : [ruleAt(facts.classifiers[i]!, v)];
  const scored = facts.examples && owners.some((rule) => isScored(facts, rule));
  const counted = scored && !facts.examples!.weighted && Number.isInteger(fp) && Number.isInteger(tp);
  const interval = (k: number, n: number) => (counted ? `${rochullFormat.share(0.95)}: ${rochullFormat.rates(model.wilson(k, n))}` : "");
  const rules = owners.slice(0, 3).map((rule, j) => (j ? say("expert.hover.or", { rule: (i < 0 ? ruleText : ownText)(rule) }) : (i < 0 ? ruleText : ownText)(rule)));
  if (owners.length > 3) rules.push(say("expert.hover.or more", { more: String(owners.length - 3) }));
  const first = owners[0]!, swatch = i >= 0 ? i : facts.classifiers.findIndex((c) => c.name === first.classifier);
  const count = rochullFormat.count, size = negatives + positives;
  return {
    name: i < 0 ? say("expert.hover.best of all hull") : say("expert.hover.on the hull of", { name: rochullFormat.isolated(facts.classifiers[i]!.name) }),
    swatch: swatch < 0 ? "" : look(swatch),
    rules,
    rows: [["FPR", rochullFormat.rate(hull.fpr[v]!), interval(fp, negatives)],
      ["TPR", rochullFormat.rate(hull.tpr[v]!), interval(tp, positives)], ...extra],
    counts: scored ? [["TP", count(tp)], ["FP", count(fp)], ["FN", count(positives - tp)], ["TN", count(negatives - fp)]] : null,
    notes: [scored ? say("expert.hover.of the", { size: count(size), more: facts.examples!.weighted ? say("expert.hover.in weight") : "examples" }) : say("expert.hover.given as rates")],
    data: { classifier: i, vertex: v, threshold: String(first.threshold), fp, tp },
  };
}
const ownText = (rule: Rule) => ruleText(isCut(rule) ? { ...rule, classifier: "score" } : rule);
const isScored = (facts: Facts, { kind, classifier }: Rule) =>
  kind !== "threshold" || facts.classifiers.some((c) => c.name === classifier && c.calibration);
function ruleAt({ name, hull, lower_is_positive }: Classifier, v: number): Rule {
  const kind = v === 0 ? "never" : hull.thresholds[v] === (lower_is_positive ? "inf" : "-inf") ? "always" : "threshold";
  return { kind, classifier: name, threshold: hull.thresholds[v]!, lower_is_positive };
}
const steps = (hull: Hull): Vertex[] => listOf(hull.fpr, (_, v) => ({ i: -1, v }));
// The vertex of the union hull from which the arrow keys set out: that of the chosen rule.
const start = (chosen: Placed | null): number => (chosen && chosen.left !== undefined ? chosen.left + (chosen.share > 0.5 ? 1 : 0) : 0);

/** The vertices in a view of the ROC plane; `view` says where they are drawn. */
/** What a view of the plane is asked; its own, and how it draws. */
interface View {
  marks: Marks;
  draw(node: Element, curve: Hull | null): void;
  pixel(f: number, t: number): Place;
  told(f: number, t: number): Row[];
  place(): string; // which changes when what is drawn moves
  chosen(): Placed | null;
}
function plane(base: Base, view: View): Source<Vertex> {
  const { model } = base, places = new Map<number, Float64Array>();
  let key = "";
  // Pixels of a hull's vertices: found when the mouse asks, kept until the view changes.
  function pixels(i: number): Float64Array {
    if (key !== view.place()) places.clear();
    key = view.place();
    if (!places.has(i)) {
      const hull = hullOf(base, i), found = new Float64Array(2 * hull.fpr.length);
      for (let v = 0; v < hull.fpr.length; v++) found.set(view.pixel(hull.fpr[v]!, hull.tpr[v]!), 2 * v);
      places.set(i, found);
    }
    return places.get(i)!;
  }
  function closest(i: number, x: number, y: number) {
    const all = pixels(i);
    let best = Infinity, v = -1;
    for (let j = 0; j < all.length; j += 2) {
      const distance = (all[j]! - x) ** 2 + (all[j + 1]! - y) ** 2;
      if (distance < best) [best, v] = [distance, j / 2];
    }
    return { distance: sqrt(best), item: { i, v } };
  }
  return {
    same,
    nearest(x, y, reach) {
      let best = closest(-1, x, y);
      for (let i = 0; i < base.n; i++) {
        if (base.hidden.has(i)) continue;
        const other = closest(i, x, y), above = best.item.i < 0 ? 5 : 0; // the union hull is drawn above the others
        if (other.distance < best.distance - above) best = other;
      }
      return best.distance <= reach ? best.item : null;
    },
    keys: () => steps(model.union),
    start: () => start(view.chosen()),
    at: ({ i, v }) => pixels(i).slice(2 * v, 2 * v + 2),
    tell(item) {
      const hull = hullOf(base, item.i);
      return told(base, item, view.told(hull.fpr[item.v]!, hull.tpr[item.v]!));
    },
    mark(item) {
      own(base, view.marks.own, item);
      view.draw(view.marks.own, item && item.i >= 0 ? hullOf(base, item.i) : null);
    },
    select: ({ i, v }) => base.select(i, v),
  };
}
function own({ look }: Base, node: Element, item: Vertex | null): void {
  attr(node, "class", item && item.i >= 0 ? `rc-own ${look(item.i)}` : "rc-own");
}

/** The rules in cost space: each is the envelope of its hull somewhere, and a line everywhere. */
interface Space extends Pick<View, "marks" | "chosen"> {
  shell: Shell;
  envelopes: Envelope[];
  draw(node: Element, curve: { x: Numbers; y: Numbers } | null): void;
  pixel(x: number, y: number): Place;
  ofRule(f: number, t: number): { x: number[]; y: number[] };
}
function cost(base: Base, { shell, envelopes, marks, draw, pixel, ofRule, chosen }: Space): Source<Vertex> {
  const { model } = base, curve = (i: number) => envelopes[i < 0 ? base.n : i]!;
  const height = (hull: Hull, v: number, x: number) => (1 - x) * hull.fpr[v]! + x * (1 - hull.tpr[v]!);
  // Vertex v is the cheapest between x[v] and x[v + 1].
  const cheapest = (i: number, x: number) => {
    const places = curve(i).x;
    return min(places.length - 2, max(0, lists.bisectRight(places, x) - 1));
  };
  const middle = ({ i, v }: Vertex) => (curve(i).x[v]! + curve(i).x[v + 1]!) / 2;
  return {
    same,
    nearest(px, py, reach) {
      const x = shell.x.invert(px);
      if (!(x >= 0 && x <= 1)) return null;
      let best: Vertex | null = null, least = reach;
      for (let i = -1; i < base.n; i++) {
        if (base.hidden.has(i)) continue;
        const v = cheapest(i, x), distance = abs(shell.y(height(hullOf(base, i), v, x)) - py) - (i < 0 ? 5 : 0);
        if (distance < least) [best, least] = [{ i, v, x }, distance];
      }
      return best;
    },
    keys: () => steps(model.union),
    start: () => start(chosen()),
    at(item) {
      const x = item.x === undefined ? middle(item) : item.x;
      return pixel(x, height(hullOf(base, item.i), item.v, x));
    },
    tell(item) {
      const x = item.x === undefined ? middle(item) : item.x, { i, v } = item, range = [curve(i).x[v]!, curve(i).x[v + 1]!];
      return told(base, item, [["cost", rochullFormat.number(height(hullOf(base, i), v, x)), say("expert.hover.at", { x: rochullFormat.number(x) })],
        ["cheapest", rochullFormat.numbers(range), ""]]);
    },
    mark(item) {
      own(base, marks.own, item);
      const hull = item && hullOf(base, item.i);
      draw(marks.own, item && ofRule(hull!.fpr[item.v]!, hull!.tpr[item.v]!));
    },
    select: ({ i, v }) => base.select(i, v),
  };
}

export { attach, plane, cost };
