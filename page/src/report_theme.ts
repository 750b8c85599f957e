// Light or dark: as the system has it, until the reader chooses for as long as the window is open.
/** Bind the button that changes it. */
import { say } from "./answer/words";
import { on } from "./report_elements";

function bind(button: HTMLElement): void {
  const root = document.documentElement, system = window.matchMedia("(prefers-color-scheme: dark)");
  const stored = (value?: string) => {
    try {
      if (value !== undefined) sessionStorage.setItem("rochull-theme", value);
      return sessionStorage.getItem("rochull-theme");
    } catch {
      return null; // a page in a frame may have no storage
    }
  };
  const dark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
  const label = () => { button.textContent = dark() ? say("expert.theme.light theme") : say("expert.theme.dark theme"); };
  const kept = stored();
  if (kept === "dark" || kept === "light") root.dataset.theme = kept;
  on(button, "click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    stored(root.dataset.theme);
    label();
  });
  on(system, "change", label);
  button.hidden = false;
  label();
}

export { bind };
