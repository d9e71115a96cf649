import type { IsOwnRequest } from "../own_requests.ts";
import { resourceAddress, scrubAddress, scrubText } from "./address.ts";
import { scrubAddresses } from "./breadcrumb.ts";
import { withoutAttributes } from "./selector.ts";

/** What the recording notes beside what it films: breadcrumbs and performance entries. */
export interface RecordingEntry {
  readonly data: {
    readonly tag: string;
    readonly payload: Readonly<Record<string, unknown>>;
  };
}

/**
 * A note of the recording as far as it may leave.
 *
 * @param pageOrigin such as "https://example.org"
 * @returns null where it does not leave at all: console output and the console's own requests
 */
export function scrubRecordingEntry<E extends RecordingEntry>(
  entry: E,
  isOwn: IsOwnRequest,
  pageOrigin: string,
): E | null {
  const { tag, payload } = entry.data;
  if (tag === "breadcrumb") {
    const category = String(payload.category ?? "");
    if (category === "console") return null;
    const { message } = payload;
    return withPayload(entry, {
      ...payload,
      ...(typeof message === "string" && category.startsWith("ui.") && {
        message: withoutAttributes(message),
      }),
      ...(isRecord(payload.data) && { data: scrubAddresses(payload.data, pageOrigin) }),
    });
  }
  if (tag === "performanceSpan") {
    const op = String(payload.op ?? "");
    const address = String(payload.description ?? "");
    if (op.startsWith("resource.") && isOwn(address)) return null;
    const isRequest = op === "resource.fetch" || op === "resource.xhr";
    return withPayload(entry, {
      ...payload,
      description: op.startsWith("resource.") && !isRequest
        ? resourceAddress(address, pageOrigin)
        : isRequest || op.startsWith("navigation.")
        ? scrubAddress(address, pageOrigin)
        : scrubText(address, pageOrigin),
      ...(isRecord(payload.data) && { data: scrubAddresses(payload.data, pageOrigin) }),
    });
  }
  return entry;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function withPayload<E extends RecordingEntry>(entry: E, payload: E["data"]["payload"]): E {
  return { ...entry, data: { ...entry.data, payload } };
}
