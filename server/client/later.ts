/**
 * Entry of the chunk for navigations, loaded after the page. It shares no module with the first scripts:
 * a shared module would be another file to load before islands are hydrated.
 */
export { reloadWhenOutdated } from "./newer_build.ts";
export { replacePage } from "./replace_page.ts";
