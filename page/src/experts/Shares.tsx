// What can be had where only so many cases are handled; the answers are report_shares.ts's.
import { render } from "preact";
import type { State } from "../answer/numbers";
import { say } from "../answer/words";
import { byId } from "../report_elements";
import * as F from "../report_format";
import type { Model as Whole } from "../report_model";
import { inWords } from "../report_rule";
import { MANY, answers, most, precision, type Share } from "../report_shares";
import { limitCount } from "../report_typed";
import { Table } from "./Table";
import { round } from "../maths";

type Model = Pick<Whole, "totals" | "evaluate" | "judged"> & { counted: boolean };
function Shares({ model, state, isOpen, plain }: { model: Model; state: State; isOpen: boolean; plain: boolean }) {
  const { counted, totals: { negatives, positives } } = model, isPriced = isOpen && model.evaluate(state).expected_cost !== null, varies = new Set([state.prevalence].flat()).size > 1;
  const at = varies ? say("expert.shares.a prevalence of the", { top: F.near(most(state.prevalence)) }) : F.prevalence(state.prevalence);
  const row = ({ share, chosen, breaks, ...found }: Share) => {
    const { fpr, tpr } = chosen!, flagged = counted ? round(fpr * negatives + tpr * positives) : MANY;
    const cells = [[found.precision, precision(found.precision, flagged)], [tpr, F.rates(tpr)], [fpr, F.rates(fpr)], ...(isPriced ? [[found.expected_cost, F.numbers(found.expected_cost)]] : [])];
    return (
      <tr><th scope="row" data-value={share}>{F.share(share)}</th>{cells.map(([value, text]) => <td data-value={String(value ?? "")}>{text as string}</td>)}
        <td class="text">{breaks ? say("answer.baseline.broken", { rule: inWords(chosen!), limit_count: limitCount(state) }) : inWords(chosen!)}</td></tr>
    );
  };
  return (
    <>
      <summary>{say("expert.shares.title")}{plain && say("report.page.without reviews")}</summary>
      <Table label={say("expert.shares.label")} caption={say("expert.shares.caption", { at: `${isPriced ? say("expert.shares.it need not cost") : ""}, at ${at}${state.goal === "report" ? say("expert.shares.the limits of the") : ""}` })}>
        <thead><tr><th scope="col" class="text">{say("expert.shares.cases flagged")}</th><th scope="col">precision</th><th scope="col">{say("report.caught")}</th>
          <th scope="col">{say("expert.shares.negatives wrongly flagged")}</th><th scope="col" hidden={!isPriced}>{say("expert.pair.expected cost per case")}</th><th scope="col" class="text">{say("expert.compare.rule")}</th></tr></thead>
        <tbody>{isOpen && (answers(model, state)).map(row)}</tbody>
      </Table>
    </>
  );
}
export function draw(model: Model, state: State, plain: boolean): void {
  const details = byId<HTMLDetailsElement>("shares");
  render(<Shares model={model} state={state} isOpen={details.open} plain={plain} />, details);
}
