// The address of a page of several classes holds what is seen, so that a bookmark does.
// What it says is data: it is read, or told not to fit.
import { say } from "../answer/words";
import { on } from "../report_elements";
import type { Asked, Model } from "./view";

interface Linked {
  link(): string;
  set(asked: Partial<Asked>): void;
  model: Model;
}
function bind(view: Linked, notice: HTMLElement): () => void {
  let last = view.link(); // what the address tells, or would
  const write = (how: "pushState" | "replaceState" = "pushState") => {
    if (view.link() === last && how === "pushState") return;
    last = view.link();
    try {
      history[how](null, "", `#${last}`); // Back undoes
    } catch { // a page in a frame may have no address
    }
  };
  function read() {
    const given = location.hash.slice(1);
    if (given !== "" && document.getElementById(given)) return;
    const asked = given === "" ? view.model.initial() : view.model.linked(given);
    if (asked) {
      view.set(asked);
      last = view.link();
    } else write("replaceState");
    notice.hidden = asked !== null;
    notice.textContent = asked ? "" : say("expert.classes link.the link does not");
  }
  on(window, "hashchange", read);
  if (location.hash) read();
  return write;
}

export { bind };
