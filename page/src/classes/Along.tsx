// What is taken along of the rule that is seen: command line, Python, policy and SQL.
import { Component } from "preact";
import { Around, say } from "../answer/words";
import * as rochullExport from "../report_export";
import { Code, Label, Section } from "./parts";
import type { View } from "./view";

export class Along extends Component<{ view: View }, { copied: string }> {
  state = { copied: "" };

  componentDidUpdate(before: { view: View }) {
    if (before.view !== this.props.view && this.state.copied) this.setState({ copied: "" });
  }
  render({ view }: { view: View }, { copied }: { copied: string }) {
    const { facts, data, state, p, dialect, words, act } = view, sql = data.sql(p, dialect) as { text?: string; why?: string }, { policy, why } = facts.deploy;
    const broken = state.limits.filter((limit) => data.excess(limit, p) > 0), taken = (message: string) => this.setState({ copied: message });
    return (
      <Section name="along" look="screen" title={say("expert.classes.take it along")}>
        <p class="breaks" hidden={!broken.length}>{broken.length > 0 && <Around say="expert.classes take.this rule which is" slots={{ n: broken.length }}
          parts={{ limits: broken.map((limit, n) => <>{n > 0 && "; "}<Label name={words.limit(limit)} /></>) }} />}</p>
        <div class="sides even">
          <div>
            <h3>{say("page.copy code")}</h3><p class="soft">{say("expert.classes take.limits goal and costs")}</p>
            <Code id="command" title={say("expert.classes take.command line")} rows={3} made={data.commandLine(state)} copied={taken} /><Code id="code" title="Python" rows={4} made={{ text: data.python(state) }} copied={taken} />
          </div>
          <div>
            <h3>{say("page.download the rule")}</h3><p class="soft">{say("expert.classes take.the selected rule to")}</p>
            <p class="files">
              <button hidden={!policy} onClick={() => rochullExport.save(`policy-point-${p}.json`, "application/json", data.policy(p).text!)}>{say("expert.classes take.policy")}</button>
              <button hidden={sql.text === undefined} onClick={() => rochullExport.save(`point-${p}-${dialect}.sql`, "application/sql", `${sql.text}\n`)}>{say("expert.classes take.sql")}</button>
              <label for="dialect">{say("expert.classes take.for")}</label>
              <select id="dialect" value={dialect} onChange={({ currentTarget }) => act.dialect(currentTarget.value)}>{data.dialects.map((name) => <option value={name}>{name}</option>)}</select>
            </p>
            <p class="soft" hidden={Boolean(policy)}>{!policy && <Around say="expert.classes take.there is no policy" parts={{ why: <Label name={why ?? ""} /> }} />}</p>
            <Code id="sql" title={say("expert.classes take.sql expression")} rows={6} made={sql} copied={taken} />
          </div>
        </div>
        <p class="soft copied" role="status" aria-live="polite">{copied}</p>
      </Section>
    );
  }
}
