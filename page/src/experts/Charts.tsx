// The charts of the part for experts: a tab for each view, and the view that is chosen. A chart draws itself, in an effect.
import { Component, render } from "preact";
import { say } from "../answer/words";
import type { State } from "../answer/numbers";
import { middle } from "../report_curves";
import type { Chart } from "../report_charts";
import * as F from "../report_format";
import type { Answer } from "../report_found";
import type { Views } from "../report_views";
import { isArray, rounded } from "../maths";

type Shown = Chart<State, Answer>;
type Name = Views["names"][number];
interface Props {
  names: Name[];
  mount: Views["mount"];
  charts: Map<string, Shown>; // those that have been seen
  state: State;
  result: Answer;
  view: string;
  isSeen: boolean; // no chart before it can be seen
  clicked: { text: string; undo: () => void } | null; // that a click has changed the costs, and what undoes it
  choose(id: string): void;
}
const wraps = (tab: HTMLElement, first: HTMLElement) => tab.offsetTop > first.offsetTop + first.offsetHeight / 2;

/** The tabs in one row: those that have no room in it are behind a button. */
class Tabs extends Component<Props, { room: number | null; isOpen: boolean }> {
  state = { room: null, isOpen: false }; // how many tabs have room; null until it is measured, with all of them there
  width = 0;
  row: HTMLElement | null = null;

  static getDerivedStateFromProps({ names, view }: Props, { room }: { room: number | null }) {
    return room !== null && names.findIndex(({ id }) => id === view) >= room ? { isOpen: true } : null; // what is seen has a tab
  }
  componentDidMount() {
    new ResizeObserver(([entry]) => {
      if (entry!.contentRect.width === this.width) return;
      this.width = entry!.contentRect.width;
      this.setState({ room: null });
    }).observe(this.row!.parentElement!);
  }
  componentDidUpdate(before: Readonly<Props>) {
    const { row, props: { names, view } } = this, tabs = [...row!.children] as HTMLElement[], first = tabs[0]!;
    if (this.state.room === null) {
      const wide = tabs.reduce((sum, tab) => sum + tab.offsetWidth + 4, -4) <= this.width; // without the button
      this.setState({ room: wide ? tabs.length : tabs.findLastIndex((tab) => !wraps(tab, first)) + 1 });
    }
    if (before.view === view && before.isSeen === this.props.isSeen) return;
    const tab = tabs[names.findIndex(({ id }) => id === view)]!;
    row!.scrollLeft = tab.offsetLeft - row!.offsetLeft - (row!.clientWidth - tab.offsetWidth) / 2; // on a phone the row slides
  }
  render({ names, view, choose }: Props, { room, isOpen }: { room: number | null; isOpen: boolean }) {
    const at = names.findIndex(({ id }) => id === view), last = names.length - 1;
    const go = (event: KeyboardEvent) => {
      const to = { ArrowRight: at === last ? 0 : at + 1, ArrowLeft: at ? at - 1 : last, Home: 0, End: last }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      choose(names[to]!.id);
      (this.row!.children[to] as HTMLElement).focus();
    };
    const turn = () => {
      this.setState({ isOpen: !isOpen });
      if (isOpen && at >= room!) choose(names[0]!.id);
    };
    return (
      <div class="tab-row">
        <div class="tabs" id="tabs" role="tablist" aria-label={say("expert.charts.views")} ref={(row) => { this.row = row; }} onKeyDown={go}>
          {names.map(({ id, title }, i) => (
            <button id={`tab-${id}`} role="tab" aria-controls={`view-${id}`} aria-selected={i === at} tabIndex={i === at ? 0 : -1}
              hidden={room !== null && i >= room && !isOpen} onClick={() => choose(id)}>{title}</button>
          ))}
        </div>{" "}
        <button id="more-views" aria-expanded={isOpen} aria-controls="tabs" hidden={room !== null && room > last} onClick={turn}>
          {isOpen ? say("expert.tabs.fewer views") : say("expert.tabs.more views")}</button>
      </div>
    );
  }
}

class Panel extends Component<Props & Name> {
  place: HTMLElement | null = null;

  shouldComponentUpdate({ view }: Props) {
    return [view, this.props.view].includes(this.props.id);
  }
  componentDidUpdate(before: Readonly<Props>) {
    const { id, view, isSeen, charts, mount, state, result } = this.props, chart = charts.get(id);
    if (id !== view || !isSeen) return;
    if (!chart) charts.set(id, mount(this.place!, id));
    else if (before.view !== id) chart.resize();
    charts.get(id)!.update(state, result);
  }
  render({ id, about, view }: Props & Name) {
    return <div id={`view-${id}`} class="chart view" role="tabpanel" aria-labelledby={`tab-${id}`} hidden={id !== view} ref={(place) => { this.place = place; }}>{about && <p class="about">{about}</p>}</div>;
  }
}

/** Of ranges, the numbers at which views are drawn that need one number. */
function drawnAt({ cost_fn: fn, prevalence: p }: State): string {
  const varies = (value: unknown) => isArray(value) && value[0] !== value[1];
  return [varies(p) && say("expert.page.share positive", { share: F.share(rounded(middle(p), 6)) }), varies(fn) && say("expert.page.a miss cost of", { fn: F.number(middle(fn)) })].filter(Boolean).join(", ");
}
function Charts(props: Props) {
  const { state, names, clicked } = props, numbers = drawnAt(state);
  return (
    <>
      <h2 id="charts-title" class="visually-hidden">{say("expert.charts.title")}</h2>
      <Tabs {...props} />
      <p class="soft" id="drawn-at" hidden={!numbers}>{numbers && say("expert.page.where a chart needs", { numbers })}</p>
      <div id="views">{names.map((name) => <Panel {...props} {...name} />)}</div>
      <p class="notice" id="clicked" role="status" hidden={!clicked}>{clicked?.text} <button onClick={clicked?.undo}>{say("expert.charts.undo")}</button></p>
    </>
  );
}
export const draw = (props: Props): void => render(<Charts {...props} />, document.getElementById("charts")!);
