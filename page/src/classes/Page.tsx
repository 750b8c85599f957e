// The page of several classes: its parts, each drawn where the page has a place for it, and its address.
import { render, type ComponentChildren } from "preact";
import { Around, say } from "../answer/words";
import { sentences } from "./sentences";
import { traded, verdict } from "./verdict";
import type { Facts } from "../multiclass_facts";
import * as rochullMulticlassLink from "./link";
import { findAll, findOne, html, on } from "../report_elements";
import * as F from "../report_format";
import * as rochullTake from "../report_take";
import * as rochullTerms from "../report_terms";
import * as rochullTheme from "../report_theme";
import { Along } from "./Along";
import { Batch } from "./Batch";
import { Conditions } from "./Conditions";
import { Picture } from "./First";
import { Outcomes, Sure, Weights } from "./Outcomes";
import { Panels } from "./Panels";
import { Compared, Listed } from "./Rules";
import { Label, Live, Term } from "./parts";
import { viewing, type View } from "./view";

/** The rule that is seen: what it costs, whether it may be used, and those beside it. */
function Point({ view }: { view: View }) {
  const { facts, state, p, found, track, words, act } = view, isKept = found.inside[p], rank = found.kept.indexOf(p) + 1, limited = state.limits.length ? "yes" : "no";
  const within = !found.remaining.length ? "none" : ["free", "one"][state.limits.length] ?? "many";
  return (
    <section aria-labelledby="point" class="answer">
      <h2 id="point">{words.called(p)}</h2>
      <div>
        <p class="where"><Around say="expert.classes words.where" slots={{ objective: words.objective(words.LONG), priced: words.priced }} parts={{ value: <Live tag="strong" name="value" value={found.values[p]!}>{words.value(found.values[p]!)}</Live> }} /></p>
        <p class={isKept ? "kept" : "broken"} hidden={isKept && !rank}>
          {isKept ? say("expert.classes.rank", { ...words.limits, first: rank === 1 ? "yes" : "no", rank: F.count(rank), rules: words.rules(found.kept.length), limited }) : say("expert.classes.breaks", words.limits)}</p>
      </div>
      <div class="controls">
        <label for="slider">{say("expert.classes.other rules from the")}</label>
        <input type="range" id="slider" min={0} step={1} max={track.length - 1} value={Math.max(track.indexOf(p), 0)} class="slider" aria-valuetext={words.said(p)} onInput={({ currentTarget }) => act.drag(track[Number(currentTarget.value)]!)} />
        <span class="buttons"><button aria-label={say("expert.classes.previous rule")} onClick={() => act.step(-1)}>‹</button><button aria-label={say("expert.classes.next rule")} onClick={() => act.step(1)}>›</button></span>
        <button class="main" onClick={() => act.select(found.best)}>{say("expert.classes.best rule", { within })}</button>
        <label hidden={limited === "no"}><input type="checkbox" checked={state.only} onChange={({ currentTarget }) => act.only(currentTarget.checked)} />{say("expert.classes.only rules within the")}</label>
      </div>
      <Weights {...view} />
      <p class="soft"><Around say="expert.classes.multiply the outputs a" parts={{ term: <Term word={say("expert.classes.class weights")} /> }} /></p>
      <details><summary>{say("expert.classes.for experts")}</summary>
        <p class="soft"><Around say="expert.classes.place" parts={{ point: <Live name="point" value={p}>{say("expert.classes.point", { p: F.count(p) })}</Live> }} slots={{
          k: F.count(found.order.length), limited, place: F.count(found.order.indexOf(p) + 1), objective: words.objective(), share: F.share(0.95), counted: facts.weighted ? "no" : state.objective === "expected_cost" ? "costs" : "yes",
        }} /></p></details>
    </section>
  );
}
/** What is told in a line at the foot of a phone. */
function Bar({ data, names, p, words }: View) {
  const worst = names.map((_, c) => c).sort((a, b) => data.errors[p]![b]! - data.errors[p]![a]! || a - b);
  return <div class="bar" aria-hidden="true"><span class="bar-rule">{words.bar(p)}</span><span class="bar-figures">{say("expert.classes.bar errors", { errors: worst.map((c) => `${F.isolated(names[c])} ${F.rate(data.errors[p]![c])}`).join(" · ") })}</span></div>;
}
const Decision = ({ view, back }: { view: View; back(): void }) => (
  <>
    <div class="live"><Conditions view={view} back={back} /><Outcomes view={view} /><Panels view={view} /><Point view={view} /></div>
    <Listed view={view} />
    <Along view={view} />
    <Bar {...view} />
  </>
);

/** How many cases there are, and how many rules were tried on them. */
function Examined({ weighted, classes, points }: Facts) {
  const amount = (which: number | string, total: number) => <Live name={`total:${which}`} value={total}>{weighted ? F.threshold(total) : F.count(total)}</Live>;
  return <Around say="answer.classes.examined" slots={{ weighted: weighted ? "yes" : "no", tried: say("answer.classes.tried", { rule_count: points.weights.length }) }} parts={{
    amount: amount("all", classes.reduce((sum, c) => sum + c.total, 0)), classes: classes.map(({ name, total }, c) => <>{c > 0 && ", "}<Label name={name} /> ({amount(c, total)})</>),
  }} />;
}
const byId = (id: string) => document.getElementById(id)!;
/** Begin the page; returns what it can be asked, and told. */
export function page() {
  const facts = JSON.parse(byId("facts").textContent!) as Facts, main = byId("multiclass"), notice = byId("link-notice"), classes = findOne(".classes-picture");
  rochullTheme.bind(byId("theme"));
  /** A place in a row of the first screen. */
  function place(row: string): HTMLElement {
    const body = findOne(`#layer-${row} > .body`);
    body.parentElement!.hidden = false;
    return body.appendChild(html("div"));
  }
  const [why, sure, tried] = ["why", "sure", "try"].map(place) as [HTMLElement, HTMLElement, HTMLElement];
  const show = (node: HTMLElement, said: ComponentChildren) => render(<>{said}</>, node), back = () => seen.set(seen.model.initial());
  main.replaceChildren();
  main.style.setProperty("--classes", String(facts.classes.length));
  classes.hidden = false;
  render(<Examined {...facts} />, byId("examined"));

  function draw(view: View) {
    const { p, usual } = view, { first: [headline, ...rest], rows } = sentences(view, p, usual);
    show(findOne("#first h1"), headline);
    show(findOne("#first .lede"), rest.join(" "));
    show(classes.lastElementChild as HTMLElement, <Picture {...view} />);
    for (const row of findAll("[data-layer]")) show(row, rows[row.dataset.layer!]);
    show(byId("verdict"), verdict(view, p, usual));
    show(byId("traded"), traded(view, p, usual));
    show(main, <Decision view={view} back={back} />);
    show(why, <Compared view={view} />);
    if (!facts.weighted) show(sure, <Sure {...view} />);
    show(tried, <Batch view={view} />);
  }
  let timer = 0, told = () => {};
  const seen = viewing(facts, draw, () => told());
  seen.flush();
  for (const part of [main, why, sure, tried]) rochullTake.tables(part);
  rochullTerms.bind(byId("told"));
  const write = rochullMulticlassLink.bind(seen, notice), [own, other] = ["[data-own]", "[data-other]"].map((kind) => findOne(kind));
  const leave = () => { [own.hidden, other.hidden] = [seen.left(), !seen.left()]; };
  told = () => {
    notice.hidden = true;
    leave();
    clearTimeout(timer);
    timer = setTimeout(write, 300); // when nothing moves any more
  };
  leave();
  on(byId("back"), "click", back);
  on(findOne(".skip"), "click", (event: Event) => { // without another address
    event.preventDefault();
    main.closest("details")!.open = true;
    main.focus();
    main.scrollIntoView();
  });
  return seen;
}
