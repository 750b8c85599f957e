// The one state of the page: what the reader asked for, what is looked at, and the answer, which follows. Whatever changes it
// is drawn once, in the next frame, or at once.

import type { Cases } from "./experts/Batch";
import type { Pair } from "./experts/Pair";
import { assign } from "./maths";

/** A threshold that the reader set by hand, in place of the best. */
export interface Cut {
  classifier: number;
  threshold: number;
}
/** The reader's rule of today, and what its field holds if that is another text; of no classifier where none is chosen. */
export interface Today {
  classifier: number | null;
  threshold: number;
  text?: string;
}
interface Held<State> {
  state: State;
  cut: Cut | null;
  today: Today | null;
  cases: string; // how many, and the unit of costs, as they are typed
  unit: string;
  batch: Cases | null; // of the reader's own
  pair: Pair | null; // of two segments
  review: { cost: number; most: number } | null; // that people decide some cases: at what price, and how many at most
  view: string; // of the experts' charts
  isSeen: boolean; // whether their part has been open
  clicked: { text: string; undo: () => void } | null; // that a click has changed the costs, and what undoes it
  sql: { dialect: string; key: string }; // what the rule is written as
  notice: string; // of a link that cannot be read
  unused: string | null; // why what a field holds is not part of the state
}
interface Model<State, Result> {
  initial(): State;
  evaluate(state: State, cut: Cut | null): Result;
}
export interface Store<State, Result> extends Readonly<Held<State>> {
  readonly result: Result;
  /** Take changes that whoever makes them draws. */
  put(more: Partial<Held<State>>): void;
  /** Take changes; `all`: parts that are out of sight follow as well, as they do not while something is dragged. */
  change(more: Partial<Held<State>>, how?: { all?: boolean; now?: boolean }): void;
}

export function create<State, Result>(model: Model<State, Result>, begun: Pick<Held<State>, "review" | "view">, draw: (all: boolean) => void): Store<State, Result> {
  let frame = 0, whole = false, found: { result: Result } | null = null;
  function shown() {
    const all = whole;
    [frame, whole] = [0, false];
    draw(all);
  }
  const store: Held<State> & Store<State, Result> = {
    ...begun, state: model.initial(), cut: null, today: null, cases: "10000", unit: "", batch: null, pair: null, isSeen: false, sql: { dialect: "", key: "" }, clicked: null, notice: "", unused: null,
    get result() { return (found ??= { result: model.evaluate(store.state, store.cut) }).result; },
    put(more: Partial<Held<State>>) {
      if ("state" in more || "cut" in more) found = null;
      assign(store, more);
    },
    change(more: Partial<Held<State>>, { all = true, now = false } = {}) {
      store.put(more);
      whole ||= all;
      if (now) {
        cancelAnimationFrame(frame);
        shown();
      } else if (!frame) frame = requestAnimationFrame(shown);
    },
  };
  return store;
}
