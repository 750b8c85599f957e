import assert from "node:assert/strict";
import test from "node:test";
import { create } from "../src/store";

test("what changes is drawn once a frame, or at once, and answered once", () => {
  let frames: (() => void)[] = [];
  const drawn: [boolean, string][] = [], answered: unknown[] = [];
  Object.assign(globalThis, {
    requestAnimationFrame: (run: () => void) => frames.push(run),
    cancelAnimationFrame: () => { frames = []; },
  });
  const next = () => frames.splice(0).forEach((run) => run());
  const model = { initial: () => 1, evaluate: (state: number, cut: unknown) => { answered.push([state, cut]); return `${state}${cut ? " cut" : ""}`; } };
  const store = create(model, { view: "roc", reviews: false }, (all) => drawn.push([all, store.result]));
  store.change({ state: 2 }, { all: false });
  store.change({ state: 3 }, { all: false });
  assert.deepEqual([drawn, store.result], [[], "3"]);
  next();
  store.change({ state: 4 }, { all: false });
  store.change({ cut: { classifier: 0, threshold: 0.5 } });
  next();
  store.put({ view: "cost" });
  next();
  store.change({ state: 5 }, { all: false });
  store.change({ cut: null, unused: "no number" }, { now: true });
  next();
  assert.deepEqual(drawn, [[false, "3"], [true, "4 cut"], [true, "5"]]);
  assert.equal(answered.length, 3);
  store.change({ notice: "a link" });
  store.flush();
  store.flush();
  next();
  assert.equal(drawn.length, 4);
  assert.deepEqual([store.view, store.unused, store.cut, store.state], ["cost", "no number", null, 5]);
});
