// The tests without a browser: each file of page/test is bundled with what it imports, and run by Node's own runner.
//   node page/test.js [part of a file's name]
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { catalogue } from "./catalogue.js";

const here = dirname(fileURLToPath(import.meta.url)), folder = join(here, "test"), out = mkdtempSync(join(tmpdir(), "page-"));
const files = readdirSync(folder).filter((name) => /\.test\.(js|ts|tsx)$/.test(name) && name.includes(process.argv[2] ?? ""));
try {
  await build({ absWorkingDir: here, entryPoints: files.map((name) => join(folder, name)), outdir: out, outExtension: { ".js": ".mjs" }, bundle: true,
    platform: "node", format: "esm", target: "es2022", tsconfigRaw: { compilerOptions: { jsx: "react", jsxFactory: "createElement", jsxFragmentFactory: "Fragment" } }, inject: [join(here, "src/jsx.js")], logLevel: "warning", plugins: [catalogue("report")], define: { SEGMENTS: "true" }, sourcemap: "inline" });
  const made = files.map((name) => join(out, basename(name).replace(/\.\w+$/, ".mjs")));
  process.exitCode = spawnSync(process.execPath, ["--enable-source-maps", "--test", ...made], { stdio: "inherit" }).status ?? 1;
} finally {
  rmSync(out, { recursive: true });
}
