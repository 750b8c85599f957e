// Named values of a situation: what messages choose their words by is among them.
import assert from "node:assert/strict";
import test from "node:test";
import tables from "../../src/rochull/words/answer.json";
import catalogue from "../../src/rochull/words/catalogue.json";
import { NONE } from "../src/answer/situation";

test("what a message chooses its words by has a value in every state", () => {
  for (const { say } of Object.entries(tables).flatMap(([name, rows]): { say: string | null }[] => (/^(headline|lede|caveat|row)\b/.test(name) ? rows : []))) {
    if (say === null) continue;
    const text = catalogue[say as keyof typeof catalogue] as string;
    for (const [, name] of text.matchAll(/\{(\w+), (?:select|plural)/g)) assert.ok(name! in NONE, `${say}: ${name}`);
  }
});
