// Who is wrongly flagged more, and who is missed: the segments side by side, by the rule that is told; the worst first.
import * as F from "../report_format.js";
import type { AnswerFacts } from "./situation";
import { say } from "./words";

interface Rates {
  fpr: number | null;
  tpr: number | null;
}
/** What the model tells of a segment: by its own threshold, and by one for all. */
export interface Segment extends Rates {
  segment: string;
  threshold: number | string;
  positives: number;
  negatives: number;
  one: Rates | null;
}
const MOST = 12; // more are in the table

/** Whether the answer has a cut-off for each segment. */
export const isApart = ({ state }: AnswerFacts): boolean => String(state.segments ?? "").endsWith("apart");

export function Fair({ names, rows, answer, own, hand }: { names: string[]; rows: Segment[]; answer: AnswerFacts; own: boolean; hand: boolean }) {
  const told = rows.flatMap((row, i) => {
    const rates = own ? row : row.one;
    return rates && row.positives && row.negatives ? [{ name: F.segment(names[i]!), wrong: rates.fpr ?? 0, missed: 1 - (rates.tpr ?? 0) }] : [];
  }).sort((a, b) => b.wrong - a.wrong).slice(0, MOST);
  const { positive, negative } = answer.names, slots = { positive, negative };
  return (
    <>
      {hand && <p class="soft">{say("page.fair.best")}</p>}
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
