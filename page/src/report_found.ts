// What the model of a report is asked, and what it finds. Types alone.
import type { Rates, Rule, State } from "./answer/numbers";
import type { Result } from "./answer/situation";
import type { Table, Told } from "./experts/shown";
import type { Fraction } from "./report_exact";
import type { Facts, Number as Threshold, Segments } from "./report_facts";
import type { Placed, Singles } from "./report_known";
import type { Frontier, Limit, Line, Weights } from "./report_optimum";
import type { Stake } from "./report_typed";

export type Stakes = Record<Stake, Fraction>;
export type Corner = Stakes & Weights;
/** Costs and prevalences: every choice of ends, and both ends of each. */
export interface Box {
  corners: Corner[];
  ends: Record<Stake, Fraction[]>;
  interval: boolean;
  problem?: string;
}
/** What a state asks for, or why it cannot be answered. */
export interface Question {
  problem?: string;
  corners?: Corner[];
  ends?: Box["ends"];
  interval?: boolean;
  costs?: Corner;
  limit?: Limit;
  slopes?: number[];
}
/** The numbers of a point; of ranges both ends. */
export interface Figures {
  positive_rate: Told;
  precision: Told;
  expected_cost: Told;
  confusion: Table | null;
  prices: Partial<Table> | null;
  [key: string]: unknown;
}
export interface Hull {
  fpr: Float64Array;
  tpr: Float64Array;
  fp: number[];
  tp: number[];
  frontier: Frontier;
  owners(v: number): Rule[];
  rules(v: number): Rule;
}
/** What the best rule of one classifier alone loses. */
export interface Loss {
  name: string;
  point: Placed | null;
  value: number;
}
export interface Judged extends Figures {
  point: Rates | null;
  breaks: boolean;
}
export interface Baseline extends Judged {
  kind: string;
  classifier: string | null;
  as_cheap: boolean | null;
}
export interface Answer extends Result, Figures {
  expected_cost: Told;
  chosen: Placed | null;
  single: Placed | null;
  measure: string;
  baselines: Baseline[];
  regret: Loss[];
  worst: number | null;
  span: number[] | null;
  optimal: string[] | null;
  line: Line | null;
  lines: Line[] | null;
  slope: number | number[] | null;
  probability_cost: number | number[] | null;
}
export type Found = Pick<Answer, "chosen" | "single" | "regret"> & Partial<Answer>;
/** What the model is made of. */
export interface Parts {
  union: Hull;
  hulls: Hull[];
  names: string[];
  singles: Singles;
  readonly alone: Singles[];
  baselines: ({ kind: string; classifier: string | null } & Rates)[];
  figures(state: State): (point: Rates | null) => Figures;
  given?(none: Answer, state: State): Answer;
}
export type Count = Facts["numbers"][0];
export type Saving = { share: number } & Record<Stake, number>;
export type Live = Segments & { live: NonNullable<Segments["live"]> };
export type Segment = Live["live"]["segments"][0];
/** A segment by its own threshold, or the mixture with `other`; `one` is by one threshold for all. */
export interface Row {
  segment: string;
  threshold: Threshold;
  other: Threshold | null;
  share: number;
  fpr: number | null;
  tpr: number | null;
  negatives: number | null;
  positives: number | null;
  one: ({ share: number } & Record<"fpr" | "tpr", number | null>) | null;
}
export interface Apart {
  feasible: boolean;
  message: string | null;
  chosen: Placed | null;
  straight: Placed | null;
  rows: Row[] | null;
}
