// The parts of the page below the decision. While a slider is dragged those follow that are in sight, and the others when
// nothing has moved for a while, so that a drag does not compute what nobody sees.
/** {add(node, show), show(now)}: `show` runs with what was last shown; `now` says that all parts follow at once. */
interface Part {
  show: () => void;
  seen: boolean;
  stale: boolean;
}
function create() {
  const parts: Part[] = [];
  function bring(part: Part) {
    part.stale = false;
    part.show();
  }
  return {
    add(node: Element, show: () => void) {
      const part: Part = { show, seen: false, stale: false };
      new IntersectionObserver((entries) => {
        part.seen = entries[entries.length - 1].isIntersecting;
        if (part.seen && part.stale) bring(part);
      }, { rootMargin: "100px" }).observe(node);
      parts.push(part);
    },
    show(now: boolean) {
      for (const part of parts) if (now || part.seen) bring(part); else part.stale = true;
    },
    settle() {
      for (const part of parts) if (part.stale) bring(part);
    },
  };
}

export { create };
