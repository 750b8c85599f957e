// Linear scales of charts: numbers to pixels and back.
import { bisectRight, ticks } from "d3-array";

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

/** A scale whose domain and range are [0, 1] until they are set. */
export function linear(): Scale {
  let domain = [0, 1], range = [0, 1];
  const map = ([a, b]: number[], [c, d]: number[], value: number): number => between(c!, d!, shareOf(a!, b!, value));
  const scale = ((value: number) => map(domain, range, Number(value))) as Scale;
  const ends = (get: () => number[], set: (ends: number[]) => void) => (given?: readonly number[]) => {
    if (given === undefined) return get().slice();
    set(Array.from(given, Number));
    return scale;
  };
  return Object.assign(scale, {
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
