import assert from "node:assert/strict";
import { constants, deflateRawSync } from "node:zlib";
import test from "node:test";
import { inflated } from "../src/inflate";

const texts = [
  "", "a", "a short one", "abc".repeat(2000), "ü–☃".repeat(9), Object.keys(globalThis).join(" "),
  Array.from({ length: 70000 }, (_, i) => String.fromCharCode(97 + ((i * i * 7919) % 26))).join(""),
];

test("a text is as it was before it was deflated", () => {
  for (const text of texts) {
    for (const strategy of [constants.Z_DEFAULT_STRATEGY, constants.Z_HUFFMAN_ONLY, constants.Z_RLE, constants.Z_FIXED]) {
      assert.equal(Buffer.from(inflated(deflateRawSync(Buffer.from(text), { level: 9, strategy }))).toString(), text);
    }
  }
});
