// The one state of the page: what the reader asked for, what is looked at, and the answer, which follows. Whatever changes it
// is drawn once, in the next frame, or at once.

/** A threshold that the reader set by hand, in place of the best. */
export interface Cut {
  classifier: number;
  threshold: number;
}
interface Held<State> {
  state: State;
  cut: Cut | null;
  reviews: boolean; // whether people decide some cases
  view: string; // of the experts' charts
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

export function create<State, Result>(model: Model<State, Result>, { reviews, view }: { reviews: boolean; view: string }, draw: (all: boolean) => void): Store<State, Result> {
  let held: Held<State> = { state: model.initial(), cut: null, reviews, view, unused: null }, frame = 0, whole = false;
  let found: { result: Result } | null = null;
  function shown() {
    const all = whole;
    [frame, whole] = [0, false];
    draw(all);
  }
  function put(more: Partial<Held<State>>) {
    if ("state" in more || "cut" in more) found = null;
    held = { ...held, ...more };
  }
  return {
    get state() { return held.state; },
    get cut() { return held.cut; },
    get reviews() { return held.reviews; },
    get view() { return held.view; },
    get unused() { return held.unused; },
    get result() { return (found ??= { result: model.evaluate(held.state, held.cut) }).result; },
    put,
    change(more, { all = true, now = false } = {}) {
      put(more);
      whole ||= all;
      if (now) {
        cancelAnimationFrame(frame);
        shown();
      } else if (!frame) frame = requestAnimationFrame(shown);
    },
  };
}
