// A batch of the reader's own: a CSV file, read in the page and sent nowhere, and what the present rule would do with it.
import { say } from "./answer/words";
import * as lists from "./lists";
import * as rochullCurves from "./report_curves";
import { on } from "./report_elements";
import * as rochullExact from "./report_exact";
import * as F from "./report_format";
import { isolated } from "./report_format";
import { abs, isFinite, min, rounded, sqrt } from "./maths";
import { isCut } from "./report_format";
import type { Cells, Point, Rates } from "./answer/numbers";
import type { Interval, Sure } from "./report_exact";
import type { Classifier, Facts, Totals } from "./report_facts";
import type { Model } from "./report_model";

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i, ENDLESS = /^([+-]?)inf(inity)?$/i;

/** The rows of a CSV text (RFC 4180); its sign between cells is the one that the first line has most of. */
function parse(text: string): { sign: string; rows: string[][] } {
  const line = /^\ufeff?([^\r\n]*)/.exec(text)![1].replace(/"[^"]*"/g, "");
  const sign = [",", ";", "\t"].map((each): [number, string] => [line.split(each).length, each]).reduce((a, b) => (b[0] > a[0] ? b : a))[1];
  const rows: string[][] = [], end = text.length;
  let row: string[] = [], at = text.startsWith("\ufeff") ? 1 : 0;
  while (at < end) {
    let cell = "";
    if (text[at] === '"') {
      for (at += 1; at < end; at += 1) {
        if (text[at] === '"' && text[at + 1] !== '"') break;
        if (text[at] === '"') at += 1; // two of them are one
        cell += text[at];
      }
      at += 1;
    }
    const from = at;
    while (at < end && text[at] !== sign && text[at] !== "\n" && text[at] !== "\r") at += 1;
    row.push(cell + text.slice(from, at));
    if (text[at] === sign) {
      at += 1;
      if (at < end) continue;
      row.push("");
    }
    if (text[at] === "\r") at += 1;
    if (text[at] === "\n") at += 1;
    if (row.length > 1 || row[0] !== "") rows.push(row); // an empty line is no case
    row = [];
  }
  return { sign, rows };
}
/** A score; NaN where there is none. A decimal comma is one where cells are not divided by commas. */
function score(text: string, sign: string): number {
  const clean = sign === "," ? text.trim() : text.trim().replace(/^([^.,]*),([^.,]*)$/, "$1.$2"), endless = ENDLESS.exec(clean);
  return endless ? (endless[1] === "-" ? -Infinity : Infinity) : NUMBER.test(clean) ? Number(clean) : NaN;
}
const equal = (text: string, value: string): boolean => text === value || (text !== "" && value !== "" && Number(text) === Number(value));

/** Whether a classifier's scores were single precision: a file may write them in fewer digits than their thresholds have. */
function isSingle({ hull: { thresholds } }: Pick<Classifier, "hull">): boolean {
  const known = thresholds.map(Number).filter(isFinite);
  return known.every((value) => Math.fround(value) === value) && known.some((value) => String(value).length > 12);
}
/** What a file holds: scores by the classifiers' names and, if the label is there, whether each case is positive (null: unknown). */
/** What a file holds. */
export interface Held {
  size: number;
  scores: Map<string, Float64Array>;
  label: (boolean | null)[] | null;
}
function read(text: string, names: string[], about: Facts["about"]): Held {
  const { sign, rows: [heads = [], ...rows] } = parse(text), place = (name: string) => heads.findIndex((head) => head.trim() === name.trim());
  const scores = new Map(names.filter((name) => place(name) >= 0)
    .map((name) => [name, Float64Array.from(rows, (row) => score(row[place(name)] ?? "", sign))]));
  const at = about && about.label !== undefined && about.positive !== undefined ? place(about.label) : -1;
  const label = at < 0 ? null : rows.map((row) => ((row[at] ?? "").trim() === "" ? null : equal(row[at].trim(), about!.positive)));
  return { size: rows.length, scores, label };
}

/** What a point does with a batch: {flagged, missing, confusion}, or {absent} columns. Of a mixture it is the mean. */
/** What a rule does with a batch, unless it lacks columns. */
export interface Decided {
  absent?: string[];
  flagged: number;
  missing: number;
  confusion: Cells | null;
  unlabelled: number;
}
function decide({ size, scores, label }: Held, { rules }: Pick<Point, "rules">): Decided | { absent: string[] } {
  const needed = rules.map(({ rule }) => rule).filter(isCut);
  const absent = [...new Set(needed.map(({ classifier }) => classifier as string))].filter((name) => !scores.has(name));
  if (absent.length) return { absent };
  const confusion = { tp: 0, fn: 0, fp: 0, tn: 0 };
  let flagged = 0, missing = 0;
  for (let row = 0; row < size; row += 1) {
    let part = 0;
    for (const { rule, probability } of rules) {
      const value = isCut(rule) ? scores.get(rule.classifier!)![row] : 0, limit = Number(rule.threshold);
      const yes = isCut(rule) ? (rule.lower_is_positive ? value <= limit : value >= limit) : rule.kind === "always";
      if (yes) part += probability;
    }
    flagged += part;
    if (needed.some(({ classifier }) => Number.isNaN(scores.get(classifier!)![row]))) missing += 1;
    if (label === null || label[row] === null) continue;
    confusion[label[row] ? "tp" : "fp"] += part;
    confusion[label[row] ? "fn" : "tn"] += 1 - part;
  }
  return { flagged, missing, confusion: label && confusion, unlabelled: label ? label.filter((each) => each === null).length : 0 };
}

// --- beside the report's own cases -----------------------------------------------------------------

/** Where the scores of a classifier differ most from those of a batch, of all thresholds that the page knows: the shares
 *  that each flags, and what chance alone stays below in 95 % of cases (Kolmogorov and Smirnov; null if weighted). */
export interface Drift {
  apart: number;
  threshold: number;
  theirs: number;
  yours: number;
  n: number;
  chance: number | null;
}
function drift(own: Classifier, { negatives, positives }: Totals, values: Float64Array, weighted: boolean): Drift | null {
  const { threshold, fp, tp } = rochullCurves.steps(own), all = Float64Array.from(values.filter((value) => !Number.isNaN(value))).sort();
  if (!all.length || !threshold.length) return null;
  const lower = own.lower_is_positive, size = negatives + positives, n = all.length;
  let most = { apart: -1 } as Omit<Drift, "n" | "chance">;
  threshold.forEach((value, i) => {
    const theirs = (fp[i] + tp[i]) / size, yours = (lower ? lists.bisectRight(all, value) : n - lists.bisectLeft(all, value)) / n;
    if (abs(theirs - yours) > most.apart) most = { apart: abs(theirs - yours), threshold: value, theirs, yours };
  });
  return { ...most, n, chance: weighted ? null : min(1, 1.3581 * sqrt(1 / n + 1 / size)) };
}
/** How the rates of a rule on a batch differ from the report's, and what both cost where as many are positive as in the batch:
 *  {positives, negatives, exact, sure, rows: [{key, theirs, yours, low, high}]}, with the 95 % interval of the difference (Newcombe 1998,
 *  corrected for continuity; of costs Zou & Donner 2008). `sure` has both rates of the report and of the batch, [rate, low, high], by
 *  Wilson. The report's rates are taken as exact where they are no counts. Null without a labelled case; `prices` null without costs. */
interface Line {
  key: string;
  theirs: number;
  yours: number;
  low: number;
  high: number;
}
type Both = Record<"theirs" | "yours", [fpr: Sure, tpr: Sure]>;
export interface Differences {
  positives: number;
  negatives: number;
  exact: boolean;
  sure: Both;
  rows: Line[];
}
type Prices = { fp: number; fn: number } | null;
function differences({ totals, wilson }: Pick<Model, "totals" | "wilson">, facts: Pick<Facts, "classifiers" | "examples">, point: Point, { tp, fn, fp, tn }: Cells, prices: Prices): Differences | null {
  const [negatives, positives] = [fp + tn, tp + fn], size = negatives + positives, p = positives / size;
  if (!size) return null;
  const exact = !rochullCurves.isCounted(facts, point), known = (rate: number): Sure => [rate, rate, rate];
  const both = (interval: typeof rochullExact.wilson): Both => ({
    theirs: exact ? [point.fpr, point.tpr].map(known) as [Sure, Sure] : rochullCurves.sureRates(point, totals, interval),
    yours: rochullCurves.sureRates({ fpr: fp / negatives, tpr: tp / positives }, { negatives, positives }, interval),
  });
  const { theirs, yours } = both(rochullExact.cautious);
  const row = (key: string, base: number, ...terms: [a: number, i: 0 | 1][]): Line => {
    const used = terms.filter(([a, i]) => a && [negatives, positives][i]), of = (all: Sure[]) => used.reduce((sum, [a, i]) => sum + a * all[i][0], base);
    const [low, high] = rochullExact.sumInterval(...used.flatMap(([a, i]): [number, Sure][] => [[a, yours[i]], [-a, theirs[i]]]));
    return { key, theirs: of(theirs), yours: of(yours), low, high };
  };
  return { positives, negatives, exact, sure: both(wilson), rows: [
    ...(positives ? [row("tpr", 0, [1, 1])] : []), ...(negatives ? [row("fpr", 0, [1, 0])] : []),
    ...(prices ? [row("moved", p * prices.fn, [(1 - p) * prices.fp, 0], [-p * prices.fn, 1])] : []),
  ] };
}
/** The report's cases and a batch under one rule: rows {key, text, format, theirs, yours, sure}; `theirs` as the report's cases are,
 *  whatever the condition's prevalence. */
export interface Beside {
  key: string;
  text: string;
  format: (x: number) => string;
  theirs: number;
  yours: number;
  sure?: { theirs: Interval | null; yours: Interval } | null;
  low?: number;
  high?: number;
}
type Kind = "positive" | "tpr" | "fpr" | "precision" | "cost";
function beside(facts: Pick<Facts, "totals" | "examples">, batch: Pick<Held, "size">, { flagged, confusion }: Decided, { fpr, tpr }: Rates, prices: Prices, apart: Differences | null): Beside[] {
  const { negatives, positives } = facts.totals, size = negatives + positives;
  const rates = ({ tp, fn, fp, tn }: Cells) => ({
    positive: (tp + fn) / (tp + fn + fp + tn), tpr: tp / (tp + fn), fpr: fp / (fp + tn), precision: tp / (tp + fp), cost: prices && (prices.fp * fp + prices.fn * fn) / (tp + fn + fp + tn),
  });
  const own = rates({ tp: positives * tpr, fn: positives * (1 - tpr), fp: negatives * fpr, tn: negatives * (1 - fpr) }), yours = confusion && rates(confusion);
  const costs = prices && say("expert.batch.a false alarm a", { fp: F.number(prices.fp), fn: F.number(prices.fn) }), moved = apart && apart.rows.find(({ key }) => key === "moved");
  const sure = (i: 0 | 1) => (apart ? { theirs: apart.exact ? null : apart.sure.theirs[i].slice(1) as Interval, yours: apart.sure.yours[i].slice(1) as Interval } : null);
  const lines: [Kind, string, typeof F.rate, ReturnType<typeof sure>?][] = [["positive", "positive", F.rate], ["tpr", say("expert.batch.caught of the positives"), F.rate, sure(1)], ["fpr", say("expert.batch.wrongly flagged of the"), F.rate, sure(0)],
    ["precision", say("expert.batch.positive of the flagged"), F.rate], ...(prices ? [["cost", say("expert.batch.cost per case", { costs }), F.number] as [Kind, string, typeof F.rate]] : [])];
  return [
    { key: "cases", text: facts.examples!.weighted ? say("expert.batch.cases of weight") : "cases", format: facts.examples!.weighted ? F.number : F.count, theirs: size, yours: batch.size },
    { key: "flagged", text: say("expert.panel.flagged"), format: F.rate, theirs: (positives * tpr + negatives * fpr) / size, yours: batch.size ? flagged / batch.size : NaN },
    ...(yours ? lines.map(([key, text, format, ends]) => ({ key, text, format, theirs: own[key]!, yours: yours[key]!, sure: ends })) : []),
    ...(moved ? [{ ...moved, text: say("expert.batch.cost per case where", { positive: F.rate(yours!.positive) }), format: F.number }] : []),
  ];
}

// --- the verdict -----------------------------------------------------------------------------------

/** What is found, and the rest of its sentence, with the mark of whether something has changed beyond chance; null if nobody can tell. */
export interface Verdict {
  changed: boolean | null;
  lead: string;
  rest: string;
}
const found = (changed: boolean | null, lead: string, rest: string): Verdict => ({ changed, lead, rest });
const some = (n: number, what: string): string => `${F.count(n)} ${what}${n === 1 ? "" : "s"}`;
const chanceOf = (chance: number): string => say("expert.pair.points", { x: F.number(rounded(100 * chance, 2)) });
/** Whether the scores that a rule reads are those of the report. */
function scoresLine({ own, n, apart, threshold, theirs, yours, chance }: Drift & { own: Pick<Classifier, "name" | "lower_is_positive"> }): Verdict {
  const name = isolated(own.name), where = say("expert.batch.of your cases have", { yours: F.rate(yours), name, own: F.sign(own), x: F.threshold(threshold, own.lower_is_positive), theirs: F.rate(theirs) });
  if (chance === null) return found(null, say("expert.batch.whether the scores of", { name }), say("expert.batch.where they differ most", { where }));
  const less = say("expert.batch.chance alone stays below", { chance: chanceOf(chance) });
  if (apart <= chance) return found(false, say("expert.batch.the scores of are", { name }), say("expert.batch.as far as can", { some: some(n, "case"), where, less }));
  return found(true, say("expert.batch.the scores of have", { name }), say("expert.batch.this report s figures", { where, less }));
}
/** Whether a rule does on a batch what the report says. */
function labelsLine({ positives, negatives, exact, rows }: Differences, reviewed: boolean): Verdict {
  const says: Record<string, (x: number) => string> = { tpr: (x) => say("expert.batch.catches of the positives", { x: F.rate(x) }), fpr: (x) => say("expert.batch.wrongly flags of the", { x: F.rate(x) }), moved: (x) => say("expert.batch.costs per case", { x: F.number(x) }) };
  const beyond = ({ low, high }: Line) => low > 0 || high < 0, changed = rows.some(beyond);
  const parts = rows.map((each) => {
    const { key, theirs, yours, low, high } = each, [from, to] = high < 0 ? [-high, -low] : [low, high], format = key === "moved" ? F.number : F.points;
    const report = key === "moved" ? say("expert.batch.by this report s", { theirs: F.number(theirs), negatives: F.rate(positives / (positives + negatives)) }) : say("expert.batch.in this report", { theirs: F.rate(theirs) });
    const off = beyond(each) ? say("expert.batch.to beyond chance", { low: format(from), high: format(to), points: key === "moved" ? null : "yes", way: high < 0 ? "less" : "more" }) : "";
    return `${says[key](yours)} (${report}${off})`;
  });
  const list = say("page.list", { parts });
  const worse = rows.some((each) => beyond(each) && (each.key === "tpr") === (each.high < 0));
  const all = ([[positives, "positive"], [negatives, "negative"]] as [number, string][]).filter(([n]) => n).map(([n, what]) => some(n, what));
  return found(changed, say("expert.batch.the what this report", { rule: reviewed ? say("expert.batch.best rule without reviews") : "rule", does: changed ? say("expert.batch.no longer does") : "does" }), say("expert.batch.as far as can tell", { all: say("page.list", { parts: all }), list }) +
    (worse ? say("expert.batch.part of this may") : "") + (exact ? say("expert.batch.this report s figures which") : ""));
}

/** Reads the file that is chosen, or dropped on the section. */
function opened(input: HTMLInputElement, take: (text: string, name: string) => void): void {
  const read = async ([file]: FileList) => { if (file) take(await file.text().catch(() => ""), file.name); }; // a folder has no text
  on(input, "change", () => read(input.files!));
  for (const type of ["dragover", "drop"] as const) on(document, type, (event: DragEvent) => {
    if (!input.closest("section")!.contains(event.target as Node)) return;
    event.preventDefault(); // or the browser would leave the page for the file
    if (type === "drop") {
      input.value = "";
      read(event.dataTransfer!.files);
    }
  });
}

export { beside, chanceOf, decide, differences, drift, found, isSingle, labelsLine, opened, parse, read, score, scoresLine, some };
