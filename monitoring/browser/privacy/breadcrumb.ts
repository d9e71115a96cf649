import type { Breadcrumb } from "@sentry/core";
import type { IsOwnRequest } from "../own_requests.ts";
import { scrubAddress, scrubText } from "./address.ts";
import { withoutAttributes } from "./selector.ts";

/**
 * A breadcrumb as far as it may leave. Console output stays: it was written for a developer at the
 * console, not for sending; logs on purpose go through `log`.
 *
 * @param pageOrigin such as "https://example.org"
 * @returns null where it does not leave at all
 */
export function scrubBreadcrumb(
  crumb: Breadcrumb,
  isOwn: IsOwnRequest,
  pageOrigin: string,
): Breadcrumb | null {
  const { category = "", data, message } = crumb;
  if (category === "console") return null;
  if (data && typeof data.url === "string" && isOwn(data.url)) return null;
  return {
    ...crumb,
    ...(message !== undefined && {
      message: category.startsWith("ui.")
        ? withoutAttributes(message)
        : scrubText(message, pageOrigin),
    }),
    ...(data && { data: scrubAddresses(data, pageOrigin) }),
  };
}

/** Each of these holds one address. */
const ADDRESSES = new Set(["url", "from", "to", "previous"]);

/** The same data; its addresses as they may be reported. */
export function scrubAddresses(
  data: Readonly<Record<string, unknown>>,
  pageOrigin: string,
): Record<string, unknown> {
  const scrubbed: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(data)) {
    scrubbed[key] = typeof value === "string" && ADDRESSES.has(key)
      ? scrubAddress(value, pageOrigin)
      : value;
  }
  return scrubbed;
}
