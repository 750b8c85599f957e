// Elements with their attributes and children. Names are data: a text becomes a text node, never markup.
import { entries, floor } from "./maths";

/** What an attribute may be: one that is null or false is left out, one that is true is empty. */
export type Attributes = Record<string, string | number | boolean | null>;
export type Child = string | Node;
type Html = HTMLElementTagNameMap;
type Svg = SVGElementTagNameMap;
type Events = GlobalEventHandlersEventMap & WindowEventHandlersEventMap;

const SVG = "http://www.w3.org/2000/svg";
function fill<Node extends Element>(node: Node, attributes: Attributes | undefined, children: Child[]): Node {
  for (const [name, value] of entries(attributes || {})) {
    if (value !== null && value !== false) attr(node, name, value === true ? "" : value);
  }
  node.append(...children);
  return node;
}
const html = <Tag extends keyof Html>(tag: Tag, attributes?: Attributes, ...children: Child[]): Html[Tag] => fill(document.createElement(tag), attributes, children);
const svg = <Tag extends keyof Svg>(tag: Tag, attributes?: Attributes, ...children: Child[]): Svg[Tag] => fill(document.createElementNS(SVG, tag), attributes, children);

/** What is in the page: that a place is not there is a mistake of the page. */
const byId = <Found extends HTMLElement = HTMLElement>(id: string): Found => document.getElementById(id) as Found;
const findAll = (selector: string): NodeListOf<HTMLElement> => document.querySelectorAll<HTMLElement>(selector);
const findOne = <Found extends HTMLElement = HTMLElement>(selector: string): Found => document.querySelector<Found>(selector)!;
const boxOf = (node: Element): DOMRect => node.getBoundingClientRect();
const attr = (node: Element, name: string, value: string | number): void => node.setAttribute(name, value as string); // which makes it a text
/** Let a function hear of events; returns who has them. */
const on = <Target extends EventTarget, Type extends keyof Events>(node: Target, type: Type, act: (event: Events[Type]) => unknown, how?: AddEventListenerOptions): Target => {
  node.addEventListener(type, act as (event: Event) => unknown, how);
  return node;
};
/** Write a text, unless it stands there. */
const put = (node: Node, text: string): void => { if (node.textContent !== text) node.textContent = text; };
const COLOURS = 6, DASHES = 4; // classes s0, s1, ... and w0, w1, ... of report.css, as in report/html.py
/** The name of the i-th classifier beside its colour and dash: 24 differ. */
const named = (name: string, i: number): HTMLElement => html("span", { class: "named" },
  html("span", { class: `swatch s${i % COLOURS} w${((i % COLOURS) + floor(i / COLOURS)) % DASHES}`, "aria-hidden": "true" }), html("bdi", {}, name));

export { SVG, attr, boxOf, byId, fill, findAll, findOne, html, named, on, put, svg };
