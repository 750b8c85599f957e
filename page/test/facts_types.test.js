import assert from "node:assert/strict";
import test from "node:test";
import { typed } from "../facts_types.js";

test("types are those of the schema", () => {
  const schema = {
    $id: "x-1", type: "object", additionalProperties: false, required: ["a", "b"],
    properties: {
      a: { type: ["string", "null"] }, b: { type: "array", items: { enum: ["one", 2] } }, "c-d": { anyOf: [{ $ref: "#/$defs/some_name" }, { const: true }] },
      e: { type: "object", additionalProperties: { type: "number" } }, f: { type: "object", properties: { g: {} } },
    },
    $defs: { some_name: { type: "array", prefixItems: [{ type: "boolean" }, { type: "integer" }] } },
  };
  assert.equal(typed(schema), `// Made of the schema "x-1" by make page. Do not edit.
export type SomeName = [boolean, number];
export type Facts = {
  a: string | null;
  b: ("one" | 2)[];
  "c-d"?: SomeName | true;
  e?: Record<string, number>;
  f?: {
    g?: unknown;
    [other: string]: unknown;
  };
};
`);
});
