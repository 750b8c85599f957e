// Two segments side by side: how the scores of each lie, what thresholds make of them that the reader chooses or drags, and what
// these cost beside the cheapest.
import { render } from "preact";
import type { State } from "../answer/numbers";
import { say } from "../answer/words";
import * as F from "../report_format";
import type { Base } from "../report_marks";
import * as G from "../report_groups";
import type { Beside as Row, Judged } from "../report_beside";
import type { Rung } from "../report_groups";
import { HIGH, RULES, WIDE, apartness, barsOf, difference, knownOf, said, type Chosen, type Figure, type Threshold } from "../report_pair";
import { limitsOf } from "../report_typed";
import * as lists from "../lists";
import { Table } from "./Table";
import { abs, fromEntries, isFinite, keys, max, min } from "../maths";

/** What is chosen: both thresholds if they are the reader's, and those that were before, by the names of segments. */
export interface Pair extends Chosen {
  kept?: Record<string, Threshold>;
}
const STEPS: Record<string, number> = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10, Home: -Infinity, End: Infinity };
const FIGURES: [Figure, string, (x: number | null) => string][] = [["flagged", say("expert.panel.flagged"), F.rate], ["tpr", say("expert.batch.caught of the positives"), F.rate],
  ["fpr", say("expert.batch.wrongly flagged of the"), F.rate], ["precision", say("expert.batch.positive of the flagged"), F.rate], ["cost", say("expert.pair.expected cost per case"), F.number]];
const mainOf = ({ thresholds }: { thresholds: [Threshold, number][] }): Threshold => [...thresholds].sort((a, b) => b[1] - a[1])[0]![0];
const isSame = (one: { thresholds: [Threshold, number][] }, threshold: Threshold) => String(mainOf(one)) === String(threshold);
let made = 0;

/** Whether there are two to compare, and what shows them in `root`, for a state and the rows of report_beside.ts. */
export function mount(base: Base, root: HTMLElement): ((rows: Row[] | null, state: State) => void) | null {
  const { facts } = base, own = facts.classifiers.find(({ name }) => name === facts.segments!.classifier)!, lower = own.lower_is_positive, sign = F.sign({ lower_is_positive: lower });
  const known = knownOf(facts.segments!), size = ({ negatives, positives }: { negatives: number; positives: number }) => negatives + positives, id = `rc-pair-${made++}`;
  if (known.length < 2) return null;
  const first: Pair = { segments: [...known].sort((a, b) => size(b) - size(a)).slice(0, 2).map(({ segment }) => segment), rule: "one" };
  const once = <T,>(make: (segment: ReturnType<typeof knownOf>[0]) => T) => {
    const found = new Map<string, T>();
    return (name: string): T => found.get(name) ?? found.set(name, make(known.find(({ segment }) => segment === name)!)).get(name)!;
  };
  const barsAt = once((segment) => barsOf(own, segment)), rungsAt = once((segment) => G.ladder(own, segment));
  const judgedOf = (row: Row) => rungsAt(row.segment).map((rung) => row.by(rung, rung.thresholds));

  /** What a threshold does with the scores of a segment, as a picture whose line is dragged. */
  function drawing(k: number, segment: string, { thresholds, flagged }: Judged, main: Threshold, move: (rung: Rung) => void) {
    const { d, domain: [from, to], clamp } = barsAt(segment), rungs = rungsAt(segment), X = (value: number) => ((value - from) / (to - from || 1)) * WIDE;
    const none = main === "inf" ? !lower : main === "-inf" ? lower : null, x = none === null ? X(clamp(main)) : none ? WIDE : 0;
    const dragged = ({ currentTarget: plane, clientX, pointerId }: { currentTarget: SVGSVGElement; clientX: number; pointerId: number }) => {
      if (!plane.hasPointerCapture(pointerId)) return;
      const score = from + (new DOMPoint(clientX, 0).matrixTransform(plane.getScreenCTM()!.inverse()).x / WIDE) * (to - from);
      move(rungs[score <= from ? 0 : score >= to ? rungs.length - 1 : lists.bisectCenter(rungs.map(({ level }) => level), score)]!);
    };
    const pressed = (event: KeyboardEvent) => {
      if (!(event.key in STEPS) || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      move(rungs[min(rungs.length - 1, max(0, rungs.findIndex((rung) => mainOf(rung) === main) + STEPS[event.key]!))]!);
    };
    return (
      <svg class="rc-drawing" viewBox={`0 0 ${WIDE} ${HIGH}`} role="slider" tabindex={0} aria-label={say("expert.pair.threshold of on its", { segment: F.segment(segment) })} aria-valuetext={say("expert.pair.rule and share", { rule: said(thresholds, sign), share: F.rate(flagged) })}
        aria-valuemin={from} aria-valuemax={to} aria-valuenow={none === null ? clamp(main) : none ? to : from} onKeyDown={pressed} onPointerMove={dragged}
        onPointerDown={(event) => { event.currentTarget.setPointerCapture(event.pointerId); dragged(event); }}>
        <defs>{[[0, x], [x, WIDE]].map(([start, end], j) => <clipPath id={`${id}-${k}-${j}`}><rect x={start} y={0} width={max(0, end! - start!)} height={HIGH} /></clipPath>)}</defs>
        {[lower ? ["tp", "fp"] : ["fn", "tn"], lower ? ["fn", "tn"] : ["tp", "fp"]].map((cells, j) => (
          <g clip-path={`url(#${id}-${k}-${j})`}>{cells.map((cell) => <path class={`rc-outcome o-${cell}`} d={d[cell === "tp" || cell === "fn" ? "pos" : "neg"]} />)}</g>
        ))}
        <path class="rc-threshold" d={thresholds.map(([value]) => (isFinite(Number(value)) ? `M${X(clamp(value)).toFixed(1)},0V${HIGH}` : "")).join("")} />
        <circle class="rc-grip" cx={x} cy={HIGH / 2} r={6} />
      </svg>
    );
  }
  function View({ rows, state }: { rows: Row[]; state: State }) {
    const chosen = base.pair() ?? first, { segments, rule } = chosen, rowOf = (name: string) => rows.find(({ segment }) => segment === name)!, both = segments.map(rowOf);
    const kept = { ...chosen.kept, ...(chosen.mine && fromEntries(segments.map((name, k) => [name, chosen.mine![k]!]))) };
    const ownOf = (row: Row): Judged | undefined => {
      const judged = judgedOf(row), threshold = kept[row.segment] ?? mainOf(row.one ?? judged[0]!);
      return judged.find((rung) => isSame(rung, threshold));
    };
    const take = (next: string, names = segments, mine?: Threshold[]) => base.letPair({ segments: names, rule: next, kept, ...(next === "mine" && { mine: mine ?? names.map((name) => mainOf(ownOf(rowOf(name))!)) }) });
    const [{ weight: a }, { weight: b }] = both as [Row, Row], total = ([x, y]: Judged[]) => (a * x!.cost + b * y!.cost) / (a + b);
    // Of the constraints only where costs alone decide.
    const found: Record<string, (Judged | null | undefined)[] | null> = { one: both.map(({ one }) => one), mine: both.map(ownOf) };
    if (state.goal !== "cost" || limitsOf(state).length) found.own = both.map((row) => row.own);
    else for (const key of keys(G.RATES)) found[key] = G.choose(key, both.map(judgedOf), total);
    const isPossible = (key: string) => Boolean(found[key]?.every(Boolean)), seen = [rule, "one", "own"].find(isPossible)!, pair = found[seen] as [Judged, Judged];
    const rate = G.RATES[seen], apart = rate && F.points(abs(pair[0][rate]! - pair[1][rate]!)), mains = pair.map(mainOf), none = found.none as Judged[] | undefined;
    const move = (k: number, rung: Rung) => {
      const threshold = mainOf(rung); // of the other segment it stays where it is
      if (threshold !== mains[k] || rule !== "mine") take("mine", segments, mains.map((main, j) => (j === k ? threshold : main)));
    };
    const priceOf = (key: string) => (!none || !isPossible(key) ? "" : key === "none" ? say("expert.pair.costs per case of", { none: F.number(total(none)) })
      : say("expert.pair.costs the cheapest thresholds", { none: F.compared(total(found[key] as Judged[]), total(none)) }));
    return (
      <>
        <fieldset class="rc-controls"><legend class="visually-hidden">{say("expert.pair.which thresholds are shown")}</legend>
          {keys(RULES).map((key) => <label class="radio" hidden={!isPossible(key)}><input type="radio" name={id} value={key} checked={key === seen} onChange={() => take(key)} />
            <span>{RULES[key]![0]} <small data-price={key}>{priceOf(key)}</small></span></label>)}
        </fieldset>
        <p class="soft">{say("expert.pair.drag a line to", { meaning: RULES[seen]![1]!, apart: apart ? say("expert.pair.as nearly as one", { apart }) : "", laws: seen === "one" ? "" : say("expert.pair.laws may forbid thresholds") })}</p>
        <div class="pair">{segments.map((segment, k) => (
          <figure>
            <select aria-label={[say("expert.pair.first"), say("expert.pair.second")][k]} value={known.findIndex((each) => each.segment === segment)}
              onChange={({ currentTarget: { value } }) => take(rule, segments.map((name, j) => (j === k ? known[Number(value)]!.segment : name)))}>
              {known.map((each, i) => <option value={i}>{F.segment(each.segment)}</option>)}
            </select>
            {drawing(k, segment, pair[k]!, mains[k]!, (rung) => move(k, rung))}
            <p class="soft">{say("expert.pair.flagged where the score", { words: said(pair[k]!.thresholds, sign) })}</p>
          </figure>
        ))}</div>
        <Table look="small" label={say("expert.pair.both segments by these")}>
          <thead><tr><td />{segments.map((segment) => <th scope="col"><bdi>{segment}</bdi></th>)}<th scope="col">{say("expert.pair.first less second")}</th></tr></thead>
          <tbody>{FIGURES.map(([key, text, format]) => {
            const [x, y] = pair.map((each) => each[key]) as [number | null, number | null], between = difference(key, pair) as [number, number] | null, isCost = key === "cost", ends = isCost ? F.numbers : F.rates;
            const sure = [...pair.map((each) => each.sure?.[key] && ends(each.sure[key])), between && (isCost ? F.numbers(between) : F.from(F.points(between[0]), F.points(between[1])))];
            const cells: [number | null, string][] = [[x, format(x)], [y, format(y)], [x === null || y === null ? null : x - y, isCost ? F.number(x! - y!) : apartness(x, y)]];
            return ( // what is made alike stands out
              <tr class={key === rate ? "best" : undefined}><th scope="row">{text}</th>
                {cells.map(([value, told], k) => <td><span data-pair={`${key}:${["a", "b", "apart"][k]}`} data-value={value ?? ""}>{told}</span><small>{sure[k] ? `(${sure[k]})` : ""}</small></td>)}</tr>
            );
          })}</tbody>
        </Table>
      </>
    );
  }
  return (rows, state) => {
    root.hidden = !rows;
    if (rows) render(<View rows={rows} state={state} />, root);
  };
}
