// Messages for experts: each is said, and what the build puts in the place of a key is its text.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import test from "node:test";
import { naming, told } from "../catalogue.js";

// node page/test.js runs at the root or in page/
const root = readdirSync(".").includes("page") ? "page" : ".", folder = `${root}/src`;
const messages = JSON.parse(readFileSync(`${root}/../src/rochull/words/experts.json`, "utf8"));

test("each message is said somewhere", () => {
  const names = [...readdirSync(folder).filter((name) => name.endsWith(".js")), ...readdirSync(`${folder}/experts`).map((name) => `experts/${name}`)];
  const scripts = names.map((name) => readFileSync(`${folder}/${name}`, "utf8")).join("\n");
  const said = new Set([...scripts.matchAll(/\bsay\("expert\.([^"]+)"/g)].map(([, key]) => key));
  assert.deepEqual([...said].sort(), Object.keys(messages).sort());
});
test("keys become their messages", () => {
  const messages = { "expert.a": "Yes “so”.", "expert.b": "{n} of all", "page.c": "No.", "page.d": { page: "one", command: "other" } };
  const made = told('f(say("expert.a"), say("expert.b", { n }), say("page.c"), say("page.d"), say("page.c", { n }), say(key))', messages);
  assert.equal(made, 'f("Yes “so”.", say("{n} of all", { n }), "No.", say("page.d"), say("page.c", { n }), say(key))');
  assert.throws(() => told('say("expert.none")', {}), /no message "expert.none"/);
});
test("the catalogue of a page has what is still said by its key", () => {
  const isNamed = naming(['say("page.a b"); <A say="page.c" />; say(`page.d.${x}`); other("page.e")']);
  assert.deepEqual(["page.a b", "page.c", "page.d.x", "page.e", "page.a", "page.d"].map(isNamed), [true, true, true, true, false, false]);
});
