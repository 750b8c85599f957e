// What the package holds of this folder: a script and a style for each kind of page, in src/rochull/report/templates.
//   node page/build.js           writes them, and the types of the facts
//   node page/build.js --check   tells which are not what the sources build to
//   node page/build.js --into DIRECTORY   writes scripts and styles there
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { catalogue } from "./catalogue.js";
import { typed } from "./facts_types.js";

const here = dirname(fileURLToPath(import.meta.url)), root = dirname(here);
const report = join(root, "src", "rochull", "report"), into = process.argv.indexOf("--into");
const templates = into < 0 ? join(report, "templates") : process.argv[into + 1];

/** The licences of what is bundled, each once: packages that differ in their lines of copyright share the rest. */
function notices(inputs) {
  const folders = new Set(inputs.map((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]).filter(Boolean)), found = new Map();
  for (const folder of [...folders].sort()) {
    const { name, version } = JSON.parse(readFileSync(join(here, folder, "package.json"), "utf8"));
    const text = readFileSync(join(here, folder, "LICENSE"), "utf8").trim();
    const rights = text.match(/^Copyright .*\n/gm), rest = text.replace(/^Copyright .*\n/gm, "");
    const told = found.get(rest) ?? { names: [], rights: new Set() };
    told.names.push(`${name} ${version}`);
    for (const each of rights) told.rights.add(each.trim());
    found.set(rest, told);
  }
  return [...found].map(([rest, { names, rights }]) => `${names.join(", ")}\n${[...rights].join("\n")}\n\n${rest.replace(/\n{2,}/g, "\n\n").trim()}\n`).join("\n");
}

/** The scripts of a kind of page: with all there is, and without what only segments need. */
const VARIANTS = { report: { report: true, report_plain: false }, multiclass: { multiclass: false } };

/** The files of one kind of page, by path. */
const made = async (kind) => (await Promise.all(Object.entries(VARIANTS[kind]).map(([name, segments]) => variant(kind, name, segments)))).flat();
async function variant(kind, name, segments) {
  const { outputFiles, metafile } = await build({
    absWorkingDir: here, entryPoints: (name === kind ? ["js", "css"] : ["js"]).map((end) => ({ in: `src/entries/${kind}.${end}`, out: `${name}.bundle` })), outdir: "out", write: false, metafile: true,
    bundle: true, minify: true, format: "iife", target: "es2022", charset: "utf8", legalComments: "none", logLevel: "warning",
    tsconfigRaw: { compilerOptions: { jsx: "react", jsxFactory: "createElement", jsxFragmentFactory: "Fragment" } }, inject: ["src/jsx.js"], plugins: [catalogue(kind, segments)], define: { SEGMENTS: String(segments) },
  });
  const legal = notices(Object.keys(metafile.inputs));
  return outputFiles.map(({ path, text }) => [
    join(templates, relative(join(here, "out"), path)), path.endsWith(".js") && legal ? `/*\n${legal}*/\n${text}` : text,
  ]).concat(legal && name === kind ? [[join(templates, `${kind}.bundle.LICENSE`), legal]] : []);
}

/** The types of the facts of one kind of page. */
const types = (kind) => [join(here, "src", `${kind}_facts.d.ts`), typed(JSON.parse(readFileSync(join(report, `${kind}.schema.json`), "utf8")))];

const kinds = ["report", "multiclass"];
const files = [...(await Promise.all(kinds.map(made))).flat(), ...(into < 0 ? kinds.map(types) : [])];
if (process.argv.includes("--check")) {
  const stale = files.filter(([path, text]) => !existsSync(path) || readFileSync(path, "utf8") !== text).map(([path]) => relative(root, path));
  if (stale.length) {
    console.error(`Not what the sources build to: ${stale.join(", ")}. Run make page, and commit what it writes.`);
    process.exit(1);
  }
} else {
  for (const [path, text] of files) writeFileSync(path, text);
  console.log(files.map(([path, text]) => `${relative(root, path)}: ${(Buffer.byteLength(text) / 1000).toFixed(1)} kB`).join("\n"));
}
