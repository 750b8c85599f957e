// What the rule that is seen does: its weights, and its confusion matrix, of which a cell tells its limits, and is where one is set.
import { Around, say } from "../answer/words";
import * as rochullExact from "../report_exact";
import * as F from "../report_format";
import { Table } from "../experts/Table";
import { type } from "./Conditions";
import { Called, Label, Live, Section, Term } from "./parts";
import { cellOf, type View } from "./view";
import { entries } from "../maths";

const MANY = 5; // classes, more than cells have words for
const SUPERSCRIPT: Record<string, string> = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };
/** Weights of many classes are as far apart as 1 and 1e-20. */
function scientific(value: number): string {
  if (value === 0 || (value >= 1e-4 && value < 1e6)) return F.number(value);
  const [digits, power] = value.toExponential(2).split("e") as [string, string];
  return `${F.number(Number(digits))} × 10${[...power.replace("+", "")].map((c) => SUPERSCRIPT[c]).join("")}`;
}
/** Whose error of a class is told: Wilson's interval, of an error that is a quotient of counts. */
const errorRange = ({ facts, data, p }: View, c: number) => F.rates(rochullExact.wilson(facts.classes[c]!.total - data.confusion[p]![c]![c]!, facts.classes[c]!.total));
const baselineOf = ({ facts, data }: View) => (facts.baselines[0]!.kind === "largest" ? data.confusion[facts.points.weights.length]! : null);

export function Weights(view: View) {
  const { facts, data, names, p } = view;
  return (
    <div class="scroll"><table class="small">
      <caption>{say("expert.classes table.weights of the classes")}</caption>
      <thead><tr><th scope="col" class="text">{say("page.classes.class")}</th><th scope="col">{say("expert.classes table.weight")}</th><th scope="col">{say("expert.classes table.error")}</th></tr></thead>
      <tbody>{names.map((name, c) => (
        <tr><th scope="row"><Label name={name} /></th><Live tag="td" name={`weight:${c}`} value={data.weights[p]![c]!}>{scientific(data.weights[p]![c]!)}</Live>
          <td><Live name={`error:${c}`} value={data.errors[p]![c]!}>{F.rate(data.errors[p]![c])}</Live>{!facts.weighted && <small>{errorRange(view, c)}</small>}</td></tr>
      ))}</tbody>
    </table></div>
  );
}
/** How sure each class is: errors of those that are of it, and of those that are called so. */
export function Sure(view: View) {
  const { data, names, p } = view;
  return (
    <Table label={say("page.classes.sure")} look="small">
      <thead><tr><th scope="col" class="text">{say("page.classes.class")}</th><th scope="col">{say("page.classes.error")}</th><th scope="col"><Term word={say("page.classes.precision")} /></th></tr></thead>
      <tbody>{names.map((name, c) => {
        const [right, all] = data.called(p, c);
        return <tr><th scope="row"><Label name={name} /></th><td>{errorRange(view, c)}</td><td>{F.rates(all ? rochullExact.wilson(right, all) : null)}</td></tr>;
      })}</tbody>
    </Table>
  );
}

/** What one cell adds to the expected cost; of gains there are no shares. */
function spent({ facts, data, state: { objective, costs, priors }, p }: View, i: number, j: number): number {
  if (objective !== "expected_cost") return 0;
  const shares = priors ?? facts.classes.map((c) => c.total);
  return (shares[i]! / shares.reduce((a, b) => a + b, 0)) * data.rates[p]![i]![j]! * costs[i]![j]!;
}
const Hold = ({ held, move }: { held: string; move(by: number): void }) => (
  <div class="hold"><button aria-label={say("expert.classes table.the limit", { way: "lower", held })} onClick={() => move(-1)}>−</button><button aria-label={say("expert.classes table.the limit", { way: "raise", held })} onClick={() => move(1)}>+</button></div>
);
function Cell({ view, i, j, isShared }: { view: View; i: number; j: number; isShared: boolean }) {
  const { data, names, state, p, found, words, act } = view, rate = data.rates[p]![i]![j]!, count = data.confusion[p]![i]![j]!, price = spent(view, i, j);
  const same = cellOf(i, j), usual = baselineOf(view)?.[i]![j], hasWords = names.length <= MANY;
  const limits = state.limits.filter((limit) => entries(same).every(([name, value]) => limit[name as "kind"] === value)), isLimited = limits.length > 0;
  const over = limits.map((limit) => data.excess(limit, p) > 0), isBroken = over.includes(true), broken = isBroken ? "yes" : "no";
  const bounds = limits.map((limit, n) => say("expert.classes table.bound", { error: i === j ? F.rate(data.errors[p]![i]) : null, over: over[n] ? "yes" : "no", way: limit.side === "<=" ? "≤" : "≥", limit: F.share(limit.limit) })).join(", ");
  const cost = !price ? "" : isShared ? say("expert.classes table.of the cost", { values: F.rate(price / found.values[p]!) }) : say("expert.classes table.cost", { cost: F.number(price) });
  const said = [say("expert.classes.called so often", { name: names[i]!, other: names[j]!, rate: F.rate(rate) }), words.amount(count), ...(usual === undefined ? [] : [say("expert.classes table.baseline", { count: words.amount(usual) })]),
    ...(cost ? [cost] : []), ...(isLimited ? [say("expert.classes table.kept", { broken, bounds })] : [])];
  const move = (by: number) => act.move(i, j, by);
  return (
    <td class={`${i === j ? "diagonal" : ""}${isBroken ? " over" : isLimited ? " limited" : ""}`} data-value={count} style={{ "--share": `${(45 * rate).toFixed(1)}%` }}
      onKeyDown={(event) => {
        const by = { ArrowUp: 1, ArrowDown: -1 }[event.key];
        if (!by || !isLimited) return;
        event.preventDefault();
        move(by * (event.shiftKey ? 10 : 1));
      }}>
      <button class="cell" data-cell={`${i},${j}`} title={say("expert.classes table.at most this")} aria-label={said.join(", ")} onClick={() => act.hold(i, j) || type(act.place(i, j))}>
        <Live look="rate" name={`rate:${i}:${j}`} value={rate}>{F.rate(rate)}</Live>
        <span class="count"><Live name={`count:${i}:${j}`} value={count}>{words.amount(count)}</Live>
          {usual !== undefined && <span class="by-baseline"> (<Live name={`usual:${i}:${j}`} value={usual}>{words.amount(usual)}</Live>)</span>}</span>
        {hasWords && <><span class="word">{i === j ? say("expert.classes table.right") : <Around say="expert.classes table.taken for" parts={{ name: <Label name={names[j]!} /> }} />}</span><span class="word">{cost}</span></>}
        <span class="bound">{isLimited && `${isBroken ? "✗" : "✓"} ${bounds}`}</span>
      </button>
      {isLimited && <Hold held={words.limited(same)} move={move} />}
    </td>
  );
}

export function Outcomes({ view }: { view: View }) {
  const { facts, data, names, state, p } = view, isShared = state.costs.flat().every((cost) => cost >= 0), kind = facts.weighted ? "weight" : "number";
  return (
    <Section name="outcomes" look="outcomes" title={say("expert.classes.what the cases of")}>
      <p class="soft"><Around say="expert.classes table.a row holds the" slots={{ kind, baseline: baselineOf(view) ? "yes" : "no" }} parts={{ term: <Term word={say("expert.classes table.confusion matrix")} /> }} /><span class="screen">{say("expert.classes table.press a cell to")}</span></p>
      <div class={names.length > MANY ? "scroll many" : "scroll"}><table class="confusion">
        <caption>{say("expert.classes table.of the cases of", { kind })}</caption>
        <thead><tr><th scope="col" class="text">{say("page.classes.class")}</th>{names.map((name) => <th scope="col"><Called name={name} /></th>)}</tr></thead>
        <tbody>{names.map((name, i) => <tr><th scope="row"><Label name={name} /></th>{names.map((_, j) => <Cell view={view} i={i} j={j} isShared={isShared} />)}</tr>)}</tbody>
        <tfoot><tr><th scope="row"><Term word={say("page.classes.precision")} /></th>{names.map((_, c) => {
          const [right, all] = data.called(p, c), share = all ? right / all : null;
          return <Live tag="td" name={`precision:${c}`} value={share ?? ""}>{F.rate(share)}</Live>;
        })}</tr></tfoot>
      </table></div>
    </Section>
  );
}
