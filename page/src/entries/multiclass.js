// The page of several classes as one script, which makes the global `rochullPage`: `rochullPage.begin()` starts the page.
// The other names are its parts, for tests.
import * as rochullMulticlass from "../multiclass.js";

export * as rochullBatch from "../report_batch.js";
export * as rochullFormat from "../report_format.js";
export { rochullMulticlass };
export * as rochullMulticlassBatch from "../multiclass_batch.js";
export const begin = rochullMulticlass.page;
