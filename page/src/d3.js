// What the pages use of d3, and nothing else.
export { bisectCenter, bisectLeft, bisectRight, max, min, range } from "d3-array";
