import { parseAddress } from "./privacy/address.ts";

/** The relay always answers here, whatever `MONITORING_PATH` says. */
const FIXED_PATH = "/monitoring";

/** Says whether an address is one of the console's own requests. */
export type IsOwnRequest = (address: string) => boolean;

/**
 * Makes the test that keeps the console from feeding itself: its own requests (envelopes, inbox,
 * live rows) make no spans, no breadcrumbs and no entries in recordings.
 *
 * @param monitoringPath the configured path, such as "/monitoring"
 * @param pageUrl what relative addresses are relative to
 */
export function createIsOwnRequest(monitoringPath: string, pageUrl: string): IsOwnRequest {
  const { origin } = new URL(pageUrl);
  const paths = [FIXED_PATH, monitoringPath.replace(/\/+$/, "")].filter(Boolean);
  return (address) => {
    const url = parseAddress(address, pageUrl);
    if (url?.origin !== origin) return false;
    return paths.some((path) => url.pathname === path || url.pathname.startsWith(`${path}/`));
  };
}

/**
 * The paths of this origin that trace headers may go to: all but the console's own, whose requests
 * have no spans. Other origins never get them.
 */
export function tracedPaths(monitoringPath: string): RegExp {
  const own = [FIXED_PATH, monitoringPath.replace(/\/+$/, "")]
    .filter(Boolean)
    .map((path) => escapeForRegExp(path.slice(1)));
  return new RegExp(`^/(?!(?:${own.join("|")})(?:/|$))`);
}

/** Text as a pattern that matches just it; `RegExp.escape` is too young (2025) to rely on. */
function escapeForRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
