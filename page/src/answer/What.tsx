// What happens to 100 cases, as icons, and what errors cost, as bars.
import * as F from "../report_format";
import { cellsOf, costAt, costsOf, isRange, NORMAL, ratesOf, type Rates, type State, type Totals } from "./numbers";
import type { Outcomes, View } from "./seen";
import { comparisonOf, isKept, type AnswerFacts } from "./situation";
import { say } from "./words";
import { ceil, floor, max, min } from "../maths";

const ORDER = ["tp", "fn", "rv", "fp", "tn"] as const, MOST = 10000;
const slotsOf = ({ names }: AnswerFacts) => ({ positive: names.positive, negative: names.negative, case: names.case });

/** So many squares for each outcome; of more cases than can be drawn one stands for several, and what occurs has one at least. */
function squares(cells: Outcomes, shown: number) {
  const drawn = min(shown, MOST), rows = drawn > 1000 ? 100 : drawn > 100 ? 25 : 10, pitch = drawn > 1000 ? 2 : drawn > 100 ? 5 : 18;
  const size = pitch * (drawn > 1000 ? 0.75 : drawn > 100 ? 0.8 : 0.86), round = size / 5;
  const paths: Record<keyof Outcomes, string> = { tp: "", fn: "", rv: "", fp: "", tn: "" };
  let i = 0;
  for (const key of ORDER) {
    const count = cells[key] ? max(1, Math.round((cells[key] * drawn) / shown)) : 0;
    for (let k = 0; k < count && i < drawn; k += 1, i += 1) {
      const [x, y] = [floor(i / rows) * pitch, (i % rows) * pitch].map((each) => Number((each + (pitch - size) / 2).toFixed(2)));
      paths[key] += drawn > 100 ? `M${x} ${y}h${size}v${size}h${-size}z`
        : `M${x! + round} ${y}h${size - 2 * round}a${round} ${round} 0 0 1 ${round} ${round}v${size - 2 * round}a${round} ${round} 0 0 1 ${-round} ${round}h${2 * round - size}a${round} ${round} 0 0 1 ${-round} ${-round}v${2 * round - size}a${round} ${round} 0 0 1 ${round} ${-round}z`;
      const hole = { fn: 0.4, rv: 0.7 }[key as string];
      if (hole && drawn <= 100) paths[key] += `M${x! + (size * (1 - hole)) / 2} ${y! + (size * (1 - hole)) / 2}v${size * hole}h${size * hole}v${-size * hole}z`; // not by colour alone
    }
  }
  return { paths, width: ceil(drawn / rows) * pitch, height: rows * pitch };
}

export function Icons({ view: { icons, shown, seen }, answer }: { view: View; answer: AnswerFacts }) {
  if (!icons) return null;
  const { paths, width, height } = squares(icons, shown);
  return (
    <section class="icons" aria-labelledby="icons-title">
      <h2 id="icons-title">{say("page.icons.title", { of: shown, ...slotsOf(answer) })}</h2>
      <div class="waffle">
        <svg viewBox={`0 0 ${width} ${height}`} width={width} height={height} aria-hidden="true">
          {ORDER.map((key) => <path class={`o-${key} outcome`} d={paths[key]} fill-rule="evenodd" />)}
        </svg>
        <ul>
          {ORDER.filter((key) => key !== "rv" || seen.reviewed).map((key) => <li class={`t-${key}`}><span class={`key o-${key}`} aria-hidden="true" />{say(`page.cell.${key}`, { n: icons[key] })}</li>)}
          {!seen.reviewed && <li class="sum">{say("page.icons.flagged", { n: icons.tp + icons.fp, of: shown })}</li>}
        </ul>
      </div>
    </section>
  );
}

interface Row {
  name: string;
  low: number;
  high: number;
  own?: boolean;
  beyond?: boolean; // cheaper than the rule, because it breaks a limit
}
/** The ends of what rates cost over a range of costs, as products of the whole cases that are shown; of one number both are the same. */
function ends(state: State, rates: Rates, size: number): [number, number] {
  const corners = [state.cost_fn].flat().flatMap((fn) => [state.prevalence].flat().map((p) => {
    const costs = { ...costsOf(state), fn: fn as number, p: p as number }, cells = cellsOf(costs.p, rates, size);
    return isRange(state) ? (costs.fp * cells.fp + costs.fn * cells.fn) / size : costAt(costs, rates);
  }));
  return [min(...corners), max(...corners)];
}

export function Bars({ view, totals, answer }: { view: View; totals: Totals; answer: AnswerFacts }) {
  const { rates, price, isPriced, seen: { state, reviewed } } = view, { cases, comparison } = answer;
  if (!isPriced || !rates) return null;
  const ranged = !reviewed && !price, own = reviewed ? [reviewed.expected_cost, reviewed.expected_cost] as [number, number] : price ? [price.cost.value, price.cost.value] as [number, number] : ends(state, rates, cases), isNew = Boolean(price?.isNew);
  const fixed: [string, Rates][] = [[say("answer.bar.all"), { fpr: 1, tpr: 1 }], [say("answer.bar.none"), { fpr: 0, tpr: 0 }]];
  const kind = comparison?.kind;
  if (comparison && (kind === "half" || kind === "current")) fixed.unshift([say("answer.rule", comparisonOf(comparison)), ratesOf(comparison, totals)]);
  const others: [string, [number, number], Rates?][] = reviewed ? [[say("answer.bar.no reviews"), [reviewed.without, reviewed.without]], [say("answer.bar.all reviewed"), [reviewed.all, reviewed.all]]] : fixed.map(([name, each]) => [name, ends(state, each, cases), each]);
  const rows: Row[] = [{ name: say("answer.bar.this"), low: own[0], high: own[1], own: true }, ...others.map(([name, [low, high], each]) => ({ name, low, high, beyond: each && high < own[1] && !isKept(state, each) }))];
  const most = max(...rows.map(({ high }) => high)) || 1, at = (value: number) => `${(100 * max(0, value)) / most}%`;
  const whisker = isNew && price ? [-1, 1].map((side) => price.cost.value + side * NORMAL * price.cost.error) : null;
  const told = (value: number) => F.count(cases * value), unit = answer.names.unit;
  return (
    <section class="bars" aria-labelledby="bars-title">
      <h2 id="bars-title">{say(reviewed ? "page.bars.reviews" : "page.bars.title", { of: cases, ...slotsOf(answer), unit: unit ?? "", has_unit: unit ? "yes" : "no" })}</h2>
      <p class="cap">{say(isNew ? "page.bars.new" : "page.bars.here", { ...slotsOf(answer), priced_in: !unit && state.cost_fp === 1 ? "alarms" : "other", apart: view.marks ? "yes" : "no" })}</p>
      <dl>
        {rows.map(({ name, low, high, own: mine, beyond }) => (
          <div class={mine ? "row own" : "row"}>
            <dt><bdi>{name}</bdi>{beyond && <><br /><small>{say("answer.bar.breaks")}</small></>}</dt>
            <dd><span class="rail" aria-hidden="true"><span class="fill" style={ranged ? { marginLeft: at(low), width: high > low ? at(high - low) : "3px" } : { width: at(high) }} />
              {mine && whisker && <span class="whisker" style={{ left: at(whisker[0]!), width: at(whisker[1]! - max(0, whisker[0]!)) }} />}</span>
              <span class="n">{high > low ? say("page.range", { low: told(low), high: told(high) }) : mine && price?.about ? say("page.about", { n: told(high) }) : told(high)}</span></dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

