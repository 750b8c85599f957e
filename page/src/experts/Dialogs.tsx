// What one takes away from the page, in two dialogs: the condition as a line to type, and the rule as a policy or as SQL.
import { Component, render, type ComponentChild, type ComponentChildren } from "preact";
import type { State } from "../answer/numbers";
import { Around, say } from "../answer/words";
import * as C from "../report_controls";
import { attr, boxOf, byId, on } from "../report_elements";
import { copy, origin, save, type Origin } from "../report_export";
import type { Placed } from "../report_known";
import type { Model as Whole } from "../report_model";
import { RuleLine } from "./RuleLine";

type Model = Pick<Whole, "dialects" | "commandLine" | "python" | "policyJson" | "sql">;
interface Props {
  model: Model;
  facts: Origin & { segments: unknown; condition: { parameters: { confidence?: unknown } } | null };
  state: State & { review?: unknown };
  review: Parameters<typeof C.reviewWords>[0] | null; // what is asked of reviews, if people decide some cases
  chosen: Placed | null;
  isBetween: boolean; // vertices of the hull, where the policy decides
  sql: { dialect: string; key: string };
  change(sql: Props["sql"]): void;
}
interface Told {
  done: string; // what a button has done
}
const codes = (...texts: string[]) => Object.fromEntries(texts.map((text, i) => [`code${i ? i + 1 : ""}`, <code>{text}</code>]));

abstract class Dialog extends Component<Props, Told> {
  state = { done: "" };

  /** A button that copies a field. */
  copies(id: string, what: string) {
    return (
      <button onClick={async ({ currentTarget: button }) => {
        const isCopied = await copy(byId<HTMLTextAreaElement>(id));
        this.setState({ done: isCopied ? "Copied." : say("expert.export.copying is not allowed") });
        if (isCopied) button.focus();
      }}>Copy<span class="visually-hidden">{what}</span></button>
    );
  }
  saves(name: string, type: string, text: string, done: string) {
    save(name, type, text);
    this.setState({ done });
  }
  framed(id: string, title: string, children: ComponentChildren) {
    return (
      <><h2>{title}</h2>{children}
        <p class="buttons"><span role="status" class="done">{this.state.done}</span><button onClick={() => byId<HTMLDialogElement>(`${id}-dialog`).close()}>Close</button></p></>
    );
  }
}
class Copy extends Dialog {
  render({ model, facts, state: { ...state }, review }: Props) {
    if (review) state.review = review;
    const command = model.commandLine(state), copied = (id: string, rows: number, text: string, what: string) => (
      <div class="copied"><textarea id={id} readOnly rows={rows} value={text} />{this.copies(id, what)}</div>
    );
    return this.framed("copy", say("page.copy code"), (
      <>
        <p class="soft words" id="copy-words">{review ? `${C.words({ ...state, goal: "cost" })}; ${C.reviewWords(review)}.` : `${C.words(state)}.`}</p>
        {command === null ? <p class="soft" id="copy-command-note">{say("expert.dialogs.no command line")}</p>
          : <><label for="copy-command">{say("expert.dialogs.command line")}</label>{copied("copy-command", 4, command, say("expert.dialogs.of command"))}</>}
        <label for="copy-python">Python</label>{copied("copy-python", 6, `${origin(facts)}\n${model.python(state)}`, say("expert.dialogs.of python"))}
      </>
    ));
  }
}
class Rule extends Dialog {
  render({ model, facts: { segments, condition }, state, chosen, isBetween, sql, change }: Props) {
    const policy = model.policyJson(), isMixed = chosen !== null && chosen.rules.length > 1, { key } = sql, dialect = sql.dialect || (model.dialects[0]?.[0] ?? "");
    const { why, text = "" } = model.sql(chosen, dialect, key.trim() || null);
    return this.framed("rule", say("page.download the rule"), (
      <>
        <p class="rule"><RuleLine point={chosen} /></p>
        <h3>{say("expert.dialogs.for rochull")}</h3>
        <p class="soft"><Around say="expert.dialogs.policy" parts={codes("rh.Policy.load", "rochull decide")} /></p>
        {segments ? <p class="notice"><Around say="expert.dialogs.one threshold" parts={codes("rh.ErrorRedistribution(...).policy()")} /></p> : null}
        {isBetween && <p class="notice" id="policy-single"><Around say="expert.dialogs.between" parts={codes("policy.decide(scores, point)")} />
          {condition?.parameters.confidence ? <> <Around say="expert.dialogs.assured" parts={codes("--policy policy.json")} /></> : ""}</p>}
        {policy === null && <p class="notice">{say("expert.export.there is no policy")}</p>}
        <p><button id="policy-save" class="main" disabled={policy === null} onClick={() => this.saves("policy.json", "application/json", policy!, say("expert.export.policy json saved"))}>{say("expert.dialogs.save policy")}</button></p>
        <h3>{say("expert.dialogs.for a database")}</h3>
        <p class="soft">{say("expert.dialogs.sql")}</p>
        <div class="fields">
          <span class="field"><label for="dialect">Dialect</label><select id="dialect" value={dialect} onChange={({ currentTarget: { value } }) => change({ dialect: value, key })}>
            {model.dialects.map(([value, label]) => <option value={value}>{label}</option>)}</select></span>
          {isMixed && <span class="field"><label for="sql-key">{say("expert.dialogs.key column")}</label><input type="text" id="sql-key" class="wide" autocomplete="off" spellcheck={false} aria-describedby="key-note"
            value={key} onInput={({ currentTarget: { value } }) => change({ dialect, key: value })} /></span>}
        </div>
        {isMixed && <p class="soft" id="key-note">{say("expert.dialogs.a mixture")}</p>}
        {why ? <p class="notice" id="sql-why">{why}</p> : ( // a key that is missing is not a mistake yet, but a request
          <><label for="sql-text" class="visually-hidden">SQL</label><textarea id="sql-text" readOnly rows={6} value={text} />
            <p>{this.copies("sql-text", say("expert.dialogs.of sql"))} <button onClick={() => this.saves("rule.sql", "application/sql", `-- ${C.words(state)}\n${text}\n`, say("expert.export.rule sql saved"))}>{say("expert.dialogs.save sql")}</button></p></>)}
      </>
    ));
  }
}

/** Let both be opened; `seen` tells what they are views of. */
export function bind(seen: () => Omit<Props, "change">, put: (sql: Props["sql"]) => void): void {
  const bound = (id: string, title: string, view: (props: Props) => ComponentChild) => {
    const dialog = byId<HTMLDialogElement>(`${id}-dialog`);
    attr(dialog, "aria-label", title); // its heading is there only while it is open
    const show = () => render(view({ ...seen(), change(sql) {
      put(sql);
      show();
    } }), dialog);
    on(byId(`open-${id}`), "click", () => {
      show();
      dialog.showModal();
    });
    on(dialog, "close", () => render(null, dialog));
    // A click beside the dialog closes it; one inside it hits an element of its own or its padding.
    on(dialog, "click", ({ target, clientX: x, clientY: y }: MouseEvent) => {
      const { left, right, top, bottom } = boxOf(dialog);
      if (target === dialog && !(x >= left && x <= right && y >= top && y <= bottom)) dialog.close();
    });
  };
  bound("copy", say("page.copy code"), (props) => <Copy {...props} />);
  bound("rule", say("page.download the rule"), (props) => <Rule {...props} />);
}
