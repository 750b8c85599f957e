// Segments beside each other under one condition: the rates and the cost of each, by one threshold for all and by its own.
"use strict";
const rochullBeside = (() => {
  /** What one rule does in a segment, whose cases weigh as in the population: its part of the negatives is w / cost_fp. */
  function figures({ fpr, tpr, share }, { negatives, positives }, { w, m }, wilson) {
    const cost = w * (fpr ?? 0) + m * (1 - (tpr ?? 1)), found = { fpr, tpr, cost, sure: null };
    if (!wilson || share) return found; // a mixture of two thresholds has no counts
    const [f, t] = [[fpr, negatives], [tpr, positives]].map(([rate, n]) => (n ? wilson(Math.round(rate * n), n) : [rate, rate]));
    const off = (alarms, hits) => Math.hypot(w * alarms, m * hits); // Zou & Donner 2008, as in decision_curve
    const ends = [cost - off((fpr ?? 0) - f[0], t[1] - (tpr ?? 0)), cost + off(f[1] - (fpr ?? 0), (tpr ?? 0) - t[0])];
    return { ...found, sure: { fpr: f, tpr: t, cost: ends } };
  }
  /** Thresholds and how often each is used; "inf" flags nothing, "-inf" everything. */
  const used = {
    one: ({ rules }) => rules.map(({ rule: { kind, threshold }, probability }) => [{ never: "inf", always: "-inf" }[kind] ?? threshold, probability]),
    own: ({ threshold, other, share }) => (other === null ? [[threshold, 1]] : [[threshold, 1 - share], [other, share]]),
  };
  /** The segments under a state: {rows: [{segment, cases, one, own}], message}; `one` or `own` is null where no threshold meets
   *  the condition. Intervals are Wilson's, and stand at single thresholds of unweighted examples. */
  function segments(model, facts, state) {
    const { rows, straight, message } = model.segments.evaluate(state), { totals } = facts.segments.live;
    if (!rows) return { rows: null, message };
    const { cost_fp, cost_fn, prevalence: p } = Object.fromEntries(["cost_fp", "cost_fn", "prevalence"].map((key) => [key, rochullCurves.middle(state[key])]));
    const wilson = facts.examples.weighted ? null : model.wilson;
    return { message: null, rows: rows.filter(({ negatives, positives }) => negatives || positives).map((row) => {
      const neg = (1 - p) * (row.negatives / totals.negatives), pos = p * (row.positives / totals.positives), all = neg + pos;
      const prices = { w: all ? (cost_fp * neg) / all : 0, m: all ? (cost_fn * pos) / all : 0 };
      const flagged = ({ fpr, tpr }) => {
        const [wrong, right] = [neg * (fpr ?? 0), pos * (tpr ?? 0)];
        return { flagged: all ? (wrong + right) / all : null, precision: wrong + right ? right / (wrong + right) : null };
      };
      const by = (rule, thresholds) => rule && { ...figures(rule, row, prices, wilson), ...flagged(rule), thresholds };
      return { segment: row.segment, cases: row.negatives + row.positives, weight: all, one: by(row.one, straight && used.one(straight)), own: by(row, used.own(row)) };
    }) };
  }
  return { segments, used };
})();
