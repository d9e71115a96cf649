import type { Event } from "@sentry/core";
import { withoutQueries, withoutQuery } from "./address.ts";
import { withoutAttributes } from "./selector.ts";

/** The event of a recording's segment lists the addresses it was made at. */
type WithUrls = Event & { urls?: string[] };

/**
 * Takes out of an event what must not leave: queries and fragments wherever an address stands, the
 * arguments of a listener that failed, the texts of an element that an error names. Changes the
 * event in place, so it is the last thing done to it.
 */
export function scrubEvent(event: Event): void {
  const { request, exception, extra } = event;
  if (request) {
    delete request.query_string;
    delete request.cookies;
    if (request.url) request.url = withoutQuery(request.url);
    if (request.headers?.Referer) request.headers.Referer = withoutQuery(request.headers.Referer);
  }
  if (event.message) event.message = withoutQueries(event.message);
  if (event.transaction) event.transaction = withoutQuery(event.transaction);
  for (const thrown of exception?.values ?? []) {
    if (thrown.value) thrown.value = withoutQueries(thrown.value);
    for (const frame of thrown.stacktrace?.frames ?? []) {
      // Code in the document itself has the document's address, query and all.
      if (frame.filename) frame.filename = withoutQuery(frame.filename);
      if (frame.abs_path) frame.abs_path = withoutQuery(frame.abs_path);
    }
  }
  for (const image of event.debug_meta?.images ?? []) {
    if ("code_file" in image && image.code_file) image.code_file = withoutQuery(image.code_file);
  }
  if (extra) scrubExtra(extra);
  const { urls } = event as WithUrls;
  if (urls) (event as WithUrls).urls = urls.map(withoutQuery);
}

/** What a listener was called with, and the DOM event that something was rejected with. */
function scrubExtra(extra: Record<string, unknown>): void {
  delete extra.arguments;
  const serialized = extra.__serialized__;
  if (typeof serialized !== "object" || serialized === null) return;
  scrubFields(serialized as Record<string, unknown>);
}

/** Plain data (the SDK has normalized it: no cycles, a few levels), arrays too. */
function scrubFields(fields: Record<string, unknown>): void {
  for (const [key, value] of Object.entries(fields)) {
    if (typeof value === "object" && value !== null) scrubFields(value as Record<string, unknown>);
    if (typeof value !== "string") continue;
    fields[key] = key === "target" || key === "currentTarget"
      ? withoutAttributes(value)
      : withoutQueries(value);
  }
}
