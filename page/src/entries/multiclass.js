// The page of several classes as one script, which makes the global `rochullPage`: `rochullPage.begin()` starts the page. The other
// name is for tests.
import { page } from "../classes/Page";
import { apart } from "../classes/cases";

globalThis.rochullPage = { begin: page, rochullMulticlassBatch: { apart } };
