// The first screen: the rule in one sentence, what it does, and two pictures of it; and the rows below, each with its sentence.
import { Component, render } from "preact";
import { byId, findAll } from "../report_elements";
import * as F from "../report_format";
import { Controls } from "./Controls";
import type { Reviewing, State } from "./numbers";
import { chipsOf, viewOf, type Facts, type Model, type View } from "./seen";
import { limitsOf, withMargin, type AnswerFacts, type Seen } from "./situation";
import { Fair, type Faring } from "./Fair";
import { Bars, Icons } from "./What";
import { Where } from "./Where";
import { Link, say, Told } from "./words";

/** What the page does when the reader asks for it. */
export interface Host {
  facts: Facts;
  model: Model;
  change(state: State): void;
  cut(at: { classifier: number; threshold: number } | null): void;
  readonly asked: Reviewing; // what is asked of reviews, or would be
  review(asked: Reviewing | null): void;
}
/** Press a button of the part for experts, whose dialog opens wherever the reader is. */
const press = (id: string) => byId(id).click();

class Eyebrow extends Component<{ host: Host }, { copied: boolean }> {
  state = { copied: false };

  render({ host }: { host: Host }, { copied }: { copied: boolean }) {
    const { facts: { title, answer, examples } } = host;
    const n = examples && examples.negatives + examples.positives;
    return (
      <div class="eyebrow">
        <span><bdi>{title}</bdi>{n !== null && !examples!.weighted && <> · {say("page.past", { n, case: answer.names.case })}</>}</span>
        <span class="tools">
          <Link act={async () => this.setState({ copied: await navigator.clipboard.writeText(location.href).then(() => true, () => false) })}>{say(copied ? "page.link.done" : "page.link")}</Link>
          <Link act={() => window.print()}>{say("page.print")}</Link>
          <Link act={() => press("open-copy")}>{say("page.code")}</Link>
          <Link act={() => press("open-rule")}>{say("page.save")}</Link>
          <span ref={(node) => { if (node) node.append(byId("theme")); }} />
        </span>
      </div>
    );
  }
}

/** What is different in what can be had. */
function insteadText(state: State, { seen, situation }: View): string {
  const before = new Map(limitsOf(seen.state)), moved = limitsOf(state).find(([name, x]) => before.get(name) !== x);
  return moved ? say(`page.limit.${moved[0]}`, { ...situation, x: F.inPercent(moved[1]) }) : say("page.draw");
}
export function Head({ view, change, answer }: { view: View; change: (state: State) => void; answer: AnswerFacts }) {
  const { headline, lede, caveat } = view.said, margin = caveat?.key === "answer.caveat.margin" ? withMargin(view.seen, answer) : null;
  return (
    <>
      <h1><Told message={headline} /></h1>
      <p class="lede">{lede.map((message, i) => <>{i > 0 && " "}<span class="sentence"><Told message={message} strong /></span></>)}</p>
      {view.instead.length > 0 && (
        <p class="instead">{say("page.instead")} {view.instead.map((state) => <button onClick={() => change(state)}>{insteadText(state, view)}</button>)}</p>
      )}
      {caveat && <p class="caveat"><Told message={caveat} />{margin && <> <Link act={() => change(margin)}>{say("page.margin")}</Link></>}</p>}
    </>
  );
}

export function Answer({ view, host }: { view: View; host: Host }) {
  const { facts: { answer }, model: { totals } } = host;
  const cut = (threshold: number | null) => host.cut(threshold === null ? null : { classifier: view.scores!.index, threshold });
  return (
    <>
      <Eyebrow host={host} />
      <Head view={view} change={host.change} answer={answer} />
      <Controls view={view} answer={answer} change={host.change} asked={host.asked} review={host.review} chips={chipsOf(view, host.model)} />
      <div class="pictures">
        <Where view={view} totals={totals} answer={answer} cut={cut} />
        <div class="what"><Icons view={view} answer={answer} /><Bars view={view} totals={totals} answer={answer} /></div>
      </div>
    </>
  );
}

/** Show the segments side by side. */
export const showFair = (root: HTMLElement, names: string[], rows: Faring[] | null, answer: AnswerFacts, own: boolean, hand: boolean): void =>
  render(rows && <Fair names={names} rows={rows} answer={answer} own={own} hand={hand} />, root);

/** Put the answer into the page; returns what shows what is seen. */
export function mount(host: Host): (seen: Seen) => void {
  const root = byId("first"), rows = [...findAll("[data-layer]")];
  for (const each of [root, ...rows]) each.replaceChildren(); // what Python wrote
  new IntersectionObserver(([entry]) => root.classList.toggle("seen", entry!.isIntersecting)).observe(root); // whose rule need not be told again
  return (seen) => {
    const view = viewOf(seen, host.facts, host.model);
    render(<Answer view={view} host={host} />, root);
    for (const row of rows) {
      const message = view.said.rows[row.dataset.layer!];
      render(message ? <Told message={message} /> : null, row);
    }
  };
}
