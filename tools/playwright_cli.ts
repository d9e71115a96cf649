import project from "../deno.json" with { type: "json" };

/**
 * Playwright's command, for `deno run`. With the version of `deno.json`: without one, Deno would write
 * another entry into the lock.
 */
export const PLAYWRIGHT_CLI = `${project.imports["@playwright/test"]}/cli`;
