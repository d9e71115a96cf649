import type { Breadcrumb, Event } from "@sentry/core";
import type { IsMonitoringRequest } from "../monitoring_requests.ts";
import { mapLeaves, scrubAddress, scrubText, withoutAttributes } from "./text.ts";

/**
 * Removes private data from an event: parts of addresses (also of file names in stack frames), arguments
 * of a failed listener, and values in a thrown object. Changes the event in place.
 */
export function scrubEvent(event: Event, pageOrigin: string): void {
  const { request, extra } = event;
  delete request?.query_string;
  delete request?.cookies;
  delete extra?.arguments;
  if (extra?.__serialized__) {
    // Keys identify the kind of object; values may be personal data.
    extra.__serialized__ = mapLeaves(extra.__serialized__, (value) => `<${typeof value}>`);
  }
  const parts = event as Record<string, unknown>;
  for (const part of Object.keys(parts)) {
    // The SDK's own objects are not sent; breadcrumbs were scrubbed when they were made.
    if (part === "sdkProcessingMetadata" || part === "breadcrumbs") continue;
    parts[part] = mapLeaves(
      parts[part],
      (leaf) => typeof leaf === "string" ? scrubText(leaf, pageOrigin) : leaf,
    );
  }
}

/**
 * Removes private data from a breadcrumb.
 *
 * @returns null for console output (which may be private) and monitoring's own requests
 */
export function scrubBreadcrumb(
  crumb: Breadcrumb,
  isMonitoringRequest: IsMonitoringRequest,
  pageOrigin: string,
): Breadcrumb | null {
  const { category = "", data, message } = crumb;
  if (category === "console") return null;
  if (data && typeof data.url === "string" && isMonitoringRequest(data.url)) return null;
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

/** Keys of data whose value is an address. */
const ADDRESSES = new Set(["url", "from", "to", "previous"]);

/** Copies a breadcrumb's data, with its addresses scrubbed. */
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
