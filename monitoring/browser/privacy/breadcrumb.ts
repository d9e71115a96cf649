import type { Breadcrumb } from "@sentry/core";
import type { IsOwnRequest } from "../own_requests.ts";
import { withoutQueries, withoutQuery } from "./address.ts";
import { withoutAttributes } from "./selector.ts";

/**
 * A breadcrumb as far as it may leave. Console output stays: it was written for a developer at the
 * console, not for sending; logs on purpose go through `log`.
 *
 * @returns null where it does not leave at all
 */
export function scrubBreadcrumb(crumb: Breadcrumb, isOwn: IsOwnRequest): Breadcrumb | null {
  const { category = "", data, message } = crumb;
  if (category === "console") return null;
  if (data && typeof data.url === "string" && isOwn(data.url)) return null;
  return {
    ...crumb,
    ...(message !== undefined && {
      message: category.startsWith("ui.") ? withoutAttributes(message) : withoutQueries(message),
    }),
    ...(data && { data: scrubAddresses(data) }),
  };
}

/** Each of these holds one address. */
const ADDRESSES = new Set(["url", "from", "to", "previous"]);

/** The same data; its addresses without queries. */
export function scrubAddresses(data: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const scrubbed: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(data)) {
    scrubbed[key] = typeof value === "string" && ADDRESSES.has(key) ? withoutQuery(value) : value;
  }
  return scrubbed;
}
