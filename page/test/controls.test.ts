// What is typed and linked, without a browser: why a number is refused, and links that hold no condition.
import assert from "node:assert/strict";
import test from "node:test";
import type { State } from "../src/answer/numbers";
import { create } from "../src/experts/asked";
import { link, linked, ratioWords } from "../src/report_controls";

const FIRST: State = { goal: "cost", cost_fp: 1, cost_fn: 5, prevalence: 0.3, within: {}, max_fpr: 0.1, min_recall: 0.9, min_precision: 0.5, fraction: 0.1 };

test("a wrong number is told and changes nothing", () => {
  for (const [key, text, why] of [
    ["cost_fn", "five", /must be a number, but is “five”/], ["cost_fn", "-1", /must be at least 0, but is “-1”/], ["cost_fp", "", /is empty/],
    ["prevalence", "120", /must be between 0\u00a0% and 100\u00a0%/], ["max_fpr", "1,2,3", /must be a number/], ["fraction", "<b>x</b>".repeat(9), /“<b>x<\/b><b>x<\/b><b>x<\/b…”/],
  ] as const) {
    const told: (string | null)[] = [], asked = create(FIRST, () => false, (_, unused) => told.push(unused)), before = asked.state;
    asked.typed(key, text);
    assert.match(told.at(-1)!, why);
    assert.deepEqual(asked.state, before);
    asked.typed(key, "0.5");
    assert.deepEqual([asked.state[key], told.at(-1)], [0.5, null]);
  }
});
test("one of the two costs is more than 0, and a text is tried again when the other is", () => {
  const told: (string | null)[] = [], asked = create(FIRST, () => false, (_, unused) => told.push(unused));
  asked.typed("cost_fn", "0");
  assert.match(ratioWords(1, 0), /only false alarms cost/);
  asked.typed("cost_fp", "0");
  assert.match(told.at(-1)!, /One of the two costs/);
  assert.equal(asked.state.cost_fp, 1);
  asked.typed("cost_fn", "3");
  assert.deepEqual([asked.state.cost_fp, told.at(-1)], [0, null]);
});
test("a link holds a state, or none", () => {
  const read = (text: string) => linked(new URLSearchParams(text), FIRST);
  for (const state of [FIRST, { ...FIRST, goal: "max_fpr" }, { ...FIRST, cost_fn: [2.5, 10], prevalence: [0.1, 0.4] }, { ...FIRST, within: { max_fpr: 0.2 } }]) {
    assert.deepEqual(read(link(state)), { ...state, mixtures: true });
  }
  for (const text of ["goal=cost&cost_fn=-1", "goal=cost&cost_fn=9:3", "goal=max_fpr&max_fpr=2", "goal=max_fpr&prevalence=0.1:0.2", "goal=__proto__",
    "goal=cost&prevalence=<img src=x onerror=alert(1)>", "goal=cost&cost_fn=0&cost_fp=0", "goal=cost&cost_fn=", "cost_fn=7", "goal=cost&within:max_fpr=2"]) assert.equal(read(text), null, text);
});
