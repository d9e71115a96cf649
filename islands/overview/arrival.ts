import "../shared/background_code.ts";
import { errorName } from "../../monitoring/models/error/error_entry.ts";
import { type IndexEntries, indexEnvelope } from "../../monitoring/models/index/index_entries.ts";
import { at, tidyText } from "../../monitoring/models/json.ts";
import { type ParsedEnvelope, parseEnvelope } from "../../monitoring/models/parsed_envelope.ts";
import { UNKNOWN_NAME } from "../../monitoring/models/rows.ts";
import { readSource } from "../../monitoring/models/source.ts";
import type { InboxRow } from "../../monitoring/protocol/inbox_row.ts";
import { fragmentTo } from "../shared/fragment.ts";

/** An envelope of another application, for display. All texts are the sender's. */
export interface Arrival {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** "error", "message", "trace", "log", or the type of the first item. */
  readonly what: string;
  /** The application and its SDK: "my-app, @sentry/node 10.2.0". */
  readonly sender: string;
  /** Fragment of the view that shows it. */
  readonly href: string;
}

/** Describes an envelope by its bytes. */
export function describeArrival(row: InboxRow, bytes: Uint8Array): Arrival {
  const envelope = parseEnvelope(bytes);
  const { entries } = indexEnvelope(envelope, row.received_at);
  return { at: row.received_at, sender: senderOf(envelope), ...contentOf(row, entries) };
}

/** What an envelope contains, and where it is shown. */
function contentOf(row: InboxRow, { errors, logs, traces }: IndexEntries) {
  const [error] = errors;
  if (error) {
    const what = error.type === "Message" ? "message" : "error";
    return { what, href: fragmentTo("errors", [errorName(error), String(row.id)]) };
  }
  const [trace] = traces;
  const hasSpans = row.items.some(({ type }) => type === "transaction" || type === "span");
  if (trace && hasSpans) return { what: "trace", href: fragmentTo("traces", [trace.trace_id]) };
  const what = logs.length > 0 ? "log" : row.items[0]?.type ?? "envelope";
  return { what, href: fragmentTo("envelopes", [String(row.id)]) };
}

/** Characters of a name or a version. */
const MAX_TEXT = 60;

/** "@sentry/node" is the package of the SDK that calls itself "sentry.javascript.node". */
const PACKAGE_PREFIX = ["sentry.javascript.", "@sentry/"] as const;

function senderOf(envelope: ParsedEnvelope): string {
  const { name } = readSource(envelope, false);
  // Some SDKs, such as Python's, name themselves in the event only.
  const sdk = at(envelope.header, "sdk") ?? at(envelope.items[0]?.json, "sdk");
  const sdkName = tidyText(at(sdk, "name"), MAX_TEXT);
  const version = tidyText(at(sdk, "version"), MAX_TEXT);
  const sdkText = [sdkName?.replace(...PACKAGE_PREFIX), version].filter(Boolean).join(" ");
  const application = name === UNKNOWN_NAME ? "an unnamed application" : name;
  if (sdkText === "") return application;
  return name === sdkName ? sdkText : `${application}, ${sdkText}`;
}
