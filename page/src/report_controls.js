// The conditions: a goal, sliders with one or two handles, and fields that take any valid number. The fields are exact;
// a slider steps over round numbers, and its handle stands at the one nearest to the field's. Also the link that holds
// a condition.
import { say } from "./answer/words";
import * as F from "./report_format.js";
import * as rochullTyped from "./report_typed.js";

const LIMITS = ["max_fpr", "min_recall", "min_precision", "fraction"];
const NAMES = {
  cost_fp: say("expert.controls.the cost of a"), cost_fn: say("expert.controls.the cost of a miss"), prevalence: say("expert.controls.the prevalence"),
  max_fpr: say("expert.controls.the false positive rate"), min_recall: say("expert.controls.the recall"), min_precision: say("expert.controls.the precision"),
  fraction: say("expert.controls.the share flagged"),
};

// --- scales: the numbers that a slider steps over --------------------------------------------------

const tidy = (value) => Number(value.toPrecision(12));
/** Round numbers from 10^low up to 10^high, about as far from each other everywhere as `steps` says. */
function decades(low, high, steps) {
  const found = [];
  for (let decade = low; decade < high; decade += 1) {
    let from = 100;
    for (const [to, step] of steps) {
      for (let mantissa = from; mantissa < to; mantissa += step) found.push(Number(`${mantissa}e${decade - 2}`));
      from = to;
    }
  }
  found.push(Number(`1e${high}`));
  return found;
}
function evenly(from, to, step) {
  return Array.from({ length: Math.round((to - from) / step) + 1 }, (_, i) => tidy(from + i * step));
}
const FINE = [[200, 2], [500, 5], [1000, 10]], COARSE = [[200, 5], [500, 10], [1000, 20]];
const small = [0, ...decades(-4, -1, COARSE)]; // 0, then 0.0001 to 0.1
const fromZero = [...small, ...evenly(0.105, 1, 0.005)];
const half = [...small.slice(1), ...evenly(0.105, 0.5, 0.005)];
const mirrored = (values) => values.map((value) => tidy(1 - value)).reverse();
const SCALES = {
  ratio: decades(-3, 3, FINE),
  prevalence: [...half, ...mirrored(half).slice(1)],
  max_fpr: fromZero,
  fraction: fromZero,
  min_recall: mirrored(fromZero),
  min_precision: evenly(0, 1, 0.005),
};
const distances = {
  ratio: (a, b) => Math.abs(Math.log(a / b)),
  prevalence: (a, b) => Math.abs(Math.log((a * (1 - b)) / (b * (1 - a)))),
};
/** The step nearest to a value. */
function nearest(key, value) {
  const values = SCALES[key], distance = distances[key] || ((a, b) => Math.abs(a - b));
  let low = 0, high = values.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (values[middle] <= value) low = middle; else high = middle;
  }
  if (value <= values[low]) return low;
  if (value >= values[high]) return high;
  return distance(value, values[low]) <= distance(value, values[high]) ? low : high;
}
const logit = (p) => Math.log(p / (1 - p));
const expit = (x) => 1 / (1 + Math.exp(-x));
const round = (value, digits = 3) => Number(value.toPrecision(digits));
const rounded = (p) => (p < 0.5 ? round(p, 2) : tidy(1 - round(1 - p, 2)));

// --- words ----------------------------------------------------------------------------------------

function ratioWords(costFp, costFn) {
  const [low, high] = Array.isArray(costFn) ? costFn : [costFn, costFn];
  if (!costFp) return say("expert.controls.only misses cost");
  if (!high) return say("expert.controls.only false alarms cost");
  const a = low / costFp, b = high / costFp;
  if (low === high) {
    if (a === 1) return say("expert.controls.a miss costs as");
    return a > 1 ? say("expert.controls.a miss costs times", { a: F.number(a) }) : say("expert.controls.a false alarm costs", { a: F.number(1 / a) });
  }
  return say("expert.controls.a miss costs to", { a: F.number(a), b: F.number(b) });
}
function prevalenceWords(prevalence) {
  if (!Array.isArray(prevalence)) return say("expert.controls.of the cases are", { prevalence: F.near(prevalence) });
  return say("expert.controls.to of the cases", { prevalence: F.near(prevalence[0]), prevalence2: F.near(prevalence[1]) });
}
const LIMIT_WORDS = {
  max_fpr: (x) => say("expert.controls.at most of the", { x: F.share(x) }),
  min_recall: (x) => say("expert.controls.at least of the", { x: F.share(x) }),
  min_precision: (x) => say("expert.controls.at least of the flagged", { x: F.share(x) }),
  fraction: (x) => say("expert.controls.at most of the cases", { x: F.share(x) }),
};
/** The condition as one sentence without its full stop. */
function words(state) {
  const where = prevalenceWords(state.prevalence), costs = ratioWords(state.cost_fp, state.cost_fn);
  if (state.goal === "report") return document.getElementById("asked").firstElementChild.textContent.replace(/\.$/, "");
  const isRange = [state.cost_fn, state.prevalence].some(Array.isArray);
  const limits = rochullTyped.limitsOf(state).map(([name, x]) => LIMIT_WORDS[name](x)).join(", ");
  if (state.goal === "cost") return `${isRange ? say("expert.controls.smallest worst extra cost") : say("expert.controls.lowest expected cost")}: ${costs}, ${where}${limits && `; within: ${limits}`}`;
  const key = keyOf(state.goal);
  return `${key === "min_recall" ? say("expert.controls.fewest negatives wrongly flagged") : say("expert.controls.most positives caught")} with ${LIMIT_WORDS[key](state[key])}; ${where}`;
}
const reviewWords = ({ cost, most }) => say("expert.controls.a review costs", { cost: F.number(cost), more: most < 1 ? say("expert.controls.at most are reviewed", { most: F.share(most) }) : "" });
const keyOf = (goal) => (goal === "capacity" ? "fraction" : goal);
const goalOf = (key) => (key === "fraction" ? "capacity" : key);

// --- checks ---------------------------------------------------------------------------------------

/** Why a number cannot be this part of a condition; null if it can. */
function fault(key, value, text) {
  const found = say("expert.controls.but is", { more: text.length > 24 ? text.slice(0, 23) + "…" : text });
  if (text.trim() === "") return say("expert.controls.is empty", { name: NAMES[key] });
  if (!Number.isFinite(value)) return say("expert.controls.must be a number", { name: NAMES[key], found });
  if (value < 0) return say("expert.controls.must be at least", { name: NAMES[key], found });
  if (!key.startsWith("cost") && value > 1) {
    return say("expert.controls.must be between and", { name: NAMES[key], low: F.share(0), high: F.share(1), found });
  }
  return null;
}
const readOf = (key, text) => (key.startsWith("cost") ? F.read : F.readShare)(text);
const fieldOf = (key, value) => (key.startsWith("cost") ? F.field(value) : F.shareField(value));
const middle = (value) => (Array.isArray(value) ? (value[0] + value[1]) / 2 : value);
/** Why no error would cost anything under a state; null if some would. */
function costless(state) {
  const p = middle(state.prevalence), fp = state.cost_fp, fn = middle(state.cost_fn);
  if ((p < 1 && fp > 0) || (p > 0 && fn > 0)) return null;
  return fp || fn ? say("expert.controls.no error that can") : say("expert.controls.one of the two");
}
const isNumber = (value) => typeof value === "number" && Number.isFinite(value);
/** Whether something (from a link, say) is a state. */
function valid(state) {
  if (state === null || typeof state !== "object") return false;
  if (!["cost", "report", ...LIMITS.map(goalOf)].includes(state.goal)) return false;
  for (const key of ["cost_fp", "cost_fn", "prevalence", ...LIMITS]) {
    const roughly = Array.isArray(state[key]);
    if (roughly && (!["cost", "report"].includes(state.goal) || !["cost_fn", "prevalence"].includes(key))) return false;
    const ends = roughly ? state[key] : [state[key], state[key]];
    if (ends.length !== 2 || !ends.every(isNumber) || ends[0] > ends[1]) return false;
    if (ends.some((end) => fault(key, end, String(end)) !== null)) return false;
  }
  const limits = Object.entries(state.within || {});
  if (!limits.every(([key, value]) => LIMITS.includes(key) && isNumber(value) && fault(key, value, String(value)) === null)) return false;
  return costless(state) === null && ["boolean", "undefined"].includes(typeof state.mixtures);
}

// --- links ----------------------------------------------------------------------------------------

const KEYS = ["goal", "cost_fp", "cost_fn", "prevalence", ...LIMITS];
/** A state as a link holds it. */
const link = (state) => KEYS.map((key) => `${key}=${Array.isArray(state[key]) ? state[key].join(":") : state[key]}`).join("&") +
  (state.mixtures === false ? "&mixtures=no" : "") + Object.entries(state.within || {}).map(([key, value]) => `&within:${key}=${value}`).join("");
/** The state that a link holds, what it leaves out being as in another; null if it holds none, or one that cannot be. */
function linked(given, other) {
  if (!given.has("goal")) return null;
  if (given.get("goal") === "report") return other.goal === "report" ? other : null;
  const found = { ...other, goal: given.get("goal"), mixtures: given.get("mixtures") !== "no", within: {} };
  for (const key of LIMITS) if (given.has(`within:${key}`)) found.within[key] = Number(given.get(`within:${key}`));
  for (const key of KEYS.slice(1)) {
    if (!given.has(key)) continue;
    const ends = given.get(key).split(":").map((text) => (text.trim() === "" ? NaN : Number(text)));
    found[key] = ends.length === 1 ? ends[0] : ends;
  }
  return valid(found) ? found : null;
}
/** What a link holds of reviews, cost:share; null if nothing that can be. */
function linkedReview(text) {
  const [cost, most, ...more] = (text || "").split(":").map((part) => (part.trim() === "" ? NaN : Number(part)));
  return cost >= 0 && cost < Infinity && most >= 0 && most <= 1 && !more.length ? { cost, most } : null;
}

// --- the panel ------------------------------------------------------------------------------------

/** Bind the panel. `changed(state, unused, dragged)` is called whenever a person has moved or typed something; `unused` says
 *  why what a field holds is not part of the state, and is null if all is; `dragged` that more may follow at once. */
function create(root, initial, changed, isUnasked) {
  const one = (selector) => root.querySelector(selector);
  const sliders = new Map(), fields = new Map();
  let inner = null; // as a state, but cost_fn and prevalence are always [low, high]
  const rough = { cost_fn: false, prevalence: false };
  const held = new Map(); // field -> why its text is refused; it is kept, and tried again when something else changes
  let left = {}; // the intervals that there were before the goal became one that takes none
  const shown = new Map(); // field -> the value whose text was written last
  const radios = [...root.querySelectorAll('input[name="goal"]')], rows = [...root.querySelectorAll("[data-goal]")];
  const ends = Object.fromEntries(Object.keys(rough).map((key) => [key, [...root.querySelectorAll(`[data-rough="${key}"]`)]]));
  const boxes = { cost_fn: one("#rough-cost"), prevalence: one("#rough-prevalence") };
  const said = one("#ratio-words");

  for (const key of Object.keys(SCALES)) {
    const track = one(`[data-slider="${key}"]`);
    const handles = [...track.querySelectorAll("input")];
    for (const handle of handles) {
      handle.max = String(SCALES[key].length - 1);
      handle.addEventListener("input", () => slid(key, handles.indexOf(handle), Number(handle.value)));
      handle.addEventListener("change", () => moved()); // it is let go
    }
    sliders.set(key, { track, handles });
  }
  for (const input of root.querySelectorAll("[data-field]")) {
    fields.set(input.dataset.field, input);
    input.addEventListener("input", () => typed(input));
    input.addEventListener("change", () => show()); // as it was understood
    input.addEventListener("keydown", (event) => { if (event.key === "Enter") input.select(); });
  }
  for (const radio of radios) {
    radio.addEventListener("change", () => { if (radio.checked) { aim(radio.value); moved(); } });
  }
  const fold = one("#within"), limits = [...root.querySelectorAll("[data-within]")];
  for (const input of limits) {
    input.addEventListener("input", () => {
      if (taken(input)) aim("cost");
      moved(input);
    });
    input.addEventListener("change", () => show());
  }
  const mixtures = one("#mixtures"), mixturesPart = one("#mixtures-part");
  mixtures.addEventListener("change", () => {
    inner.mixtures = mixtures.checked;
    moved();
  });
  for (const key of Object.keys(boxes)) {
    boxes[key].addEventListener("change", () => {
      if (boxes[key].checked) aim("cost");
      leave();
      blur(key, boxes[key].checked);
      moved();
    });
  }

  const pair = (key) => (rough[key] && inner[key][0] < inner[key][1] ? [...inner[key]] : inner[key][0]);
  /** The state as the model takes it. */
  const state = () => ({ ...inner, cost_fn: pair("cost_fn"), prevalence: pair("prevalence"), within: { ...inner.within } });

  /** Leave the report's own condition for one that the controls can show. */
  function leave() {
    if (inner.goal === "report") aim(inner.own.otherwise);
  }
  /** Make a goal the active one; only costs may be known roughly. */
  function aim(goal) {
    if (goal !== "cost") {
      for (const key of Object.keys(rough)) {
        if (!rough[key]) continue;
        const before = inner[key];
        blur(key, false);
        left[key] = { before, middle: inner[key][0] };
      }
    } else {
      for (const [key, { before, middle }] of Object.entries(left)) {
        if (inner[key][0] === middle) [inner[key], rough[key]] = [before, true]; // nobody has moved it since
      }
      left = {};
    }
    inner.goal = goal;
  }
  /** Turn one number into an interval around it, or back into its middle. */
  function blur(key, on) {
    if (rough[key] === on) return;
    const [low, high] = inner[key];
    if (on) {
      inner[key] = key === "cost_fn" ? [tidy(round(low / 2)), tidy(round(low * 2))]
        : [0, 1].includes(low) ? [low, low] : [-1, 1].map((side) => rounded(expit(logit(low) + side * Math.LN2)));
    } else {
      const between = key === "cost_fn" ? round(Math.sqrt(low * high)) : rounded(expit((logit(low) + logit(high)) / 2));
      const value = Number.isFinite(between) && between >= low && between <= high ? between : low;
      inner[key] = [value, value];
      refuse(fields.get(`${key}/high`), null);
    }
    rough[key] = on;
  }

  function slid(key, side, index) {
    const value = SCALES[key][index], name = key === "ratio" ? "cost_fn" : key;
    refuse(fields.get(side ? `${name}/high` : name), null);
    delete left[name];
    if (key === "ratio") {
      aim("cost");
      if (!inner.cost_fp) inner.cost_fp = 1;
      keep("cost_fn", side, tidy(value * inner.cost_fp));
    } else if (key === "prevalence") {
      leave();
      keep("prevalence", side, value);
    } else {
      aim(goalOf(key));
      inner[key] = value;
    }
    moved(null, true);
  }
  /** Move one end of an interval, not beyond the other. */
  function keep(key, side, value) {
    if (!rough[key]) inner[key] = [value, value];
    else if (side === 0) inner[key][0] = Math.min(value, inner[key][1]);
    else inner[key][1] = Math.max(value, inner[key][0]);
  }

  function typed(input) {
    const key = input.dataset.field.split("/")[0];
    if (taken(input)) {
      delete left[key];
      leave();
      if (key !== "prevalence") aim(LIMITS.includes(key) ? goalOf(key) : "cost");
    }
    moved(input);
  }
  /** Whether the answer depends on a number: fields of others are empty, so that nobody takes them for limits that are kept. */
  const isInForce = (key) => (LIMITS.includes(key) ? goalOf(key) === inner.goal
    : key === "prevalence" || (inner.goal === "report" ? inner.own.priced : !isUnasked({ ...inner, cost_fn: inner.cost_fn[0] })));
  /** Take what a field holds into the state, if it can be part of it. */
  function taken(input) {
    if (input.dataset.within) return isLimited(input);
    const [key, end] = input.dataset.field.split("/"), side = end === "high" ? 1 : 0, value = readOf(key, input.value);
    if (!isInForce(key) && input.value.trim() === "") { // as it was
      refuse(input, null);
      return false;
    }
    const message = fault(key, value, input.value) || refused(key, side, value);
    refuse(input, message);
    if (message !== null) return false;
    if (key in rough) keep(key, side, value);
    else inner[key] = value;
    return true;
  }
  /** The same of a limit beside costs, of which an empty field is none. */
  function isLimited(input) {
    const key = input.dataset.within, isNone = input.value.trim() === "", value = F.readShare(input.value);
    const message = isNone ? null : fault(key, value, input.value);
    refuse(input, message);
    if (isNone) delete inner.within[key]; else if (message === null) inner.within[key] = value;
    return message === null;
  }
  /** Why a number that is fine by itself does not go with the others; null if it does. */
  function refused(key, side, value) {
    if (key in rough && rough[key]) {
      const other = inner[key][1 - side];
      if (side ? value < other : value > other) {
        return say("expert.controls.from to is no", { name: NAMES[key], field_of: fieldOf(key, side ? other : value), field_of2: fieldOf(key, side ? value : other) });
      }
    }
    const trial = state();
    if (!(key in rough)) trial[key] = value;
    else if (rough[key]) trial[key] = side ? [inner[key][0], value] : [value, inner[key][1]];
    else trial[key] = value;
    return costless(trial);
  }
  function refuse(input, message) {
    const place = root.querySelector(`#${input.getAttribute("aria-describedby")}`);
    input.toggleAttribute("aria-invalid", false);
    if (message !== null) input.setAttribute("aria-invalid", "true");
    place.textContent = message || "";
    place.hidden = message === null;
    if (message === null) held.delete(input); else held.set(input, message);
  }

  function moved(except, dragged = false) {
    // Of an interval the low end may have been typed first, and only now have become possible.
    while ([...held.keys()].some((input) => input !== except && taken(input)));
    show(except);
    changed(state(), held.size ? held.values().next().value : null, dragged);
  }

  /** Bring every handle, field and word up to the state; not a field that is being typed in, or whose text is refused. */
  function show(except) {
    const now = state();
    for (const radio of radios) radio.checked = radio.value === inner.goal;
    for (const row of rows) row.classList.toggle("active", row.dataset.goal === inner.goal);
    for (const [name, input] of fields) {
      if (input === except || held.has(input)) continue;
      const [key, end] = name.split("/");
      const value = Array.isArray(inner[key]) ? inner[key][end === "high" ? 1 : 0] : inner[key];
      if (shown.get(input)?.value !== value) shown.set(input, { value, text: fieldOf(key, value) });
      const text = isInForce(key) ? shown.get(input).text : "";
      if (input.value !== text) input.value = text;
    }
    for (const input of limits) {
      const value = inner.within[input.dataset.within], text = value === undefined ? "" : F.shareField(value);
      if (input !== except && !held.has(input) && input.value !== text) input.value = text;
    }
    const count = Object.keys(inner.within).length;
    fold.firstElementChild.textContent = count ? say("expert.controls.within limits set", { count: F.count(count) }) : say("expert.controls.within limits");
    one("#unaimed").hidden = ["cost", "report"].includes(inner.goal);
    mixtures.checked = inner.mixtures;
    // Under precise costs a single threshold is best: there is nothing to allow. Of the report's own condition the page knows what was allowed.
    mixturesPart.hidden = (inner.goal === "report" && !inner.own.mixtures) || (inner.goal === "cost" && !Object.values(rough).includes(true) && !count && inner.mixtures);
    for (const key of Object.keys(rough)) {
      boxes[key].checked = rough[key];
      for (const part of ends[key]) part.hidden = !rough[key];
    }
    const text = ratioWords(now.cost_fp, now.cost_fn);
    if (said.textContent !== text) said.textContent = text;
    place("ratio", inner.cost_fn.map((cost) => (inner.cost_fp ? cost / inner.cost_fp : Infinity)), rough.cost_fn,
      (ratio) => ratioWords(1, ratio));
    place("prevalence", inner.prevalence, rough.prevalence, prevalenceWords);
    for (const key of LIMITS) place(key, [inner[key], inner[key]], false, LIMIT_WORDS[key]);
  }
  function place(key, values, two, inWords) {
    const { track, handles } = sliders.get(key), last = SCALES[key].length - 1;
    const steps = values.map((value) => nearest(key, value));
    track.classList.toggle("two", two && handles.length > 1);
    handles.forEach((handle, side) => {
      if (side && !two) return;
      if (handle.value !== String(steps[side])) handle.value = String(steps[side]);
      handle.setAttribute("aria-valuetext", Number.isFinite(values[side]) ? inWords(values[side]) : say("expert.controls.only misses cost"));
      // Of two handles at one place, the one that can still move lies on top.
      if (handles.length > 1) handle.classList.toggle("top", two && (side === 0) === (steps[0] > last / 2));
    });
    track.style.setProperty("--from", String(two ? steps[0] / last : key.startsWith("min_") ? steps[0] / last : 0));
    track.style.setProperty("--to", String(two ? steps[1] / last : key.startsWith("min_") ? 1 : steps[0] / last));
  }

  function set(next) {
    const ends = (value) => (Array.isArray(value) ? [...value] : [value, value]);
    for (const key of Object.keys(rough)) rough[key] = Array.isArray(next[key]);
    inner = { goal: next.goal, cost_fp: next.cost_fp, cost_fn: ends(next.cost_fn), prevalence: ends(next.prevalence) };
    for (const key of LIMITS) inner[key] = next[key];
    inner.mixtures = next.mixtures !== false;
    if (next.own) inner.own = next.own;
    inner.within = { ...next.within };
    if (Object.keys(inner.within).length) fold.open = true;
    left = {};
    for (const input of [...held.keys()]) refuse(input, null);
    show();
  }
  set(initial);
  return { state, set };
}

export { create, words, reviewWords, ratioWords, valid, keyOf, link, linked, linkedReview };
