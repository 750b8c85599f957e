// The round numbers that a slider steps over; what a field holds is exact, and the handle stands at the step nearest to it.
import { listOf, round, rounded } from "../maths";
export const tidy = (value: number): number => rounded(value, 12);

/** Round numbers from 10^low up to 10^high, about as far from each other everywhere as `steps` says. */
function decades(low: number, high: number, steps: [number, number][]): number[] {
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
const evenly = (from: number, to: number, step: number): number[] => listOf({ length: round((to - from) / step) + 1 }, (_, i) => tidy(from + i * step));
const mirrored = (values: number[]): number[] => values.map((value) => tidy(1 - value)).reverse();
const small = [0, ...decades(-4, -1, [[200, 5], [500, 10], [1000, 20]])]; // 0, then 0.0001 to 0.1
const fromZero = [...small, ...evenly(0.105, 1, 0.005)], half = [...small.slice(1), ...evenly(0.105, 0.5, 0.005)];

export const STEPS: Record<string, number[]> = {
  ratio: decades(-3, 3, [[200, 2], [500, 5], [1000, 10]]),
  prevalence: [...half, ...mirrored(half).slice(1)],
  max_fpr: fromZero,
  fraction: fromZero,
  min_recall: mirrored(fromZero),
  min_precision: evenly(0, 1, 0.005),
};
const AS: Record<string, (value: number) => number> = { ratio: Math.log, prevalence: (p) => Math.log(p / (1 - p)) }; // as what distances are measured

/** The step nearest to a value. */
export function nearest(key: string, value: number): number {
  const values = STEPS[key]!, as = AS[key] ?? ((x: number) => x), above = values.findIndex((each) => each >= value);
  if (above < 0) return values.length - 1;
  return above && as(value) - as(values[above - 1]!) <= as(values[above]!) - as(value) ? above - 1 : above;
}
