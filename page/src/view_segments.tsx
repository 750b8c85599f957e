// Segments beside each other: what one threshold for all does in each, and what its own does; the worst first.
import { Component, render } from "preact";
import type { State } from "./answer/numbers";
import { say } from "./answer/words";
import * as rochullBeside from "./report_beside";
import { html } from "./report_elements";
import { Heads, Table } from "./experts/Table";
import { mount as mountPair } from "./experts/Pair";
import * as F from "./report_format";
import type { Base } from "./report_marks";
import { sorting } from "./report_sort";
import { tables } from "./report_take";
import * as rochullViews from "./report_views";

declare const SEGMENTS: boolean; // whether the page is built for them

type Show = NonNullable<ReturnType<typeof mountPair>>;
type Row = NonNullable<Parameters<Show>[0]>[number] & { key: string; cases: number };
interface Props {
  rows: Row[] | null; // why there are none, a message says
  message: string | null;
  weighted: boolean;
  pair(node: HTMLElement | null): void;
}
const FEW = 12, PAUSE = 300; // rows move when nothing else has for so long, in ms
const FIGURES = [["cost", F.number, F.numbers], ["fpr", F.rate, F.rates], ["tpr", F.rate, F.rates]] as const, RULES = ["one", "own"] as const;
const CELLS = FIGURES.flatMap(([figure, format, ends]) => RULES.map((rule) => ({ rule, figure, format, ends })));
const valueOf = (row: Row, i: number) => row[CELLS[i]!.rule]?.[CELLS[i]!.figure] ?? null;
const keyOf = (row: Row, i: number) => (i > 1 ? valueOf(row, i - 2) ?? NaN : i ? row.cases : row.segment);
const worth = ({ one }: Row) => one?.cost ?? -Infinity;

class Beside extends Component<Props, { all: boolean }> {
  state = { all: false };
  sort = sorting(() => this.forceUpdate());
  order = new Map<string, number>(); // the dearest by one threshold for all first, unless the reader sorts them
  timer = 0;

  componentDidUpdate({ rows }: Props) {
    if (rows === this.props.rows) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.order.clear();
      this.forceUpdate();
    }, PAUSE);
  }
  componentWillUnmount() { clearTimeout(this.timer); }

  render({ rows, message, weighted, pair }: Props, { all }: { all: boolean }) {
    const { sort, order } = this;
    if (!rows) order.clear();
    else if (!order.size) [...rows].sort((a, b) => worth(b) - worth(a) || 0).forEach(({ key }, i) => order.set(key, i));
    const seen = sort.of([...rows ?? []].sort((a, b) => order.get(a.key)! - order.get(b.key)!), keyOf);
    const cell = (name: string, value: number | null, text: string, sure = "") => <td><span data-beside={name} data-value={value ?? ""}>{text}</span><small>{sure}</small></td>;
    return (
      <>
        <p class="notice" hidden={rows !== null}>{message}</p>
        <div ref={pair} />
        <div hidden={!rows}>
          <Table look="beside" label={say("expert.segments.segments beside each other")} caption={say("expert.segments.each segment by one")}>
            <Heads sort={sort} heads={["segment", "cases", ...FIGURES.flatMap(() => [say("expert.segments.one for all"), say("expert.segments.its own")])]}
              above={<tr><td /><td />{[say("report.cost"), "FPR", "TPR"].map((title) => <th scope="colgroup" colSpan={2}>{title}</th>)}</tr>} />
            <tbody>{seen.map((row, k) => (
              <tr key={row.key} hidden={!all && k >= FEW}><th scope="row"><bdi>{row.segment}</bdi></th>{cell("cases", row.cases, weighted ? F.number(row.cases) : F.count(row.cases))}
                {CELLS.map(({ rule, figure, format, ends }, i) => {
                  const value = valueOf(row, i), both = value !== null && row[rule]?.sure?.[figure];
                  return cell(`${rule}:${figure}`, value, format(value), both ? `(${ends(both)})` : "");
                })}</tr>
            ))}</tbody>
          </Table>
          <button hidden={seen.length <= FEW} onClick={() => this.setState({ all: !all })}>{all ? say("expert.segments.show the first", { _f_e_w: FEW }) : say("expert.segments.show all segments", { length: seen.length })}</button>
        </div>
        <p class="soft">{say("expert.segments.in sample these cases", { ranges: weighted ? "" : say("expert.segments.in brackets intervals which") })}</p>
      </>
    );
  }
}

if (SEGMENTS) rochullViews.add({
  id: "segments", title: "Segments", about: say("expert.segments.about"),
  isPossible: ({ facts }: Base) => Boolean(facts.segments?.live?.segments[0]!.straight),
  chart(base: Base, element: HTMLElement) {
    const { model, facts } = base, two = html("div", { class: "two" }), showPair = mountPair(base, two);
    const pair = (node: HTMLElement | null) => { if (showPair) node?.append(two); };
    return {
      element,
      update(state: State) {
        const { rows, message } = rochullBeside.segments(model, facts, state);
        render(<Beside rows={rows && rows.map((row) => ({ ...row, key: row.segment }))} message={message} weighted={facts.examples!.weighted} pair={pair} />, element);
        showPair?.(rows, state);
        tables(element);
      },
      resize() {},
      destroy() { render(null, element); },
    };
  },
});
