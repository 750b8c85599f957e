// What `make lint` asks of the scripts and styles of the report's pages. A page joins its files into one script, so
// each file declares one global, `rochull...`, that later files use; and d3 is there.
const fs = require("node:fs");
const path = require("node:path");
const css = require("@eslint/css").default;
const js = require("@eslint/js");
const globals = require("globals");

const folder = "src/rochull/report/templates";
const text = (name) => fs.readFileSync(path.join(folder, name), "utf8");
const scripts = fs.readdirSync(folder).filter((name) => name.endsWith(".js") && name !== "d3.min.js");
const declared = scripts.flatMap((name) => [...text(name).matchAll(/^const (rochull\w+) =/gm)].map((match) => match[1]));

module.exports = [
  { ignores: ["**/d3.min.js"] },
  {
    files: [`${folder}/*.js`],
    languageOptions: {
      ecmaVersion: 2022,
      sourceType: "script",
      globals: { ...globals.browser, d3: "readonly", ...Object.fromEntries(declared.map((name) => [name, "readonly"])) },
    },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      ...js.configs.recommended.rules,
      "array-callback-return": "error",
      eqeqeq: "error",
      "no-loss-of-precision": "off", // constants are written with the digits of their source
      "no-redeclare": ["error", { builtinGlobals: false }], // the file's own global is one of those above
      "no-unused-vars": ["error", { vars: "local", args: "after-used" }],
      "no-use-before-define": ["error", { functions: false, variables: false }],
      "no-var": "error",
      "prefer-const": ["error", { destructuring: "all" }],
      strict: ["error", "global"],
    },
  },
  {
    files: [`${folder}/*.css`],
    language: "css/css",
    plugins: { css },
    rules: { ...css.configs.recommended.rules, "css/no-important": "off", "css/use-baseline": "off", "css/no-invalid-properties": ["error", { allowUnknownVariables: true }] },
  },
];
