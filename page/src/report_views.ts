// The views of one state, in the order of their tabs. A view is a file that adds it here, and a line in html.VIEWS:
// {id, title, about (a sentence on how it is read), chart(base, element), isPossible(base), or always}. A chart has update(state, result), resize() and destroy().
import { say } from "./answer/words";
import type { State } from "./answer/numbers";
import type { Chart } from "./report_charts";
import type { Facts } from "./report_facts.d";
import * as rochullFormat from "./report_format";
import * as rochullMarks from "./report_marks";
import type { Base } from "./report_marks";
import type { Answer } from "./report_found";
import type { Model } from "./report_model";
import * as rochullReviewed from "./report_reviewed";
import * as rochullSmallCharts from "./report_small";
import type { Parted } from "./report_small";
import * as rochullTake from "./report_take";

declare const SEGMENTS: boolean; // whether the page is built for them

export interface View<Known = Base, Found = Answer> {
  id: string;
  title: string;
  about: string;
  isPossible?(base: Known): boolean;
  chart(base: Known, element: HTMLElement): Chart<State, Found>;
}
/** The views, and what the page lets them know and ask. */
export interface Views {
  names: Pick<View, "id" | "title" | "about">[];
  onselect: ((vertex: number, classifier: number) => void) | null;
  onpin: Base["pin"] | null;
  pinned: Base["pinned"];
  mount(element: HTMLElement, id: string): Chart<State, Answer>;
  bent: false | ((element: HTMLElement) => Chart<State, Parted | null>);
  calibration(element: HTMLElement, i: number): Chart<State, unknown>;
  review(): Base["review"];
  readonly asked: NonNullable<Base["review"]>;
  reviewed(state: State): ReturnType<typeof rochullReviewed.of>;
  pair: Base["pair"];
  onpair: Base["letPair"] | null;
  onreview: Base["letReview"] | null;
  isReviewing: Base["isReviewing"];
  yours(): Base["yours"];
}
const all: View[] = [];

function create(model: Model, facts: Facts): Views {
  const base = rochullMarks.prepared(model, facts) as Base; // with what is added below
  const possible = all.filter(({ isPossible }) => !isPossible || isPossible(base));
  const views: Views = {
    names: possible.map(({ id, title, about }) => ({ id, title, about })),
    onselect: null, onpin: null, pinned: () => null,
    mount: (element, id) => {
      const { chart, title } = possible.find((view) => view.id === id)!;
      return rochullTake.chart(chart(base, element), title);
    },
    bent: SEGMENTS && ((element) => rochullTake.chart(rochullSmallCharts.bent(base, element), say("expert.views.thresholds by segment"))),
    calibration: (element, i) => rochullTake.chart(rochullSmallCharts.calibration(base, element, i), say("expert.views.calibration of", { names: rochullFormat.isolated(model.names[i]!) })),
    /** What the reader set of reviews, and was not told of; null if nothing. */
    review: () => null,
    /** The same, or else what the page begins with; and the answer to it. */
    get asked() { return rochullReviewed.asked(base); },
    reviewed: (state) => rochullReviewed.of(base, state),
    /** What the reader chose of two segments; null if nothing. */
    pair: () => null,
    onpair: null,
    onreview: null, isReviewing: () => false,
    /** What a rule did on the reader's own cases: {of: the rule, fpr, tpr}, both [rate, low, high]; null if nobody knows. */
    yours: () => null,
  };
  Object.defineProperties(base, { review: { get: () => views.review() }, yours: { get: () => views.yours() } });
  base.select = (classifier, vertex) => views.onselect && views.onselect(vertex, classifier);
  base.pin = (asked) => views.onpin && views.onpin(asked);
  base.pinned = () => views.pinned();
  /** The point of the reader's current rule; null without one. */
  base.current = () => {
    const pinned = views.pinned();
    return pinned && model.ruleAt(pinned.classifier, pinned.threshold);
  };
  base.pair = () => views.pair();
  base.letPair = (asked) => views.onpair!(asked);
  base.letReview = (asked) => views.onreview!(asked);
  base.isReviewing = () => views.isReviewing();
  return views;
}

export const add = <Known, Found>(view: View<Known, Found>): number => all.push(view as View<never, never> as View);
export { create };
