// Messages for experts: each is said, and what the build puts in the place of a key is its text.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import test from "node:test";
import { making, told } from "../catalogue.js";

// node page/test.js runs at the root or in page/
const root = readdirSync(".").includes("page") ? "page" : ".", folder = `${root}/src`;
const messages = JSON.parse(readFileSync(`${root}/../src/rochull/words/experts.json`, "utf8"));

test("each message is said somewhere", () => {
  const names = readdirSync(folder, { recursive: true }).filter((name) => /\.(js|tsx?)$/.test(name));
  const scripts = names.map((name) => readFileSync(`${folder}/${name}`, "utf8")).join("\n");
  const said = new Set([...scripts.matchAll(/"expert\.([^"]+)"/g)].map(([, key]) => key));
  assert.deepEqual([...said].sort(), Object.keys(messages).sort());
});
test("keys become their messages", () => {
  const messages = { "expert.a": "Yes “so”.", "answer.b": "{n} of all", "page.c": "No.", "page.d": { page: "one", command: "other" } };
  const made = told('f(say("expert.a"), say("answer.b", { n }), say("page.c"), say(x ? "page.d" : "page.c"), say("page.c", { n }), say(key))', messages);
  assert.equal(made, 'f("Yes “so”.", say("{n} of all", { n }), "No.", say(x ? "one" : "No."), say("No.", { n }), say(key))');
  assert.throws(() => told('say("expert.none")', {}), /no message "expert.none"/);
});
test("the catalogue of a page has what is still said by its key", () => {
  const isMade = making(['say("page.a b"); say(`page.d.${x}`)']);
  assert.deepEqual(["page.a b", "page.d.x", "page.d"].map(isMade), [false, true, false]);
});
