// The numbers of the answer, against slow and obvious ones.
import assert from "node:assert/strict";
import test from "node:test";
import stretches from "../../tests/report/stretches.json";
import { barsOf, cellsOf, cheapest, costAt, countOf, flaggedAt, nearest, onNew, ratesOf, shownOf, stretchOf, type Step } from "../src/answer/numbers";

const totals = { negatives: 400, positives: 100 }, costs = { fp: 1, fn: 5, p: 0.2 };
let seed = 7;
const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
/** Steps of a score, from the strictest on. */
const steps: Step[] = (() => {
  let [fp, tp] = [0, 0];
  return Array.from({ length: 60 }, (_, i) => {
    tp = Math.min(100, tp + Math.round(random() * 6 * (1 - i / 60)));
    fp = Math.min(400, fp + Math.round(random() * 14 * (i / 60)));
    return { threshold: 1 - (i + 1) / 61, fp, tp };
  });
})();

test("outcomes are whole, add up and keep the classes", () => {
  for (let i = 0; i < 200; i += 1) {
    const p = random(), rates = { fpr: random(), tpr: random() }, cells = cellsOf(p, rates, 100), all = cells.tp + cells.fn + cells.fp + cells.tn;
    assert.equal(all, 100);
    assert.equal(cells.tp + cells.fn, Math.floor(100 * p + 0.5));
  }
});
test("rare things have a scale on which they are seen", () => {
  assert.deepEqual([0.3, 0.05, 0.01, 0.004, 0.0013, 0.00001].map(shownOf), [100, 100, 1000, 10000, 10000, 1e6]);
  assert.deepEqual([0.925, 0.004, 0.0004, 0, 1, 0.999].map(countOf), [{ count: 93, of: 100 }, { count: 4, of: 1000 }, { count: 4, of: 10000 }, { count: 0, of: 100 }, { count: 100, of: 100 }, { count: 999, of: 1000 }]);
});
test("the cheapest step is the cheapest", () => {
  const all = steps.map((step) => costAt(costs, ratesOf(step, totals)));
  assert.equal(all[cheapest(steps, totals, costs)], Math.min(...all));
});
test("the stretch ends where all steps beyond differ", () => {
  const at = cheapest(steps, totals, costs), [first, last] = stretchOf(steps, at, totals, costs);
  assert.ok(first <= at && at <= last);
  const differs = (i: number) => { // the cases between, one by one
    const [few, many] = [steps[Math.min(i, at)]!, steps[Math.max(i, at)]!], hit = (costs.p * costs.fn) / 100, alarm = ((1 - costs.p) * costs.fp) / 400;
    const [pos, neg] = [many.tp - few.tp, many.fp - few.fp];
    const error = Math.sqrt(hit ** 2 * pos * (1 - pos / 100) + alarm ** 2 * neg * (1 - neg / 400));
    return Math.abs(hit * pos - alarm * neg) > 1.96 * error;
  };
  assert.ok(!differs(first) && !differs(last));
  for (let i = 0; i < steps.length; i += 1) assert.ok((first <= i && i <= last) || differs(i));
});
test("the stretch is Python's", () => {
  for (const { costs, totals, fp, tp, at, ends } of stretches) {
    const steps = fp.map((count, i) => ({ threshold: -i, fp: count, tp: tp[i]! }));
    assert.deepEqual([cheapest(steps, totals, costs), stretchOf(steps, at, totals, costs)], [at, ends]);
  }
});
test("what was held out is read at the nearest slope", () => {
  const none = [0, 0, 0], held = { tpr: [0.9, 0.8, 0.7], fpr: [0.3, 0.2, 0.1], var_tpr: [4e-4, 1e-4, 1e-4], var_fpr: [1e-4, 1e-4, 1e-4], cov: none };
  const table = { ...held, less: { ...held, var_tpr: [0, 4e-4, 0] } };
  assert.equal(nearest([0.1, 1, 10], (value) => Math.abs(Math.log(value / 4))), 2);
  const all = { slopes: { ...table, slope: [0.1, 0.8, 10] }, limits: { max_fpr: { ...held, less: null, value: [0.1, 0.2, 0.4] } } };
  const found = onNew(all, costs, null)!; // a slope of 0.8
  assert.ok(Math.abs(found.cost.value - (0.8 * 0.2 + 0.2 * 5 * 0.2)) < 1e-12);
  assert.ok(Math.abs(found.apart - Math.sqrt(0.64e-4 + 4e-4)) < 1e-12);
  assert.ok(Math.abs(found.cost.error - Math.sqrt(0.64e-4 + 1e-4)) < 1e-12);
  assert.ok(found.exact && !onNew(all, { ...costs, fn: 5.1 }, null)!.exact);
  const limited = onNew(all, costs, ["max_fpr", 0.12])!;
  assert.ok(Math.abs(limited.cost.value - (0.8 * 0.3 + 0.2 * 5 * 0.1)) < 1e-12 && Number.isNaN(limited.apart) && !limited.exact);
  assert.equal(onNew(all, costs, ["min_recall", 0.9]), null);
  assert.equal(onNew(null, costs, null), null);
});
test("bars hold all cases, whatever way the score points", () => {
  for (const lower of [false, true]) {
    const turned = lower ? steps.map((step) => ({ ...step, threshold: 1 - step.threshold })) : steps;
    const bars = barsOf(turned, totals, lower, [0, 1], 20);
    for (const key of ["pos", "neg"] as const) assert.ok(Math.abs(bars.reduce((sum, bar) => sum + bar[key], 0) - 1) < 1e-9);
    const { fpr } = flaggedAt(turned, totals, lower, turned[30]!.threshold);
    assert.ok(Math.abs(fpr - turned[30]!.fp / 400) < 1e-12);
  }
});
