// The tabs of the views, in one row: those that have no room in it are behind a button.
/** Fill a row with a tab for each view; `chosen` is called with the id of one. */
import { say } from "./answer/words";
import { attr, html, on } from "./report_elements.js";

function create(row, more, names, chosen) {
  let isOpen = false, selected = null, width = -1;
  const tabs = names.map(({ id, title }, at) => {
    const tab = html("button", { id: `tab-${id}`, role: "tab", "aria-controls": `view-${id}` }, title);
    on(tab, "click", () => chosen(id));
    on(tab, "keydown", (event) => {
      const last = names.length - 1;
      const to = { ArrowRight: at === last ? 0 : at + 1, ArrowLeft: at === 0 ? last : at - 1, Home: 0, End: last }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      tabs[to].click();
      tabs[to].focus();
    });
    return tab;
  });
  row.append(...tabs);
  const wraps = (tab) => tab.offsetTop > tabs[0].offsetTop + tabs[0].offsetHeight / 2;
  function fold() {
    for (const tab of tabs) tab.hidden = false;
    more.hidden = true;
    if (!tabs.some(wraps)) return;
    more.hidden = false;
    attr(more, "aria-expanded", String(isOpen));
    more.textContent = isOpen ? say("expert.tabs.fewer views") : say("expert.tabs.more views");
    if (!isOpen) for (let k = tabs.length - 1; k > 0 && wraps(tabs[k]); k--) tabs[k].hidden = true;
  }
  on(more, "click", () => {
    isOpen = !isOpen || selected.hidden;
    fold();
    if (selected.hidden) chosen(names[0].id); // what is seen has a tab
  });
  new ResizeObserver(([{ contentRect }]) => {
    if (contentRect.width === width) return;
    ({ width } = contentRect);
    fold();
    if (selected && selected.hidden) show(names[tabs.indexOf(selected)].id);
  }).observe(row.parentElement);

  function show(id) {
    selected = tabs.find((tab) => tab.id === `tab-${id}`);
    for (const tab of tabs) {
      attr(tab, "aria-selected", String(tab === selected));
      tab.tabIndex = tab === selected ? 0 : -1;
    }
    fold();
    if (selected.hidden) {
      isOpen = true;
      fold();
    }
    row.scrollLeft = selected.offsetLeft - row.offsetLeft - (row.clientWidth - selected.offsetWidth) / 2; // on a phone the row slides
  }
  return { show };
}

export { create };
