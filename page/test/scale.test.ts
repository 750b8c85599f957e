import assert from "node:assert/strict";
import test from "node:test";
import { linear, through } from "../src/scale";

test("a scale maps both ways", () => {
  const scale = linear().domain([2, 4]).range([100, 0]);
  assert.deepEqual([2, 2.5, 4, 6].map(scale), [100, 75, 0, -100]);
  assert.equal(scale.invert(75), 2.5);
  assert.deepEqual([scale.domain(), scale.range()], [[2, 4], [100, 0]]);
  assert.deepEqual(scale.ticks(4), [2, 2.5, 3, 3.5, 4]);
  assert.equal(linear().domain([3, 3]).range([0, 10])(3), 5);
});

test("a line goes through its points, and on beyond them", () => {
  assert.deepEqual([-1, 0, 0.5, 1, 2, 3].map((x) => through([0, 1, 2], [4, 2, 1], x)), [6, 4, 3, 2, 1, 0]);
});
