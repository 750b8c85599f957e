// The module "catalogue": the messages of src/rochull/words/catalogue.json that the page says, and the tables that choose among them.
// Where a key is written out the message itself takes its place, as do messages for experts, those of words/experts.json.
import { readFileSync, readdirSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url)), words = join(dirname(here), "src", "rochull", "words"), sources = join(here, "src");
const read = (name) => JSON.parse(readFileSync(join(words, name), "utf8")), text = (path) => readFileSync(path, "utf8");
const messagesOf = () => ({ ...read("catalogue.json"), ...Object.fromEntries(Object.entries(read("experts.json")).map(([key, message]) => [`expert.${key}`, message])) });

const CLASSES = /^(answer|page)\.class|^classes\./;
/** What messages name by themselves, beside those that the tables and the page say. */
const ALWAYS = /^answer\.(bar|comparison|rule$|cutoff of|classes\.weight$)/;

/** A script with messages in it: say("page.key") is the text, say("page.key", { slots }) has it to be filled. */
export function told(script, messages = messagesOf()) {
  return script.replace(/\bsay\("((?:expert|page)\.[^"]+)"(\)?)/g, (all, key, ended) => {
    const message = messages[key];
    if (message === undefined) throw new Error(`There is no message "${key}".`);
    if (typeof message !== "string" || message.includes("{") === Boolean(ended)) return all;
    return ended ? JSON.stringify(message) : `say(${JSON.stringify(message)}`;
  });
}
/** Whether scripts with messages in them still name a key, or begin one: `page.limit.${name}`. */
export function naming(scripts) {
  const found = scripts.flatMap((script) => [...script.matchAll(/["'`](page\.[^"'`$]*)(\$?)/g)]);
  const keys = new Set(found.filter(([, , goesOn]) => !goesOn).map(([, key]) => key)), begun = found.filter(([, , goesOn]) => goesOn).map(([, key]) => key);
  return (key) => keys.has(key) || begun.some((each) => key.startsWith(each));
}

/** For one kind of page: of several classes, or of two. */
export const catalogue = (kind) => ({
  name: "catalogue",
  setup(build) {
    const messages = messagesOf();
    build.onLoad({ filter: /[\\/]page[\\/]src[\\/].*\.(js|tsx?)$/ }, ({ path }) => ({ contents: told(text(path), messages), loader: extname(path).slice(1) }));
    build.onResolve({ filter: /^catalogue$/ }, () => ({ path: "catalogue", namespace: "catalogue" }));
    build.onLoad({ filter: /.*/, namespace: "catalogue" }, () => {
      const isOf = ([key]) => CLASSES.test(key) === (kind === "multiclass");
      const tables = Object.fromEntries(Object.entries(read("answer.json")).filter(isOf).filter(([name]) => !name.startsWith("terminal.")));
      const chosen = new Set(Object.values(tables).flat().map(({ say }) => say));
      const scripts = readdirSync(sources, { recursive: true }).filter((name) => /\.(js|tsx?)$/.test(name)).map((name) => told(text(join(sources, name)), messages));
      const isNamed = naming(scripts), said = Object.fromEntries(Object.entries(read("catalogue.json")).filter(isOf).filter(([key]) => ALWAYS.test(key) || chosen.has(key) || isNamed(key)));
      return { contents: `export const catalogue = ${JSON.stringify(said)};\nexport const tables = ${JSON.stringify(tables)};\n`, loader: "js" };
    });
  },
});
