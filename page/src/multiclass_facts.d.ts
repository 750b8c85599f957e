// Made of the schema "rochull-multiclass-report-2" by make page. Do not edit.
export type Clause = {
  key: string;
  [other: string]: unknown;
};
export type Size = number;
export type Sizes = Size[];
export type Rows = Sizes[];
export type Class = number | null;
export type Defined = (number | null)[] | null;
export type Unavailable = {
  unavailable: string;
};
export type Filled = string[];
export type Templates = {
  frame: (string | number)[];
  products: ({
    zero: string;
    one: string;
    plain: Filled;
    small: Filled | null;
    large: Filled | null;
  })[];
};
export type Facts = {
  format: "rochull-multiclass-report";
  version: 2;
  rochull: string;
  title: string;
  about: Record<string, string> | null;
  in_sample: true;
  weighted: boolean;
  source: "mc" | "points";
  classes: {
    name: string;
    label: string;
    code: string;
    option: string;
    column: string;
    total: number;
  }[];
  points: {
    weights: Rows;
    confusion: Rows[];
    rates: Rows[] | null;
    errors: Rows | null;
    error_rates: Sizes | null;
  };
  objective: {
    kind: "max_error" | "error_rate" | "expected_cost" | "given";
    text: string;
    code: string;
    option: string | null;
    share: boolean;
    named: boolean;
    values: Defined;
  };
  costs: number[][];
  priors: Sizes | null;
  limits: ({
    kind: "cell" | "error" | "given";
    true: Class;
    called: Class;
    side: "<=" | ">=";
    limit: number;
    share: boolean;
    text: string;
    code: string;
    option: string | null;
    scale: number;
    excess: Defined;
  })[];
  remaining: number[];
  leading: ({
    index: number;
    value: number | null;
  })[];
  chosen: {
    index: number;
    value: number | null;
    feasible: boolean;
    excess: (number | null)[];
    unlimited: number;
  };
  baselines: ({
    kind: "largest" | "balanced" | "always";
    class: Class;
    confusion: Rows;
    rates: Rows | null;
    errors: Sizes | null;
    error_rate: number | null;
    value: number | null;
    excess: (number | null)[];
  })[];
  command: string[] | null;
  answer: {
    state: Record<string, unknown>;
    headline: Clause;
    lede: Clause[];
    rows: {
      key: string;
      message: Clause;
    }[];
  };
  deploy: {
    policy: {
      head: string;
      checksums: string[];
    } | null;
    why: string | null;
    sql: Record<string, Unavailable | Templates>;
  };
};
