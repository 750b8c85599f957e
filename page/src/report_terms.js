// Words that are explained where they stand: by the mouse, by the keyboard, and by a tap.
import { assign, max, min } from "./maths";
/** Bind all terms, also those that come later, to the one box that tells what they mean. */
function bind(box) {
  let shown = null;
  function hide() {
    if (shown) shown.removeAttribute("aria-describedby");
    shown = null;
    box.hidden = true;
  }
  function show(term) {
    hide();
    shown = term;
    box.textContent = `${term.textContent}: ${term.dataset.told}`;
    box.hidden = false;
    term.setAttribute("aria-describedby", box.id);
    const word = term.getBoundingClientRect(), { width, height } = box.getBoundingClientRect();
    const left = max(8, min(word.left, document.documentElement.clientWidth - width - 8));
    const top = word.bottom + height + 8 < window.innerHeight ? word.bottom + 2 : word.top - height - 2;
    assign(box.style, { left: `${left}px`, top: `${top}px` });
  }
  const term = ({ target }) => target.closest?.(".term");
  for (const type of ["pointerover", "focusin", "click"]) document.addEventListener(type, (event) => { if (term(event)) show(term(event)); });
  document.addEventListener("pointerout", (event) => { if (term(event) && document.activeElement !== shown) hide(); });
  document.addEventListener("focusout", hide);
  for (const each of document.querySelectorAll(".term")) assign(each, { tabIndex: 0, role: "button" });
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });
  window.addEventListener("scroll", hide, { passive: true });
}

export { bind };
