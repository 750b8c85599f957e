// What the panels of the experts' part tell of a rule: counts that add up, intervals in words, how many cases. No DOM.
import { say } from "../answer/words";
import * as F from "../report_format";
import type { Cells } from "../answer/numbers";
import { abs, entries, floor, fromEntries, isArray, log10, max, round } from "../maths";

export type Told = number | [number, number] | null;
export type Table = Record<keyof Cells, Told>;
interface Ends {
  low: number | null;
  high: number;
  estimate: number;
}
/** What the report's own resampling says of its rule. */
export interface Resampled {
  level: number;
  bootstrap: { clusters: unknown; chosen: Record<string, Ends | null> | null } | null;
  folds: { chosen: Record<string, { sem: number } | null> | null } | null;
}

export const scaled = (value: Told, by: number): Told => (isArray(value) ? value.map((x) => x * by) as [number, number] : value === null ? null : value * by);
/** A table of costs or cases, for another number of cases. */
export const tableOf = <T extends Record<string, Told> | null>(table: T, by: number): T =>
  table && fromEntries(entries(table).map(([key, value]) => [key, scaled(value, by)])) as T;
/** The whole number of cases that a text holds; null if it is none. */
export function sizeOf(text: string): number | null {
  const size = F.read(text);
  return size > 0 && size <= 1e12 ? max(1, round(size)) : null;
}
/** What the reader counts in: a number of cases, and what stands after an amount of costs. */
export const scaleOf = ({ cases, unit }: { cases: string; unit: string }) => ({ size: sizeOf(cases) ?? 10000, unit: unit.trim() && ` ${unit.trim()}` });
/** Of how many cases each share of whole cases is a part. */
export function partsOf({ tp, fn, fp, tn }: Cells): Record<string, [number, number]> {
  return { positive_rate: [tp + fp, tp + fn + fp + tn], accuracy: [tp + tn, tp + fn + fp + tn], precision: [tp, tp + fp], tpr: [tp, tp + fn], fpr: [fp, fp + tn] };
}
/** How many cases more or less than with the rule of today; empty without one, and for ranges. */
export function versus(value: Told | undefined, today: Told | undefined): string {
  if (typeof value !== "number" || typeof today !== "number") return "";
  const more = value - today;
  return more ? say("expert.outcomes.than your current rule", { n: F.counts(abs(more)), way: more > 0 ? "more" : "fewer" }) : say("expert.outcomes.as your current rule");
}
/** So many cases, how many of them are positive, and whether the past ones were like that; twin of wording.of_cases. */
export function ofCases(size: number, prevalence: number | number[], { positive, examples }: { positive: string; examples: { prevalence: number } | null }, isMiddle = false): string {
  const all = [...new Set([prevalence].flat())], [low, high = null] = new Set(all.map((p) => F.near(p))), past = examples?.prevalence ?? null, like = past !== null && high === null && low === F.near(past);
  return say("report.cases", {
    cases: F.count(size), low: low!, high, middle: isMiddle ? "yes" : "no", positive,
    past: past === null ? "unknown" : like ? "like" : "other", past_share: F.rate(past), ranged: all.length > 1 ? "yes" : "no",
  });
}
/** The ends of an interval in the decimals of its estimate, but in two digits of its half width at least. */
function alike([low, high]: [number, number], estimate: string): string {
  const { decimal = "", digits = "" } = /(?<decimal>[.,٫])(?<digits>\p{Nd}+)$/u.exec(estimate)?.groups ?? {};
  const places = max(decimal ? digits.length : 0, 1 - floor(log10((high - low) / 2)));
  return F.numbers(places <= 8 ? [low, high].map((end) => Number(end.toFixed(max(places, 0)))) : [low, high]);
}
/** An interval in brackets, of a share or of another number whose estimate is shown; empty without one. */
export const bracketed = (ends: [number, number] | null | undefined, isShare: boolean, value?: number): string =>
  (ends ? `(${isShare ? F.rates(ends) : value === undefined ? F.numbers(ends) : alike(ends, F.numbers(value))})` : "");
/** How sure the report's resampling is of a number of its rule; empty where it did not ask; twin of wording.headline. */
export function resampledOf({ bootstrap, folds }: Resampled, key: string, isShare: boolean, value: number): string {
  const ends = bootstrap?.chosen?.[key], fold = folds?.chosen?.[key];
  if (ends) return `(${ends.low === null ? say("page.unknown") : F.between(F.fitting([ends.estimate, ends.low, ends.high], (ends.high - ends.low) / 8, isShare).slice(1))})`;
  return fold ? `± ${F.fitting([value, fold.sem], fold.sem, isShare)[1]}` : "";
}
/** Of a report's own condition: intervals of the same level and kind of numbers that it tells without one. */
export function untold<T>(all: Record<string, T>, { bootstrap, level }: Resampled): Record<string, T> | null {
  const own = bootstrap && bootstrap.clusters === null && level === 0.95 && bootstrap.chosen;
  return own ? fromEntries(entries(all).filter(([key]) => !own[key])) : null;
}
