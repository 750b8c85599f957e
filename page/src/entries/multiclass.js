// The page of several classes as one script, which makes the global `rochullPage`: `rochullPage.begin()` starts the page,
// `rochullMulticlass.mount` puts it into another one. The third name is for tests.
import { mount, page } from "../multiclass.js";
import { apart } from "../multiclass_batch.js";

globalThis.rochullPage = { begin: page, rochullMulticlass: { mount }, rochullMulticlassBatch: { apart } };
