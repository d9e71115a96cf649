import type { Event } from "@sentry/core";
import { mapLeaves, scrubText } from "./address.ts";

/**
 * Takes out of an event what must not leave: queries, fragments and unknown paths wherever an address
 * is (also as the file name of code within the document), the arguments of a listener that failed,
 * the values in an object that was thrown. Changes the event in place, so it is the last thing done
 * to it.
 *
 * @param pageOrigin such as "https://example.org"
 */
export function scrubEvent(event: Event, pageOrigin: string): void {
  const { request, extra } = event;
  delete request?.query_string;
  delete request?.cookies;
  delete extra?.arguments;
  if (extra?.__serialized__) {
    // Keys identify the kind of object that was thrown or rejected; values may be personal data.
    extra.__serialized__ = mapLeaves(extra.__serialized__, (value) => `<${typeof value}>`);
  }
  const parts = event as Record<string, unknown>;
  for (const part of Object.keys(parts)) {
    // The SDK's own objects, which do not leave; and what was scrubbed as it was made.
    if (part === "sdkProcessingMetadata" || part === "breadcrumbs") continue;
    parts[part] = mapLeaves(
      parts[part],
      (leaf) => typeof leaf === "string" ? scrubText(leaf, pageOrigin) : leaf,
    );
  }
}
