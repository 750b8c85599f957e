// The formatter of messages and the tables that choose them give what Python's give: the same vectors.
import assert from "node:assert/strict";
import test from "node:test";
import decisions from "../../tests/words/decisions.json";
import vectors from "../../tests/words/vectors.json";
import { chosen, type Row } from "../src/words/decide";
import { parsed, wordsOf, type Value } from "../src/words/format";

const styles = { number: (x: number) => x.toLocaleString("en"), share: (x: number) => `${100 * x} %`, count: (n: number) => n.toLocaleString("en") };

for (const { text, slots, said } of vectors) {
  test(`the vector ${text}`, () => {
    assert.equal(wordsOf({ key: text }, "page", styles).told({ ...(slots as unknown as Record<string, Value>), key: "key" }), said);
  });
}
test("what cannot be read says why", () => {
  for (const [text, why] of [["a } b", /closes a brace/], ["a { b", /does not close/], ["{}", /without a name/], ["{n, plural, one {a}}", /no case 'other'/], ["{n, sorted}", /of kind "sorted"/]] as const) {
    assert.throws(() => parsed(text), why);
  }
});
test("a message within a message is told in the same words", () => {
  const words = wordsOf({ outer: "with {limit}", inner: { reference: "fpr {x, number}", page: "{x, share} flagged" }, other: { command: "--x" } }, "page", styles);
  assert.equal(words.told({ key: "outer", limit: { key: "inner", x: 0.5 } }), "with 50 % flagged");
  assert.equal(words.told({ key: "other" }), "");
  assert.deepEqual(words.pieces({ key: "inner", x: 0.5 }), [{ text: "50 %", slot: "share", name: "x" }, { text: " flagged", slot: null, name: null }]);
});
test("tables choose as Python does", () => {
  for (const { table, state, say } of decisions) assert.equal(chosen(table.map(({ say, when }) => [say, when]) as Row[], state as unknown as Record<string, Value>), say);
});
