// The messages of src/rochull/words/catalogue.json and experts.json take the place of their keys, in scripts and in the tables that
// choose among them. The module "catalogue" has these tables, and messages whose keys are made of parts, or named by facts.
import { readFileSync, readdirSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url)), words = join(dirname(here), "src", "rochull", "words"), sources = join(here, "src");
const read = (name) => JSON.parse(readFileSync(join(words, name), "utf8")), text = (path) => readFileSync(path, "utf8");
const messagesOf = () => ({ ...read("catalogue.json"), ...Object.fromEntries(Object.entries(read("experts.json")).map(([key, message]) => [`expert.${key}`, message])) });

const CLASSES = /^(answer|page)\.class|^classes\.|^multiclass\./;
/** What the facts name, beside what the page makes keys of. */
const ALWAYS = /^answer\.(comparison|cutoff of)/;
const spoken = (message) => (typeof message === "string" ? message : message.page ?? message.reference ?? "");

const SAYS = /\bsay\("([^"]+)"/g, SHORT = 12, nameOf = (key) => key.replace(/\W/g, "_");
/** What several places say: the module "catalogue" has each once. */
function repeatedOf(scripts, messages) {
  const keys = scripts.flatMap((script) => [...script.matchAll(SAYS)].map(([, key]) => key)).filter((key) => spoken(messages[key] ?? "").length > SHORT).sort();
  return new Set(keys.filter((key, i) => key === keys[i - 1]));
}

/** A script with messages in the place of their keys; where say("key") has nothing to fill, the text alone. */
export function told(script, messages = messagesOf(), repeated = new Set()) {
  const shared = new Set();
  const written = script.replace(/(\bsay\()?"((?:answer|expert|page|report|term)\.[^"]+)"(\))?/g, (all, said = "", key, ended = "") => {
    if (messages[key] === undefined) throw new Error(`There is no message "${key}".`);
    const text = spoken(messages[key]), isShared = said && repeated.has(key);
    if (isShared) shared.add(nameOf(key));
    const value = isShared ? nameOf(key) : JSON.stringify(text);
    return said && ended && !text.includes("{") ? value : `${said}${value}${ended}`;
  });
  return shared.size ? `import { ${[...shared].join(", ")} } from "catalogue";\n${written}` : written;
}
/** Whether scripts make a key out of parts: `page.limit.${name}`. */
export function making(scripts) {
  const begun = scripts.flatMap((script) => [...script.matchAll(/`(page\.[^`$]*)\$/g)].map(([, key]) => key));
  return (key) => begun.some((each) => key.startsWith(each));
}

const SHARED = "compared"; // a table of both kinds
/** What a table of messages looks at of segments, and how messages for them begin. */
const SEGMENTED = ["segments", "fair"], OF_SEGMENTS = /^page\.fair\./;

/** For one kind of page: of several classes, or of two, with segments or without. */
export const catalogue = (kind, segments = true) => ({
  name: "catalogue",
  setup(build) {
    const messages = messagesOf(), scripts = readdirSync(sources, { recursive: true }).filter((name) => /\.(js|tsx?)$/.test(name)).map((name) => text(join(sources, name))), repeated = repeatedOf(scripts, messages);
    build.onLoad({ filter: /[\\/]page[\\/]src[\\/].*\.(js|tsx?)$/ }, ({ path }) => ({ contents: told(text(path), messages, repeated), loader: extname(path).slice(1) }));
    build.onResolve({ filter: /^catalogue$/ }, () => ({ path: "catalogue", namespace: "catalogue" }));
    build.onLoad({ filter: /.*/, namespace: "catalogue" }, () => {
      const isOf = ([key]) => key === SHARED || CLASSES.test(key) === (kind === "multiclass");
      const rows = (table) => table.filter(({ when = {} }) => segments || !SEGMENTED.some((name) => name in when)).map(({ say, when }) => [say && spoken(messages[say]), ...(when ? [when] : [])]);
      const tables = Object.fromEntries(Object.entries(read("answer.json")).filter(isOf).filter(([name]) => name !== "row.reviews" && (segments || name !== "row.fair")).map(([name, table]) => [name, rows(table)]));
      const isMade = making(scripts);
      const said = Object.fromEntries(Object.entries(read("catalogue.json")).filter(isOf).filter(([key]) => ALWAYS.test(key) || (isMade(key) && (segments || !OF_SEGMENTS.test(key)))));
      const once = [...repeated].map((key) => `export const ${nameOf(key)} = ${JSON.stringify(spoken(messages[key]))};\n`).join("");
      return { contents: `${once}export const catalogue = ${JSON.stringify(said)};\nexport const tables = ${JSON.stringify(tables)};\n`, loader: "js" };
    });
  },
});
