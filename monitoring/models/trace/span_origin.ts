import type { Origin } from "./trace_span.ts";

/** What runs in browsers of Sentry's JavaScript SDKs; those that run on both sides are told by what their span is. */
const BROWSER_SDK =
  /^sentry\.javascript\.(angular|browser|capacitor|ember|gatsby|preact|react|solid|svelte|vue)\b/;
const BOTH_SIDES =
  /^sentry\.javascript\.(astro|nextjs|nuxt|react-router|remix|solidstart|sveltekit|tanstackstart(-react)?)\b/;
const BROWSER_OP = /^(pageload|navigation|browser|resource|ui|paint|mark|measure)\b/;
const SERVER_OP = /^(http\.server|rpc\.server|db|cache|queue|middleware|websocket\.server)\b/;

/**
 * Where a span was made: as its SDK says, else as its operation does.
 *
 * @param sdk the SDK's name, such as `sentry.javascript.deno`
 */
export function originOf(sdk: string | null, op: string | null): Origin {
  if (sdk !== null && BROWSER_SDK.test(sdk)) return "browser";
  if (sdk !== null && sdk.startsWith("sentry.") && !BOTH_SIDES.test(sdk)) return "server";
  if (op !== null && BROWSER_OP.test(op)) return "browser";
  if (op !== null && SERVER_OP.test(op)) return "server";
  return "unknown";
}
