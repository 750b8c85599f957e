// Elements with their attributes and children. Names are data: a text becomes a text node, never markup.
import { entries, floor } from "./maths";
const SVG = "http://www.w3.org/2000/svg";
function fill(node, attributes, children) {
  for (const [name, value] of entries(attributes || {})) {
    if (value !== null && value !== false) attr(node, name, value === true ? "" : value);
  }
  node.append(...children);
  return node;
}
const html = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
const svg = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

const byId = (id) => document.getElementById(id);
const findAll = (selector) => document.querySelectorAll(selector);
const findOne = (selector) => document.querySelector(selector);
const boxOf = (node) => node.getBoundingClientRect();
const attr = (node, name, value) => node.setAttribute(name, value);
/** Let a function hear of events; returns who has them. */
const on = (node, type, act, how) => {
  node.addEventListener(type, act, how);
  return node;
};
/** Write a text, unless it stands there. */
const put = (node, text) => { if (node.textContent !== text) node.textContent = text; };
const COLOURS = 6, DASHES = 4; // classes s0, s1, ... and w0, w1, ... of report.css, as in report/html.py
/** The name of the i-th classifier beside its colour and dash: 24 differ. */
const named = (name, i) => html("span", { class: "named" },
  html("span", { class: `swatch s${i % COLOURS} w${((i % COLOURS) + floor(i / COLOURS)) % DASHES}`, "aria-hidden": "true" }), html("bdi", {}, name));

export { SVG, attr, boxOf, byId, fill, findAll, findOne, html, named, on, put, svg };
