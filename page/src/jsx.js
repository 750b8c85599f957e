// What markup in scripts is made with: the build brings both names to wherever they are needed.
export { Fragment, createElement } from "preact";
