// What is asked: limits on cells of the confusion matrix and on errors of classes, the goal, and costs and priors.
import { Component } from "preact";
import { Around, say } from "../answer/words";
import * as F from "../report_format";
import { findOne } from "../report_elements";
import { Called, ErrorOf, Label, Live, Section } from "./parts";
import { arePriors, cellOf, isLimit, type Limit, type View } from "./view";
import { COST, LARGEST, MEAN, RATE } from "./words";
import { isFinite, rounded } from "../maths";

/** How many rules the limits leave; of none, which comes closest. */
function Status({ facts, data, state: { limits }, found, words }: View) {
  const n = found.remaining.length, p = found.closest, k = facts.points.weights.length;
  if (!limits.length) return <Around say="expert.classes limits.free" parts={{ rules: <Live tag="strong" name="remaining" value={n}>{words.rules(n)}</Live> }} />;
  if (n) return <Around say="expert.classes limits.kept" slots={{ ...words.limits, n }} parts={{ some: <Live tag="strong" name="remaining" value={n}>{say("expert.classes limits.some of", { n: F.count(n), rules: words.rules(k) })}</Live> }} />;
  const worst = limits.reduce((most, each) => (data.excess(each, p) > data.excess(most, p) ? each : most)), by = data.excess(worst, p);
  return <Around say="expert.classes limits.none" slots={words.limits} parts={{
    none: <Live tag="strong" name="remaining" value={0}>{say("expert.classes limits.no rule")}</Live>,
    closest: <Live name="closest" value={p}>{say("expert.classes limits.the closest")}</Live>,
    limit: <Label name={words.limit(worst)} />, excess: <Live name="excess" value={by}>{words.excess(worst, by)}</Live>,
  }} />;
}

function Bound({ view: { names, texts, words, act }, limit, at }: { view: View; limit: Limit; at: number }) {
  const text = texts[`limit:${at}`], isWrong = text !== undefined && !isLimit(F.percentage(text)), limited = words.limited(limit);
  return (
    <>
      <label class="screen"><Held view={{ words, act }} limit={limit} at={at} />{" "}
        {limit.kind === "error" ? <ErrorOf name={names[limit.true!]!} /> : <><Label name={names[limit.true!]!} /> <Called name={names[limit.called!]!} /></>}</label>
      <select aria-label={say("expert.classes limits.side of the limit", { limit: limited })} value={limit.side} onChange={({ currentTarget }) => act.limit(at, { side: currentTarget.value as Limit["side"] })}>
        <option value="<=">{say("expert.classes limits.at most")}</option><option value=">=">{say("expert.classes limits.at least")}</option></select>
      <span class="unit">
        <input type="text" inputMode="decimal" size={6} autocomplete="off" value={text ?? F.inPercent(limit.limit)} aria-invalid={isWrong}
          aria-label={say("expert.classes limits.limit in per cent", { limit: limited })} aria-describedby={`wrong-limit-${at}`} onInput={({ currentTarget }) => act.limitTyped(at, currentTarget.value)}
          onKeyDown={(event) => { // as a number input does, without its rounding
            const by = { ArrowUp: 1, ArrowDown: -1 }[event.key];
            if (!by) return;
            event.preventDefault();
            act.limitStepped(at, by * (event.shiftKey ? 10 : 1));
          }} />{"% "}
        <Remove view={{ words, act }} limit={limit} at={at} />
      </span>
      <span class="wrong" id={`wrong-limit-${at}`}>{isWrong && say("expert.classes limits.a limit is a", { low: F.share(0), high: F.share(1) })}</span>
      <span class="printed"><Label name={words.limit(limit)} /></span>
    </>
  );
}
interface LimitProps {
  view: Pick<View, "words" | "act">;
  limit: Limit;
  at: number;
}
const Held = ({ view: { words, act }, limit, at }: LimitProps) => <input type="checkbox" checked={!limit.off} aria-label={say("expert.classes limits.keep", { limit: words.limited(limit) })}
  onChange={({ currentTarget }) => act.limit(at, { off: currentTarget.checked ? undefined : true })} />;
const Remove = ({ view: { words, act }, limit, at }: LimitProps) => <button aria-label={say("expert.classes limits.remove the limit", { limit: words.limit(limit) })} onClick={() => {
  act.remove(at);
  findOne(".adder button").focus();
}}>✕</button>;

/** To the number of a limit that there is. */
export function type(at: number): void {
  const input = findOne(".limits").children[at]!.querySelector<HTMLInputElement>("[type=text]")!;
  input.focus();
  input.select();
}

function Limits({ view }: { view: View }) {
  const { names, state: { held }, words, act } = view;
  const choices = names.flatMap((_, i) => names.map((_, j): [number, number] => [i, j])).sort((a, b) => Number(b[0] === b[1]) - Number(a[0] === a[1]));
  return (
    <>
      <h3>{say("expert.classes.limits")}</h3>
      <p class={view.found.remaining.length ? "status" : "status none"} role="status" aria-live="polite"><Status {...view} /></p>
      <ul class="limits">
        {held.map((limit, at) => (
          <li class={limit.off ? "off" : ""}>
            {limit.kind === "given" ? <><label><Held view={view} limit={limit} at={at} /> <Label name={limit.text!} /></label><Remove view={view} limit={limit} at={at} /></> : <Bound view={view} limit={limit} at={at} />}
            {limit.off && <span>{say("expert.classes limits.off")}</span>}
          </li>
        ))}
        {!held.length && <li class="soft"><span class="screen">{say("expert.classes limits.to limit an error")}</span></li>}
      </ul>
      <p class="adder"><label for="chooser">{say("expert.classes.another limit on")}</label>
        <select id="chooser">{choices.map(([i, j]) => <option value={`${i},${j}`}>{words.limited(cellOf(i, j))}</option>)}</select>
        <button onClick={() => {
          const [i, j] = findOne<HTMLSelectElement>("#chooser").value.split(",").map(Number) as [number, number];
          act.hold(i, j);
          type(act.place(i, j));
        }}>{say("expert.classes limits.add a limit")}</button></p>
    </>
  );
}

interface NumberProps {
  label: string;
  value: string;
  isWrong: boolean;
  typed(text: string): void;
}
const Numeric = ({ label, value, isWrong, typed }: NumberProps) => <input type="text" inputMode="decimal" size={5} autocomplete="off" value={value} aria-label={label} aria-describedby="wrong-cost" aria-invalid={isWrong}
  onInput={({ currentTarget }) => typed(currentTarget.value)} />;

function Costs({ names, state, texts, act }: View) {
  const priors = act.priors(), text = (name: string, value: number) => texts[name] ?? F.field(rounded(value, 4));
  const cost = (i: number, j: number) => ({ label: say("expert.classes costs.cost of called", { name: names[i]!, other: names[j]! }), value: text(`cost:${i}:${j}`, state.costs[i]![j]!), typed: (typed: string) => act.costTyped(i, j, typed) });
  const prior = (i: number) => ({ label: say("expert.classes costs.prior of", { name: names[i]! }), value: text(`prior:${i}`, priors[i]!), typed: (typed: string) => act.priorTyped(i, typed) });
  const costs = names.map((_, i) => names.map((_, j) => ({ ...cost(i, j), isWrong: !isFinite(F.read(cost(i, j).value)), isPrior: "no" })));
  const shares = names.map((_, i) => ({ ...prior(i), isWrong: texts[`prior:${i}`] !== undefined && !arePriors(act.priors({ [i]: F.read(texts[`prior:${i}`]!) })), isPrior: "yes" }));
  const wrong = [...costs.flat(), ...shares].find(({ isWrong }) => isWrong);
  return (
    <div class="costs" hidden={state.objective !== "expected_cost"}>
      <h3 id="priced">{say("expert.classes costs.what it costs to")}</h3>
      <div class="scroll priced" tabIndex={0} role="region" aria-labelledby="priced"><table class="small">
        <caption class="visually-hidden">{say("expert.classes costs.cost of a case")}</caption>
        <thead><tr><th scope="col" class="text">{say("page.classes.class")}</th>{names.map((name) => <th scope="col"><Called name={name} /></th>)}</tr></thead>
        <tbody>{names.map((name, i) => <tr><th scope="row"><Label name={name} /></th>{costs[i]!.map((each) => <td><Numeric {...each} /></td>)}</tr>)}</tbody>
      </table></div>
      <table class="small">
        <caption>{say("expert.classes costs.shares of the classes")}</caption>
        <thead class="visually-hidden"><tr><th scope="col" class="text">{say("page.classes.class")}</th><th scope="col">{say("expert.classes costs.share")}</th></tr></thead>
        <tbody>{names.map((name, i) => <tr><th scope="row"><Label name={name} /></th><td><Numeric {...shares[i]!} /></td></tr>)}</tbody>
      </table>
      <p class="wrong" id="wrong-cost">{wrong && say("expert.classes costs.wrong", { field: wrong.label, prior: wrong.isPrior })}</p>
      <button onClick={act.measured}>{say("expert.classes costs.shares as in these")}</button>
    </div>
  );
}

export class Conditions extends Component<{ view: View; back(): void }> {
  shouldComponentUpdate({ view: { found, texts } }: { view: View }) { // the point that is seen is no matter here
    return found !== this.props.view.found || texts !== this.props.view.texts;
  }
  render({ view, back }: { view: View; back(): void }) {
    const { facts, state: { objective }, words, act } = view;
    const kinds = { ...(facts.objective.kind === "given" && { given: facts.objective.text }), max_error: LARGEST, mean_error: MEAN, error_rate: RATE, expected_cost: COST };
    return (
      <Section name="conditions" look="conditions" title={say("report.page.goal")}>
        <button onClick={back}>{say("expert.classes.back to the report")}</button>
        <Limits view={view} />
        <h3>{say("expert.classes.goal")}</h3>
        <p class="screen"><label for="objective">{say("expert.classes.make as small as")}</label>
          <select id="objective" value={objective} onChange={({ currentTarget }) => act.aim(currentTarget.value)}>{Object.entries(kinds).map(([kind, text]) => <option value={kind}>{text}</option>)}</select></p>
        <p class="printed"><Around say="expert.classes.to be as small" parts={{ objective: <Label name={words.objective(words.LONG)} /> }} /></p>
        <Costs {...view} />
      </Section>
    );
  }
}
