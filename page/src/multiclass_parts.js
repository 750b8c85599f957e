// What the parts of the several-class page share: elements, numbers as they are written and typed, and a text to be taken along.
import { say } from "./answer/words";
import { html as node, on } from "./report_elements.js";
import * as rochullExport from "./report_export.js";
import * as F from "./report_format.js";

// --- numbers -----------------------------------------------------------------------------------

const ordinal = (n) => {
  const tens = n % 100;
  return n + (tens > 10 && tens < 14 ? "th" : { 1: "st", 2: "nd", 3: "rd" }[n % 10] || "th");
};
const SUPERSCRIPT = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };
const scientific = (value) => { // weights of many classes are as far apart as 1 and 1e-20
  if (value === 0 || (value >= 1e-4 && value < 1e6)) return F.number(value);
  const [digits, power] = value.toExponential(2).split("e");
  return `${F.number(Number(digits))} × 10${[...power.replace("+", "")].map((c) => SUPERSCRIPT[c]).join("")}`;
};

// --- elements ----------------------------------------------------------------------------------

const button = (text, act, attributes = {}) => on(node("button", { ...attributes }, text), "click", act);
const label = (name) => node("bdi", {}, name); // a label of another script does not turn the line around
const live = (tag, key, value, text, attributes = {}) => node(tag, { ...attributes, "data-key": key, "data-value": value }, text);
/** Another number in such an element. */
function write(element, value, text) {
  element.dataset.value = value;
  if (element.textContent !== text) element.textContent = text;
}
/** A word that the glossary of the page, if it has one, explains. */
function term(word) {
  const words = JSON.parse(document.getElementById("told")?.dataset.words ?? "{}");
  return word in words ? node("span", { class: "term", "data-told": words[word] }, word) : word;
}
const column = (attributes, ...children) => node("th", { scope: "col", ...attributes }, ...children);

// --- a field that holds a text to be taken along -------------------------------------------------

function copyable(id, title, said, rows) {
  const area = node("textarea", { class: "code", readonly: true, rows, id, spellcheck: "false", wrap: "soft" });
  const why = node("p", { class: "soft", hidden: true });
  const copy = button("Copy", async () => {
    const done = await rochullExport.copy(area); // what may not be copied is selected
    said.textContent = done ? say("expert.classes parts.copied", { title }) : say("expert.classes parts.selected copy it with");
    if (done) copy.focus();
  }, { "aria-label": say("expert.classes parts.copy", { title }) });
  const box = node("div", { class: "copyable" },
    node("div", { class: "above" }, node("label", { for: id }, title), copy), area, why);
  return {
    box, area, copy,
    show(made) { // { text }, or { why } there is none
      const has = made.text !== undefined;
      area.value = has ? made.text : "";
      [area.hidden, copy.hidden, why.hidden] = [!has, !has, has];
      why.replaceChildren(has ? "" : label(made.why));
    },
  };
}

export { node, on, button, label, live, write, term, column, copyable, ordinal, scientific };
