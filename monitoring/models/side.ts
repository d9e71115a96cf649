/** Where telemetry was made. `unknown`: also mobile and desktop applications. */
export type Side = "browser" | "server" | "unknown";

/** Sentry's JavaScript SDKs that run only in browsers. */
const BROWSER_SDK =
  /^sentry\.javascript\.(angular|browser|capacitor|ember|gatsby|preact|react|solid|svelte|vue)(?![\w-])/;
/** Sentry's JavaScript SDKs that run in browsers and on servers. */
const FULL_STACK_SDK =
  /^sentry\.javascript\.(astro|nextjs|nuxt|react-router|remix|solidstart|sveltekit|tanstackstart(-react)?)(?![\w-])/;
/** Sentry's SDKs of applications on phones and desktops. */
const DEVICE_SDK =
  /^sentry\.(javascript\.(electron|react-native|cordova)|cocoa|java\.android|dart|native|dotnet\.(maui|xamarin|unity)|kotlin|unreal|godot)(?![\w-])/;
/** Whether an SDK is OpenTelemetry's, such as `opentelemetry.python`. */
export const isOpenTelemetry = (sdk: string | null): boolean =>
  sdk !== null && /^opentelemetry(\.|$)/.test(sdk);
/** Whether an SDK is for phones and desktops. */
export const isForDevices = (sdk: string | null): boolean => sdk !== null && DEVICE_SDK.test(sdk);

const BROWSER_OP = /^(pageload|navigation|browser|resource|ui|paint|mark|measure)\b/;
const SERVER_OP = /^(http\.server|rpc\.server|db|cache|queue|middleware|websocket\.server)\b/;

/**
 * Decides by the SDK's name; if that SDK runs on both sides, by the operation of a span.
 *
 * @param sdk as sent, such as `sentry.javascript.browser`
 */
export function sideOf(sdk: string | null, op: string | null): Side {
  if (sdk !== null && BROWSER_SDK.test(sdk)) return "browser";
  if (isForDevices(sdk)) return "unknown";
  if (isOpenTelemetry(sdk)) return sdk === "opentelemetry.webjs" ? "browser" : "server";
  if (sdk !== null && sdk.startsWith("sentry.") && !FULL_STACK_SDK.test(sdk)) return "server";
  if (op !== null && BROWSER_OP.test(op)) return "browser";
  if (op !== null && SERVER_OP.test(op)) return "server";
  return "unknown";
}
