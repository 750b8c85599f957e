// A batch of the reader's own: a CSV file with the outputs of the classes, read in the page and sent nowhere, and what the
// rule that is seen would call its cases.
import { say } from "../answer/words";
import * as rochullBatch from "../report_batch";
import { found, some } from "../report_batch";
import * as rochullExact from "../report_exact";
import * as F from "../report_format";
import type { Facts } from "../multiclass_facts";
import { abs } from "../maths";

/** What a file holds. */
interface Cases {
  size: number;
  absent: string[]; // columns of outputs
  outputs: Float64Array[];
  label: string | null; // the column of classes
  truth: number[] | null;
}
interface Decided {
  called: number[]; // how many each class
  unusable: number;
  confusion: number[][] | null;
}
type Share = [k: number, n: number];
interface Difference {
  c: number;
  theirs: number;
  yours: number;
}

/** Read a file, whose labels are in the first column that has nothing else. */
function read(text: string, classes: Facts["classes"]): Cases {
  const { sign, rows: [heads = [], ...rows] } = rochullBatch.parse(text) as { sign: string; rows: string[][] }, names = classes.map(({ label }) => label);
  const place = (name: string) => heads.findIndex((head) => head.trim() === name.trim());
  const places = classes.map(({ column }) => place(column));
  const at = heads.findIndex((_, i) => !places.includes(i) && rows.some((row) => (row[i] ?? "").trim() !== "") &&
    rows.every((row) => (row[i] ?? "").trim() === "" || names.includes(row[i]!.trim())));
  return {
    size: rows.length, absent: classes.filter((_, c) => places[c]! < 0).map(({ column }) => column),
    outputs: places.map((i) => Float64Array.from(rows, (row) => rochullBatch.score(row[i] ?? "", sign))),
    label: at < 0 ? null : heads[at]!.trim(), truth: at < 0 ? null : rows.map((row) => names.indexOf((row[at] ?? "").trim())),
  };
}
/** What weights make of it. */
function decide({ size, outputs, truth }: Cases, weights: number[]): Decided {
  const called = weights.map(() => 0), confusion = weights.map(() => weights.map(() => 0));
  let unusable = 0;
  for (let row = 0; row < size; row += 1) {
    if (!outputs.every((column) => column[row]! >= 0 && column[row]! < Infinity)) {
      unusable += 1;
      continue;
    }
    let best = 0;
    for (let c = 1; c < weights.length; c += 1) if (weights[c]! * outputs[c]![row]! > weights[best]! * outputs[best]![row]!) best = c;
    called[best]! += 1;
    if (truth && truth[row]! >= 0) confusion[truth[row]!]![best]! += 1;
  }
  return { called, unusable, confusion: truth && confusion };
}

const total = (row: number[]) => row.reduce((a, b) => a + b, 0);
/** Shares of the report and of a batch as far as they differ beyond what chance does to all of them together in
 *  95 % of cases (Newcombe 1998, corrected for continuity; Bonferroni), the largest difference first. */
function apart(pairs: [Share, Share][]): Difference[] {
  const level = 1 - 0.05 / pairs.length, sure = ([k, n]: Share) => [k / n, ...rochullExact.cautious(k, n, level)] as [number, number, number];
  return pairs.flatMap(([one, two], c) => {
    if (!one[1] || !two[1]) return [];
    const [theirs, yours] = [sure(one), sure(two)], [low, high] = rochullExact.sumInterval([1, yours], [-1, theirs]);
    return low > 0 || high < 0 ? [{ c, theirs: theirs[0], yours: yours[0] }] : [];
  }).sort((a, b) => abs(b.yours - b.theirs) - abs(a.yours - a.theirs));
}
/** The verdict: whether a point does with a batch what it does with the report's cases, whose confusion matrix is `counts`. */
function verdict(names: string[], { called, confusion }: Decided, counts: number[][]) {
  const size = total(called), all = total(counts.map(total));
  const shares = apart(names.map((_, c) => [[total(counts.map((row) => row[c]!)), all], [called[c]!, size]]));
  const errors = confusion && apart(names.map((_, c) => [counts, confusion].map((matrix): Share => [total(matrix[c]!) - matrix[c]![c]!, total(matrix[c]!)]) as [Share, Share]));
  const told = (all: Difference[], text: (name: string, yours: string, theirs: string) => string) => all.map(({ c, theirs, yours }) => text(F.isolated(names[c]), F.rate(yours), F.rate(theirs))).join("; ");
  const n = confusion ? total(confusion.map(total)) : 0;
  return [
    ...(size ? [shares.length ? found(true, say("expert.classes batch.this rule calls your"), say("expert.classes batch.beyond chance this report", { told: told(shares, (name, yours, theirs) => say("expert.classes batch.of yours are called", { yours, name, theirs })) }))
      : found(false, say("expert.classes batch.this rule calls each"), say("expert.classes batch.as far as can", { some: some(size, "case") }))] : []),
    ...(n ? [errors!.length ? found(true, say("expert.classes batch.errors are other than"), say("expert.classes batch.beyond chance", { told: told(errors!, (name, yours, theirs) => say("expert.classes batch.of are called another", { yours, name, theirs })) }))
      : found(false, say("expert.classes batch.the errors of all"), say("expert.classes batch.as far as with", { some: some(n, "case") }))] : []),
  ];
}

export { read, decide, apart, verdict, type Cases, type Decided };
