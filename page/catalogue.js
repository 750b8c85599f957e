// The module "catalogue": the messages of src/rochull/words/catalogue.json that the page says, and the tables that choose among them.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const words = join(dirname(dirname(fileURLToPath(import.meta.url))), "src", "rochull", "words"), SAID = /^(answer|page)\./;
const read = (name) => JSON.parse(readFileSync(join(words, name), "utf8"));

export const catalogue = {
  name: "catalogue",
  setup(build) {
    build.onResolve({ filter: /^catalogue$/ }, () => ({ path: "catalogue", namespace: "catalogue" }));
    build.onLoad({ filter: /.*/, namespace: "catalogue" }, () => {
      const said = Object.fromEntries(Object.entries(read("catalogue.json")).filter(([key]) => SAID.test(key)));
      return { contents: `export const catalogue = ${JSON.stringify(said)};\nexport const tables = ${JSON.stringify(read("answer.json"))};\n`, loader: "js" };
    });
  },
};
