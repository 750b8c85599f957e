// What `make lint` asks of the scripts and styles of the report's pages.
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

export default [
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
