// The one state of the page: what the reader asked for, what is looked at, and the answer, which follows. Whatever changes it
// is drawn once, in the next frame, or at once.

import type { Reviewing } from "./answer/numbers";
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
  review: Reviewing | null;
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
interface Kept<All, Result> {
  readonly result: Result;
  /** Take changes that whoever makes them draws. */
  put(more: Partial<All>): void;
  /** Take changes; `all`: parts that are out of sight follow as well, as they do not while something is dragged. */
  change(more: Partial<All>, how?: { all?: boolean; now?: boolean }): void;
  /** Draw what waits for the next frame. */
  flush(): void;
}
export type Store<State, Result> = Readonly<Held<State>> & Kept<Held<State>, Result>;

/** Keep what begins as `begun`; the result is found anew where one of the `causes` has changed. */
export function keep<All extends object, Result>(begun: All, result: (all: All) => Result, causes: (keyof All)[], draw: (all: boolean) => void): Readonly<All> & Kept<All, Result> {
  let frame = 0, whole = false, found: { result: Result } | null = null;
  function shown() {
    const all = whole;
    [frame, whole] = [0, false];
    draw(all);
  }
  const held = { ...begun }, store = assign(held, {
    put(more: Partial<All>) {
      if (causes.some((cause) => cause in more)) found = null;
      assign(held, more);
    },
    change(more: Partial<All>, { all = true, now = false } = {}) {
      store.put(more);
      whole ||= all;
      if (!frame) frame = requestAnimationFrame(shown);
      if (now) store.flush();
    },
    flush() {
      if (!frame) return;
      cancelAnimationFrame(frame);
      shown();
    },
  });
  return Object.defineProperty(store, "result", { enumerable: true, get: () => (found ??= { result: result(held) }).result }) as typeof store & { readonly result: Result };
}

export const create = <State, Result>(model: Model<State, Result>, begun: Pick<Held<State>, "review" | "view">, draw: (all: boolean) => void): Store<State, Result> => keep<Held<State>, Result>({
  ...begun, state: model.initial(), cut: null, today: null, cases: "10000", unit: "", batch: null, pair: null, isSeen: false, sql: { dialect: "", key: "" }, clicked: null, notice: "", unused: null,
}, ({ state, cut }) => model.evaluate(state, cut), ["state", "cut"], draw);
