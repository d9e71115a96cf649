/**
 * What pages and the document around them are made of. They are rendered when the project is built,
 * so none of this is loaded by the server: {@link ./mod.ts} has what it runs on.
 */
export { InlineScript } from "./inline_script.tsx";
export { Island } from "./island.tsx";
export { PageData } from "./page_data.tsx";
export { slot } from "./slot.ts";
