// What the parts of the page of several classes share: numbers that move, names, terms and code to be taken along.
import { Component, type ComponentChildren } from "preact";
import { Around, say } from "../answer/words";
import * as rochullExport from "../report_export";

interface LiveProps {
  name: string;
  value: number | string;
  tag?: "span" | "strong" | "td" | "th";
  look?: string;
  children?: ComponentChildren;
}
/** A number, with all its digits under the name that it has. */
export const Live = ({ name, value, tag: Tag = "span", look, children }: LiveProps) => <Tag class={look} data-key={name} data-value={value} scope={Tag === "th" ? "row" : undefined}>{children}</Tag>;
/** A label of another script does not turn the line around. */
export const Label = ({ name }: { name: string }) => <bdi>{name}</bdi>;
export const Called = ({ name }: { name: string }) => <Around say="answer.classes.called" parts={{ name: <Label name={name} /> }} />;
export const ErrorOf = ({ name }: { name: string }) => <Around say="answer.classes.error of" parts={{ name: <Label name={name} /> }} />;

let told: Record<string, string> | null = null;
/** A word that the glossary of the page explains. */
export function Term({ word }: { word: string }) {
  told ??= JSON.parse(document.getElementById("told")!.dataset.words!) as Record<string, string>;
  return <span class="term" data-told={told[word]} tabIndex={0} role="button">{word}</span>;
}

interface SectionProps {
  name: string;
  title: string;
  look?: string;
  children: ComponentChildren;
}
export const Section = ({ name, title, look, children }: SectionProps) => <section aria-labelledby={name} class={look}><h2 id={name}>{title}</h2>{children}</section>;

interface CodeProps {
  id: string;
  title: string;
  rows: number;
  made: { text?: string; why?: string }; // why there is none
  copied(message: string): void;
}
/** A field that holds a text to be taken along. */
export class Code extends Component<CodeProps> {
  area: HTMLTextAreaElement | null = null;

  async copy(button: HTMLButtonElement) {
    const done = await rochullExport.copy(this.area!); // what may not be copied is selected
    this.props.copied(done ? say("expert.classes parts.copied", { title: this.props.title }) : say("expert.classes parts.selected copy it with"));
    if (done) button.focus();
  }
  render({ id, title, rows, made: { text, why } }: CodeProps) {
    const isNone = text === undefined;
    return (
      <div class="copyable">
        <div class="above"><label for={id}>{title}</label>
          <button hidden={isNone} aria-label={say("expert.classes parts.copy", { title })} onClick={({ currentTarget }) => this.copy(currentTarget)}>{say("expert.classes parts.copy it")}</button></div>
        <textarea class="code" readOnly rows={rows} id={id} spellcheck={false} wrap="soft" hidden={isNone} value={text ?? ""} ref={(area) => { this.area = area; }} />
        <p class="soft" hidden={!isNone}>{isNone && <Label name={why!} />}</p>
      </div>
    );
  }
}
