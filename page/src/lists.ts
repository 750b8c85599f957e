// Ascending lists of numbers, and their ends.
import { listOf } from "./maths";

type Numbers = ArrayLike<number>;

/** Where `x` would stand in a list: before its equals. */
export function bisectLeft(list: Numbers, x: number, low = 0, high = list.length): number {
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle]! < x) low = middle + 1;
    else high = middle;
  }
  return low;
}
/** After its equals. */
export function bisectRight(list: Numbers, x: number, low = 0, high = list.length): number {
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle]! <= x) low = middle + 1;
    else high = middle;
  }
  return low;
}
/** The place of what is nearest to `x`. */
export function bisectCenter(list: Numbers, x: number): number {
  const i = bisectLeft(list, x, 0, list.length - 1);
  return i > 0 && x - list[i - 1]! < list[i]! - x ? i - 1 : i;
}

/** The end of what is known, which `of` reads from each element: NaN and null are not. */
const end = (isBeyond: (one: number, other: number) => boolean) => <T>(list: Iterable<T>, of: (each: T) => number | null | undefined = (each) => each as number): number | undefined => {
  let found: number | undefined;
  for (const each of list) {
    const value = of(each);
    if (typeof value === "number" && !Number.isNaN(value) && (found === undefined || isBeyond(value, found))) found = value;
  }
  return found;
};
export const max = end((one, other) => one > other);
export const min = end((one, other) => one < other);

/** The whole numbers from `low` up to `high`, which is left out. */
export const range = (low: number, high: number): number[] => listOf({ length: Math.max(0, high - low) }, (_, i) => low + i);
