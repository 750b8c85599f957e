// Who is wrongly flagged more, and who is missed: the segments side by side, by the rule that is told; the worst first.
import * as F from "../report_format";
import type { AnswerFacts, Situation } from "./situation";
import { say } from "./words";
import { round } from "../maths";

interface Rates {
  fpr: number | null;
  tpr: number | null;
}
/** How a segment fares by its own threshold, if it has one, and by one for all. */
export interface Faring extends Partial<Rates> {
  positives: number | null;
  negatives: number | null;
  one: Rates | null;
}
/** What the model tells of a segment with a threshold of its own. */
export interface Segment extends Faring {
  segment: string;
  threshold: number | string;
}
export interface Fared extends Faring {
  name: string;
}
/** Who is wrongly flagged more and less by one threshold for all; twin of the same in answer_state.py. */
export function ofFairness(rows: Fared[] | null): Situation {
  if (!rows) return { fair: "other" }; // the rule is of another score
  const known = rows.filter(({ positives, negatives }) => positives && negatives).sort((a, b) => b.fpr! - a.fpr!), first = known[0], second = known.at(-1);
  if (!second || known.length < 2) return { fair: "unknown" };
  return { fair: known.length === 2 ? "two" : "many", first: first!.name, second: second.name, wrong_first: round(100 * first!.fpr!), wrong_second: round(100 * second.fpr!) };
}
const MOST = 12; // more are in the table

/** Whether the answer has a cut-off for each segment. */
export const isApart = ({ state }: AnswerFacts): boolean => String(state.segments ?? "").endsWith("apart");

export function Fair({ names, rows, answer, own, hand }: { names: string[]; rows: Faring[]; answer: AnswerFacts; own: boolean; hand: boolean }) {
  const told = rows.flatMap((row, i) => {
    const rates = own ? row : row.one;
    return rates && row.positives && row.negatives ? [{ name: F.segment(names[i]!), wrong: rates.fpr ?? 0, missed: 1 - (rates.tpr ?? 0) }] : [];
  }).sort((a, b) => b.wrong - a.wrong).slice(0, MOST);
  const { positive, negative } = answer.names, slots = { positive, negative };
  return (
    <>
      {hand && <p class="soft">{say("page.fair.near")}</p>}
      <div class="pair fair">
        {(["wrong", "missed"] as const).map((key) => (
          <section class="bars" aria-labelledby={`fair-${key}`}>
            <h3 id={`fair-${key}`}>{say(`page.fair.${key}`, slots)}</h3>
            <dl>
              {told.map((each) => (
                <div class="row"><dt><bdi dir="ltr">{each.name}</bdi></dt>
                  <dd><span class="rail" aria-hidden="true"><span class={`fill ${key}`} style={{ width: `${100 * each[key]}%` }} /></span><span class="n">{F.rate(each[key])}</span></dd></div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </>
  );
}
