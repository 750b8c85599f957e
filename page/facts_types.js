// Types of facts, from their JSON Schema.

const quoted = (key) => (/^[A-Za-z_]\w*$/.test(key) ? key : JSON.stringify(key));
const named = (name) => name.split("_").map((part) => part[0].toUpperCase() + part.slice(1)).join("");
const PLAIN = { string: "string", number: "number", integer: "number", boolean: "boolean", null: "null" };

/** The type that a part of a schema describes; `indent` is that of the line it stands in. */
function typeOf(schema, indent) {
  if (schema === true || schema === undefined) return "unknown";
  if (schema.$ref) return named(schema.$ref.split("/").at(-1));
  if ("const" in schema) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const either = schema.anyOf ?? schema.oneOf;
  if (either) return [...new Set(either.map((each) => typeOf(each, indent)))].join(" | ");
  const kinds = [schema.type ?? (schema.properties ? "object" : [])].flat();
  return kinds.map((kind) => (kind === "object" ? objectOf(schema, indent) : kind === "array" ? listOf(schema, indent) : PLAIN[kind])).join(" | ") || "unknown";
}

function listOf({ items, prefixItems }, indent) {
  if (prefixItems) return `[${prefixItems.map((each) => typeOf(each, indent)).join(", ")}]`;
  const each = typeOf(items, indent);
  return each.includes(" | ") ? `(${each})[]` : `${each}[]`;
}

function objectOf({ properties, required = [], additionalProperties: more }, indent) {
  if (!properties) return `Record<string, ${typeOf(more, indent)}>`;
  const others = more === false ? [] : [`${indent}  [other: string]: unknown;`]; // which holds for those that are named too
  const lines = Object.entries(properties).map(([key, each]) => `${indent}  ${quoted(key)}${required.includes(key) ? "" : "?"}: ${typeOf(each, `${indent}  `)};`);
  return `{\n${[...lines, ...others].join("\n")}\n${indent}}`;
}

/** A file of declarations: `Facts`, and a type for each definition. */
export function typed(schema) {
  const all = { ...schema.$defs, facts: schema };
  return `// Made of the schema "${schema.$id}" by make page. Do not edit.\n${Object.entries(all).map(([name, each]) => `export type ${named(name)} = ${typeOf(each, "")};`).join("\n")}\n`;
}
