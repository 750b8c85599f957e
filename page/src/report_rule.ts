// A rule in words, as a text or in parts; its twin is wording.rules.
import { tables } from "catalogue";
import { words } from "./answer/words";
import * as F from "./report_format";
import { isCut } from "./report_format";
import type { Point } from "./answer/numbers";
import { chosen } from "./words/decide";
import type { Message } from "./words/format";

/** What a rule in words is made of: texts, names of classifiers, and numbers by their places. */
export type Part = string | Slot;
interface Slot {
  text?: string;
  name?: string;
  number?: string;
}
type Mixed = Pick<Point, "rules">;
type Cut = Message & { threshold?: string };

/** What the mixture of two rules is called; of one score the second flags what the first does, and more. */
function mixture(rules: Point["rules"], told: Cut[]): Message {
  const [{ rule: first, probability }, { rule: last, probability: p }] = rules as [Point["rules"][0], Point["rules"][0]], [high, low] = told.map(({ threshold }) => threshold) as [string, string], isOne = isCut(first) && first.classifier === last.classifier;
  const way = isOne ? (high === low ? "alike" : first.lower_is_positive ? "down" : "up") : null, key = chosen(tables["rule.mixture"], { kind: first.kind, last: last.kind, way }) as string;
  return { key, rule: told[0], other: told[1], high, low, first: F.rate(probability), share: F.rate(way === null && isCut(first) && isCut(last) ? F.rest(probability) : p) };
}
/** Which number of a point a slot has. */
const NUMBERS: Record<string, string> = { low: "threshold:1", first: "probability:0", share: "probability:1" };
/** A rule, or a mixture, in parts: texts, {name}s and {number}s. */
function partsOf({ rules }: Mixed): Part[] {
  const told: Cut[] = rules.map(({ rule }) => ({ key: chosen(tables["rule.one"], rule) as string, ...(isCut(rule) ? { classifier: rule.classifier, sign: F.sign(rule), threshold: F.threshold(rule.threshold, rule.lower_is_positive) } : {}) }));
  const cuts = rules.flatMap(({ rule }, i) => (isCut(rule) ? [i] : []));
  let at = -1;
  return words.pieces(rules.length > 1 ? mixture(rules, told) : told[0]).map(({ text, name }) => {
    if (name === "classifier") return { name: rules[cuts[at += 1]].rule.classifier as string };
    if (name === "threshold") return { number: `threshold:${cuts[at]}`, text };
    return NUMBERS[name as string] ? { number: NUMBERS[name as string], text } : rules.length > 1 && !name && text.trim() ? text : { text };
  });
}
const inWords = (point: Mixed): string => (partsOf(point) as Slot[]).map((part) => part.text ?? (part.name === undefined ? part : F.isolated(part.name))).join("");

/** Whether a threshold of a point has more digits than are shown. */
const isRounded = (point: Mixed | null): boolean => point !== null && point.rules.some(({ rule: { threshold = null } }) => threshold !== null && F.read(F.number(threshold)) !== Number(threshold));

export { partsOf, inWords, isRounded };
