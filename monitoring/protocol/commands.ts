/** Defined in the npm package, by tools/package/pack.ts: `npx sightglass`. */
declare const PACKAGE_COMMAND: string | undefined;

/** Whether this code is in the npm package, where nothing is built. */
export const IS_PACKAGED = typeof PACKAGE_COMMAND !== "undefined";

/** What users write before the name of a tool such as `tail`. */
export const TOOL = typeof PACKAGE_COMMAND !== "undefined" ? PACKAGE_COMMAND : "deno task";
