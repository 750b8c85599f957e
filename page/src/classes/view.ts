// What the parts of the page of several classes see of it: what is asked, what follows from it and how it is worded; and what
// changes it. One store holds all that.
import type { Facts } from "../multiclass_facts";
import { rochullMulticlassModel } from "./model";
import * as F from "../report_format";
import * as rochullSort from "../report_sort";
import { keep } from "../store";
import type { Batched } from "./Batch";
import { wordsOf, type Words } from "./words";
import { assign, ceil, entries, isFinite, max, min, rounded } from "../maths";

type Given = Facts["limits"][number];
/** A limit of the facts, or of the reader's own; off, it is kept for later. */
export type Limit = Pick<Given, "kind" | "true" | "called" | "side" | "limit"> & Partial<Given> & { off?: boolean };
/** What is asked, and the point that is seen. */
export interface Asked {
  index: number;
  objective: string;
  only: boolean; // within the limits
  costs: number[][];
  priors: number[] | null;
  limits: Limit[];
}
interface Held extends Asked {
  wanted: number; // the point that was asked for: limits may keep another one
  texts: Record<string, string>; // what was typed into fields
  dialect: string;
  batch: Batched | null;
}
export interface Found {
  values: number[];
  order: number[];
  inside: boolean[];
  remaining: number[];
  kept: number[]; // the same, the best first
  worst: number[]; // by how much each breaks the limit that it breaks most
  closest: number;
  best: number;
}
export interface Rival {
  kind: string;
  class: number | null;
  index: number;
  value: number;
  within: boolean;
}
export type Model = ReturnType<typeof rochullMulticlassModel>;
export interface View {
  facts: Facts;
  data: Model;
  names: string[];
  state: Asked & { held: Limit[] }; // `limits` are those that are on; `held` has all
  p: number; // the point that is seen
  found: Found;
  usual: Rival[]; // the baselines
  track: number[]; // what one moves along
  texts: Record<string, string>;
  dialect: string;
  batch: Batched | null;
  words: Words;
  act: Acts;
}
export type Acts = ReturnType<typeof viewing>["act"];

/** A cell, or on the diagonal the error of a class, as a limit names it. */
export const cellOf = (i: number, j: number) => (i === j ? { kind: "error" as const, true: i, called: null } : { kind: "cell" as const, true: i, called: j });
/** A limit in per cent, so many steps away: of a percentage point, or near 0 of a tenth of one. */
function stepped({ limit }: Limit, by: number): string {
  const now = rounded(100 * limit, 12), unit = now > 1 || (now === 1 && by > 0) ? 1 : 0.1;
  return F.field(rounded(min(100, max(0, now + by * unit)), 12));
}
export const isLimit = (share: number) => share >= 0 && share <= 1;
export const arePriors = (priors: number[]) => priors.every((prior) => isFinite(prior) && prior >= 0) && priors.some((prior) => prior > 0);

/** The store of a page; `draw` shows a view, and `told` hears of whatever a person changes. */
export function viewing(facts: Facts, draw: (view: View) => void, told: () => void) {
  const data = rochullMulticlassModel(facts), names = facts.classes.map((c) => c.name), begun = data.initial();
  const on = (limits: Limit[]) => limits.filter((limit) => !limit.off), asked = ({ index, objective, only, costs, priors, limits }: Asked) => ({ index, objective, only, costs, priors, limits: on(limits), held: limits });
  const store = keep<Held, { found: Found; usual: Rival[] }>({ ...begun, wanted: begun.index, texts: {}, dialect: data.dialects[0]!, batch: null },
    (held) => ({ found: data.evaluate(asked(held)), usual: data.baselines(asked(held)) }), ["objective", "costs", "priors", "limits"], () => draw(seen()));
  const total = facts.classes.reduce((sum, c) => sum + c.total, 0);

  function seen(): View {
    const { index: p, texts, dialect, batch, result: { found, usual } } = store, view = { facts, data, names, state: asked(store), p, found, usual, track: track(), texts, dialect, batch, act };
    return assign(view, { words: wordsOf(view) });
  }
  const track = () => (store.only && store.result.found.remaining.length ? store.result.found.kept : store.result.found.order);
  function moved(p: number, how = {}) {
    store.change({ index: p, wanted: p }, how);
    told();
  }
  function change(more: Partial<Held>, now = true) {
    store.put(more);
    const { only, wanted, result: { found } } = store;
    store.put({ index: only && !found.inside[wanted] ? found.best : wanted }); // if none remains the best is the closest
    rochullSort.again();
    store.change({}, { now });
    told();
  }
  const place = (i: number, j: number) => store.limits.findIndex((limit) => entries(cellOf(i, j)).every(([name, value]) => limit[name as keyof Limit] === value));
  const limited = (at: number, more: Partial<Limit>) => store.limits.map((limit, n) => (n === at ? { ...limit, ...more } : limit));
  const typed = (field: string, text: string, more: Partial<Held> = {}) => change({ texts: { ...store.texts, [field]: text }, ...more }, false);

  const act = {
    drag: (p: number) => moved(p),
    select: (p: number) => moved(p, { now: true }),
    step(by: number) {
      const line = track(), at = line.indexOf(store.index);
      act.select(line[min(line.length - 1, max(0, at + by))]!);
    },
    only: (only: boolean) => change({ only, wanted: only ? store.wanted : store.index }), // what is seen stays
    aim: (objective: string) => change({ objective }),
    dialect: (dialect: string) => store.change({ dialect }, { now: true }),
    batch: (batch: Batched) => store.change({ batch }, { now: true }),

    place,
    /** "At most this"; false where that has a limit already. */
    hold(i: number, j: number): boolean {
      const at = place(i, j), now = i === j ? data.errors[store.index]![i]! : data.rates[store.index]![i]![j]!;
      if (at >= 0 && !store.limits[at]!.off) return false;
      const limits = at >= 0 ? limited(at, { off: undefined }) : [...store.limits, { ...cellOf(i, j), side: "<=" as const, limit: ceil(rounded(100 * now, 12)) / 100 }]; // the present point stays inside
      change({ limits, texts: {} });
      return true;
    },
    /** Lowers or raises the limit of a cell, whose rule follows. */
    move(i: number, j: number, by: number) {
      const at = place(i, j);
      change({ limits: limited(at, { limit: F.percentage(stepped(store.limits[at]!, by)) }), only: true, texts: {} }, false);
    },
    limit: (at: number, more: Partial<Limit>) => change({ limits: limited(at, more) }),
    limitTyped(at: number, text: string) {
      const limit = F.percentage(text);
      typed(`limit:${at}`, text, isLimit(limit) ? { limits: limited(at, { limit }) } : {});
    },
    limitStepped: (at: number, by: number) => act.limitTyped(at, stepped(store.limits[at]!, by)),
    remove: (at: number) => change({ limits: store.limits.filter((_, n) => n !== at), texts: {} }),

    costTyped(i: number, j: number, text: string) {
      const cost = F.read(text), costs = store.costs.map((row, a) => row.map((each, b) => (a === i && b === j ? cost : each)));
      typed(`cost:${i}:${j}`, text, isFinite(cost) ? { costs } : {});
    },
    /** The priors, or the classes' shares of the cases; one of them another. */
    priors: (more: Record<number, number> = {}) => (store.priors ?? facts.classes.map((c) => c.total / total)).map((prior, c) => more[c] ?? prior),
    priorTyped(c: number, text: string) {
      const priors = act.priors({ [c]: F.read(text) });
      typed(`prior:${c}`, text, arePriors(priors) ? { priors } : {});
    },
    measured: () => change({ priors: null, texts: {} }),
  };
  change({}, false);
  /** As if a person had: any of index, objective, only, costs, priors, limits. */
  function set(changes: Partial<Asked>) {
    const more = { ...structuredClone(changes), texts: {} };
    store.put(more);
    change(more.index !== undefined || !store.only ? { wanted: store.index } : {});
  }
  const link = () => data.link(seen().state);
  return {
    act, set, link, model: data, select: act.select,
    /** What is seen, when all that waits is drawn. */
    state() {
      store.flush();
      const { state, p, found: { remaining, best, closest, values } } = seen();
      return { index: p, remaining: [...remaining], best, closest, value: values[p], python: data.python(state), command: data.commandLine(state) };
    },
    /** Whether the report's own condition is left. */
    left: () => (["objective", "costs", "priors", "limits"] as const).some((name) => JSON.stringify(seen().state[name]) !== JSON.stringify(begun[name])),
    flush: () => store.flush(),
  };
}
