// What `make lint` asks of the scripts and styles of the report's pages.
import { readFileSync } from "node:fs";
import css from "@eslint/css";
import js from "@eslint/js";
import globals from "globals";
import ts from "typescript-eslint";

const rules = {
  "array-callback-return": "error",
  eqeqeq: "error",
  "no-loss-of-precision": "off", // constants are written with the digits of their source
  "no-var": "error",
  "prefer-const": ["error", { destructuring: "all" }],
};
const unused = ["error", { args: "after-used" }];

const read = (name) => JSON.parse(readFileSync(new URL(`../src/rochull/words/${name}.json`, import.meta.url), "utf8"));
/** Keys of messages, and what tables of messages look for. */
const KEYS = Object.keys(read("catalogue")), SOUGHT = Object.values(read("answer")).flat().flatMap(({ when = {} }) => Object.values(when).flat());
const isKnown = (text) => KEYS.includes(text) || KEYS.includes(`term.${text}`) || SOUGHT.some((value) => String(value).startsWith(text));
/** Calls whose texts are keys of the catalogue, places in the page, or for whoever writes scripts. */
const SILENT = /^(say|choose|around|find(One|All)|querySelector(All)?|closest|matches|matchMedia|add|Error)$/;
const CODE = /[=({;#\\]|\brh\b|^translate|rc-|^[a-z]+ [a-z]+-?$/; // of Python, of SVG, and names of two classes
/** No words that stand together: what is said is in the catalogue. */
const words = {
  create(context) {
    const isSilent = (node) => context.sourceCode.getAncestors(node).some((each) => /^Import/.test(each.type) || (/^(Call|New)/.test(each.type) && SILENT.test(each.callee.name ?? each.callee.property?.name)) ||
      (each.type === "JSXAttribute" && !/^(aria-label|title|placeholder)$/.test(each.name.name)) || (each.type === "Property" && /^(class|d|points)$/.test(each.key.name ?? each.key.value)) ||
      (each.type === "AssignmentExpression" && each.left.property?.name === "className"));
    const look = (node, text) => {
      if (/[A-Za-z]{2}/.test(text) && /\S\s|\s\S/.test(text) && !CODE.test(text) && !isKnown(text) && !isSilent(node)) context.report({ node, message: `"${text.trim()}" belongs to the catalogue.` });
    };
    return {
      Literal(node) { if (typeof node.value === "string") look(node, node.value); },
      TemplateElement(node) { look(node, node.value.raw); },
      JSXText(node) { look(node, node.value.trim()); },
    };
  },
};

export default [
  { files: ["src/**/*.{js,ts,tsx}"], plugins: { page: { rules: { words } } }, rules: { "page/words": "error" } },
  { linterOptions: { reportUnusedDisableDirectives: "error" } },
  {
    files: ["src/**/*.js"],
    languageOptions: { ecmaVersion: 2022, globals: { ...globals.browser, SEGMENTS: "readonly" } }, // a constant of the build
    rules: { ...js.configs.recommended.rules, ...rules, "no-unused-vars": unused, "no-use-before-define": ["error", { functions: false, variables: false }] },
  },
  {
    files: ["*.js", "test/**/*.js"],
    languageOptions: { ecmaVersion: 2022, globals: { ...globals.nodeBuiltin } },
    rules: { ...js.configs.recommended.rules, ...rules, "no-unused-vars": unused },
  },
  ...ts.configs.recommended.map((each) => ({ ...each, files: ["**/*.ts", "**/*.tsx"] })),
  { files: ["**/*.ts", "**/*.tsx"], rules: { ...rules, "@typescript-eslint/no-unused-vars": unused } },
  {
    files: ["src/**/*.css"],
    language: "css/css",
    plugins: { css },
    rules: { ...css.configs.recommended.rules, "css/no-important": "off", "css/use-baseline": "off", "css/no-invalid-properties": ["error", { allowUnknownVariables: true }] },
  },
];
