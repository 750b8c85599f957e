// Messages for experts: each is said, and what the build puts in the place of a key is its text.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import test from "node:test";
import { told } from "../catalogue.js";

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
  const made = told('f(say("expert.a"), say("expert.b", { n }), say("page.c"))', { a: "Yes “so”.", b: "{n} of all" });
  assert.equal(made, 'f("Yes “so”.", say("{n} of all", { n }), say("page.c"))');
  assert.throws(() => told('say("expert.none")', {}), /no message "none"/);
});
