// What the answer is compared with, side by side: the best rule, the reader's rule of today and the baselines.
import { Component, render } from "preact";
import type { Cells, Point, State } from "../answer/numbers";
import { choose, say } from "../answer/words";
import { byCosts, elsewhere, ends, named, outside, saved, type Rival } from "../report_compare";
import type { Facts } from "../report_facts";
import * as F from "../report_format";
import type { Model as Whole } from "../report_model";
import { inWords } from "../report_rule";
import { sorting } from "../report_sort";
import { limitCount } from "../report_typed";
import type { Today } from "../store";
import { Heads, Table } from "./Table";
import { scaled, sizeOf, tableOf, type Table as Cases, type Told } from "./shown";
import { isFinite, rounded } from "../maths";

interface Figured {
  confusion: Cases | null;
  positive_rate: Told;
  expected_cost: Told;
  breaks?: boolean;
  whole?: (size: number) => Cells;
}
type Found = Figured & Rival;
interface Result extends Figured {
  chosen: Point | null;
  interval: boolean;
  baselines: Found[];
}
type Model = Pick<Whole, "names" | "prevalence" | "scores" | "savings" | "judged">;
interface Props {
  model: Model;
  facts: Pick<Facts, "review" | "classifiers">;
  state: State;
  result: Result;
  reviewed: Figured | null; // the answer with reviews, which is then the first row
  today: Today | null;
  point: Point | null; // the rule of today
  cases: string;
  scale: { size: number; unit: string };
  unit: string;
  change(more: { today?: Today; cases?: string; unit?: string }): void;
}
interface Row {
  key: string;
  name: string;
  cells: [text: string, value: string][];
}
const HEADS = [say("expert.compare.rule"), say("expert.compare.cost in all"), say("expert.compare.saves"), say("expert.panel.flagged"), say("expert.panel.tp"), say("expert.panel.fn"), say("expert.panel.fp")];
const CELLS = ["cost", "less", "flagged", "caught", "missed", "false alarms"]; // what a phone shows first
const full = (value: Told) => String(value ?? "");

const ranged = ([low, high]: string[]): string => (high === undefined ? low! : F.from(low, high));
/** The rows, of which the first is what all others are compared with. */
function rowsOf({ model, facts, state, result, reviewed, today, point, scale: { size, unit } }: Props): Row[] {
  const { chosen, interval, baselines } = result, first = reviewed ?? result;
  const row = (key: string, name: string, found: Figured & Partial<Rival>): Row => {
    const { expected_cost: cost, breaks } = found, each = size / 10000, isTold = found !== first && cost !== null;
    const [table, flagged] = [tableOf(found.confusion, each), scaled(scaled(found.positive_rate, 10000), each)];
    const counts = table ? [flagged, table.tp, table.fn, table.fp] : [null, null, null, null], price = scaled(cost, size);
    const whole = (found.whole ? found.whole(size) : F.wholeCases(table)) as Cells | null;
    const texts = whole && typeof whole.tp === "number" ? [whole.tp + whole.fp, whole.tp, whole.fn, whole.fp] : counts;
    const shares = !isTold || breaks ? [] : !reviewed ? ends(model.savings(state, chosen!, found.point!))
      : [cost ? 1 - (reviewed.expected_cost as number) / (cost as number) : reviewed.expected_cost ? -Infinity : 0];
    return { key, name: breaks && result.expected_cost === null ? say("answer.baseline.broken", { rule: name, limit_count: limitCount(state) }) : name, cells: [
      [`${F.numbers(price)}${price === null ? "" : unit}`, full(price)],
      [isTold && breaks ? say("answer.baseline.breaks", { limit_count: limitCount(state) }) : ranged([...new Set(shares.map(saved))]), String(shares)],
      ...counts.map((value, i): [string, string] => [F.counts(texts[i]), full(value)]),
    ] };
  };
  return [
    ...(reviewed ? [row("reviewed", say("expert.compare.the best rule with"), reviewed)] : []),
    ...(chosen ? [row("best", interval ? say("expert.compare.the rule whose worst") : say("expert.compare.the best rule", { more: facts.review || reviewed ? say("expert.compare.without reviews") : "" }), result)] : []),
    ...(point && chosen ? [row("today", choose("baseline", { kind: "today", rule: inWords(point), typed: elsewhere(today!, point) ? F.field(today!.threshold) : null }), { ...model.judged(state, point), kind: "today" })] : []),
    ...baselines.flatMap((each) => (each.point ? [row(`${each.kind} ${each.classifier ?? ""}`, named(each, state, interval), each)] : [])),
  ];
}
/** The threshold that the costs set for a probability, for a classifier whose scores are within [0, 1]; else null. */
function offered({ model, facts, state, today }: Props): number | null {
  const own = facts.classifiers[today?.classifier ?? -1], known = own?.hundredths ? byCosts(state, model.prevalence) : null;
  return known !== null && own!.lower_is_positive ? rounded(1 - known, 6) : known;
}
function noteOf({ model, today, point }: Props): string {
  if (!today || today.classifier === null) return "";
  if (today.text !== undefined && !isFinite(F.read(today.text))) return say("expert.compare.the threshold must be", { typed: today.text.slice(0, 24) });
  return point ? outside(model, today) || elsewhere(today, point) : say("expert.compare.no threshold of this");
}

class Compare extends Component<Props> {
  sort = sorting(() => this.forceUpdate());

  render(props: Props) {
    const { model, today, cases, unit, result, reviewed, change } = props, [first, ...rest] = rowsOf(props), { sort } = this;
    const rows = [first, ...sort.of(rest, ({ name, cells }: Row, i: number) => (i ? parseFloat(cells[i - 1]![1]) : name))];
    const isNone = today === null || today.classifier === null, threshold = offered(props), text = today ? today.text ?? F.field(today.threshold) : "", isSized = sizeOf(cases) !== null;
    const isHidden = (i: number) => (i === 1 || i === 2) && result.expected_cost === null; // no costs were asked about
    const typed = (value: string) => change({ today: { ...today!, text: value, ...(isFinite(F.read(value)) && { threshold: F.read(value) }) } });
    return (
      <>
        <h2 id="compare-title">{say("page.compared")}</h2>
        <div class="fields">
          <span class="field"><label for="today-classifier">{say("expert.compare.today")}</label><select id="today-classifier" value={today?.classifier ?? ""}
            onChange={({ currentTarget: { value } }) => change({ today: { threshold: 0.5, ...today, classifier: value === "" ? null : Number(value) } })}>
            <option value="">{say("expert.compare.none")}</option>{model.names.map((name, i) => <option value={i}>{name}</option>)}</select></span>
          <span class="field"><label for="today-threshold">{say("expert.compare.threshold")}</label><input type="text" inputMode="decimal" autocomplete="off" id="today-threshold" disabled={isNone}
            value={text} aria-invalid={!isNone && !isFinite(F.read(text))} onInput={({ currentTarget: { value } }) => typed(value)} />{" "}
            {threshold !== null && <button id="today-costs" onClick={() => change({ today: { classifier: today!.classifier, threshold } })}>
              {say("expert.compare.by the costs if", { threshold: F.number(threshold) })}</button>}</span>
          <span class="field"><label for="per-cases">{say("expert.compare.cases")}</label><input type="text" inputMode="numeric" autocomplete="off" id="per-cases" value={cases}
            aria-invalid={!isSized} onInput={({ currentTarget }) => change({ cases: currentTarget.value })} /></span>
          <span class="field" hidden={isHidden(1)}><label for="cost-unit">{say("expert.compare.unit")}</label><input type="text" autocomplete="off" id="cost-unit" placeholder="€" value={unit}
            onInput={({ currentTarget }) => change({ unit: currentTarget.value })} /></span>
        </div>
        <p class="soft" id="today-note" role="status">{noteOf(props)}</p>
        <p class="fault" id="cases-note" role="status" hidden={isSized}>{!isSized && say("expert.compare.the number of cases", { typed: cases.slice(0, 24), count: F.count(10000) })}</p>
        <Table label={say("expert.compare.what each does")} caption={<>{say("expert.compare.caption")}{reviewed && say("expert.compare.all but the first")}</>}>
          <Heads sort={sort} heads={HEADS} isHidden={isHidden} />
          <tbody id="compare-rows">{rows.map((row) => row && (
            <tr key={row.key} data-row={row.key}><th scope="row">{row.name}</th>
              {row.cells.map(([told, value], i) => <td data-cell={CELLS[i]} data-value={value} hidden={isHidden(i + 1)}>{told}</td>)}</tr>
          ))}</tbody>
        </Table>
        <p class="soft">{say("expert.compare.click a step")}</p>
      </>
    );
  }
}
export const draw = (props: Props): void => render(<Compare {...props} />, document.getElementById("compare")!);
