// The best point of a hull under a condition, exactly; what rules can lose over intervals. No DOM.
// It chooses as the library does (conditions/costs.py, worst_case.py), ties included: of equally good points the one with
// the lower false positive rate, and the top of a vertical edge.
// A choice is {left, share}: vertex `left`, or its mixture with the next one, `share` (a rational) of that.
import * as E from "./report_exact";
import type { Fraction } from "./report_exact";
import { abs, entries, listOf, max, min } from "./maths";

/** Known exactly, and as a float. */
export interface Known {
  q: Fraction;
  f: number;
}
const known = (q: Fraction): Known => ({ q, f: E.number(q) }); // a rational, and its float

// --- frontiers -----------------------------------------------------------------------------------

// Vertices from (0, 0) to (1, 1) in counts or weights, which are whole after a shift by so many binary places.
// Of other points than a hull's, `totals` is where they would end.
export interface Frontier {
  size: number;
  last: number;
  fp: number[];
  tp: number[];
  x(i: number): bigint;
  y(i: number): bigint;
  N: bigint;
  P: bigint;
  fpr: Float64Array;
  tpr: Float64Array;
  point(i: number): Pair;
}
type Pair = [x: Fraction, y: Fraction]; // the rates of a point
export interface Choice {
  left: number;
  share: Fraction | null;
  plane?: Known[]; // the limit that sets it
}
/** What an error costs per case, of each class. */
export interface Weights {
  w: Known;
  m: Known;
}
/** The points with a tpr + b fpr = c. */
export interface Line {
  a: number;
  b: number;
  c: number;
}
export interface Limit {
  best(f: Frontier): Choice | null;
  single(f: Frontier): number;
  line: Line | null;
}
export interface Within extends Limit {
  kept(f: Frontier): (i: number) => boolean;
}
interface End extends Known {
  isWithin: boolean;
}
type Tests = (i: number) => boolean; // of each vertex
function frontier(fp: number[], tp: number[], places: number, totals = [fp[fp.length - 1], tp[tp.length - 1]]): Frontier {
  const [n, p] = totals;
  const x = (i: number) => E.shifted(fp[i], places), y = (i: number) => E.shifted(tp[i], places);
  const N = E.shifted(n, places), P = E.shifted(p, places);
  return {
    size: fp.length, last: fp.length - 1, fp, tp, x, y, N, P,
    fpr: Float64Array.from(fp, (count) => count / n),
    tpr: Float64Array.from(tp, (count) => count / p),
    point: (i) => [[x(i), N], [y(i), P]],
  };
}

// The first of 0, 1, ..., n - 1 from which on something holds; n if it never does.
function first(n: number, holds: Tests): number {
  let low = 0, high = n;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

// The rates of a choice, as rationals.
function rates(f: Frontier, { left, share }: Choice): Pair {
  const [x, y] = f.point(left);
  if (!share) return [x, y];
  const [x1, y1] = f.point(left + 1);
  return [E.add(x, E.mul(share, E.sub(x1, x))), E.add(y, E.mul(share, E.sub(y1, y)))];
}

// The better end of a horizontal run, and of a vertical one.
const leftmost = (f: Frontier, i: number): number => first(f.size, (j) => f.tp[j] >= f.tp[i]);
const topmost = (f: Frontier, i: number): number => first(f.size, (j) => f.fp[j] > f.fp[i]) - 1;
const mixed = (left: number, share: Fraction): Choice => (share[0] === 0n ? { left, share: null } : { left, share });

// --- linear costs ----------------------------------------------------------------------------------

// The first vertex of least cost, or with `level` the last; the weights are of fpr = 1 and of tpr = 0.
function crest({ w, m }: Weights, f: Frontier, level = false): number {
  const n = f.fp[f.last], p = f.tp[f.last];
  return first(f.last, (i) => {
    const run = f.fp[i + 1] - f.fp[i], rise = f.tp[i + 1] - f.tp[i];
    if (run === 0) return false; // a vertical edge adds no false positive: always worth climbing
    const steeper = E.settled((rise / p) * m.f, (run / n) * w.f, () => E.compare(
      E.mul([f.y(i + 1) - f.y(i), f.P], m.q), E.mul([f.x(i + 1) - f.x(i), f.N], w.q)));
    return level ? steeper < 0 : steeper <= 0;
  });
}

// The weights at a slope above all that ties with theirs to rounding, or below: 2**-44 of its logarithm, as in costs.py.
function raised({ w, m }: Weights, way = 1n): Weights {
  if (w.q[0] === 0n || m.q[0] === 0n) return { w, m };
  const [n, d] = E.div(w.q, m.q), size = max(1, abs(E.log(n) - E.log(d)));
  const part = BigInt(size * 2 ** 52), whole = 1n << 96n; // a double of at least 1 is whole after 52 places
  return { w: known(E.mul(w.q, [whole + way * part, whole])), m };
}

// The best vertex under precise costs, where what ties to rounding is a tie; with `last` the last of those that tie.
const lifted = [new WeakMap<Weights, Weights>(), new WeakMap<Weights, Weights>()]; // of costs, whose classifiers are many
function best(costs: Weights, f: Frontier, last = false): number {
  const known = lifted[Number(last)];
  if (!known.has(costs)) known.set(costs, raised(costs, last ? -1n : 1n));
  return crest(known.get(costs)!, f, last);
}

const weights = (cost_fp: Fraction, cost_fn: Fraction, prevalence: Fraction): Weights => ({
  w: known(E.mul(E.sub(E.ONE, prevalence), cost_fp)), m: known(E.mul(prevalence, cost_fn)),
});
const matters = ({ w, m }: Weights): boolean => w.q[0] !== 0n || m.q[0] !== 0n;
const costOf = ({ w, m }: Weights, [x, y]: Pair): Fraction => E.add(E.mul(w.q, x), E.mul(m.q, E.sub(E.ONE, y)));

// What rules cost above the hull, at the corners of a box of conditions (a single one, if it is precise).
function costs(corners: Weights[], hull: Frontier, precise: boolean) {
  const lowest = precise ? best : crest;
  const least = corners.map((corner) => costOf(corner, rates(hull, { left: lowest(corner, hull), share: null })));
  const floors = least.map(E.number);
  const found = new Map<string, [bigint, bigint, bigint][]>();

  // (a, b, c) of each corner, whole: what a vertex costs above the hull is (a x - b y + c) / scale.
  function lines(f: Frontier) {
    const key = `${f.N} ${f.P}`;
    if (!found.has(key)) {
      const parts = corners.map(({ w, m }, i) =>
        [E.div(w.q, [f.N, 1n]), E.div(m.q, [f.P, 1n]), E.sub(m.q, least[i])]);
      const scale = parts.flat().reduce((lcm, [n, d]) => {
        const own = d / E.gcd(n < 0n ? -n : n, d);
        return (lcm / E.gcd(lcm, own)) * own;
      }, 1n);
      const whole = new Map(parts.map((part) => part.map(([n, d]) => (n * scale) / d) as [bigint, bigint, bigint]).map((l) => [l.join(), l]));
      found.set(key, [...whole.values()]);
    }
    return found.get(key)!;
  }

  const value = (f: Frontier, i: number) => lines(f).map(([a, b, c]) => a * f.x(i) - b * f.y(i) + c).reduce((p, q) => (p > q ? p : q));

  function near(f: Frontier) { // the best vertex as far as floats can tell
    let best = 0, lowest = Infinity;
    for (let i = 0; i < f.size; i++) {
      let most = -Infinity;
      for (let c = 0; c < corners.length; c++) {
        const { w, m } = corners[c];
        most = max(most, w.f * f.fpr[i] + m.f * (1 - f.tpr[i]) - floors[c]);
      }
      if (most < lowest) [best, lowest] = [i, most];
    }
    return best;
  }

  // The first vertex of least value; going up a vertical edge is worth it at an equal value too.
  function bestVertex(f: Frontier): [number, bigint] {
    let i = near(f), here = value(f, i);
    while (i < f.last) {
      const after = value(f, i + 1);
      if (after > here || (after === here && f.fp[i] < f.fp[i + 1])) break;
      [i, here] = [i + 1, after];
    }
    while (i > 0) {
      const before = value(f, i - 1);
      if (before > here || (before === here && f.fp[i - 1] === f.fp[i])) break;
      [i, here] = [i - 1, before];
    }
    return [i, here];
  }

  // The share of an edge's right end at which the largest of the lines is least, and its value there. The two lines
  // that are largest beside the minimum are found by turns; each is replaced at most once by every line.
  function within(f: Frontier, left: number): { share: Fraction; value: Fraction } | null {
    const [x0, x1, y0, y1] = [f.x(left), f.x(left + 1), f.y(left), f.y(left + 1)];
    const along = lines(f).map(([a, b, c]): [bigint, bigint] => [a * x0 - b * y0 + c, a * (x1 - x0) - b * (y1 - y0)]);
    const at = ([start, slope]: [bigint, bigint], [n, d]: Fraction) => start * d + slope * n; // times d
    const top = (share: Fraction, sign: bigint) => along.reduce((best, line) => {
      const difference = at(line, share) - at(best, share);
      return difference > 0n || (difference === 0n && sign * (line[1] - best[1]) > 0n) ? line : best;
    });
    let falling = top(E.ZERO, 1n), rising = top(E.ONE, -1n);
    if (falling[1] >= 0n || rising[1] < 0n) return null; // least at an end
    for (;;) {
      const share: Fraction = [falling[0] - rising[0], rising[1] - falling[1]];
      const higher = top(share, -1n);
      if (at(higher, share) <= at(falling, share)) return { share, value: [at(falling, share), share[1]] };
      if (higher[1] >= 0n) rising = higher;
      else falling = higher;
    }
  }

  // The point of a hull whose largest regret is least.
  function minimax(f: Frontier): Choice {
    const [i, lowest] = bestVertex(f);
    let best: Choice = { left: i, share: null }, least: Fraction = [lowest, 1n];
    for (const left of [i - 1, i]) {
      if (left < 0 || left >= f.last || f.fp[left] === f.fp[left + 1]) continue;
      const found = within(f, left);
      if (!found || E.compare(found.value, least) >= 0) continue;
      const { share, value: here } = found;
      if (share[0] > 0n && share[0] < share[1]) [best, least] = [{ left, share }, here];
    }
    return best;
  }

  // The largest regret at given rates.
  const worst = (point: Pair) =>
    max(0, ...corners.map((corner, i) => E.number(E.sub(costOf(corner, point), least[i]))));
  const single = (f: Frontier): Choice => ({ left: bestVertex(f)[0], share: null });

  // The same of single points, which need not be a hull's, if it is less than at a given point; else -1.
  const exactly = (point: Pair) => corners.map((corner, i) => E.sub(costOf(corner, point), least[i]))
    .reduce((p, q) => (E.compare(p, q) >= 0 ? p : q));
  const nearly = (f: Frontier, i: number) => corners.reduce((most, { w, m }, c) =>
    max(most, w.f * f.fpr[i] + m.f * (1 - f.tpr[i]) - floors[c]), -Infinity);
  function lower(f: Frontier, point: Pair): number {
    const values = listOf({ length: f.size }, (_, i) => nearly(f, i));
    let found = -1, here = exactly(point);
    const size = values.reduce((most, value) => max(most, abs(value)), 1e-300);
    const bound = values.reduce((p, q) => min(p, q), Infinity) + 1e-12 * size;
    for (let i = 0; i < f.size; i++) {
      if (values[i] > bound) continue;
      const value = exactly(rates(f, { left: i, share: null })), order = E.compare(value, here);
      if (order < 0 || (order === 0 && found >= 0 && f.fp[i] <= f.fp[found])) [found, here] = [i, value];
    }
    return found;
  }
  return { minimax, single, lower, worst };
}

// --- limits ----------------------------------------------------------------------------------------

// A point meets a limit if it rounds to it; mixtures end at the limit itself.
const reach = (x: Fraction, way: 1 | -1): End => {
  const { q, isWithin } = E.farthest(x, way);
  return { ...known(q), isWithin };
};
const isOut = (order: number, { isWithin }: Pick<End, "isWithin">): boolean => order > 0 || (order === 0 && !isWithin);
// Whether a point has a tpr + b fpr beyond an end; none is negative.
const beyond = (f: Frontier, a: Known, b: Known, end: End): Tests => (i) => isOut(E.settled(a.f * f.tpr[i] + b.f * f.fpr[i], end.f, () => {
  const [x, y] = f.point(i);
  return E.compare(E.add(E.mul(a.q, y), E.mul(b.q, x)), end.q);
}), end);

// Of single points, which ascend in tp and need not be a hull's: the highest that is not out.
function highestSingle(f: Frontier, out: Tests, from = 0): number {
  for (let i = f.last; i >= from; i--) if (!out(i)) return i;
  return -1;
}
// Those that are high enough, the one with the fewest false alarms; of equals the highest.
const shortOf = (f: Frontier, end: End): Tests => (i) => isOut(E.settled(end.f, f.tpr[i], () => E.compare(end.q, f.point(i)[1])), end);
function recallSingle(f: Frontier, end: End): number {
  const short = shortOf(f, end);
  let best = -1;
  for (let i = f.last; i >= 0; i--) {
    if (short(i)) break;
    if (best < 0 || f.fp[i] < f.fp[best]) best = i;
  }
  return best;
}

// The highest point of a hull with a tpr + b fpr <= c, the leftmost of equals.
function highestWithin(f: Frontier, a: Known, b: Known, c: Known, end: End): Choice {
  const i = first(f.size, beyond(f, a, b, end)) - 1;
  if (i === f.last || f.tp[i] === f.tp[i + 1]) return { left: leftmost(f, i), share: null };
  const load = ([x, y]: Pair) => E.add(E.mul(a.q, y), E.mul(b.q, x));
  const start = load(f.point(i)), after = load(f.point(i + 1));
  if (E.compare(start, c.q) >= 0) return { left: leftmost(f, i), share: null };
  return { left: i, share: E.div(E.sub(c.q, start), E.sub(after, start)) };
}

function recall(f: Frontier, height: Known, end: End): Choice {
  const short = shortOf(f, end), i = first(f.last, (j) => !short(j));
  if (i === 0 || f.fp[i] === f.fp[i - 1] || E.compare(f.point(i)[1], height.q) <= 0) return { left: topmost(f, i), share: null };
  const low = f.point(i - 1)[1];
  return { left: i - 1, share: E.div(E.sub(height.q, low), E.sub(f.point(i)[1], low)) };
}

interface Sides {
  u: Known;
  v: Known;
}
const surplusOn = (f: Frontier, u: Known, v: Known) => (i: number): Fraction => E.sub(E.mul(u.q, f.point(i)[1]), E.mul(v.q, f.point(i)[0]));
const shortOn = (f: Frontier, { u, v, ...end }: Sides & Pick<End, "isWithin">): Tests => (i) =>
  isOut(-E.settled(u.f * f.tpr[i], v.f * f.fpr[i], () => E.sign(surplusOn(f, u, v)(i)[0])), end);

// The precision is met where u tpr >= v fpr, up to where the ray cuts the hull; null if it is met nowhere.
function precision(f: Frontier, { u, v }: Sides, end: Sides & Pick<End, "isWithin">): Choice | null {
  const surplus = surplusOn(f, u, v), short = shortOn(f, end);
  if (short(1)) return null;
  const i = first(f.last, (j) => short(j + 1));
  if (i === f.last || f.tp[i] === f.tp[i + 1]) return { left: leftmost(f, i), share: null };
  const here = surplus(i);
  if (here[0] <= 0n) return { left: leftmost(f, i), share: null };
  return mixed(i, E.div(here, E.sub(here, surplus(i + 1))));
}

// A limit as {best(hull), single(points), line: {a, b, c} of a tpr + b fpr = c}; x and the prevalence are rationals.
function atMost(...parts: [Fraction, Fraction, Fraction]): Limit {
  const [a, b, c] = parts.map(known), end = reach(parts[2], 1);
  return {
    best: (f) => highestWithin(f, a, b, c, end), single: (f) => highestSingle(f, beyond(f, a, b, end)),
    line: { a: a.f, b: b.f, c: c.f },
  };
}
const sidesAt = (x: Fraction, prevalence: Fraction): Sides => ({ u: known(E.mul(E.sub(E.ONE, x), prevalence)), v: known(E.mul(x, E.sub(E.ONE, prevalence))) });
const limits: Record<string, (x: Fraction, prevalence: Fraction) => Limit> = {
  max_fpr(x) {
    return atMost(E.ZERO, E.ONE, x);
  },
  min_recall(x) {
    const height = known(x), end = reach(x, -1);
    const line = { a: 1, b: 0, c: height.f };
    return { best: (f) => recall(f, height, end), single: (f) => recallSingle(f, end), line };
  },
  min_precision(x, prevalence) {
    const at = sidesAt(x, prevalence), far = reach(x, -1), end = { ...sidesAt(far.q, prevalence), isWithin: far.isWithin };
    const line = { a: at.u.f, b: -at.v.f, c: 0 };
    return { best: (f) => precision(f, at, end), single: (f) => highestSingle(f, shortOn(f, end), 1), line };
  },
  capacity(x, prevalence) {
    return atMost(prevalence, E.sub(E.ONE, prevalence), x);
  },
};

// --- costs within limits -----------------------------------------------------------------------------

// Limits as a tpr + b fpr <= c; a precision is one of somebody flagged only.
const less = (q: Fraction): Fraction => E.sub(E.ZERO, q);
const PLANES: Record<string, (x: Fraction, p: Fraction) => [Fraction, Fraction, Fraction]> = {
  max_fpr: (x) => [E.ZERO, E.ONE, x],
  min_recall: (x) => [less(E.ONE), E.ZERO, less(x)],
  min_precision: (x, p) => [less(E.mul(E.sub(E.ONE, x), p)), E.mul(x, E.sub(E.ONE, p)), E.ZERO],
  fraction: (x, p) => [p, E.sub(E.ONE, p), x],
};
const AT_LEAST = new Set(["min_recall", "min_precision"]);
// The plane where mixtures end, and up to where points are within.
interface Plane {
  plane: Known[];
  end: Known[];
  isWithin: boolean;
}
function planeOf(name: string, x: Fraction, p: Fraction): Plane {
  const far = E.farthest(x, AT_LEAST.has(name) ? -1 : 1);
  return { plane: PLANES[name](x, p).map(known), end: PLANES[name](far.q, p).map(known), isWithin: far.isWithin };
}
const over = (f: Frontier, [a, b, c]: Known[]) => (i: number): Fraction => { // by how much a point is beyond a limit
  const [x, y] = f.point(i);
  return E.sub(E.add(E.mul(a.q, y), E.mul(b.q, x)), c.q);
};
function outside(f: Frontier, { end, isWithin }: Plane): Tests {
  const exactly = over(f, end), [a, b, c] = end.map((part) => part.f);
  return (i) => {
    const terms = [a * f.tpr[i], b * f.fpr[i], -c], sum = (sign: number) => terms.reduce((all, term) => all + max(0, sign * term), 0);
    return isOut(E.settled(sum(1), sum(-1), () => E.sign(exactly(i)[0])), { isWithin: isWithin || (f.fp[i] === 0 && f.tp[i] === 0) });
  };
}
const order = (one: Choice, other: Choice): number => one.left - other.left || E.compare(one.share || E.ZERO, other.share || E.ZERO);
const START: Choice = { left: 0, share: null };

// What limits leave of a hull: its ends, each with the limit that sets it; null if no point keeps all. A hull keeps each on one stretch.
function stretch(f: Frontier, planes: Plane[], alarms: boolean): [Choice, Choice] | null {
  let low = START, high: Choice = { left: f.last, share: null };
  for (const each of planes) {
    const { plane } = each, isBeyond = outside(f, each), by = over(f, plane);
    const cut = (i: number) => mixed(i, E.div(by(i), E.sub(by(i), by(i + 1))));
    let from = 0, to = f.last;
    while (from <= f.last && isBeyond(from)) from += 1;
    if (from > f.last) return null;
    while (isBeyond(to)) to -= 1;
    const enters = from && by(from)[0] < 0n ? cut(from - 1) : { left: from, share: null };
    const leaves = to < f.last && by(to)[0] < 0n ? cut(to) : { left: to, share: null };
    if (order(enters, low) > 0) low = { ...enters, plane };
    if (order(leaves, high) < 0) high = { ...leaves, plane };
  }
  if (alarms && order(high, START) === 0) return null;
  if (alarms && order(low, START) === 0) low = order({ left: 1, share: null }, high) < 0 ? { left: 1, share: null } : high;
  return order(low, high) > 0 ? null : [low, high];
}

// The lowest cost within limits, {name: number} as rationals, at all prevalences, in the shape of one limit; `line` is that of a choice at the limit.
function within(costs: Weights, numbers: Record<string, Fraction>, prevalences: Fraction[]): Within {
  const planes = prevalences.flatMap((prevalence) => entries(numbers).map(([name, x]) => planeOf(name, x, prevalence))), alarms = "min_precision" in numbers;
  const { w, m } = costs, near = 1e-12 * (w.f + m.f);
  function nearest(f: Frontier): Choice | null {
    const ends = stretch(f, planes, alarms), free = { left: best(costs, f), share: null };
    if (!ends) return null;
    return order(free, ends[0]) < 0 ? ends[0] : order(free, ends[1]) > 0 ? ends[1] : free;
  }
  // Which single points keep all.
  function kept(f: Frontier): Tests {
    const sides = planes.map((plane) => outside(f, plane));
    return (i) => !(alarms && f.fp[i] === 0 && f.tp[i] === 0) && !sides.some((isBeyond) => isBeyond(i));
  }
  // Of these the cheapest; of equals that with fewer false alarms, and then the higher.
  function single(f: Frontier): number {
    const isMet = kept(f), value = (i: number) => w.f * f.fpr[i] + m.f * (1 - f.tpr[i]);
    const compared = (i: number, j: number) => (abs(value(i) - value(j)) > near ? value(i) - value(j)
      : E.compare(costOf(costs, f.point(i)), costOf(costs, f.point(j)))) || f.fp[i] - f.fp[j] || f.tp[j] - f.tp[i];
    let found = -1;
    for (let i = 0; i < f.size; i++) {
      if (isMet(i) && (found < 0 || compared(i, found) < 0)) found = i;
    }
    return found;
  }
  return { best: nearest, single, kept, line: null };
}

// Whether flagging nobody, and everybody, costs no more than given rates.
const asCheap = (costs: Weights, point: Pair): boolean[] => [E.ZERO, E.ONE].map((end) => E.compare(costOf(costs, [end, end]), costOf(costs, point)) <= 0);

export { frontier, rates, best, weights, matters, costOf, costs, limits, within, known, asCheap };
