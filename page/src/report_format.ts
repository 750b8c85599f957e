// Numbers in the reader's locale, and numbers that the reader types. Rounding is for reading; data-value holds all digits.
//   rate       percent with one decimal; nearer to 0 % or 100 % than that shows: two digits of the distance
//   number     four digits (costs, benefits, slopes, regrets)
//   threshold  four digits
//   count      whole cases
//   share      percent with the digits that it has, for what the reader has set
import { choose, say } from "./answer/words";
import type { Cells, Point, Rule } from "./answer/numbers";
import type { Facts } from "./report_facts";
import { abs, ceil, floor, isArray, isFinite, listOf, log10, max, min, rounded } from "./maths";
import type { Named } from "./words/decide";

/** A number of the facts, which has no sign for infinity, or none. */
export type Known = number | string | null | undefined;
type Maybe = number | number[] | null | undefined; // or its ends

/** Whether a rule flags from a threshold on, and not all cases or none. */
export const isCut = ({ kind }: Pick<Rule, "kind">): boolean => kind === "threshold";

const NONE = "–";
const locale = typeof navigator === "object" && navigator.language ? navigator.language : undefined;
const made = (options: Intl.NumberFormatOptions): Intl.NumberFormat => {
  try {
    return new Intl.NumberFormat(locale, options);
  } catch {
    return new Intl.NumberFormat("en", options); // a locale that the browser names and does not know
  }
};
const oneDecimal = made({ style: "percent", minimumFractionDigits: 1, maximumFractionDigits: 1 });
const tight = listOf({ length: 9 }, (_, i) => made({ style: "percent", maximumFractionDigits: i + 2 }));
const given = made({ style: "percent", maximumSignificantDigits: 6 });
const four = made({ maximumSignificantDigits: 4 });
const nearest = made({ style: "percent", maximumFractionDigits: 0 });
const whole = made({ maximumFractionDigits: 0 });
const plain = made({ maximumSignificantDigits: 15, useGrouping: false });
const scientific = made({ notation: "scientific", maximumSignificantDigits: 4 });
// Digits of the locale, and of scripts that a reader may type with in any.
const DIGITS = listOf({ length: 10 }, (_, i): [string, string] => [made({ useGrouping: false }).format(i), String(i)]);
for (const zero of [0x660, 0x6f0, 0x966]) for (let i = 0; i < 10; i++) DIGITS.push([String.fromCharCode(zero + i), String(i)]);
const LATIN = new Map(DIGITS);
const parts = made({ useGrouping: true }).formatToParts(1234567.5);
const decimal = (parts.find((part) => part.type === "decimal") || { value: "." }).value;

const odd = (value: Known): string | null =>
  value === null || value === undefined || Number.isNaN(value) ? NONE
    : value === "inf" || value === Infinity ? "∞" : value === "-inf" || value === -Infinity ? "−∞" : null;
// English has its percent sign apart, as in what Python writes.
const isEnglish = !locale || /^en\b/i.test(locale);
const minus = (text: string): string => {
  const signed = text.replace(/^-/, "−");
  return isEnglish ? signed.replace(/(\d)%$/, "$1\u00a0%") : signed;
};

function rate(value: Known): string {
  const strange = odd(value);
  if (strange !== null) return strange;
  const distance = min(abs(value as number), abs(1 - (value as number)));
  if (distance === 0 || distance >= 0.0005) return minus(oneDecimal.format(value as number));
  const digits = min(8, max(0, ceil(-log10(distance)) - 3));
  return minus(tight[digits].format(value as number));
}
const significant = (format: Intl.NumberFormat) => (value: Known): string => {
  const strange = odd(value);
  if (strange !== null) return strange;
  const size = abs(value as number);
  if (!size || (size >= 1e-5 && size < 1e9)) return minus(format.format(value as number));
  return minus(scientific.format(value as number).replace("E", "e").replace("e-", "e−"));
};
/** A share that somebody named: the digits that it has. */
const share = (value: Known): string => odd(value) ?? minus(given.format(value as number));
/** The same of one that may have been measured: four digits. */
const near = (value: number): string => share(rounded(value, 4));
/** "a prevalence of 5 %", or of a range "the middle of your range, 34 %", which is what is drawn. */
const prevalence = (value: number | number[]): string => (isArray(value) && value[0] !== value[1]
  ? say("expert.format.the middle of your", { x: near((value[0] + value[1]) / 2) }) : say("expert.format.a prevalence of", { x: near([value].flat()[0]) }));
const wholeRate = (value: Known): string => odd(value) ?? minus(nearest.format(value as number));
const count = (value: Known): string => odd(value) ?? minus(whole.format(value as number));
type Four = [number, number, number, number];
const UNIT = 1e6; // of a case: what is nearer is equal
/** Expected outcomes as whole cases that add up, as near as can be; ranges as they are. Twin of wording.whole_cases. */
function wholeCases<T extends Record<keyof Cells, Maybe> | null | undefined>(table: T): T | Cells {
  if (!table || typeof table.tp !== "number") return table;
  const near = (["tp", "fn", "fp", "tn"] as const).map((cell) => floor(UNIT * (table[cell] as number) + 0.5)) as Four;
  const [a, b, c, d] = near.map((x) => x % UNIT) as Four, [tp, fn, fp, tn] = near.map((x) => (x - (x % UNIT)) / UNIT) as Four;
  const more = floor((a + b) / UNIT + 0.5), rest = floor((a + b + c + d) / UNIT + 0.5) - more; // positives, and others
  const off = ([t, f]: [number, number]) => [t * UNIT - a, (more - t) * UNIT - b, f * UNIT - c, (rest - f) * UNIT - d, (t + f) * UNIT - a - c]
    .reduce((sum, each) => sum + each * each, 0);
  const [t, f] = ([[0, 1], [0, 0], [1, 1], [1, 0]] as [number, number][]).reduce((best, each) => (off(each) < off(best) ? each : best));
  return { tp: tp + t, fn: fn + more - t, fp: fp + f, tn: tn + rest - f };
}
const NORMAL = 1.96; // standard errors to both sides, of a 95 % interval
// A fixed number of decimals, for text that Python has rounded.
const fixed = new Map<number, Intl.NumberFormat>();
function decimals(value: number, n: number, grouped: boolean): string {
  const key = n * 2 + (grouped as unknown as number);
  if (!fixed.has(key)) {
    fixed.set(key, made({ minimumFractionDigits: n, maximumFractionDigits: n, useGrouping: Boolean(grouped) }));
  }
  return minus(fixed.get(key)!.format(value));
}
/** A difference of shares, in percentage points. */
const points = (value: number): string => decimals(100 * value, 1, false);
const number = significant(four);
/** Values in the decimals that a scale of theirs leaves; twin of wording._rounded. */
function fitting(values: number[], scale: number, isShare: boolean): string[] {
  const all = isShare ? values.map((each) => 100 * each) : values, by = isShare ? 100 * scale : scale;
  let places = by > 0 ? min(6, max(0, -floor(log10(by / 3.5)))) : isShare ? 1 : 3;
  const most = max(0, 3 - floor(log10(max(...all.map(abs))))), apart = (n: number) => new Set(all.map((each) => each.toFixed(n))).size === all.length;
  while (places > most && apart(places - 1)) places -= 1;
  return all.map((each) => (isShare ? before + decimals(each, places, true) + after : decimals(each, places, true)));
}
/** A cost and both ends of its 95 % interval; twin of wording.with_ends. */
const withEnds = (value: number, error: number): string[] => fitting([value, max(0, value - NORMAL * error), value + NORMAL * error], error, false);
/** A threshold in four digits, rounded so that a case with this score is still flagged; twin of wording.threshold. */
function threshold(value: Known, lower = false): string {
  const exact = Number(value), near = rounded(exact, 4); // of infinite ones NaN below
  if (!isFinite(exact) || (lower ? near >= exact : near <= exact)) return number(value);
  const step = 10 ** (floor(log10(abs(exact))) - 3);
  return number(near + (lower ? step : -step));
}
/** A name that does not turn around what stands beside it, also if it is written from right to left. */
const isolated = (name: string): string => `\u2068${name}\u2069`;
/** A segment's name, "column = value", both parts of it isolated. */
function segment(name: string): string {
  const at = name.indexOf(" = ");
  return at < 0 ? isolated(name) : `${isolated(name.slice(0, at))} = ${isolated(name.slice(at + 3))}`;
}
/** How a score is compared with the threshold of a rule. */
const sign = (rule: { lower_is_positive?: boolean }): string => (rule.lower_is_positive ? "≤" : "≥");
/** The rules of a point, each with all the digits of its threshold. */
const allDigits = ({ rules }: Pick<Point, "rules">): string => choose("rule.digits", { rules: rules.map(({ rule }) => ruleText(rule, field(Number(rule.threshold)))), mixed: rules.length > 1 ? "yes" : null });
/** A rule with its threshold as it is shown, or as it is given. */
const ruleText = (rule: Rule, at = threshold(rule.threshold, rule.lower_is_positive)): string => choose("rule.one", { ...rule, sign: sign(rule), threshold: at });
const from = (low: string, high: string): string => say("page.range", { low, high });
const range = <T>(format: (value: T) => string) => (value: T | T[]): string => {
  if (!isArray(value)) return format(value);
  const low = format(value[0]), high = format(value[1]);
  if (low === high) return low;
  const signed = before + after && low.startsWith(before) && low.endsWith(after);
  if (signed && high.endsWith(after)) return together(`${low.slice(0, low.length - after.length)}–${high.slice(before.length)}`);
  return together(low.startsWith("−") ? from(low, high) : `${low}–${high}`);
};
// Arabic numbers with a sign between them would be laid out from right to left.
const turns = /[\u0660-\u0669\u06f0-\u06f9]/.test(whole.format(1));
const together = (text: string): string => (turns ? `\u2066${text}\u2069` : text);

/** What stands in a field: all digits, the locale's decimal sign, no grouping. */
function field(value: number): string {
  const size = abs(value);
  const text = String(value);
  if (size && (size < 1e-6 || size >= 1e15)) return text;
  const shown = plain.format(value);
  return read(shown) === value ? shown : text; // no digit may be lost
}

/** What stands in the field of a share: all digits as a percentage; of a measured one, which has too many, four. */
function shareField(value: number): string {
  const said = (digits: number) => before + plain.format(rounded(100 * value, digits)) + after;
  return read(said(15)) === value ? said(15) : said(4);
}

const WIDE = /[\s\u00a0\u202f'’_\u061c\u200e\u200f\u2066\u2069٬]/g; // spaces, marks of direction, signs between groups
const SIGNS: Record<string, string> = { "−": "-", "–": "-", "٪": "%", "٫": "." };
// In India groups are of two digits, but for the last.
const GROUPED = { ",": /^[+-]?[1-9]\d{0,2}((,\d{3})+|(,\d{2})+,\d{3})$/, ".": /^[+-]?[1-9]\d{0,2}(\.\d{3})+$/ };
/** The number that a text means, with a decimal point or comma; NaN for anything else. "5 %" is 0.05. */
function read(text: string | number): number {
  let clean = listOf(String(text).replace(WIDE, ""), (c) => LATIN.get(c) || SIGNS[c] || c).join("");
  const percent = /^%|%$/.test(clean);
  if (percent) clean = clean.replace(/^%|%$/, "");
  const comma = clean.lastIndexOf(","), point = clean.lastIndexOf(".");
  if (comma >= 0 && point >= 0) {
    const last = comma > point ? "," : ".";
    clean = clean.replace(last === "," ? /\./g : /,/g, "");
    if (clean.indexOf(last) !== clean.lastIndexOf(last)) return NaN;
    clean = clean.replace(",", ".");
  } else if (comma >= 0) {
    // 1,000 is a thousand where people group so; 0,125 and 1,5 are decimals everywhere.
    const grouped = decimal === "." && GROUPED[","].test(clean);
    clean = grouped || clean.indexOf(",") !== comma ? clean.replace(/,/g, grouped ? "" : "?") : clean.replace(",", ".");
  } else if (point >= 0 && (decimal === "," || clean.indexOf(".") !== point)) {
    // Likewise 1.000 where the page itself writes a thousand so; 0.125 and 1.5 are decimals everywhere.
    if (GROUPED["."].test(clean)) clean = clean.replace(/\./g, "");
  }
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(clean)) return NaN;
  return percent ? rounded(Number(clean) / 100, 15) : Number(clean);
}

/** The share that a text means: 5 is 5 %, for no share is more than 1. */
function readShare(text: string): number {
  const value = read(text);
  return value > 1 && value <= 100 && !/[%٪]/.test(text) ? rounded(value / 100, 15) : value;
}
/** A share that is typed as a percentage: 12.3 is 0.123 to the bit, which 12.3 / 100 need not be. */
function percentage(text: string): number {
  const found = read(text);
  return /^\s*[%٪]|[%٪]\s*$/.test(text) ? found : rounded(found / 100, 15);
}
/** What stands in a field before its sign of per cent. */
const inPercent = (value: number): string => field(rounded(100 * value, 15));

// What stands before a percentage and after it: in Turkish the sign comes first.
const half = oneDecimal.formatToParts(0.5), isDigits = ({ type }: Intl.NumberFormatPart) => ["integer", "decimal", "fraction"].includes(type);
const signs = (found: Intl.NumberFormatPart[]): string => found.map(({ value }) => value).join("");
const before = signs(half.slice(0, half.findIndex(isDigits))), after = signs(half.slice(half.findLastIndex(isDigits) + 1)).replace(/^%$/, isEnglish ? "\u00a0%" : "%");
const NUMBER = "(?<![\\w.])(?:\\d{1,3}(?:,\\d{3})+|\\d+)(?:\\.\\d+)?(?:e[−+-]?\\d+)?";
const NUMBERS = new RegExp(NUMBER, "g"), PAIRS = new RegExp(`${NUMBER} ?[–±] ?${NUMBER}(?: %)?`, "g");
const PERCENTAGES = new RegExp(`(${NUMBER}(?:[–-]${NUMBER})?) %`, "g");
const english = decimal === "." && made({ useGrouping: true }).format(12345) === "12,345";
/** A text that Python has written (1,234.5 or 8.2 %) with the locale's signs instead. */
function localised(text: string): string {
  const signed = text.replace(PAIRS, together).replace(PERCENTAGES, (_, found) => before + found + after);
  if (english) return signed;
  return signed.replace(NUMBERS, (found) => {
    if (/e/.test(found)) return found.replace(".", decimal);
    const value = Number(found.replace(/,/g, "")), [, digits = ""] = found.split(".");
    return isFinite(value) ? decimals(value, digits.length, found.includes(",")) : found;
  });
}

/** Why another single threshold may be better than the best of the facts' `singles`, unless that one was `kept`. */
function gaps({ max_error: error, unknown }: Pick<Facts["singles"], "max_error" | "unknown">, kept: boolean): string {
  const why = [];
  if (error && !kept) {
    why.push(say("expert.format.this page holds some") +
      say("expert.format.percentage points of fpr", { error: number(100 * error) }));
  }
  if (unknown.length) {
    const most = 10, names = unknown.slice(0, most).map(isolated).join(", ");
    why.push(say("report.unknown", { names: unknown.length > most ? say("expert.format.and more", { names, more: String(unknown.length - most) }) : names }));
  }
  return why.join(" ");
}

/** What is left beside a share as it is shown, so that both add up. */
const rest = (part: number): number => rounded(1 - read(rate(part)), 10);

/** What there is instead where no single threshold keeps so many limits. */
const mixable = (limits: number): string => say("expert.format.no single threshold keeps", { more: limits > 1 ? say("expert.format.these limits") : say("expert.format.this limit") });

const shareSaved = (cost: number, other: number): number => (other ? 1 - cost / other : cost ? -Infinity : 0);
/** Whether one cost is told as that of another, as 0 % less would be. */
const asMuch = (cost: number, other: number): boolean => abs(shareSaved(cost, other)) < 0.005;
/** How much less, or more, a cost is than another one; in between it may say how sure that is, by its ends. */
function compared(cost: number, other: number, sure: Named = { sure: "no" }): string {
  const share = shareSaved(cost, other), isNearly = share < 1 && share >= 0.995;
  const saving = asMuch(cost, other) ? "same" : share === -Infinity ? "beyond" : isNearly ? "nearly" : share > 0 ? "less" : "more"; // beyond: than nothing
  return choose("compared", { saving, by: wholeRate(isNearly ? 0.99 : abs(share)), level: 0.95, ...sure });
}

export const rates = range(rate);
export const wholeRates = range(wholeRate);
export const numbers = range(number);
export const counts = range(count);
export const between = range((text: string) => text); // of ends that are told
export {
  allDigits, fitting, withEnds, NORMAL, asMuch, compared, from, mixable, rest, ruleText, NONE, locale, gaps, isolated, segment,
  rate, wholeRate, share, near, prevalence, decimals, number, threshold, sign, count, read, readShare, field,
  shareField, percentage, inPercent, points, localised, wholeCases,
};
