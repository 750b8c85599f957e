// Words that are explained where they stand: by the mouse, by the keyboard, and by a tap.
import { assign, max, min } from "./maths";
import { attr, boxOf, findAll, on } from "./report_elements";
/** Bind all terms, also those that come later, to the one box that tells what they mean. */
function bind(box: HTMLElement): void {
  let shown: HTMLElement | null = null;
  function hide() {
    if (shown) shown.removeAttribute("aria-describedby");
    shown = null;
    box.hidden = true;
  }
  function show(term: HTMLElement) {
    hide();
    shown = term;
    box.textContent = `${term.textContent}: ${term.dataset.told}`;
    box.hidden = false;
    attr(term, "aria-describedby", box.id);
    const word = boxOf(term), { width, height } = boxOf(box);
    const left = max(8, min(word.left, document.documentElement.clientWidth - width - 8));
    const top = word.bottom + height + 8 < window.innerHeight ? word.bottom + 2 : word.top - height - 2;
    assign(box.style, { left: `${left}px`, top: `${top}px` });
  }
  const term = ({ target }: Event) => (target as Element).closest?.<HTMLElement>(".term");
  for (const type of ["pointerover", "focusin", "click"] as const) on(document, type, (event) => { if (term(event)) show(term(event)!); });
  on(document, "pointerout", (event) => { if (term(event) && document.activeElement !== shown) hide(); });
  on(document, "focusout", hide);
  for (const each of findAll(".term")) assign(each, { tabIndex: 0, role: "button" });
  on(document, "keydown", (event) => { if (event.key === "Escape") hide(); });
  on(window, "scroll", hide, { passive: true });
}

export { bind };
