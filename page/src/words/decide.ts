// Which message applies: src/rochull/words/answer.json holds tables of conditions over named values, for Python and the page.
// What both must choose is in tests/words/decisions.json.
import type { Value } from "./format";
import { entries, isArray } from "../maths";

type Wanted = string | number | boolean | null;
/** What to say, and of which values; the build writes it so. */
export type Row = [say: string | null, when?: Record<string, Wanted | Wanted[]>];
/** Named values; what only conditions look at may be no value of a message. */
export type Named = Record<string, Value | boolean | undefined>;
export type Tables = Record<string, Row[]>;

/** The key of the first row that applies; null where nothing is to be said. */
export function chosen(table: Row[], state: Named): string | null {
  const row = table.find(([, when = {}]) => entries(when).every(([name, wanted]) => {
    const value = (state[name] ?? null) as Wanted;
    return isArray(wanted) ? wanted.includes(value) : value === wanted;
  }));
  return row?.[0] ?? null;
}
