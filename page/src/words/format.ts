// The catalogue's messages in words: the reader of the format that src/rochull/words/formats.py describes. No sentence is here.
// What both must give is in tests/words/vectors.json.
import { isArray } from "../maths";

export type Value = string | number | null | Message | Value[];
export interface Message {
  key: string;
  [slot: string]: Value;
}
export type Styles = { [kind: string]: (value: never) => string };
export type Catalogue = { [key: string]: string | { [vocabulary: string]: string } };
/** A piece of what is told: its text, and whether it was put into a slot. */
export interface Told {
  text: string;
  slot: string | null; // its kind
  name: string | null;
}

interface Slot {
  name: string;
  kind: string;
  branches: Map<string, Piece[]>;
}
type Piece = string | Slot;

const SIMPLE = new Set(["text", "number", "share", "count", "list", "message"]);
const HEAD = /\{\s*(\w+)\s*(?:,\s*(\w+)\s*)?/y, CASE = /[\s,]*(\w+)\s*\{/y, TEXT = /[^{}#]+/y;

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

const LIST = new Intl.ListFormat("en-GB"); // "a, b and c", as clauses.py has it

const known = new Map<string, Piece[]>();
/** Read a message. */
export function parsed(text: string): Piece[] {
  let found = known.get(text);
  if (!found) {
    const [pieces, end] = piecesOf(text, 0, null);
    if (end < text.length) throw new Error(`"${text}" closes a brace that is not open.`);
    known.set(text, (found = pieces));
  }
  return found;
}

function piecesOf(text: string, at: number, plural: string | null): [Piece[], number] {
  const found: Piece[] = [];
  while (at < text.length && text[at] !== "}") {
    if (text[at] === "{") {
      const [slot, end] = slotOf(text, at, plural);
      found.push(slot);
      at = end;
    } else if (text[at] === "#") {
      found.push(plural === null ? "#" : { name: plural, kind: "#", branches: new Map() });
      at += 1;
    } else {
      const [told] = match(TEXT, text, at)!;
      found.push(told);
      at += told.length;
    }
  }
  return [found, at];
}

function slotOf(text: string, at: number, plural: string | null): [Slot, number] {
  const head = match(HEAD, text, at);
  if (!head) throw new Error(`"${text}" has a slot without a name.`);
  const [all, name, kind = "text"] = head as unknown as [string, string, string?], branches = new Map<string, Piece[]>();
  at += all.length;
  if (kind === "plural" || kind === "select") {
    for (let found = match(CASE, text, at); found; found = match(CASE, text, at)) {
      const [said, end] = piecesOf(text, at + found[0].length, kind === "plural" ? name : plural);
      branches.set(found[1]!, said);
      at = end + 1;
    }
    if (!branches.has("other")) throw new Error(`"${text}": the ${kind} of "${name}" has no case 'other'.`);
  } else if (!SIMPLE.has(kind)) {
    throw new Error(`"${text}" has a slot of kind "${kind}".`);
  }
  if (text[at] !== "}") throw new Error(`"${text}" does not close the slot "${name}".`);
  return [{ name, kind, branches }, at + 1];
}

/** How messages are worded: whose words of the catalogue, how values are written, and slots that every message has. A key that
 *  the catalogue does not have is the message itself. */
export interface Words {
  pieces(message: Message): Told[];
  told(message: Message): string;
}

export function wordsOf(catalogue: Catalogue, vocabulary: string, styles: Styles, named: Record<string, Value> = {}): Words {
  const style = (kind: string, value: Value) => (styles[kind] as (value: Value) => string)(value);
  const join = (pieces: Told[]) => pieces.map(({ text }) => text).join("");
  function told(message: Message): Told[] {
    const found = catalogue[message.key] ?? message.key;
    const text = typeof found === "string" ? found : (found[vocabulary] ?? found.reference);
    return text === undefined ? [] : filled(parsed(text), { ...named, ...message });
  }
  function filled(pieces: Piece[], slots: Record<string, Value>): Told[] {
    return pieces.flatMap((piece) => (typeof piece === "string" ? [{ text: piece, slot: null, name: null }] : slot(piece, slots)));
  }
  function slot({ name, kind, branches }: Slot, slots: Record<string, Value>): Told[] {
    const value = slots[name];
    if (value === undefined) throw new Error(`A message lacks its slot "${name}".`);
    const branch = (key: string) => filled(branches.get(key) ?? branches.get("other")!, slots);
    if (kind === "select") return branch(String(value));
    if (kind === "plural") return branch(value === 1 ? "one" : "other");
    if (kind === "message") return filled(parsed(String(value)), slots);
    if (kind === "list") return [{ text: LIST.format((value as Value[]).map((each) => join(textOf(each, name)))), slot: kind, name }];
    if (kind === "text") return textOf(value, name);
    return [{ text: style(kind === "#" ? "count" : kind, value), slot: kind === "#" ? "count" : kind, name }];
  }
  const textOf = (value: Value, name: string): Told[] => (value !== null && typeof value === "object" && !isArray(value)
    ? told(value) : [{ text: "text" in styles ? style("text", String(value)) : String(value), slot: "text", name }]);
  return { pieces: told, told: (message) => join(told(message)) };
}
