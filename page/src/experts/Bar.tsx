// The line at the foot of a small screen: the rule that is seen, and its figures.
import { render } from "preact";
import type { Point } from "../answer/numbers";
import { say } from "../answer/words";
import * as F from "../report_format";
import * as R from "../report_reviewed";
import { inWords } from "../report_rule";
import type { Told } from "./shown";

interface Seen {
  result: { chosen: Point | null; message: string | null; positive_rate: Told; expected_cost: Told };
  reviewed: { rules: Parameters<typeof R.reviewing>[1]; review_rate: number; tpr: number; expected_cost: number } | null;
  unused: string | null;
  positive: string;
}
function figuresOf({ result: { chosen, positive_rate: flagged, expected_cost: cost }, reviewed }: Seen): string | null {
  const sent = reviewed && F.rate(reviewed.review_rate), rule = reviewed ?? chosen, paid = reviewed ? reviewed.expected_cost : cost;
  return rule && say("expert.page.bar", { reviewed: sent, caught: F.rate(rule.tpr), flagged: reviewed || flagged === null ? null : F.rates(flagged), cost: paid === null ? null : F.numbers(paid) });
}
function Bar(seen: Seen) {
  const { result: { chosen, message }, reviewed, unused, positive } = seen;
  return (
    <>
      {unused !== null && <span class="bar-unused">{say("expert.page.not used", { unused })}</span>}
      <span class="bar-rule">{reviewed ? R.reviewing(positive, reviewed.rules) : chosen ? inWords(chosen) : message}</span>
      <span class="bar-figures">{figuresOf(seen)}</span>
    </>
  );
}
export const draw = (seen: Seen): void => render(<Bar {...seen} />, document.getElementById("bar")!);
