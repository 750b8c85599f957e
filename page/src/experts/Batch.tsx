// A batch of the reader's own: what the present rule would do with the cases of a file, beside those of the report.
import { Component, render } from "preact";
import type { Point, State } from "../answer/numbers";
import { say } from "../answer/words";
import { beside, chanceOf, decide, differences, drift, isSingle, labelsLine, opened, read, scoresLine, type Beside, type Decided, type Drift, type Held, type Verdict } from "../report_batch";
import { middle } from "../report_curves";
import type { Classifier, Facts } from "../report_facts";
import * as F from "../report_format";
import type { Model as Whole } from "../report_model";
import { BatchMatrix } from "./Panel";
import { Table } from "./Table";
import { isFinite } from "../maths";

/** What a file holds, and how its scores differ from the report's. */
export interface Cases extends Held {
  name: string;
  drifts: (Drift & { i: number; own: Classifier })[];
}
type Model = Pick<Whole, "names" | "prevalence" | "totals" | "wilson">;
interface Props {
  model: Model;
  facts: Facts;
  classes: string[];
  batch: Cases | null;
  state: State;
  result: { chosen: Point | null; expected_cost: unknown; message: string | null };
  reviewed: boolean; // the answer has reviews, and what is tried is the best rule without
  change(more: { batch: Cases }): void;
}
type Line = Omit<Beside, "text"> & { text?: string };
const absentOf = (found: Decided | null) => !found || Boolean(found.absent);

/** What the rule makes of a batch; null without one. `yours` are its rates there, where both are known. */
export function outcome({ model, facts, batch, state, result: { chosen, expected_cost: cost } }: Pick<Props, "model" | "facts" | "batch" | "state" | "result">) {
  if (!batch) return null;
  const found = chosen && decide(batch, chosen) as Decided, prices = cost === null ? null : { fp: middle(state.cost_fp), fn: middle(state.cost_fn) };
  const apart = found?.confusion ? differences(model, facts, chosen!, found.confusion, prices) : null;
  const yours = apart && apart.rows.length > 1 && apart.positives && apart.negatives ? { of: chosen, fpr: apart.sure.yours[0], tpr: apart.sure.yours[1] } : null;
  return { found, prices, apart, yours };
}
type Outcome = ReturnType<typeof outcome>;

function casesOf(text: string, name: string, { model, facts }: Props): Cases {
  const { size, scores, label } = read(text, model.names, facts.about);
  for (const own of facts.classifiers) if (isSingle(own) && scores.has(own.name)) scores.set(own.name, scores.get(own.name)!.map(Math.fround));
  return { name, size, scores, label, drifts: facts.classifiers.flatMap((own, i) => {
    const found = own.calibration && scores.has(own.name) && drift(own, facts.totals, scores.get(own.name)!, facts.examples!.weighted);
    return found ? [{ i, own, ...found }] : [];
  }) };
}
function told({ name, size }: Cases, { absent, flagged, missing, confusion, unlabelled }: Decided, { chosen }: Props["result"], reviewed: boolean): string {
  if (absent) return say("expert.batch.has no column named", { name: F.isolated(name), columns: absent.map(F.isolated).join(say("page.or")) });
  return say("expert.batch.of the cases in", {
    size: F.count(size), name: F.isolated(name), more: reviewed ? say("expert.batch.the best rule without") : say("answer.bar.this"), about: chosen!.rules.length > 1 ? "yes" : null,
    flagged: F.count(flagged), share: size ? ` (${F.rate(flagged / size)})` : "", gaps: missing ? say("expert.batch.lack a score that", { missing: F.count(missing) }) : "",
    rest: confusion && unlabelled ? say("expert.batch.have no label and", { unlabelled: F.count(unlabelled) }) : "",
  });
}
/** The report's cases are as they are, whatever the condition's prevalence. */
function atText({ model, state }: Props, made: Outcome): string {
  const assumed = [state.prevalence].flat().map(F.near), p = model.prevalence, apart = made?.apart;
  return assumed.every((value) => value === F.near(p)) ? "" : say("expert.batch.each column is as", {
    p: F.rate(p), more: apart ? say("expert.batch.and of yours", { negatives: F.rate(apart.negatives / (apart.positives + apart.negatives)) }) : "", assumed: assumed.length > 1 ? F.from(assumed[0], assumed[1]) : assumed[0]! });
}

class Batch extends Component<Props & { made: Outcome }> {
  input: HTMLInputElement | null = null;

  componentDidMount() {
    opened(this.input!, (text, name) => this.props.change({ batch: casesOf(text, name, this.props) }));
  }
  render(props: Props & { made: Outcome }) {
    const { facts, classes, batch, result, reviewed, made } = props, { found = null, apart = null, prices = null } = made ?? {}, label = facts.about?.label;
    const reads = new Set(absentOf(found) ? [] : result.chosen!.rules.map(({ rule }) => rule.classifier));
    const isBeside = !absentOf(found) && facts.examples, lines: Line[] = isBeside ? beside(facts, batch!, found!, result.chosen!, prices, apart) : [], drifts = isBeside ? batch!.drifts : [], at = atText(props, made);
    const verdicts: Verdict[] = [...(batch?.drifts ?? []).filter(({ own }) => reads.has(own.name)).map(scoresLine), ...(apart ? [labelsLine(apart, reviewed)] : [])];
    const cells = ({ key, format, sure, ...sides }: Line) => (["theirs", "yours"] as const).map((side) => (
      <td data-beside-batch={`${key}:${side}`} data-value={isFinite(sides[side]) ? sides[side] : ""}>{format(sides[side])}{isFinite(sides[side]) && sure?.[side] && <small>95 %: {F.rates(sure[side])}</small>}</td>
    ));
    return (
      <>
        <h2 id="batch-title">{say("expert.batch.title")}</h2>
        <p class="soft">{say("expert.batch.open a csv file", { label: label === undefined ? "" : say("expert.batch.if the outcomes", { label: F.isolated(label) }) })}</p>
        <p><label for="batch-file">{say("expert.classes batch.csv file")}</label><input type="file" id="batch-file" accept=".csv,.txt,.tsv,text/csv" ref={(input) => { this.input = input; }} /></p>
        <div id="batch-verdict" role="status">{verdicts.map(({ changed, lead, rest }) => <p class={changed === null ? "soft" : changed ? "notice" : "notice held"}><strong>{lead}</strong>{rest}</p>)}</div>
        <p id="batch-said" role="status">{batch && (found ? told(batch, found, result, reviewed) : reviewed ? say("expert.batch.a rule with reviews") : result.message)}</p>
        <div id="batch-matrix" hidden={!found?.confusion}><BatchMatrix classes={classes} cells={found?.confusion ?? null} /></div>
        <div id="batch-beside" hidden={!isBeside}>
          <p class="soft" id="batch-at" hidden={!at}>{at}</p>
          <Table label={say("expert.batch.your cases beside")} look="small">
            <thead><tr><td /><th scope="col">{say("expert.batch.this report s cases")}</th><th scope="col">{say("expert.batch.your cases")}</th></tr></thead>
            <tbody>
              {lines.map((line) => <tr><th scope="row">{line.text}</th>{cells(line)}</tr>)}
              {drifts.map(({ i, own, threshold, theirs, yours, chance }) => (
                <tr><th scope="row">{say("expert.batch.scores of")}<bdi>{own.name}</bdi> {F.sign(own)} {F.threshold(threshold, own.lower_is_positive)}
                  <small>{say("expert.batch.where they differ most 5", { more: chance === null ? "" : say("expert.batch.chance alone less than", { room: chanceOf(chance) }) })}</small></th>
                  {cells({ key: `scores:${i}`, format: F.rate, theirs, yours })}</tr>
              ))}
            </tbody>
          </Table>
        </div>
      </>
    );
  }
}
export const draw = (props: Props & { made: Outcome }): void => render(<Batch {...props} />, document.getElementById("batch")!);
