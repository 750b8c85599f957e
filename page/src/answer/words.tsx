// What the answer says, in the page's words: all of it from the catalogue.
import type { ComponentChildren } from "preact";
import * as F from "../report_format";
import { wordsOf, type Message, type Value, type Words } from "../words/format";
import { chosen, type Named } from "../words/decide";
import { catalogue, tables } from "catalogue";
import { entries, fromEntries, keys } from "../maths";

const TURNS = /[\u0590-\u08ff\u202b\u202e\u2067\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u; // from right to left
const text = (value: string): string => (TURNS.test(value) && !value.includes("\u2068") ? F.isolated(value) : value);
export const words: Words = wordsOf(catalogue, "page", { text, number: F.number, share: F.share, count: F.count });
/** What a key says, in whose place the build puts the message itself. */
export const say = (key: string, slots: Record<string, Value> = {}): string => words.told({ ...slots, key });
/** What the tables of one name, or those of its parts, choose to say of a state; empty for nothing. Twin of wording.choose. */
export const choose = (kind: string, state: Named): string => entries(tables)
  .flatMap(([name, table]) => (name === kind || name.startsWith(`${kind}.`) ? (chosen(table, state) ?? []) : [])).map((key) => say(key, state as Record<string, Value>)).join(" ");

const SIZES = /^(of_|cases$|population$|miss_)/; // of how many something is
/** A message whose numbers stand out. */
export function Told({ message, strong = false }: { message: Message; strong?: boolean }) {
  return <>{words.pieces(message).map(({ text, slot, name }) => (strong && slot === "count" && !SIZES.test(name!) ? <b>{text}</b> : text))}</>;
}

/** A message with parts of a page in its slots of text: texts and these, in turn. */
export function around<Part>(key: string, parts: Record<string, Part>, slots: Record<string, Value> = {}): (string | Part)[] {
  const names = keys(parts), marked = fromEntries(names.map((name, i) => [name, `\u0001${i}\u0001`]));
  return say(key, { ...slots, ...marked }).split("\u0001").map((text, i) => (i % 2 ? parts[names[Number(text)]!]! : text));
}
export const Around = ({ say: key, slots, parts }: { say: string; slots?: Record<string, Value>; parts: Record<string, ComponentChildren> }) => (
  <>{around(key, parts, slots).map((part, i) => (i % 2 ? part : <span>{part}</span>))}</>
);
/** A button that looks like a link. */
export const Link = ({ act, children }: { act: () => unknown; children: ComponentChildren }) => <button class="link" onClick={act}>{children}</button>;
