// A batch of the reader's own: a CSV file with the outputs of the classes, and what the rule that is seen would call its cases.
import { Component } from "preact";
import { say } from "../answer/words";
import { Table } from "../experts/Table";
import { decide, read, verdict, type Cases, type Decided } from "./cases";
import { opened } from "../report_batch";
import * as F from "../report_format";
import { Called, Label, Section } from "./parts";
import type { View } from "./view";

/** A file's cases. */
export type Batched = Cases & { name: string };
interface Props {
  view: View;
}
const SOON = 200; // milliseconds: of many rows it takes longer than a frame
const total = (row: number[]) => row.reduce((a, b) => a + b, 0);

function told({ name, size, absent, label }: Batched, found: Decided | null, names: string[]): string {
  if (!found) return say("expert.classes batch.has no column named", { name: F.isolated(name), columns: absent.map(F.isolated).join(say("page.or")) });
  const { called, unusable, confusion } = found;
  return say("expert.classes batch.of the cases in", {
    size: F.count(size), name: F.isolated(name), some: called.map((n, c) => `${F.isolated(names[c])} ${F.count(n)}`).join(", "),
    gaps: unusable ? say("expert.classes batch.lack an output that", { unusable: F.count(unusable) }) : "", rest: confusion ? say("expert.classes batch.the column has their", { label: F.isolated(label!) }) : "",
  });
}

export class Batch extends Component<Props> {
  input: HTMLInputElement | null = null;
  timer = 0;
  done: { batch: Batched; p: number; found: Decided | null } | null = null;

  componentDidMount() {
    opened(this.input!, (text: string, name: string) => this.props.view.act.batch({ name, ...read(text, this.props.view.facts.classes) }));
  }
  shouldComponentUpdate({ view: { batch, p } }: Props) {
    if (batch === this.done?.batch && p !== this.done?.p) {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.forceUpdate(), SOON);
    }
    return batch !== (this.done?.batch ?? null);
  }
  decided({ batch, p, data }: View): Decided | null {
    if (!batch) return null;
    if (this.done?.batch !== batch || this.done.p !== p) this.done = { batch, p, found: batch.absent.length ? null : decide(batch, data.weights[p]!) };
    return this.done.found;
  }
  render({ view }: Props) {
    const { facts, data, names, p, batch } = view, found = this.decided(view), counts = facts.weighted ? null : data.confusion[p]!;
    const errors = (i: number) => [found!.confusion![i]!, ...(counts ? [counts[i]!] : [])].map((row) => (total(row) ? (total(row) - row[i]!) / total(row) : null));
    return (
      <Section name="batch" look="batch" title={say("expert.classes.try the rule on")}>
        <p class="soft">{say("expert.classes batch.open a csv file", { columns: facts.classes.map(({ column }) => F.isolated(column)) })}</p>
        <p class="screen"><label for="batch-file">{say("expert.classes batch.csv file")}</label><input type="file" id="batch-file" accept=".csv,.txt,.tsv,text/csv" ref={(input) => { this.input = input; }} /></p>
        <div role="status">{found && counts && verdict(names, found, counts).map(({ changed, lead, rest }) => <p class={changed ? "notice" : "notice held"}><strong>{lead}</strong>{rest}</p>)}</div>
        <p role="status" class="batch-said">{batch && told(batch, found, names)}</p>
        <div hidden={!found?.confusion}>
          <Table label={say("expert.classes batch.your own cases")} caption={say("expert.classes batch.what this rule does")} look="small">
            <thead><tr><th scope="col" class="text">{say("page.classes.class")}</th>{names.map((name) => <th scope="col"><Called name={name} /></th>)}
              <th scope="col">{say("expert.classes table.error")}</th>{counts && <th scope="col">{say("expert.classes batch.error in this report")}</th>}</tr></thead>
            <tbody>{found?.confusion && names.map((name, i) => (
              <tr><th scope="row"><Label name={name} /></th>{found.confusion![i]!.map((n) => <td data-value={n}>{F.count(n)}</td>)}
                {errors(i).map((error) => <td data-value={error ?? ""}>{F.rate(error)}</td>)}</tr>
            ))}</tbody>
          </Table>
        </div>
      </Section>
    );
  }
}
