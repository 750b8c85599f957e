// Which classifier is best at which slope, and what of the costs and prevalence that is.
import { render } from "preact";
import type { State } from "../answer/numbers";
import { say } from "../answer/words";
import { middle } from "../report_curves";
import { ratios, words } from "../report_dominance";
import { byId, findOne, put } from "../report_elements";
import type { Facts } from "../report_facts";
import * as F from "../report_format";
import { Named } from "./Table";

type Row = Facts["dominance"]["rows"][0];
const cell = (text: string, ends: (number | string)[], isRatio?: boolean) => <td data-ratio={isRatio} data-value={ends.map((end) => (end === "inf" ? Infinity : end)).join()}>{text}</td>;

/** Ratios of costs are known where there are both classes. */
const Rows = ({ rows, p, names }: { rows: Row[]; p: number | null; names: string[] }) => (
  <>{rows.map((row) => {
    const { low, high, classifiers, rule, fpr, tpr } = row, ratio = p === null ? null : ratios([row], p)[0]!;
    return (
      <tr data-slope={`${low},${high}`}>{cell(F.from(F.number(low), F.number(high)), [low, high])}{ratio && cell(F.numbers([ratio.low, ratio.high]), [ratio.low, ratio.high], true)}
        <td class="text">{classifiers.length ? classifiers.map((name, i) => <>{i ? ", " : ""}<Named name={name} i={names.indexOf(name)} /></>) : rule === "never" ? say("report.none never") : say("report.none always")}</td>
        {cell(F.rates(fpr), fpr)}{cell(F.rates(tpr), tpr)}</tr>
    );
  })}</>
);
/** What keeps the table and its sentence up to the state. */
export function mount({ dominance: { rows }, classifiers }: Pick<Facts, "dominance" | "classifiers">): (state: State, result: Parameters<typeof words>[2]) => void {
  const said = byId("dominance-words"), body = byId("dominance-rows"), head = findOne("th[data-ratio]"), names = classifiers.map(({ name }) => name);
  let drawn = "";
  body.closest("details")!.hidden = false;
  return (state, result) => {
    const p = middle(state.prevalence), text = words(rows, state, result), known = p > 0 && p < 1;
    put(said, text);
    said.hidden = text === "";
    if (drawn === String(state.prevalence)) return; // of nothing else are the rows made
    drawn = String(state.prevalence);
    head.hidden = !known;
    put(head, say("expert.dominance.a miss costs in", { prevalence: F.prevalence(state.prevalence) }));
    render(<Rows rows={rows} p={known ? p : null} names={names} />, body);
  };
}
