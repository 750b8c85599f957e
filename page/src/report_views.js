// The views of one state, in the order of their tabs. A view is a file that adds it here, and a line in html.VIEWS:
// {id, title, about (a sentence on how it is read), chart(base, element), isPossible(base), or always}. A chart has update(state, result), resize() and destroy().
import { say } from "./answer/words";
import * as rochullFormat from "./report_format";
import * as rochullMarks from "./report_marks";
import * as rochullReviewed from "./report_reviewed";
import * as rochullSmallCharts from "./report_small";
import * as rochullTake from "./report_take";

const all = [];

function create(model, facts) {
  const base = rochullMarks.prepared(model, facts);
  const possible = all.filter(({ isPossible }) => !isPossible || isPossible(base));
  const views = {
    names: possible.map(({ id, title, about }) => ({ id, title, about })),
    onselect: null, onpin: null, pinned: () => null,
    mount: (element, id) => {
      const { chart, title } = possible.find((view) => view.id === id);
      return rochullTake.chart(chart(base, element), title);
    },
    bent: SEGMENTS && ((element) => rochullTake.chart(rochullSmallCharts.bent(base, element), say("expert.views.thresholds by segment"))),
    calibration: (element, i) => rochullTake.chart(rochullSmallCharts.calibration(base, element, i), say("expert.views.calibration of", { names: rochullFormat.isolated(model.names[i]) })),
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
  base.letPair = (asked) => views.onpair(asked);
  base.letReview = (asked) => views.onreview(asked);
  base.isReviewing = () => views.isReviewing();
  return views;
}

export const add = (view) => all.push(view);
export { create };
