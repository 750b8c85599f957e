// The thresholds of the segments under the present condition, and what one for all does there.
import { Component, render, type ComponentChildren } from "preact";
import { say } from "../answer/words";
import { used } from "../report_beside";
import * as F from "../report_format";
import type { Used } from "../report_groups";
import type { Apart as Result } from "../report_found";
import { sorting } from "../report_sort";
import { Heads, Table } from "./Table";

interface Rates {
  fpr: number | null;
  tpr: number | null;
}
interface Props {
  segments: { segment: string; negatives: number | null; positives: number | null }[];
  totals: { negatives: number; positives: number };
  lower: boolean;
  caption: string;
  result: Pick<Result, "rows" | "message" | "chosen" | "straight">;
}
interface Row {
  key: number | string;
  name: string; // as it is sorted
  head: ComponentChildren;
  positives: number | null;
  negatives: number | null;
  threshold: [value: unknown, text: string];
  own: Rates | null;
  one: Rates | null;
}
const HEADS = ["segment", "positive", "negative", "threshold", "FPR", "TPR", say("expert.apart.one fpr"), say("expert.apart.one tpr")];
const end = (threshold: unknown) => ({ inf: Infinity, "-inf": -Infinity })[String(threshold)] ?? threshold;
const ratesOf = ({ key, own, one }: Row): [string, number | null][] => ([["fpr", own?.fpr], ["tpr", own?.tpr], ["one_fpr", one?.fpr], ["one_tpr", one?.tpr]] as const).map(([name, rate]) => [`segment_${name}:${key}`, rate ?? null]);
const keyOf = (row: Row, i: number) => [row.name, row.positives ?? 0, row.negatives ?? 0, Number(end([row.threshold[0]].flat()[0] ?? NaN)), ...ratesOf(row).map(([, rate]) => rate ?? NaN)][i];

class Apart extends Component<Props> {
  sort = sorting(() => this.forceUpdate());

  render({ segments, totals, lower, caption, result: { rows, message, chosen, straight } }: Props) {
    const said = (threshold: Used[0][0]) => (end(threshold) === Infinity ? "never" : end(threshold) === -Infinity ? "always" : F.threshold(threshold, lower));
    const mixture = (parts: Used) => parts.map(([threshold, part]) => said(threshold) + (parts.length > 1 ? ` (${F.rate(part)})` : "")).join(say("page.or"));
    const none: Row["threshold"] = [null, F.NONE], one = straight && used.one(straight), all = { ...totals, own: null, one: null };
    const lines = segments.map(({ segment, positives, negatives }, key): Row => {
      const row = rows?.[key] ?? null, name = F.segment(segment), head = <><bdi dir="ltr">{name}</bdi>{positives || negatives ? "" : ` ${say("report.segments.never seen")}`}</>;
      return { key, name, head, positives, negatives, own: row, one: row && row.one, threshold: row ? [row.other === null ? row.threshold : [row.threshold, row.other], mixture(used.own(row))] : none };
    });
    const ends: Row[] = [{ ...all, key: "by segment", name: "", head: say("report.segments.all by"), threshold: none, own: chosen },
      { ...all, key: "one threshold", name: "", head: say("report.segments.all one"), threshold: one ? [one.map(([threshold]) => threshold), mixture(one)] : none, one: straight }];
    const line = (row: Row) => (
      <tr key={row.key}><th scope="row">{row.head}</th><td>{F.count(row.positives ?? 0)}</td><td>{F.count(row.negatives ?? 0)}</td>
        <td data-key={`segment_threshold:${row.key}`} data-value={String(row.threshold[0] ?? "")}>{row.threshold[1]}</td>
        {ratesOf(row).map(([key, rate]) => <td data-key={key} data-value={rate ?? ""}>{F.rate(rate)}</td>)}</tr>
    );
    return (
      <>
        <Table look="small" label={say("expert.sections.thresholds of the segments")} caption={caption}>
          <Heads sort={segments.length > 2 && this.sort} heads={HEADS.map((head) => (lower && head === "threshold" ? say("report.segments.lower") : head))} />
          <tbody id="segment-rows">{this.sort.of(lines, keyOf).map(line)}</tbody>
          <tbody>{ends.map(line)}</tbody>
        </Table>
        <p class="notice" id="segments-message" hidden={rows !== null}>{message}</p>
      </>
    );
  }
}
export const draw = (props: Props): void => render(<Apart {...props} />, document.getElementById("segments-live")!);
