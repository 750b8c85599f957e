// The goal that experts set, without a browser: what is refused is tried again, and what a slider stands at.
import assert from "node:assert/strict";
import test from "node:test";
import type { State } from "../src/answer/numbers";
import { create } from "../src/experts/asked";
import { STEPS, nearest } from "../src/experts/steps";

const FIRST: State = { goal: "cost", cost_fp: 1, cost_fn: 5, prevalence: 0.3, within: {}, max_fpr: 0.1, min_recall: 0.9, min_precision: 0.5, fraction: 0.1 };
function begun(first = FIRST) {
  const told: [State, string | null, boolean][] = [];
  return { told, asked: create(first, () => false, (...each) => told.push(each)) };
}

test("a slider stands at the nearest of its steps", () => {
  const distances: Record<string, (a: number, b: number) => number> = {
    ratio: (a, b) => Math.abs(Math.log(a / b)), prevalence: (a, b) => Math.abs(Math.log((a * (1 - b)) / (b * (1 - a)))) };
  for (const [key, values] of Object.entries(STEPS)) {
    const distance = distances[key] ?? ((a, b) => Math.abs(a - b));
    for (let i = 1; i < 500; i += 1) {
      const value = key === "ratio" ? 10 ** (i / 50 - 5) : i / 500, found = values[nearest(key, value)]!;
      assert.ok(distance(value, found) <= Math.min(...values.map((each) => distance(value, each))) * (1 + 1e-9), `${key}: ${value} at ${found}`);
    }
    assert.deepEqual([nearest(key, 0), nearest(key, Infinity)], [0, values.length - 1]);
    assert.ok(values.every((value, i) => nearest(key, value) === i));
  }
});
test("an interval waits while a limit is the goal, but not where it was moved", () => {
  const { asked } = begun();
  asked.blur("cost_fn", true);
  asked.blur("prevalence", true);
  const before = asked.state;
  asked.aim("max_fpr");
  assert.deepEqual([asked.state.cost_fn, asked.rough], [5, { cost_fn: false, prevalence: false }]);
  asked.aim("min_recall");
  asked.aim("cost");
  assert.deepEqual(asked.state, before);
  asked.aim("capacity");
  asked.slid("prevalence", 0, 7);
  asked.aim("cost");
  assert.deepEqual([asked.state.cost_fn, asked.state.prevalence], [before.cost_fn, STEPS.prevalence![7]]);
});
test("what is refused is kept and told, and taken once it can be", () => {
  const { asked, told } = begun();
  asked.blur("cost_fn", true);
  asked.typed("cost_fn", "30");
  assert.match(told.at(-1)![1]!, /from 30 to 10 is no interval/);
  asked.typed("prevalence", "40 %");
  assert.deepEqual([asked.state.cost_fn, asked.state.prevalence, asked.texts.get("cost_fn")!.text], [[2.5, 10], 0.4, "30"]);
  asked.typed("cost_fn/high", "60");
  assert.deepEqual([asked.state.cost_fn, told.at(-1)![1], [...asked.texts.keys()]], [[30, 60], null, ["cost_fn/high"]]);
  asked.settle();
  assert.equal(asked.texts.size, 0);
  asked.typed("cost_fn", "x");
  asked.slid("ratio", 0, 0); // its own handle takes its place
  assert.deepEqual([asked.state.cost_fn, asked.texts.size, told.at(-1)![2]], [[0.001, 60], 0, true]);
});
test("limits beside costs are set, and none where the field is empty", () => {
  const { asked } = begun({ ...FIRST, goal: "max_fpr" });
  asked.typed("w-min_recall", "80 %");
  assert.deepEqual([asked.state.goal, asked.state.within], ["cost", { min_recall: 0.8 }]);
  asked.typed("w-min_recall", "8x");
  assert.deepEqual(asked.state.within, { min_recall: 0.8 });
  asked.typed("w-min_recall", " ");
  assert.deepEqual([asked.state.within, FIRST.within], [{}, {}]);
});
test("the report's own condition is left for what was moved", () => {
  const { asked, told } = begun({ ...FIRST, goal: "report", own: { otherwise: "max_fpr", priced: true } });
  asked.slid("prevalence", 0, 9);
  assert.deepEqual([asked.state.goal, told.length], ["max_fpr", 1]);
  asked.set({ ...FIRST, cost_fn: [2, 4] });
  assert.deepEqual([asked.rough.cost_fn, asked.ends("cost_fn"), asked.ends("prevalence")], [true, [2, 4], [0.3, 0.3]]);
});
