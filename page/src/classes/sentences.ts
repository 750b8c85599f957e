// The first screen of several classes: the rule in one sentence, what it does, and what becomes of the cases of each class.
// Its named values are those of src/rochull/report/multiclass_answer.py, its sentences the catalogue's.
import { choose, say } from "../answer/words";
import * as rochullExact from "../report_exact";
import * as F from "../report_format";
import type { Value } from "../words/format";
import type { Rival, View } from "./view";
import { assign, floor, fromEntries, max } from "../maths";

const NAMED = 4;
const whole = (x: number) => floor(x + 0.5), sum = (row: number[]) => row.reduce((a, b) => a + b, 0), most = (values: number[]) => values.indexOf(max(...values));
/** Cases of each class by what they are called; of weighted examples out of 100. */
const counted = ({ weighted }: View["facts"], matrix: number[][]) => matrix.map((row) => row.map((count) => whole(weighted ? (100 * count) / sum(row) : count)));
const wrongs = (matrix: number[][]) => matrix.map((row, i) => sum(row) - row[i]!);

type Named = Record<string, Value>;
function limited({ names, state: { limits: [limit] }, found }: View, p: number, matrix: number[][]): Named {
  const told = limit && ["error", "cell"].includes(limit.kind) && limit.side === "<=" ? limit.kind : "other";
  const i = told === "other" ? most(matrix.map((row, c) => 1 - row[c]! / sum(row))) : limit!.true!, of = sum(matrix[i]!), name = names[i]!, error = { name, of };
  const asked = limit ? { kept: found.inside[p] ? "yes" : "no", limited: told, ...(told !== "other" && { limit: 100 * limit.limit }) } : {};
  return { ...asked, ...error, ...(told === "cell" ? { wrong: matrix[i]![limit!.called!]!, called: names[limit!.called!]! } : { wrong: of - matrix[i]![i]! }) };
}
function price({ facts, data, names }: View, matrix: number[][], rows: Rival[]): Named {
  const row = rows.find(({ kind }) => kind === "largest");
  if (!row) return {};
  const [now, then] = [matrix, counted(facts, data.confusion[row.index]!)].map(wrongs) as [number[], number[]], i = most(now.map((count, c) => count - then[c]!));
  return now[i]! <= then[i]! ? { price: "no" } : { price: "yes", dear: names[i]!, dear_of: sum(matrix[i]!), dear_wrong: now[i]!, dear_before: then[i]! };
}
/** How many are mistaken in all, and how sure the error of a class is. */
function sure({ facts: { weighted }, data, names }: View, matrix: number[][], rows: Rival[], name: string): Named {
  if (weighted) return {};
  const all = (counts: number[][]) => wrongs(counts).reduce((a, b) => a + b, 0), row = rows.find(({ kind }) => kind === "largest"), i = names.indexOf(name);
  const [low, high] = rochullExact.wilson(wrongs(matrix)[i]!, sum(matrix[i]!)).map((end) => whole(100 * end)) as [number, number];
  return { of_all: sum(matrix.map(sum)), wrong_all: all(matrix), before_all: row ? all(data.confusion[row.index]!) : null, before: row ? wrongs(data.confusion[row.index]!)[i]! : null, error_low: low, error_high: high };
}
/** What is said: of the first screen in its order, of rows by their names. */
function sentences(view: View, p: number, baselines: Rival[]) {
  const { facts, data, names } = view, matrix = counted(facts, data.confusion[p]!), weights = data.weights[p]!;
  const weighed = new Set(weights).size === 1 ? "none" : names.length <= NAMED ? "few" : "many";
  const state: Named = { weighed, weights: weights.map((weight, i) => say("answer.classes.weight", { name: names[i]!, weight: F.number(weight) })), class_count: names.length, ...limited(view, p, matrix), ...price(view, matrix, baselines) };
  if (p !== view.found.best) state.picked = "yes";
  assign(state, sure(view, matrix, baselines, state.name as string));
  const told = (names: string[]) => names.map((name) => choose(`classes.${name}`, state)).filter(Boolean);
  return { first: told(["headline", "kept", "price"]), rows: fromEntries(["why", "sure"].map((row) => [row, told([`row.${row}`])[0]])) };
}

export { sentences };
