/**
 * The kernel: file routes, pages made at build time and completed once at the start, islands,
 * assets, headers.
 *
 * What is deliberately not here: the build (`build/`, which needs esbuild and React), the browser's
 * part (`client/`), rendering at run time, and dynamic pages.
 */
export { App, type AppOptions } from "./app.ts";
export type { Context, Handler, Handlers, Method, Middleware } from "./context.ts";
export type { SecurityOptions } from "./headers.ts";
export { launcherGone } from "./launcher.ts";
export { slot } from "./slot.ts";
export { Island } from "./island.tsx";
export { InlineScript } from "./inline_script.tsx";
export { PageData } from "./page_data.tsx";
