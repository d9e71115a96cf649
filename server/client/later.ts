/**
 * What navigation needs only once it navigates: loaded by itself after the page. It imports nothing
 * of what runs before: what both shared would be a file more before islands answer.
 */
export { reloadWhenOutdated } from "./newer_build.ts";
export { replacePage } from "./replace_page.ts";
