// Numbers of the report's page that must be exact, and numbers as Python writes them. No DOM.
// A rational is [n, d], two BigInts with d > 0. Numbers that a person gives are the decimals that they print as,
// as in the library; counts and weights are the binary fractions that they are.
import { abs, hypot, isFinite, max, min, round, sqrt } from "./maths";
export type Fraction = readonly [bigint, bigint];
export type Interval = [low: number, high: number];
/** An estimate with the ends of its interval. */
export type Sure = readonly [value: number, low: number, high: number];
const ZERO: Fraction = [0n, 1n], ONE: Fraction = [1n, 1n];
const SAFE = BigInt(Number.MAX_SAFE_INTEGER);

// --- rationals ---------------------------------------------------------------------------------

const decimal = (x: number): Fraction => { // of a finite number, not negative
  const [, digits, fraction = "", power = "0"] = /^(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(x)) as unknown as string[];
  const shift = Number(power) - fraction.length;
  const whole = BigInt(digits + fraction);
  return shift < 0 ? [whole, 10n ** BigInt(-shift)] : [whole * 10n ** BigInt(shift), 1n];
};
const add = ([a, b]: Fraction, [c, d]: Fraction): Fraction => (b === d ? [a + c, b] : [a * d + c * b, b * d]);
const sub = ([a, b]: Fraction, [c, d]: Fraction): Fraction => (b === d ? [a - c, b] : [a * d - c * b, b * d]);
const mul = ([a, b]: Fraction, [c, d]: Fraction): Fraction => [a * c, b * d];
const div = ([a, b]: Fraction, [c, d]: Fraction): Fraction => (c < 0n ? [-a * d, b * -c] : [a * d, b * c]);
const sign = (n: bigint): number => (n > 0n ? 1 : n < 0n ? -1 : 0);
const compare = (p: Fraction, q: Fraction): number => sign(sub(p, q)[0]);
const gcd = (a: bigint, b: bigint): bigint => {
  while (b) [a, b] = [b, a % b];
  return a;
};

const bits = (n: bigint): number => 4 * n.toString(16).length;
// The nearest double, ties to even.
function number([n, d]: Fraction): number {
  if (n < 0n) return -number([-n, d]);
  if (n <= SAFE && d <= SAFE) return Number(n) / Number(d);
  const shift = 68 + bits(d) - bits(n); // the quotient has more bits than a double; the last says what is left over
  const top = shift > 0 ? n << BigInt(shift) : n;
  const bottom = shift > 0 ? d : d << BigInt(-shift);
  let quotient = top / bottom;
  if (quotient * bottom !== top) quotient |= 1n;
  const half = Math.trunc(shift / 2); // a power of two that is no double by itself
  return Number(quotient) * 2 ** -half * 2 ** (half - shift);
}

// The natural logarithm of a whole number of any size above 0.
const log = (n: bigint): number => {
  const more = max(0, bits(n) - 1000);
  return Math.log(Number(n >> BigInt(more))) + more * Math.LN2;
};

// Compares two numbers that are not negative, and precise to a few units in the last place: sign of a - b. Where
// floats are too near to tell, `exactly` does.
const settled = (a: number, b: number, exactly: () => number): number => {
  const size = max(a, b);
  return size > 1e-280 && abs(a - b) > 1e-9 * size ? a - b : exactly();
};

// --- binary fractions ----------------------------------------------------------------------------

// A finite number that is not negative, as the binary fraction that it is.
const DEEPEST = 1074;
const binary = (x: number): Fraction => [shifted(x, DEEPEST), 1n << BigInt(DEEPEST)];
// The farthest from a limit that a value may be and still meet it, and whether it meets it there: a value does if the
// double nearest to it does, as in conditions/ranges.py. The way is 1 where larger values do not meet it, else -1.
function farthest(limit: Fraction, way: 1 | -1): { q: Fraction; isWithin: boolean } {
  const x = number(limit);
  if (x === 0 && way < 0) return { q: ZERO, isWithin: true };
  view.setFloat64(0, x);
  view.setBigUint64(0, view.getBigUint64(0) + BigInt(way));
  const beyond = view.getFloat64(0), [n, d] = add(binary(x), binary(beyond)), q: Fraction = [n, 2n * d];
  return { q, isWithin: number(q) === x };
}

// By how many bits all of the numbers have to be shifted to be whole.
function binaryPlaces(values: Iterable<number>): number {
  let places = 0;
  for (let x of values) {
    let k = 0;
    for (; !Number.isInteger(x); x *= 2) k += 1;
    places = max(places, k);
  }
  return places;
}

// Instead of places: given rates, which are read on a grid of decimals, as in hull/point_hull.py.
const RATES = -1, GRID = 10n ** 18n;
function onGrid(x: number): bigint {
  const [n, d] = decimal(x);
  return d <= 10n ** 15n ? n * (GRID / d) : BigInt(round(x * Number(GRID)));
}

const view = new DataView(new ArrayBuffer(8));
// x * 2 ** places, which is known to be whole.
function shifted(x: number, places: number): bigint {
  if (places === RATES) return onGrid(x);
  if (!places) return BigInt(x);
  view.setFloat64(0, x);
  const all = view.getBigUint64(0), power = Number(all >> 52n), rest = all & 0xfffffffffffffn;
  const mantissa = power ? rest | 0x10000000000000n : rest;
  const shift = (power || 1) - 1075 + places;
  return shift < 0 ? mantissa >> BigInt(-shift) : mantissa << BigInt(shift);
}

// --- as Python writes numbers --------------------------------------------------------------------

const padded = (power: string): string => power.replace(/^([+-])(\d)$/, "$10$2");
// repr(float(x))
function pythonRepr(x: number): string {
  if (!isFinite(x)) return Number.isNaN(x) ? "nan" : x > 0 ? "inf" : "-inf";
  if (Object.is(x, -0)) return "-0.0";
  const size = abs(x);
  if (size !== 0 && (size < 1e-4 || size >= 1e16)) {
    const [digits, power] = x.toExponential().split("e");
    return `${digits}e${padded(power)}`;
  }
  const text = String(x);
  return /[.e]/.test(text) ? text : `${text}.0`;
}

// --- the normal distribution -----------------------------------------------------------------------

const ratio = (r: number, top: number[], bottom: number[]): number => {
  const at = (terms: number[]) => terms.reduceRight((sum, term) => sum * r + term, 0);
  return at(top) / at(bottom);
};
// Quantile of the standard normal distribution, to about 1e-16 (Wichura 1988, algorithm AS 241).
function probit(p: number): number {
  if (!(p > 0 && p < 1)) return p === 0 ? -Infinity : p === 1 ? Infinity : NaN;
  const q = p - 0.5;
  if (abs(q) <= 0.425) {
    return q * ratio(0.180625 - q * q, [
      3.387132872796366608, 133.14166789178437745, 1971.5909503065514427, 13731.693765509461125,
      45921.953931549871457, 67265.770927008700853, 33430.575583588128105, 2509.0809287301226727,
    ], [
      1, 42.313330701600911252, 687.1870074920579083, 5394.1960214247511077, 21213.794301586595867,
      39307.89580009271061, 28729.085735721942674, 5226.495278852545925,
    ]);
  }
  const r = sqrt(-Math.log(q < 0 ? p : 1 - p));
  const size = r <= 5
    ? ratio(r - 1.6, [
      1.42343711074968357734, 4.6303378461565452959, 5.7694972214606914055, 3.64784832476320460504,
      1.27045825245236838258, 0.24178072517745061177, 0.0227238449892691845833, 7.7454501427834140764e-4,
    ], [
      1, 2.05319162663775882187, 1.6763848301838038494, 0.68976733498510000455, 0.14810397642748007459,
      0.0151986665636164571966, 5.475938084995344946e-4, 1.05075007164441684324e-9,
    ])
    : ratio(r - 5, [
      6.6579046435011037772, 5.4637849111641143699, 1.7848265399172913358, 0.29656057182850489123,
      0.026532189526576123093, 0.0012426609473880784386, 2.71155556874348757815e-5, 2.01033439929228813265e-7,
    ], [
      1, 0.59983220655588793769, 0.13692988092273580531, 0.0148753612908506148525, 7.868691311456132591e-4,
      1.8463183175100546818e-5, 1.4215117583164458887e-7, 2.04426310338993978564e-15,
    ]);
  return q < 0 ? -size : size;
}

// Wilson's score interval of k successes in n trials.
function wilson(k: number, n: number, level = 0.95): Interval {
  const z = -probit((1 - level) / 2);
  const middle = (k + z ** 2 / 2) / (n + z ** 2);
  const half = (z / (n + z ** 2)) * sqrt(k * ((n - k) / n) + z ** 2 / 4);
  return [k === 0 ? 0 : max(middle - half, 0), k === n ? 1 : min(middle + half, 1)];
}

// The same with a correction for continuity (Newcombe 1998): of few trials, too, it holds the true share as often as it says.
function cautious(k: number, n: number, level = 0.95): Interval {
  const z2 = probit((1 - level) / 2) ** 2;
  const low = (j: number) => (j === 0 ? 0 : max(0, (2 * j + z2 - 1 - sqrt(z2 * (z2 - 2 - 1 / n + (4 * j * (n - j + 1)) / n))) / (2 * (n + z2))));
  return [low(k), 1 - low(n - k)];
}

// The interval of a sum of independent estimates [value, low, high], each times a number (Zou & Donner 2008).
function sumInterval(...terms: (readonly [number, Sure])[]): Interval {
  const off = (up: boolean) => hypot(...terms.map(([a, [value, low, high]]) => a * ((a > 0) === up ? high - value : value - low)));
  const value = terms.reduce((sum, [a, [each]]) => sum + a * each, 0);
  return [value - off(false), value + off(true)];
}

export {
  ZERO, ONE, decimal, add, sub, mul, div, sign, compare, gcd, number, log, settled, RATES, binaryPlaces, shifted,
  farthest, pythonRepr, probit, wilson, cautious, sumInterval,
};
