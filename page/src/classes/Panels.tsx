// The errors of two classes against each other: the rules, those within the limits and their front, the one that is
// seen, and the largest output without weights. A click or a drag chooses the nearest rule.
import { Component } from "preact";
import { Around, say } from "../answer/words";
import * as F from "../report_format";
import * as rochullTake from "../report_take";
import { Section, Term } from "./parts";
import type { Limit, View } from "./view";
import { ceil, listOf, max, min, round } from "../maths";

const PANEL = { width: 300, height: 280, left: 48, right: 18, top: 10, bottom: 44 };
const FEW = 4; // classes of which each pair has a panel
const cut = (text: string, most: number) => (text.length > most ? text.slice(0, most - 1) + "…" : text);
type Pair = [x: number, y: number];
interface Scale {
  unit: number;
  end: number;
}
interface Props {
  view: View;
  scale: Scale[];
  pair: Pair;
}

const placed = (scale: Scale[], [first, second]: Pair) => ({
  X: (v: number) => PANEL.left + (v / scale[first]!.end) * (PANEL.width - PANEL.left - PANEL.right),
  Y: (v: number) => PANEL.height - PANEL.bottom - (v / scale[second]!.end) * (PANEL.height - PANEL.top - PANEL.bottom),
});
/** The places of the points, and their order from left to right. */
function arranged({ view: { facts, data: { errors } }, scale, pair }: Props) {
  const { X, Y } = placed(scale, pair), xy = (p: number) => pair.map((c) => errors[p]![c]!) as Pair;
  const along = facts.points.weights.map((_, p) => p).sort((p, q) => xy(p)[0] - xy(q)[0] || xy(p)[1] - xy(q)[1] || p - q);
  return { X, Y, xy, along, dots: along.map((p) => `M${X(xy(p)[0]).toFixed(1)} ${Y(xy(p)[1]).toFixed(1)}h0`) };
}
type Arranged = ReturnType<typeof arranged>;
/** Dots of points that keep the limits and that break one, and the lower left front of those that keep them. */
function marked({ X, Y, xy, along, dots }: Arranged, inside: boolean[]) {
  let low = Infinity, front = "";
  for (const p of along.filter((p) => inside[p])) {
    const [x, y] = xy(p);
    if (y >= low) continue;
    front += front ? `H${X(x)}V${Y(y)}` : `M${X(x)} ${Y(y)}`;
    low = y;
  }
  const some = (isInside: boolean) => along.map((p, n) => (Boolean(inside[p]) === isInside ? dots[n] : "")).join("");
  return { front, out: some(false), kept: some(true) };
}

class Plane extends Component<Props> {
  places: { pair: Pair; at: Arranged } | null = null; // of these axes
  marks: { inside: boolean[]; at: Arranged; paths: ReturnType<typeof marked> } | null = null; // within these limits
  holder: HTMLElement | null = null;

  at(): Arranged {
    if (this.places?.pair !== this.props.pair) this.places = { pair: this.props.pair, at: arranged(this.props) };
    return this.places!.at;
  }
  paths() {
    const { found: { inside } } = this.props.view, at = this.at();
    if (this.marks?.inside !== inside || this.marks.at !== at) this.marks = { inside, at, paths: marked(at, inside) };
    return this.marks!.paths;
  }
  nearest(event: MouseEvent) {
    const { X, Y, xy } = this.at(), { view: { track, p, act } } = this.props, box = (event.currentTarget as Element).getBoundingClientRect(), scale = PANEL.width / box.width;
    const x = (event.clientX - box.left) * scale, y = (event.clientY - box.top) * scale, far = (q: number) => (X(xy(q)[0]) - x) ** 2 + (Y(xy(q)[1]) - y) ** 2;
    let found = track[0]!, least = Infinity;
    for (const q of track) if (far(q) < least) [found, least] = [q, far(q)];
    if (found !== p) act.drag(found);
  }
  pressed(event: KeyboardEvent) {
    const { view: { track, p, act } } = this.props, kept = new Set(track), line = this.at().along.filter((q) => kept.has(q)), at = line.indexOf(p), last = line.length - 1;
    const to = ({ ArrowRight: at + 1, ArrowUp: at + 1, ArrowLeft: at - 1, ArrowDown: at - 1, Home: 0, End: last, PageUp: at + 10, PageDown: at - 10 } as Record<string, number>)[event.key];
    if (to === undefined) return;
    event.preventDefault();
    act.select(line[min(last, max(0, to))]!);
  }
  takes() {
    const { view: { names }, pair: [x, y] } = this.props;
    this.holder!.querySelector(".takes")?.remove();
    rochullTake.chart({ element: this.holder! }, say("expert.classes panels.errors of and", { names: names[x]!, names2: names[y]! }));
  }
  componentDidMount() { this.takes(); }
  componentDidUpdate(before: Props) { if (before.pair !== this.props.pair) this.takes(); }

  render({ view, scale, pair }: Props) {
    const { facts, names, state, p, words } = view, [x, y] = pair, { X, Y, xy, along } = this.at(), { front, out, kept } = this.paths();
    const ends = pair.map((c) => scale[c]!.end) as Pair, ticks = (c: number) => listOf({ length: round(scale[c]!.end / scale[c]!.unit) + 1 }, (_, n) => n * scale[c]!.unit);
    const bounds = (c: number, end: number) => state.limits.filter((limit: Limit) => limit.kind === "error" && limit.true === c && limit.limit <= end).map(({ limit }) => limit);
    const usual = facts.baselines[0]!.kind === "largest" ? xy(facts.points.weights.length) : null, [cx, cy] = [X(xy(p)[0]), Y(xy(p)[1])], [right, top] = [X(ends[0]), Y(ends[1])];
    const error = (c: number) => say("answer.classes.error of", { name: cut(names[c]!, 28) });
    return (
      <div class="rc-plot" ref={(plot) => { this.holder = plot?.parentElement ?? null; }}>
        <svg class="rc-drawing" width={PANEL.width} height={PANEL.height} viewBox={`0 0 ${PANEL.width} ${PANEL.height}`} tabindex={0} role="slider"
          aria-label={say("expert.classes panels.rules by the error", { names: names[x]!, names2: names[y]! })} aria-valuemin={0} aria-valuemax={along.length - 1} aria-valuenow={along.indexOf(p)}
          aria-valuetext={`${words.said(p)}; ${names[x]} ${F.rate(xy(p)[0])}, ${names[y]} ${F.rate(xy(p)[1])}`}
          onPointerDown={(event) => {
            if (event.button !== 0 || event.pointerType !== "mouse") return; // a finger may be about to scroll
            this.nearest(event);
            event.currentTarget.setPointerCapture(event.pointerId);
          }}
          onClick={(event) => { if ((event as unknown as PointerEvent).pointerType !== "mouse") this.nearest(event); }}
          onPointerMove={(event) => { if (event.buttons & 1 && event.pointerType === "mouse") this.nearest(event); }}
          onKeyDown={(event) => this.pressed(event)}>
          <g class="grid-lines">
            {ticks(x).map((v) => <><line x1={X(v)} x2={X(v)} y1={Y(0)} y2={top} /><text x={X(v)} y={Y(0) + 15} text-anchor="middle">{F.share(v)}</text></>)}
            {ticks(y).map((v) => <><line x1={X(0)} x2={right} y1={Y(v)} y2={Y(v)} />{v > 0 && <text x={X(0) - 5} y={Y(v) + 4} text-anchor="end">{F.share(v)}</text>}</>)}
          </g>
          <g>
            {bounds(x, ends[0]).map((v) => <line class="limit" x1={X(v)} x2={X(v)} y1={Y(0)} y2={top} />)}
            {bounds(y, ends[1]).map((v) => <line class="limit" x1={X(0)} x2={right} y1={Y(v)} y2={Y(v)} />)}
          </g>
          <path class="out" d={out} /><path class="front" d={front} /><path class="in" d={kept} />
          {usual && <path class="usual" d={`M${X(usual[0])} ${Y(usual[1]) - 7}l7 7l-7 7l-7 -7z`} />}
          <circle class="here" r={7} cx={cx} cy={cy} /><path class="here" d={`M${cx - 11} ${cy}h22M${cx} ${cy - 11}v22`} />
          <g class="titles">
            <text x={(X(0) + right) / 2} y={PANEL.height - 8} text-anchor="middle">{error(x)}</text>
            <text x={0} y={0} text-anchor="middle" transform={`translate(12 ${(Y(0) + top) / 2}) rotate(-90)`}>{error(y)}</text>
          </g>
        </svg>
      </div>
    );
  }
}

/** The scale of each class's errors. */
const scaled = ({ facts, data, names }: View): Scale[] => names.map((_, c) => {
  const top = facts.points.weights.reduce((most, _, p) => max(most, data.errors[p]![c]!), 0.02), unit = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.25].find((size) => top / size <= 5) || 0.25;
  return { unit, end: min(1, ceil((top * 1.02) / unit) * unit) };
});

/** All panels: of few classes each pair has one, of many the reader chooses. */
export class Panels extends Component<{ view: View }, { pairs: Pair[] }> {
  scale = scaled(this.props.view);
  state = { pairs: this.begun(this.props.view.names.length) };

  begun(n: number): Pair[] {
    return n > FEW ? [[0, 1], [2, 3]] : listOf({ length: n }, (_, i) => i).flatMap((i) => listOf({ length: n - i - 1 }, (_, j): Pair => [i, i + j + 1]));
  }
  render({ view }: { view: View }, { pairs }: { pairs: Pair[] }) {
    const { facts, names, state } = view;
    const pick = (n: number, axis: 0 | 1) => (
      <select aria-label={say("expert.classes panels.panel class on the", { x: n + 1, axis: "xy"[axis]! })} value={pairs[n]![axis]}
        onChange={({ currentTarget: { value } }) => this.setState({ pairs: pairs.map((pair, at) => (at === n ? pair.map((c, i) => (i === axis ? Number(value) : c)) as Pair : pair)) })}>
        {names.map((name, c) => <option value={c}>{name}</option>)}</select>
    );
    return (
      <Section name="errors" look="charts" title={say("expert.classes.errors of the classes")}>
        <p class="soft"><Around say="expert.classes.each dot is a" slots={{ baseline: facts.baselines[0]!.kind === "largest" ? "yes" : "no", limited: state.limits.length ? "yes" : "no" }} parts={{ term: <Term word={say("expert.classes.pareto front")} /> }} />
          <span class="screen">{say("expert.classes.click drag or use")}</span></p>
        <div class="panels">{pairs.map((pair, n) => (
          <div class="panel">
            {names.length > FEW && <p class="pick screen">{pick(n, 1)}{say("expert.classes panels.against")}{pick(n, 0)}</p>}
            <Plane view={view} scale={this.scale} pair={pair} />
          </div>
        ))}</div>
      </Section>
    );
  }
}
