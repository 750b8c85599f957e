// The module "catalogue": the messages of src/rochull/words/catalogue.json that the page says, and the tables that choose among them.
// Messages for experts, those of words/experts.json, take the places of their keys.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const words = join(dirname(dirname(fileURLToPath(import.meta.url))), "src", "rochull", "words"), CLASSES = /^(answer|page)\.class|^classes\./;
const read = (name) => JSON.parse(readFileSync(join(words, name), "utf8"));

/** What messages name by themselves, beside those that the tables and the page say. */
const ALWAYS = /^page\.|^answer\.(bar|comparison|rule$|cutoff of|classes\.weight$)/;

/** A script with the messages for experts in it: say("expert.key") is the text, say("expert.key", { slots }) has it to be filled. */
export function told(script, messages = read("experts.json")) {
  return script.replace(/\bsay\("expert\.([^"]+)"(\)?)/g, (_, key, ended) => {
    if (!(key in messages)) throw new Error(`There is no message "${key}" in experts.json.`);
    const text = JSON.stringify(messages[key]);
    return ended ? text : `say(${text}`;
  });
}

/** For one kind of page: of several classes, or of two. */
export const catalogue = (kind) => ({
  name: "catalogue",
  setup(build) {
    const messages = read("experts.json");
    build.onLoad({ filter: /[\\/]src[\\/](experts[\\/]\w+\.tsx?|\w+\.js)$/ }, ({ path }) => ({ contents: told(readFileSync(path, "utf8"), messages), loader: path.endsWith(".js") ? "js" : "tsx" }));
    build.onResolve({ filter: /^catalogue$/ }, () => ({ path: "catalogue", namespace: "catalogue" }));
    build.onLoad({ filter: /.*/, namespace: "catalogue" }, () => {
      const isOf = ([key]) => CLASSES.test(key) === (kind === "multiclass");
      const tables = Object.fromEntries(Object.entries(read("answer.json")).filter(isOf).filter(([name]) => !name.startsWith("terminal.")));
      const chosen = new Set(Object.values(tables).flat().map(({ say }) => say));
      const said = Object.fromEntries(Object.entries(read("catalogue.json")).filter(isOf).filter(([key]) => ALWAYS.test(key) || chosen.has(key)));
      return { contents: `export const catalogue = ${JSON.stringify(said)};\nexport const tables = ${JSON.stringify(tables)};\n`, loader: "js" };
    });
  },
});
