// Where the cut-off falls: the scores, positives up and negatives down, what errors cost on the same axis, and the cut-off, which
// is dragged by mouse, finger or keys.
import { Component } from "preact";
import * as F from "../report_format";
import * as rochullRule from "../report_rule";
import { linear } from "../scale";
import { costAt, ratesOf, type Cells, type Totals } from "./numbers";
import { curveOf, cutText, placed, type Scores, type View, type Zones } from "./seen";
import { limitsOf, type AnswerFacts } from "./situation";
import { say, words } from "./words";
import { abs, max, min, round, rounded, sqrt } from "../maths";

const TOP = 40, HIST = 164, LABELS = 22, GAP = 34, COST = 96, AXIS = 22, BAR = 66, SIDE = 14, FONT = 8.2, STEEP = 10, LEAST = 12, OWN = 0.4, HIGH = 0.86;
const STEPS: Record<string, number> = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 20, PageDown: -20 };

interface Frame {
  x: (value: number) => number;
  value: (x: number) => number;
  width: number;
  mid: number;
}
function frameOf({ ends: [low, high] }: Scores, width: number, share: number): Frame {
  const scale = (width - 2 * SIDE) / (high - low);
  return { x: (value) => SIDE + (value - low) * scale, value: (x) => low + (x - SIDE) / scale, width, mid: TOP + HIST * share };
}

/** The classes of the bars: both between two cut-offs, and both where no rule is. */
type Part = "tp" | "fn" | "fp" | "tn" | "rv";
type Side = "pos" | "neg";
/** The bars as one path for each outcome; `low` and `high` are the ends of what is neither flagged nor passed. */
function pathsOf(scores: Scores, frame: Frame, { low, high: top }: { low: number; high: number }, p: number, height: Record<Side, (density: number) => number>) {
  const { x, mid } = frame, paths: Record<Part, string> = { tp: "", fn: "", fp: "", tn: "", rv: "" };
  const rect = (key: Part, from: number, to: number, y: number) => {
    if (to > from && y !== mid) paths[key] += `M${x(from).toFixed(1)} ${mid}V${y.toFixed(1)}H${x(to).toFixed(1)}V${mid}Z`;
  };
  const gap = max(0, min(1.2, (x(scores.bars[0]!.high) - x(scores.bars[0]!.low)) * 0.15)), inset = gap / (x(1) - x(0));
  const [above, below]: [Part, Part][] = scores.lower ? [["fn", "tn"], ["tp", "fp"]] : [["tp", "fp"], ["fn", "tn"]];
  for (const { low: start, high: finish, pos, neg } of scores.bars) {
    const [up, down] = [mid - height.pos((p * pos) / (finish - start)), mid + 1 + height.neg(((1 - p) * neg) / (finish - start))], end = finish - inset;
    const [from, to] = [low, top].map((value) => min(end, max(start, value))) as [number, number];
    for (const [a, b, [one, other]] of [[start, from, below!], [from, to, ["rv", "rv"]], [to, end, above!]] as [number, number, [Part, Part]][]) {
      rect(one, a, b, up);
      rect(other, a, b, down);
    }
  }
  return paths;
}
/** Heights of the bars: both classes on one scale, or each on its own where the rarer would not be seen. */
function scaleOf({ bars, ends }: Scores, p: number) {
  const high = (key: Side) => max(...bars.map((bar) => bar[key] / (bar.high - bar.low))), [up, down] = [p * high("pos"), (1 - p) * high("neg")];
  const formOf = (peak: number) => (peak * (ends[1] - ends[0]) > STEEP / 2 ? sqrt : (density: number) => density);
  const unitsOf = (form: (density: number) => number, share: number) => [(HIST * share - 2) / form(up), (HIST * (1 - share) - 2) / form(down)] as const;
  const form = formOf(max(up, down)), share = min(0.65, max(0.25, form(up) / (form(up) + form(down)))), unit = min(...unitsOf(form, share)), least = unit * min(form(up), form(down));
  const made = (form: (density: number) => number, [pos, neg]: readonly [number, number], share: number, isOwn: boolean) =>
    ({ share, height: { pos: (density: number) => pos * form(density), neg: (density: number) => neg * form(density) }, isSteep: form === sqrt, isOwn });
  if (!(least > 0 && least < LEAST)) return made(form, [unit, unit], share, false);
  const own = formOf(max(high("pos"), high("neg")));
  return made(own, unitsOf(own, OWN), OWN, true);
}

/** Two texts on both sides of the cut-off, or of two, which do not overlap and stay in the picture. */
function besides([left, right]: [string, string], [low = 0, high = low]: number[], width: number): { x: number; anchor: "start" | "end" }[] {
  const long = (text: string) => FONT * text.length, gap = 10;
  if (low - gap < long(left)) return [{ x: 0, anchor: "start" }, { x: min(width - long(right), max(high + gap, long(left) + 2 * gap)), anchor: "start" }];
  if (width - high - gap < long(right)) return [{ x: min(low - gap, width - long(right) - 2 * gap), anchor: "end" }, { x: width, anchor: "end" }];
  return [{ x: low - gap, anchor: "end" }, { x: high + gap, anchor: "start" }];
}

export interface WhereProps {
  view: View;
  totals: Totals;
  answer: AnswerFacts;
  cut: (threshold: number | null) => void;
}
export function Where({ view, totals, answer, cut: setCut }: WhereProps) {
  const { scores, cut, zones, marks, rates, said, seen } = view;
  if (!scores) return rates && <section class="where" aria-labelledby="where-title"><h2 id="where-title">{say("page.where.title")}</h2><p class="cap">{seen.reviewed ? "" : say("page.where.two", { rule: rochullRule.inWords(seen.result.chosen!) })}</p></section>;
  return (
    <section class="where" aria-labelledby="where-title">
      <div class="line"><h2 id="where-title">{say(zones || marks ? "page.where.zones" : "page.where.title")}</h2>
        <button class="quiet" hidden={!seen.hand} onClick={() => setCut(null)}>{say("page.back")}</button></div>
      <p class="cap">{say(cut === null ? "page.where.still" : "page.where.told", { cases: answer.cases, ...names(answer) })}{scaleOf(scores, view.costs.p).isOwn && ` ${say("page.where.own")}`}</p>
      <Picture view={view} totals={totals} answer={answer} cut={setCut} told={[said.headline, ...said.lede].map((message) => words.told(message)).join(" ")} />
    </section>
  );
}

interface PictureProps extends WhereProps {
  told: string; // what the cut-off does
  look?: string;
  mark?: { at: number; look: string; d: string } | null; // a symbol at a threshold
  over?: (value: number | null) => void; // where the mouse is
}
/** The scores with their cut-off, and what errors cost below. */
export class Picture extends Component<PictureProps, { width: number }> {
  state = { width: 640 }; // as it is laid out
  drag: { x: number; moved: boolean } | null = null;
  observer = new ResizeObserver(([entry]) => entry!.contentRect.width && this.setState({ width: round(entry!.contentRect.width) }));
  seen = (node: HTMLElement | null) => {
    this.observer.disconnect();
    if (!node) return;
    this.observer.observe(node);
    if (node.clientWidth) this.setState({ width: node.clientWidth }); // on paper nobody observes
  };

  render({ view, totals, answer, cut: setCut, told: valueText, look = "", mark, over }: PictureProps, { width }: { width: number }) {
    const { cut, zones, marks, costs, cells, best, stretch } = view, scores = view.scores!;
    const { share, height, isSteep, isOwn } = scaleOf(scores, costs.p), frame = frameOf(scores, width, share), { x, mid } = frame;
    const lines = zones ? [zones.low, zones.high] : marks?.map(({ at }) => at) ?? (cut === null ? [] : [cut]), ends = { low: lines[0] ?? scores.ends[0], high: lines.at(-1) ?? scores.ends[1] };
    const hasCosts = view.isPriced && !marks && zones?.kind !== "review", hasBar = zones !== null;
    const paths = pathsOf(scores, frame, ends, costs.p, height), floor = TOP + HIST + LABELS, top = floor + GAP, base = hasCosts ? top + COST : floor, bottom = base + (hasBar ? BAR : 0);
    const sides = (one: keyof Cells, other: keyof Cells) => (scores.lower ? [other, one] : [one, other]) as [keyof Cells, keyof Cells];
    const label = (key: keyof Cells) => say(key === "tn" ? "page.tn.brief" : `page.cell.${key}`, { n: cells![key] });
    const places = cells ? [sides("fn", "tp"), sides("tn", "fp")].map((pair) => besides(pair.map(label) as [string, string], lines.length ? [ends.low, ends.high].map(x) : [], width).map((place, k) => ({ ...place, key: pair[k]! }))) : [];
    const crossed = (row: number, at: number) => places[row]?.some(({ x: from, anchor, key }) => {
      const long = FONT * label(key).length, left = anchor === "end" ? from - long : from;
      return left < at && at < left + long;
    });
    const rows = places.map((pair, i) => pair.map(({ x: from, anchor, key }) => <text class={`count t-${key}`} x={from} y={i ? floor - 4 : TOP - 8} text-anchor={anchor}>{label(key)}</text>));
    const lineAt = (at: number) => `M${at} ${crossed(0, at) ? TOP - 3 : 22}${crossed(1, at) ? `V${floor - 18}M${at} ${floor + 1}` : ""}V${zones ? base + BAR - 28 : bottom}`;
    const told = cut === null ? "" : say(scores.lower ? "page.cut.below" : "page.cut.above", { cutoff: cutText(scores, cut) }), isLeft = cut !== null && x(cut) + 8 + FONT * told.length > width;
    const move = (threshold: number) => {
      const i = placed(scores, min(scores.ends[1], max(scores.ends[0], threshold))), value = scores.steps[i]!.threshold;
      setCut(best === i || (best !== null && abs(x(scores.steps[best]!.threshold) - x(value)) < 3) ? null : value);
    };
    const inside = (event: PointerEvent) => event.clientX - (event.currentTarget as Element).closest("svg")!.getBoundingClientRect().left;
    const pressed = (event: PointerEvent) => {
      (event.currentTarget as Element).setPointerCapture(event.pointerId);
      this.drag = { x: inside(event), moved: false };
    };
    const dragged = (event: PointerEvent) => {
      if (!this.drag) return;
      const here = inside(event);
      if (!this.drag.moved && abs(here - this.drag.x) < 3) return; // a touch alone moves nothing
      this.drag.moved = true;
      move(frame.value(here));
    };
    const keyed = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const i = placed(scores, cut!), last = scores.steps.length - 1, way = scores.lower ? 1 : -1, step = STEPS[event.key];
      const to = step ? i + way * step : event.key === "Home" ? (scores.lower ? 0 : last) : event.key === "End" ? (scores.lower ? last : 0) : null;
      if (to === null) return;
      event.preventDefault();
      setCut(to === best ? null : scores.steps[min(last, max(0, to))]!.threshold);
    };
    return (
      <div ref={this.seen}>
        <svg class={`scores ${look}`} onPointerMove={(event) => over?.(frame.value(inside(event)))} onPointerLeave={() => over?.(null)} width={width} height={bottom + AXIS} viewBox={`0 0 ${width} ${bottom + AXIS}`}>
          {(isSteep || isOwn) && <title>{isSteep && say("page.where.steep")} {isOwn && say("page.where.own")}</title>}
          {hasCosts && stretch && <rect class="stretch" x={x(stretch[0])} width={max(1, x(stretch[1]) - x(stretch[0]))} y={top - 8} height={COST + 8} />}
          {view.within && [[scores.ends[0], view.within[0]], [view.within[1], scores.ends[1]]].map(([from, to]) => to! > from! && <rect class="beyond" x={x(from!)} width={x(to!) - x(from!)} y={TOP} height={base - TOP} />)}
          {(Object.keys(paths) as Part[]).map((key) => <path class={`o-${key} outcome`} d={paths[key]} />)}
          <path class="base" d={`M${SIDE} ${mid + 0.5}H${width - SIDE}`} />
          {zones && <Bar zones={zones} scores={scores} frame={frame} top={base} />}
          <path class="axis" d={`M${SIDE} ${bottom + 0.5}H${width - SIDE}`} />
          {linear().domain(scores.ends).ticks(width < 420 ? 4 : 5).map((tick) => <text class="tick" x={x(tick)} y={bottom + 16} text-anchor={x(tick) < 20 ? "start" : x(tick) > width - 24 ? "end" : "middle"}>{F.number(tick)}</text>)}
          <path class="cut" d={lines.map((value) => lineAt(x(value))).join("")} />
          {hasCosts && <Cost view={view} frame={frame} totals={totals} answer={answer} top={top} />}
          {rows}
          {marks && ends.low < ends.high && besides([marks[0]!.name, marks.at(-1)!.name], [x(ends.low), x(ends.high)], width).map((place, i) => <text class="strong" x={place.x} y={14} text-anchor={place.anchor}>{marks.at(-i)!.name}</text>)}
          {cut !== null && (
            <>
              <text class="strong" x={isLeft ? x(cut) - 8 : x(cut)} dx={isLeft ? 0 : -2} y={14} text-anchor={isLeft ? "end" : "start"}>{told}</text>
              <g class="grip" role="slider" tabindex={0} aria-label={say("page.cut.name", { score: scores.name })} aria-valuemin={scores.ends[0]} aria-valuemax={scores.ends[1]} aria-valuenow={cut}
                aria-valuetext={valueText} onKeyDown={keyed}
                onPointerDown={pressed} onPointerMove={dragged} onPointerUp={() => { this.drag = null; }} onPointerCancel={() => { this.drag = null; }}>
                <rect class="hit" x={x(cut) - 22} y={mid - 40} width={44} height={80} />
                <circle cx={x(cut)} cy={mid} r={10} /><path d={`M${x(cut) - 3} ${mid - 4}v8M${x(cut) + 3} ${mid - 4}v8`} />
              </g>
            </>
          )}
          {mark && <path class={mark.look} d={mark.d} transform={`translate(${x(mark.at)},${mid})`} pointer-events="none" />}
        </svg>
      </div>
    );
  }
}
/** The three zones of the scores as one bar, with how many cases are in each, and the two cut-offs. */
function Bar({ zones: { low, high, kind, counts }, scores: { lower, ends }, frame: { x, width }, top }: { zones: Zones; scores: Scores; frame: Frame; top: number }) {
  const [start, from, to, end] = [ends[0], low, high, ends[1]].map(x) as [number, number, number, number], zones = [[start, from], [from, to], [to, end]] as const;
  const keys = lower ? (["flagged", kind, "passed"] as const) : (["passed", kind, "flagged"] as const), y = top + 24;
  const texts = keys.map((key) => say(`page.zone.${key}`, { n: counts[key === kind ? "between" : (key as "flagged" | "passed")] })), long = texts.map((text) => FONT * text.length);
  const middle = max(long[0]! + long[1]! / 2 + 12, min(width - long[2]! - long[1]! / 2 - 12, (from + to) / 2));
  const cutoffs = [low, high].map((value) => F.threshold(value, lower)), room = [0, 1].map((i) => (FONT * cutoffs[i]!.length) / 2);
  const [a, b] = to - from < room[0]! + room[1]! + 12 ? [min(from + 2, width - 2 * room[1]! - 12) , max(to - 2, 2 * room[0]! + 12)] : [from, to];
  const isTight = to - from < room[0]! + room[1]! + 12;
  return (
    <g class="zones">
      {zones.map(([left, right], i) => <rect class={`z-${keys[i]}`} x={left} width={max(0, right - left)} y={y} height={14} />)}
      {[a, b].map((place, i) => <text class="strong" x={place} y={14} text-anchor={isTight ? (i ? "start" : "end") : place < room[i]! ? "start" : place > width - room[i]! ? "end" : "middle"}>{cutoffs[i]}</text>)}
      <text x={0} y={y + 32}>{texts[0]}</text><text x={middle} y={y + 32} text-anchor="middle">{texts[1]}</text><text x={width} y={y + 32} text-anchor="end">{texts[2]}</text>
    </g>
  );
}
const names = ({ names: { positive, negative, case: each } }: AnswerFacts) => ({ positive, negative, case: each });

function Cost({ view, frame: { x, width }, totals, answer, top }: { view: View; frame: Frame; totals: Totals; answer: AnswerFacts; top: number }) {
  const { scores, costs, cut, rates, stretch, within, seen: { state } } = view, ends = [state.cost_fn].flat() as number[], isRange = ends.length > 1;
  const curves = ends.map((fn) => curveOf(scores!, totals, { ...costs, fn })), most = max(...curves.flat().map(([, cost]) => cost));
  const y = (cost: number) => top + COST - (HIGH * COST * cost) / most;
  const lines = curves.map((curve) => curve.map(([threshold, cost], i) => `${i ? "L" : "M"}${x(threshold).toFixed(1)} ${y(cost).toFixed(1)}`).join(""));
  const rival = answer.comparison, isMarked = rival?.rule?.kind === "threshold" && rival.rule.classifier === scores!.name;
  const place = isMarked ? x(Number(rival.rule!.threshold)) : 0, high = isMarked ? y(costAt(costs, ratesOf(rival, totals))) : 0;
  const said = isMarked ? F.threshold(rival.rule!.threshold, scores!.lower) : "";
  const title = say("page.cost.title"), text = within ? say("page.cost.beyond", { n: limitsOf(state).length }) : stretch && say("page.cost.stretch", { low: F.number(rounded(stretch[0], 3)), high: F.number(rounded(stretch[1], 3)) });
  const long = FONT * max(title.length, 0.9 * (text?.length ?? 0)), [before, after] = [min(stretch ? x(stretch[0]) : width, x(cut!)) - 10, max(stretch ? x(stretch[1]) : 0, x(cut!)) + 10];
  const isLeft = after + long > width, from = !isLeft ? after : before > long ? before : 0, anchor = isLeft && from ? "end" : "start";
  return (
    <g>
      <text class="strong" x={from} y={top - 13} text-anchor={anchor}>{title}</text>
      {lines.map((line, i) => <path class={isRange && !i ? "curve low" : "curve"} d={line} />)}
      {isRange && curves.map((curve, i) => <text x={x(scores!.lower ? curve.at(-1)![0] : curve[0]![0])} y={y(curve.at(scores!.lower ? -1 : 0)![1]) + (i ? -10 : -6)} text-anchor="end">{say("page.cost.range", { fn: ends[i]! })}</text>)}
      {text && <text x={from} y={top + 3} text-anchor={anchor}>{text}</text>}
      {isMarked && !isRange && <><circle class="rival" cx={place} cy={high} r={4.5} /><text x={place} y={high + (high > top + COST - 26 ? -9 : 20)} text-anchor="middle">{said}</text></>}
      {cut !== null && rates && !isRange && <circle class="own" cx={x(cut)} cy={y(costAt(costs, rates))} r={5} />}
    </g>
  );
}
