import assert from "node:assert/strict";
import test from "node:test";
import * as d3 from "d3-array";
import * as lists from "../src/lists";
import { ticks } from "../src/scale";

/** Random numbers that come again in every run. */
function random(seed: number): () => number {
  return () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return seed / 2 ** 32;
  };
}

test("lists are searched as d3 does", () => {
  const next = random(1);
  for (let round = 0; round < 500; round += 1) {
    const list = Array.from({ length: 1 + Math.floor(8 * next()) }, () => Math.floor(6 * next())).sort((a, b) => a - b), x = Math.floor(14 * next()) / 2 - 0.5;
    for (const name of ["bisectLeft", "bisectRight", "bisectCenter"] as const) assert.equal(lists[name](list, x), d3[name](list, x), `${name} of ${x} in ${list}`);
    const some = list.map((each) => (next() < 0.2 ? NaN : each));
    assert.equal(lists.max(some), d3.max(some));
    assert.equal(lists.min(some, (each) => -each), d3.min(some, (each) => -each));
  }
  assert.equal(lists.max([]), undefined);
  assert.deepEqual(lists.range(1, 4), [1, 2, 3]);
});

test("ticks are those of d3", () => {
  const next = random(2);
  for (let round = 0; round < 3000; round += 1) {
    const scale = 10 ** Math.floor(12 * next() - 6), [from, to] = [scale * (next() - 0.5), scale * next()], most = 1 + Math.floor(12 * next());
    assert.deepEqual(ticks(from, to, most), d3.ticks(from, to, most), `${from} to ${to}, ${most}`);
  }
  assert.deepEqual([ticks(1, 1, 5), ticks(NaN, 1, 5)], [[1], []]);
});
