// What a person does to the goal of the part for experts: from what was slid, typed or ticked to the page's next state. No DOM.
import { say } from "../answer/words";
import type { State } from "../answer/numbers";
import { LIMITS, NAMES, costless, fault, fieldOf, goalOf, readOf, settled } from "../report_controls";
import { STEPS, tidy } from "./steps";
import { isArray, isFinite, max, min, rounded, sqrt } from "../maths";

export type Rough = "cost_fn" | "prevalence"; // what may be known as an interval alone
type Ends = [number, number];
interface Typed {
  text: string;
  why: string | null; // it is refused, and tried again when something else changes
}
export interface Goal {
  readonly state: State;
  readonly rough: Readonly<Record<Rough, boolean>>;
  readonly texts: ReadonlyMap<string, Typed>; // of fields that are typed in, or whose text is refused; that of a limit beside costs begins with "w-"
  ends(key: Rough): Ends;
  /** Whether the answer depends on a number: fields of others are empty, so that nobody takes them for limits that are kept. */
  isInForce(key: string): boolean;
  /** Begin at a state that was asked for elsewhere. */
  set(next: State): void;
  aim(goal: string): void;
  blur(key: Rough, on: boolean): void;
  mix(on: boolean): void;
  slid(key: string, side: number, index: number): void;
  released(): void;
  typed(name: string, text: string): void;
  /** Forget what was typed, but for what is refused. */
  settle(): void;
}

const logit = (p: number) => Math.log(p / (1 - p)), expit = (x: number) => 1 / (1 + Math.exp(-x));
const nearly = (p: number) => (p < 0.5 ? rounded(p, 2) : tidy(1 - rounded(1 - p, 2)));
const isRough = (key: string): key is Rough => key === "cost_fn" || key === "prevalence";
const ownOf = (state: State) => state.own!;

/** `changed` is told the next state; why what a field holds is not part of it, null if all is; and that more may follow at once. */
export function create(first: State, isUnasked: (state: State) => boolean, changed: (state: State, unused: string | null, dragged: boolean) => void): Goal {
  let state = first, rough = { cost_fn: false, prevalence: false };
  let left: Partial<Record<Rough, { before: Ends; middle: number }>> = {}; // the intervals that there were before the goal became one that takes none
  const texts = new Map<string, Typed>();

  function ends(key: Rough): Ends {
    const [low, high] = [state[key]].flat() as [number, number?];
    return [low, high ?? low];
  }
  const put = (more: Partial<State>) => { state = { ...state, ...more } as State; };
  const hold = (key: Rough, [low, high]: Ends) => put({ [key]: rough[key] && low < high ? [low, high] : low });
  function set(next: State) {
    state = settled(next);
    rough = { cost_fn: isArray(next.cost_fn), prevalence: isArray(next.prevalence) };
    left = {};
    texts.clear();
  }
  /** Turn one number into an interval around it, or back into its middle. */
  function blur(key: Rough, on: boolean) {
    if (rough[key] === on) return;
    const [low, high] = ends(key);
    rough = { ...rough, [key]: on };
    if (on) {
      return hold(key, key === "cost_fn" ? [tidy(rounded(low / 2, 3)), tidy(rounded(low * 2, 3))]
        : [0, 1].includes(low) ? [low, low] : [-1, 1].map((side) => nearly(expit(logit(low) + side * Math.LN2))) as Ends);
    }
    const between = key === "cost_fn" ? rounded(sqrt(low * high), 3) : nearly(expit((logit(low) + logit(high)) / 2));
    const value = isFinite(between) && between >= low && between <= high ? between : low;
    hold(key, [value, value]);
    texts.delete(`${key}/high`);
  }
  /** Make a goal the active one; only costs may be known roughly. */
  function aim(goal: string) {
    for (const key of ["cost_fn", "prevalence"] as const) {
      const old = left[key];
      if (goal !== "cost" && rough[key]) {
        const before = ends(key);
        blur(key, false);
        left[key] = { before, middle: ends(key)[0] };
      } else if (goal === "cost" && old && ends(key)[0] === old.middle) { // nobody has moved it since
        rough = { ...rough, [key]: true };
        hold(key, old.before);
      }
    }
    if (goal === "cost") left = {};
    put({ goal });
  }
  /** Leave the report's own condition for one that the controls can show. */
  function leave() {
    if (state.goal === "report") aim(ownOf(state).otherwise);
  }
  /** Move one end of an interval, not beyond the other. */
  function keep(key: Rough, side: number, value: number) {
    const [low, high] = ends(key);
    hold(key, !rough[key] ? [value, value] : side ? [low, max(value, low)] : [min(value, high), high]);
  }
  const isInForce = (key: string) => (LIMITS.includes(key) ? goalOf(key) === state.goal
    : key === "prevalence" || (state.goal === "report" ? ownOf(state).priced : !isUnasked({ ...state, cost_fn: ends("cost_fn")[0] })));
  /** Why a number that is fine by itself does not go with the others; null if it does. */
  function refused(key: string, side: number, value: number): string | null {
    if (!isRough(key) || !rough[key]) return costless({ ...state, [key]: value });
    const [low, high] = side ? [ends(key)[0], value] : [value, ends(key)[1]];
    return low > high ? say("expert.controls.from to is no", { name: NAMES[key], field_of: fieldOf(key, low), field_of2: fieldOf(key, high) }) : costless({ ...state, [key]: [low, high] });
  }
  /** Take what a field holds into the state, if it can be part of it; of a limit beside costs nothing is none. */
  function taken(name: string): boolean {
    const { text } = texts.get(name)!, isBeside = name.startsWith("w-"), isEmpty = text.trim() === "";
    const [key, end] = (isBeside ? name.slice(2) : name).split("/") as [string, string?], side = end ? 1 : 0, value = readOf(key, text);
    const isAsBefore = isEmpty && !isBeside && !isInForce(key);
    const why = isAsBefore || (isBeside && isEmpty) ? null : fault(key, value, text) || (isBeside ? null : refused(key, side, value));
    texts.set(name, { text, why });
    if (isAsBefore || why !== null) return false;
    if (isBeside) {
      const within = { ...state.within, [key]: value };
      if (isEmpty) delete within[key];
      put({ within });
    } else if (isRough(key)) keep(key, side, value);
    else put({ [key]: value });
    return true;
  }
  function moved(except: string | null = null, dragged = false) {
    const held = () => [...texts].filter(([, { why }]) => why !== null);
    // Of an interval the low end may have been typed first, and only now have become possible.
    while (held().some(([name]) => name !== except && taken(name)));
    settle(except);
    changed(state, held()[0]?.[1].why ?? null, dragged);
  }
  function settle(except: string | null = null) {
    for (const [name, { why }] of texts) if (why === null && name !== except) texts.delete(name);
  }
  set(first);
  return {
    get state() { return state; },
    get rough() { return rough; },
    texts, ends, isInForce, set, settle: () => settle(),
    aim(goal) {
      aim(goal);
      moved();
    },
    blur(key, on) {
      if (on) aim("cost");
      leave();
      blur(key, on);
      moved();
    },
    mix(on) {
      put({ mixtures: on });
      moved();
    },
    slid(key, side, index) {
      const value = STEPS[key]![index]!, name = key === "ratio" ? "cost_fn" : key;
      texts.delete(side ? `${name}/high` : name);
      delete left[name as Rough];
      if (key === "ratio") {
        aim("cost");
        if (!state.cost_fp) put({ cost_fp: 1 });
        keep("cost_fn", side, tidy(value * state.cost_fp));
      } else if (key === "prevalence") {
        leave();
        keep("prevalence", side, value);
      } else {
        aim(goalOf(key));
        put({ [key]: value });
      }
      moved(null, true);
    },
    released: () => moved(),
    typed(name, text) {
      texts.set(name, { text, why: null });
      if (taken(name)) {
        const key = name.split("/")[0]!;
        delete left[key as Rough];
        leave();
        if (key !== "prevalence") aim(LIMITS.includes(key) ? goalOf(key) : "cost");
      }
      moved(name);
    },
  };
}
