// A text that Python has written is read in the reader's locale; in Turkish the sign of per cent comes first.
import assert from "node:assert/strict";
import test from "node:test";

test("signs of another locale", async () => {
  Object.defineProperty(globalThis, "navigator", { value: { language: "tr-TR" } });
  const { localised, rate, read } = await import("../src/report_format");
  assert.equal(localised("1,000 past cases, 300 of them (30.0 %), 1.5e-7"), "1.000 past cases, 300 of them (%30,0), 1,5e-7");
  assert.deepEqual([rate(0.3), read("%50")], ["%30,0", 0.5]);
});
