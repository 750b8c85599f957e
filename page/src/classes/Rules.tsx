// The rule beside others: baselines, and the rules within the limits, the best first.
import { Component } from "preact";
import { say } from "../answer/words";
import { named, shown } from "./verdict";
import * as F from "../report_format";
import { sorting } from "../report_sort";
import { Heads, Table } from "../experts/Table";
import { ErrorOf, Label, Live, Section } from "./parts";
import type { View } from "./view";

const LISTED = 50;
/** The objective as the head of a column; of a given one its text has names of classes. */
const measure = ({ state, words }: View) => (state.objective === "given" ? <Label name={words.objective()} /> : words.objective());

export function Compared({ view }: { view: View }) {
  const { data, names, state, p, found, usual, words } = view, isLimited = state.limits.length > 0;
  const line = (key: string, head: string, q: number, value: number, isWithin: boolean, look?: string, kind?: string) => (
    <tr class={look} data-baseline={kind}><th scope="row">{head}</th><Live tag="td" name={`${key}_value`} value={value}>{words.value(value)}</Live>
      {names.map((_, c) => <Live tag="td" name={`${key}_error:${c}`} value={data.errors[q]![c]!}>{F.rate(data.errors[q]![c])}</Live>)}
      {isLimited && <td class="text">{isWithin ? say("expert.classes compare.yes") : say("expert.classes compare.no")}</td>}</tr>
  );
  return (
    <Section name="compared" title={say("expert.classes.compared with other rules")}>
      <Table label={say("expert.classes.rules side by side")} caption={say("expert.classes compare.this rule and rules")} look="comparison">
        <thead><tr><th scope="col" class="text">{say("expert.classes list.rule")}</th><th scope="col">{measure(view)}</th>{names.map((name) => <th scope="col"><ErrorOf name={name} /></th>)}
          {isLimited && <th scope="col" class="text">{say("answer.classes.keeps", { limits: words.limits.limits_all })}</th>}</tr></thead>
        <tbody>
          {line("seen", words.called(p), p, found.values[p]!, found.inside[p]!, "current")}
          {shown(usual).map((row, b) => line(`base:${b}`, row.kind === "largest" ? say("expert.classes.baseline", { name: named(row, names) }) : named(row, names), row.index, row.value, row.within, undefined, row.kind))}
        </tbody>
      </Table>
    </Section>
  );
}

interface Row {
  key: number; // the point
  rank: number;
}
interface LineProps {
  view: View;
  point: number;
  rank: number;
}
class Line extends Component<LineProps> {
  shouldComponentUpdate({ view, point, rank }: LineProps) { // other rules are seen without it
    const now = this.props;
    return view.found !== now.view.found || view.state.only !== now.view.state.only || rank !== now.rank || (view.p === point) !== (now.view.p === point);
  }
  render({ view: { data, names, p, found, words, act }, point, rank }: LineProps) {
    return (
      <tr data-point={point} class={point === p ? "current" : ""}>
        <Live tag="th" name={`listed:${rank - 1}`} value={point}><button aria-pressed={point === p} aria-label={words.said(point)} onClick={() => act.select(point)}>{rank}</button></Live>
        <Live tag="td" name={`listed_value:${rank - 1}`} value={found.values[point]!}>{words.value(found.values[point]!)}</Live>
        {names.map((_, c) => <Live tag="td" name={`listed_error:${rank - 1}:${c}`} value={data.errors[point]![c]!}>{F.rate(data.errors[point]![c])}</Live>)}
      </tr>
    );
  }
}
export class Listed extends Component<{ view: View }> {
  sort = sorting(() => this.forceUpdate());

  render({ view }: { view: View }) {
    const { data, names, state, found, words } = view, { sort } = this, { length } = found.kept, slots = { ...words.limits, limited: state.limits.length ? "yes" : "no" };
    const rows = sort.of(found.kept.slice(0, LISTED).map((key, n) => ({ key, rank: n + 1 })), ({ key, rank }: Row, i: number) => (i === 0 ? rank : i === 1 ? found.values[key]! : data.errors[key]![i - 2]!));
    return (
      <Section name="remains" title={say("expert.classes.other weights")}>
        <div class="scroll list-box" tabIndex={0} role="region" aria-label={say("expert.classes.rules within the limits")}><table class="list">
          <caption>{say("expert.classes list.rules is the best", slots)}</caption>
          <Heads sort={sort} heads={[say("expert.classes list.rule"), measure(view), ...names.map((name) => <ErrorOf name={name} />)]} />
          <tbody>{rows.map(({ key, rank }) => <Line key={key} view={view} point={key} rank={rank} />)}</tbody>
        </table></div>
        <p class="soft">{length > LISTED ? say("expert.classes list.the best of are", { ...slots, most: F.count(LISTED), rules: words.rules(length) }) : length ? "" : say("expert.classes list.no rule keeps", slots)}</p>
      </Section>
    );
  }
}
