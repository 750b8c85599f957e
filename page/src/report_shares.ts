// What can be had where so many cases are handled: the rule that catches most with each share flagged, as `rh.Capacity` finds it.
import { say } from "./answer/words";
import * as F from "./report_format";
import type { State } from "./answer/numbers";
import type { Told } from "./experts/shown";
import type { Answer } from "./report_found";
import type { Model } from "./report_model";
import { abs } from "./maths";

const SHARES = [0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5];
const FEW = 30, MANY = 1000; // past cases: of fewer a share is hardly measured, or not to a tenth of a per cent

/** Of a range the upper end: a rule flags most where most cases are positive. */
const most = (prevalence: number | number[]): number => [prevalence].flat().at(-1)!;
/** The answers under a state, whose shares are kept all over a range: {share, chosen, breaks, figures}. */
export type Share = Answer & { share: number; breaks?: boolean };
function answers(model: Pick<Model, "evaluate" | "judged">, state: State): Share[] {
  const prevalence = most(state.prevalence);
  return SHARES.map((fraction) => {
    const found = model.evaluate({ ...state, goal: "capacity", fraction, prevalence });
    return { share: fraction, ...found, ...(state.goal === "report" ? {} : model.judged(state, found.chosen)) };
  });
}
/** A precision, in no more digits than the past cases bear that are flagged; and how many these are where they are few, or all alike. */
function precision(value: Told, flagged: number): string {
  const ends = [value].flat(), isWhole = flagged < MANY && ends.every((end) => !end || end === 1 || abs(end - 0.5) < 0.495);
  const said = (isWhole ? F.wholeRates : F.rates)(value);
  return flagged < FEW || (isWhole && ends.includes(1)) ? say("expert.shares.of past case", { said, flagged: F.count(flagged), more: flagged === 1 ? "" : "s" }) : said;
}
export { MANY, SHARES, answers, most, precision };
