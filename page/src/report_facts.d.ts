// Made of the schema "rochull-report-2" by make page. Do not edit.
export type Ends = number[];
export type Number = number | "inf" | "-inf";
export type Rate = number;
export type Clause = {
  key: string;
  [other: string]: unknown;
};
export type Range = Rate[];
export type ReviewRules = {
  high: Rule;
  low: Rule;
  probability: Rate;
}[];
export type ReviewOutcomes = {
  cases: number;
  prevalence: Rate;
  positives: ReviewedCases;
  negatives: ReviewedCases;
  costs?: {
    negatives: ReviewedCases;
    positives: ReviewedCases;
  };
};
export type ReviewedCases = {
  flagged: number;
  reviewed: number;
  passed: number;
};
export type Totals = {
  negatives: number;
  positives: number;
};
export type Amount = number;
export type Rule = {
  kind: "threshold" | "never" | "always";
  classifier: string | null;
  threshold: Number | null;
  lower_is_positive?: true;
};
export type Rules = {
  rule: Rule;
  probability: Rate;
}[];
export type Counted = Record<string, number | string>;
export type Point = {
  fpr: Rate;
  tpr: Rate;
  source: "vertex" | "edge" | "curve" | "inside";
  rules: Rules;
  precision: Rate | null;
  positive_rate: Rate | null;
  accuracy?: Rate | null;
  expected_cost: number | null;
  net_benefit: Number | null;
  confusion: {
    cases: 10000;
    prevalence: Rate;
    prevalence_from: "condition" | "figures" | "table";
    tp: number;
    fp: number;
    fn: number;
    tn: number;
  } | null;
  [other: string]: unknown;
};
export type Classifier = {
  name: string;
  auc: Rate | null;
  auc_interval?: {
    low: Rate;
    high: Rate;
  } | null;
  auc_hull: Rate;
  on_hull: boolean;
  integer: boolean;
  hundredths: {
    fp: Amount[];
    tp: Amount[];
  } | null;
  forecast?: {
    fp: Rate[];
    tp: Rate[];
  } | null;
  scores?: {
    distinct: number;
    negatives: SpreadOfScores;
    positives: SpreadOfScores;
  } | null;
  lower_is_positive: boolean;
  curve: {
    fp: Amount[];
    tp: Amount[];
    thresholds: Number[];
    max_error: Rate;
  } | null;
  hull: {
    fp: Amount[];
    tp: Amount[];
    thresholds: Number[];
  };
  calibration: {
    high: Number[];
  } | null;
};
export type SpreadOfScores = {
  least: Number;
  median: Number | null;
  greatest: Number;
};
export type Interval = {
  estimate: Number;
  low: Number | null;
  high: Number | null;
  method: string;
  in_sample: boolean;
};
export type HullInterval = {
  estimate: number;
  low: number | null;
  high: number | null;
  method: string;
  in_sample: boolean;
  bias: number;
};
export type Spread = {
  mean: number;
  std: number;
  sem: number;
  in_sample?: boolean;
};
export type Bootstrap = {
  n_resamples: number;
  clusters: number | null;
  classifiers: ({
    name: string;
    auc: Interval | null;
    auc_hull: HullInterval | null;
    on_hull: Rate | null;
    alone: Rate | null;
  })[];
  auc_union: HullInterval | null;
  chosen: {
    fpr: Interval | null;
    tpr: Interval | null;
    expected_cost: Interval | null;
    normalised_cost: Interval | null;
  } | null;
  optimism: {
    measure: string;
    apparent: number;
    corrected: number;
    optimism: number;
    low: number | null;
    high: number | null;
    fpr: number;
    tpr: number;
    n_infeasible: number;
  } | null;
  bands: {
    name: string;
    fpr: Rate[];
    low: Rate[];
    high: Rate[];
    method: string;
  }[];
};
export type Folds = {
  n_folds: number;
  classifiers: ({
    name: string;
    auc: Spread | null;
  })[];
  chosen: {
    fpr: Spread | null;
    tpr: Spread | null;
    expected_cost: Spread | null;
  } | null;
};
export type Curve = {
  fpr: Rate[];
  tpr: Rate[];
};
export type Rates = {
  fpr: Rate;
  tpr: Rate;
  expected_cost: number | null;
};
export type Segments = {
  classifier: string;
  lower_is_positive: boolean;
  columns: string[];
  model: string;
  shrinkage: Number | null;
  n_folds: number | null;
  areas: {
    straight: Rate;
    bent: Rate;
    straight_hull: Rate;
    bent_hull: Rate;
    held_out: {
      straight: Rate;
      bent: Rate;
      gain: number;
      gain_sem: number;
    } | null;
  };
  curves: {
    straight: Curve;
    bent: Curve;
    held_out: Curve | null;
  };
  points: {
    straight: Rates;
    bent: Rates;
    held_out: {
      straight: Rates;
      bent: Rates;
      gain: number | null;
      gain_sem: number | null;
    } | null;
  } | null;
  fixed: Number | null;
  rows: ({
    segment: string;
    negatives: number;
    positives: number;
    threshold: Number | null;
    fpr: Rate | null;
    tpr: Rate | null;
    one?: {
      fpr: Rate | null;
      tpr: Rate | null;
    } | null;
  })[];
  live: Live | null;
  live_why: string | null;
};
export type Live = {
  totals: Totals;
  fp: Amount[];
  tp: Amount[];
  segments: ({
    segment: string;
    negatives: Amount | null;
    positives: Amount | null;
    steps: {
      vertex: number[];
      threshold: Number[];
      fp: Amount[] | null;
      tp: Amount[] | null;
    };
    straight: {
      fp: Amount[];
      tp: Amount[];
    } | null;
  })[];
};
export type Answer = {
  names: {
    positive: string;
    negative: string;
    case: string;
    unit: string | null;
  };
  prevalence: Rate;
  per: 100 | 1000 | 10000 | 1000000;
  cases: number;
  rule: Rule | null;
  fp: Amount | null;
  tp: Amount | null;
  comparison: {
    kind: "current" | "half" | "none" | "all";
    rule: Rule;
    fp: Amount;
    tp: Amount;
  } | null;
  held_out: HeldOut | null;
  margin: {
    limits: {
      max_fpr?: Rate;
      min_recall?: Rate;
    };
    sure: number;
  } | null;
  state: AnswerState;
  headline: Clause;
  lede: Clause[];
  caveat: Clause | null;
  rows: {
    key: string;
    message: Clause;
  }[];
};
export type AnswerState = {
  situation: "costs" | "limits" | "range" | "review" | "measure" | "unnamed";
  each: string;
  case: string;
  positive: string;
  negative: string;
  unit?: string | null;
  cases: number;
  rule: "above" | "below" | "never" | "always" | "zones above" | "zones below" | "zones of two" | "review all" | "review above" | "review below" | "rest above" | "rest below" | "mixture" | "mixture of two" | null;
  way?: "above" | "below";
  score?: string | null;
  cutoff?: string | null;
  score_low?: string | null;
  low?: string | null;
  of_positive?: number | null;
  caught?: number | null;
  of_negative?: number | null;
  wrong?: number | null;
  of_cases?: number | null;
  flagged?: number | null;
  reviewed?: number | null;
  passed?: number | null;
  found?: number | null;
  random?: number | null;
  population?: number | null;
  right?: number | null;
  recall?: "asked";
  recall_limit?: number | null;
  fpr?: "at" | "within";
  fpr_limit?: number | null;
  precision?: "asked";
  precision_limit?: number | null;
  capacity?: "of cases" | "share";
  limit_count?: number | null;
  margin?: "none" | "open" | "tight" | "slack" | "assured";
  saving?: "less" | "more" | "same";
  saved?: number | null;
  on: "new" | "here";
  comparison?: Clause | null;
  breaks?: "yes" | "no";
  cost?: number | null;
  cost_here?: number | null;
  cost_low?: number | null;
  cost_high?: number | null;
  cost_other?: number | null;
  range?: "miss" | "costs" | "measure";
  miss_low?: number | null;
  miss_high?: number | null;
  worst?: number | null;
  beside?: "all" | "none";
  further?: "yes" | "no";
  further_saving?: number | null;
  further_in?: "alarms" | null;
  few?: "yes" | "no";
  few_count?: number | null;
  few_of?: string | null;
  others?: "none" | "more" | "tied" | "fewer" | "unknown";
  rounds?: "all" | "some" | "no";
  won?: number | null;
  round_count?: number | null;
  runner_up?: string | null;
  behind?: number | null;
  beyond?: "above" | "below" | "both" | "never";
  ratio_above?: number | null;
  ratio_below?: number | null;
  best_above?: string | Clause;
  best_below?: string | Clause;
  share?: number | null;
  seen?: number | null;
  past?: "same" | "other";
  segments?: "few" | "many" | "few apart" | "many apart";
  segment_names?: string[];
  segment_count?: number | null;
  cutoffs?: Clause[];
  fair?: "two" | "many" | "unknown" | "none";
  fared?: "alike" | "near" | "unlike";
  first?: string | null;
  second?: string | null;
  wrong_first?: number | null;
  wrong_second?: number | null;
};
export type Moments = {
  tpr: number[];
  fpr: number[];
  var_tpr: number[];
  var_fpr: number[];
  cov: number[];
};
export type HeldOut = {
  n_folds: number;
  n_repeats: number;
  slopes: {
    slope: Number[];
    tpr: number[];
    fpr: number[];
    var_tpr: number[];
    var_fpr: number[];
    cov: number[];
    less: Moments | null;
  };
  limits: Record<string, {
    value: number[];
    tpr: number[];
    fpr: number[];
    var_tpr: number[];
    var_fpr: number[];
    cov: number[];
    less: Moments | null;
  }>;
};
export type Sql = {
  label: string;
  never: string;
  always: string;
  classifiers: Record<string, {
    unavailable: string;
  } | {
    float: string[];
    integer?: string[];
    exact?: Record<string, string>;
  }>;
  mixture: {
    parts: string[];
    slots: ("key" | "count" | "other" | "first")[];
  };
  key: {
    open: string;
    close: string;
    escaped: string;
    refused: string[];
  };
};
export type Facts = {
  format: "rochull-report";
  version: 2;
  rochull: string;
  title: string;
  about: Record<string, string> | null;
  positive: string;
  in_sample: true;
  command: string[] | null;
  asked: string[] | null;
  examples: {
    negatives: number;
    positives: number;
    weighted: boolean;
    prevalence: Rate;
  } | null;
  totals: Totals;
  classifiers: Classifier[];
  hybrid: {
    auc: Rate;
    fp: Amount[];
    tp: Amount[];
    owners: Rule[][];
  };
  dominance: {
    absolute: string | null;
    rows: {
      low: Number;
      high: Number;
      classifiers: string[];
      rule: string;
      fpr: Range;
      tpr: Range;
    }[];
  };
  condition: {
    kind: string;
    parameters: Record<string, number | number[] | string>;
    text: string;
    clause: Clause;
    python: string | null;
    slope: Number | null;
    probability_cost: Rate | null;
    slope_range: Number[] | null;
    probability_cost_range: Range | null;
    potentially_optimal: string[] | null;
    n_limits: number;
    limited: boolean;
    limited_at: Rate | null;
    approached: number | null;
    limits: Record<string, Rate> | null;
  } | null;
  figures: {
    cost_fp: number;
    cost_fn: number;
    prevalence: Rate;
  } | null;
  opening: {
    movable: boolean;
    state: {
      goal: "cost" | "max_fpr" | "min_recall" | "min_precision" | "capacity" | "report";
      cost_fp?: number;
      cost_fn?: number | Ends;
      prevalence?: number | Ends;
      max_fpr?: Rate;
      min_recall?: Rate;
      min_precision?: Rate;
      fraction?: Rate;
      within?: Record<string, Rate>;
      own?: {
        text: string;
        python: string | null;
        asked: string[] | null;
        otherwise: string;
        sure: number | null;
        limits: number;
        limited: boolean;
        limitedAt: number | null;
        priced: boolean;
        range: boolean;
        review: boolean;
        mixtures: boolean;
      };
    };
  } | null;
  mixtures: boolean;
  chosen: Point | null;
  deterministic: Point | null;
  regret: {
    measure: string;
    rows: ({
      classifier: string;
      point: Point | null;
      value: Number;
    })[];
  } | null;
  baselines: ({
    kind: "never" | "always" | "half" | "best";
    classifier: string | null;
    fp: Amount | null;
    tp: Amount | null;
    point: Point | null;
    breaks: boolean | null;
    told_apart: boolean | null;
    as_cheap: boolean | null;
  })[];
  singles: {
    fp: Amount[];
    tp: Amount[];
    classifier: (number | null)[];
    threshold: Number[];
    max_error: Rate;
    unknown: string[];
  };
  review: {
    text: string;
    clause: Clause;
    repr: string;
    python: string | null;
    parameters: Record<string, number | number[] | string>;
    rule: string;
    rules: ReviewRules;
    fpr: Rate;
    tpr: Rate;
    review_rate: Rate;
    error_rate: Rate | null;
    expected_cost: number;
    outcomes?: ReviewOutcomes;
    frontier: {
      share: Rate[];
      cost: number[];
    };
    single?: {
      rule: string;
      rules: ReviewRules;
      fpr: Rate;
      tpr: Rate;
      review_rate: Rate;
      error_rate: Rate | null;
      expected_cost: number;
      outcomes: ReviewOutcomes;
    } | null;
  } | null;
  robust: {
    measure: string;
    distribution: string;
    rows: ({
      kind: "worst" | "worst_single" | "mean" | "alone";
      classifier: string | null;
      rules: Rules | null;
      fpr: Rate | null;
      tpr: Rate | null;
      worst: Number;
      mean: Number;
    })[];
  } | null;
  need: {
    hybrid: number;
    hybrid_error: number;
    alone: number;
    members: Record<string, number>;
    difference: number;
    error: number;
    pvalue: Rate;
    level: Rate;
    n_folds: number;
    n_repeats: number;
    rivals: ({
      classifier: string;
      threshold: number | null;
      cost: number;
      difference: number;
      error: number;
    })[];
  } | null;
  line: {
    kind: "iso-performance" | "constraint";
    points: number[][];
  } | null;
  numbers: {
    key: string;
    label: string;
    hint: string;
    text: string;
    share: boolean;
    over: Counted;
    under: Counted;
  }[];
  deploy: {
    policy: string;
    sql: Record<string, Sql>;
  };
  uncertainty: {
    level: Rate;
    bootstrap: Bootstrap | null;
    folds: Folds | null;
  } | null;
  segments: Segments | null;
  answer: Answer | null;
  scan: {
    engine: string;
    rows: number;
    max_error: Rate;
    areas: Record<string, {
      low: Rate;
      high: Rate;
      exact: boolean;
    }>;
    not_told: string[];
  } | null;
};
