// Tables that are made when they are first opened: the operating points, how the scores lie, the steps of each calibration.
import { Component, render, type ComponentChild } from "preact";
import type { Rule } from "../answer/numbers";
import { say } from "../answer/words";
import { findAll, findOne, on } from "../report_elements";
import type { Classifier } from "../report_facts";
import * as F from "../report_format";
import type { Model as Whole } from "../report_model";
import { sorting } from "../report_sort";
import { tables } from "../report_take";
import { listOf } from "../maths";
import { Heads, Named, Table } from "./Table";

type Cell = [text: ComponentChild, value?: unknown]; // a number with all its digits, or the two of a range
interface Row {
  key: string | number; // the name by which a row is sorted
  cells: Cell[];
}
type Model = Pick<Whole, "union" | "names" | "blocks" | "scores"> & { counted: boolean };
interface Props {
  label: string;
  heads: string[];
  looks?: Record<number, string>;
  rows: Row[];
  sorts?: boolean;
}
const numbered = (value: unknown, format: (x: never) => string = F.number): Cell => [format(value as never), value ?? ""];
const keyOf = ({ key, cells }: Row, i: number) => (i ? parseFloat(String(cells[i]![1]).replace(/^(-?)inf.*/i, "$1Infinity")) : key);

class Opened extends Component<Props> {
  sort = sorting(() => this.forceUpdate());

  render({ label, heads, looks = {}, rows, sorts = false }: Props) {
    return (
      <Table label={label}>
        <Heads sort={sorts && rows.length > 2 && this.sort} heads={heads} looks={looks} />
        <tbody>{this.sort.of(rows, keyOf).map(({ key, cells }) => (
          <tr key={key}>{cells.map(([text, value], i) => <td class={looks[i]} data-value={value as string}>{text}</td>)}</tr>
        ))}</tbody>
      </Table>
    );
  }
}
function points({ union: { fpr, tpr, fp, tp }, counted }: Model, owners: Rule[][]): Props {
  return {
    label: say("expert.sections.operating points of the"), looks: { 0: "", [counted ? 4 : 2]: "text" },
    heads: ["FPR", "TPR", ...(counted ? [say("expert.sections.false positives"), say("expert.sections.true positives")] : []), say("expert.sections.rules that reach it")],
    rows: listOf(fpr, (_, v): Row => ({ key: v, cells: [...[fpr[v], tpr[v]].map((rate) => numbered(rate, F.rate)),
      ...(counted ? [fp[v], tp[v]].map((n) => numbered(n, F.count)) : []), [owners[v]!.map((rule) => F.ruleText(rule)).join(say("page.or"))]] })),
  };
}
/** How the scores lie; the terminal's is in score_wording.py. */
function lies(model: Model, classifiers: Classifier[]): Props {
  return {
    label: say("report.scores.title"), looks: { 0: "text" }, sorts: true,
    heads: ["classifier", "distinct", "least", say("report.scores.negatives"), say("report.scores.positives"), "greatest"],
    rows: classifiers.flatMap(({ name: key, scores }, i): Row[] => {
      const ends = model.scores(i);
      return ends ? [{ key, cells: [[<bdi>{key}</bdi>], numbered(scores?.distinct, F.count), ...[ends[0], scores?.negatives.median, scores?.positives.median, ends[1]].map((x) => numbered(x))] }] : [];
    }),
  };
}
function steps(model: Model, i: number): Props {
  const { low, high, pos, neg, posterior } = model.blocks(i)!, size = model.counted ? F.count : F.number;
  return {
    label: say("expert.sections.steps of", { names: F.isolated(model.names[i]) }), looks: { 0: "" },
    heads: ["scores", "positive", "negative", say("expert.sections.share positive")],
    rows: listOf(low, (_, b): Row => ({ key: b, cells: [[F.numbers([low[b], high[b]]), [low[b], high[b]]], numbered(pos[b], size), numbered(neg[b], size), numbered(posterior[b], F.rate)] })),
  };
}
/** A place for the calibration chart of each classifier that has one, and for its steps. */
const Places = ({ classifiers }: { classifiers: Classifier[] }) => (
  <>{classifiers.map(({ name, calibration }, i) => calibration && (
    <section><h3><Named name={name} i={i} /></h3><div class="chart calibration" data-calibration={i} />
      <details data-blocks={i}><summary>{say("expert.sections.steps as a table", { n: calibration.high.length })}</summary></details></section>
  ))}</>
);
/** Fill each of these when it is first opened. */
export function bind(model: Model, { classifiers, hybrid }: { classifiers: Classifier[]; hybrid: { owners: Rule[][] } }): void {
  const grid = findOne("#calibration-section > .grid");
  if (grid) render(<Places classifiers={classifiers} />, grid);
  const opens = (selector: string, made: (details: HTMLElement) => Props) => {
    for (const details of findAll(selector)) on(details, "toggle", () => {
      render(<Opened {...made(details)} />, details.appendChild(document.createElement("div")));
      tables(details);
    }, { once: true });
  };
  opens("#points-details", () => points(model, hybrid.owners));
  opens("#scores-details", () => lies(model, classifiers));
  opens("[data-blocks]", ({ dataset }) => steps(model, Number(dataset.blocks)));
}
