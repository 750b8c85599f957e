// What the language has for numbers, lists and records, by its short names.
export const { abs, ceil, floor, hypot, log10, max, min, round, sqrt } = Math;
export const { isArray, from: listOf } = Array;
export const { assign, entries, fromEntries, keys } = Object;
export const { isFinite } = Number;
/** A number in so many digits. */
export const rounded = (value: number, digits: number): number => Number(value.toPrecision(digits));
