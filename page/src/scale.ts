// Linear scales of charts: numbers to pixels and back.
import { bisectRight } from "./lists";
import { assign, floor, listOf, log10, max, round, sqrt } from "./maths";

export interface Scale {
  (value: number): number;
  domain(): number[];
  domain(ends: readonly number[]): Scale;
  range(): number[];
  range(ends: readonly number[]): Scale;
  invert(pixel: number): number;
  ticks(most?: number): number[];
}

const between = (from: number, to: number, share: number): number => from * (1 - share) + to * share;
/** How far a value is on its way; half way where there is none. */
const shareOf = (from: number, to: number, value: number): number => (to === from ? 0.5 : (value - from) / (to - from));

/** Round numbers from one end to the other, about so many: steps of 1, 2 or 5 tenths, units, tens, ... */
export function ticks(from: number, to: number, most: number): number[] {
  if (from > to) return ticks(to, from, most).reverse();
  if (!(from < to && most > 0)) return from === to ? [from] : [];
  const rough = (to - from) / most, power = floor(log10(rough)), above = rough / 10 ** power;
  const unit = above >= sqrt(50) ? 10 : above >= sqrt(10) ? 5 : above >= sqrt(2) ? 2 : 1;
  const parts = 10 ** -power / unit, step = 10 ** power * unit; // of tenths the one is whole, of tens the other
  const at = (i: number) => (power < 0 ? i / parts : i * step);
  let [first, last] = [from, to].map((end) => round(power < 0 ? end * parts : end / step)) as [number, number];
  if (at(first) < from) first += 1;
  if (at(last) > to) last -= 1;
  if (last < first && most < 2) return ticks(from, to, 2 * most);
  return listOf({ length: max(0, last - first + 1) }, (_, i) => at(first + i));
}

/** A scale whose domain and range are [0, 1] until they are set. */
export function linear(): Scale {
  let domain = [0, 1], range = [0, 1];
  const map = ([a, b]: number[], [c, d]: number[], value: number): number => between(c!, d!, shareOf(a!, b!, value));
  const scale = ((value: number) => map(domain, range, Number(value))) as Scale;
  const ends = (get: () => number[], set: (ends: number[]) => void) => (given?: readonly number[]) => {
    if (given === undefined) return get().slice();
    set(listOf(given, Number));
    return scale;
  };
  return assign(scale, {
    domain: ends(() => domain, (given) => { domain = given; }),
    range: ends(() => range, (given) => { range = given; }),
    invert: (pixel: number) => map(range, domain, pixel),
    ticks: (most = 10) => ticks(domain[0]!, domain[1]!, most),
  }) as Scale;
}

/** The height at `x` of the line through points whose `xs` ascend; beyond them that of its last pieces. */
export function through(xs: readonly number[], ys: readonly number[], x: number): number {
  const i = bisectRight(xs, x, 1, xs.length - 1) - 1;
  return between(ys[i]!, ys[i + 1]!, shareOf(xs[i]!, xs[i + 1]!, x));
}
