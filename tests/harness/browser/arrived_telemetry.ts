/** What the ingest or the inbox received, parsed: envelopes, their items, and the signals in them. */
import { Buffer } from "node:buffer";
import { inflateSync } from "node:zlib";
import { decodeBody, parseContentEncoding } from "../../../monitoring/protocol/encoding.ts";
import type { EnvelopeHeader, ItemHeader } from "../../../monitoring/protocol/envelope.ts";
import { readEnvelope } from "../../../monitoring/protocol/scanner.ts";

/** An envelope as the ingest or the inbox received it, parsed. */
export interface ArrivedEnvelope {
  /** As received, compressed or not. */
  readonly bytes: Uint8Array;
  readonly contentEncoding: string | null;
  /** {@linkcode bytes}, decompressed: the envelope as the sender stored it. */
  readonly decoded: Uint8Array;
  readonly header: EnvelopeHeader;
  readonly items: readonly ArrivedItem[];
  readonly sender: Sender;
}

/** The sender of an envelope: the page in the browser, or the server itself. */
export type Sender = "page" | "server";

/** In the header of the server's envelopes, except client reports. */
const SERVER_SDK = '"name":"sentry.javascript.deno"';

/** The sender of an envelope, compressed or not: the server's are never compressed. */
export function senderOf(bytes: Uint8Array): Sender {
  const end = bytes.indexOf(10);
  const header = new TextDecoder().decode(bytes.subarray(0, end < 0 ? bytes.length : end));
  return header.includes(SERVER_SDK) ? "server" : "page";
}

/** One item of an envelope that arrived. */
export interface ArrivedItem {
  readonly envelope: ArrivedEnvelope;
  readonly type: string;
  readonly header: ItemHeader;
  readonly payload: Uint8Array;
  /**
   * Parses the payload. The caller states its type.
   *
   * @throws if it is not JSON
   */
  json<T = Record<string, unknown>>(): T;
}

/** A `replay_recording` item: a line of JSON, then the events, compressed or not. */
export interface Recording {
  readonly segmentId: number;
  readonly compressed: boolean;
  /** rrweb's events. */
  readonly events: readonly { type: number; timestamp: number; data: Record<string, unknown> }[];
}

/** Larger than any envelope of a test. */
const MAX_DECODED_BYTES = 256 * 1024 * 1024;

/**
 * Parses an envelope.
 *
 * @param contentEncoding the request's header
 * @throws if it is not a valid envelope
 */
export async function readArrival(
  bytes: Uint8Array,
  contentEncoding: string | null,
): Promise<ArrivedEnvelope> {
  const encoding = parseContentEncoding(contentEncoding);
  const decoded = encoding === null ? bytes : await decodeBody(bytes, encoding, MAX_DECODED_BYTES);
  const { header, items } = readEnvelope(decoded);
  const envelope: ArrivedEnvelope = {
    bytes,
    contentEncoding,
    decoded,
    sender: senderOf(decoded),
    header,
    items: items.map((item) => {
      let parsed: unknown;
      return {
        type: item.header.type,
        header: item.header,
        payload: item.payload,
        // Parsed once: tests that poll read hundreds of items repeatedly.
        json: <T>() => (parsed ??= JSON.parse(new TextDecoder().decode(item.payload))) as T,
        get envelope() {
          return envelope;
        },
      };
    }),
  };
  return envelope;
}

/**
 * Parses a `replay_recording` item.
 *
 * @throws if it is not one
 */
export function readRecording({ payload }: ArrivedItem): Recording {
  const end = payload.indexOf(0x0a);
  const head = JSON.parse(new TextDecoder().decode(payload.subarray(0, end)));
  const body = payload.subarray(end + 1);
  // A zlib stream begins with 0x78; JSON never does.
  const compressed = body[0] === 0x78;
  const text = compressed ? inflateSync(body) : Buffer.from(body);
  return {
    segmentId: head.segment_id,
    compressed,
    events: JSON.parse(text.toString("utf-8")),
  };
}

/** An envelope's headers and payloads as one text, recordings decompressed. */
export function textOf({ header, items }: ArrivedEnvelope): string {
  const parts = items.map((item) => {
    const header = JSON.stringify(item.header);
    const payload = item.type === "replay_recording"
      ? JSON.stringify(readRecording(item).events)
      : new TextDecoder().decode(item.payload);
    return `${header}\n${payload}`;
  });
  return [JSON.stringify(header), ...parts].join("\n");
}

/** A span as Sentry's span container carries it (`application/vnd.sentry.items.span.v2+json`). */
export interface Span {
  readonly name: string;
  readonly trace_id: string;
  readonly span_id: string;
  readonly parent_span_id?: string;
  readonly is_segment: boolean;
  /** Seconds since 1970. */
  readonly start_timestamp: number;
  readonly end_timestamp: number;
  readonly status: string;
  readonly attributes: Readonly<Record<string, { value: unknown } | undefined>>;
}

/** A log as Sentry's log container carries it (`application/vnd.sentry.items.log+json`). */
export interface Log {
  readonly level: string;
  readonly body: string;
  readonly trace_id: string;
  readonly timestamp: number;
  readonly attributes: Readonly<Record<string, { value: unknown } | undefined>>;
}

/** The parts of an error event that tests look at. */
export interface ErrorEvent {
  readonly event_id: string;
  /** Seconds since 1970. */
  readonly timestamp: number;
  readonly release?: string;
  readonly environment?: string;
  readonly request: { readonly url: string };
  readonly breadcrumbs?: readonly unknown[];
  readonly exception: {
    readonly values: readonly {
      readonly type: string;
      readonly value: string;
      readonly mechanism?: { readonly type: string; readonly handled: boolean };
    }[];
  };
  readonly contexts: {
    readonly trace: { readonly trace_id: string; readonly span_id: string };
    readonly react?: { readonly componentStack?: string };
  };
}

/** All spans in these items. */
export function spansOf(items: readonly ArrivedItem[]): readonly Span[] {
  return containers<Span>(items, "span");
}

/** All logs in these items. */
export function logsOf(items: readonly ArrivedItem[]): readonly Log[] {
  return containers<Log>(items, "log");
}

/** All error events in these items. */
export function errorsOf(items: readonly ArrivedItem[]): readonly ErrorEvent[] {
  return items.filter(({ type }) => type === "event").map((item) => item.json<ErrorEvent>());
}

/** The error event with this text in an exception's message. */
export function errorOf(items: readonly ArrivedItem[], text: string): ErrorEvent | undefined {
  return errorsOf(items).find(({ exception }) =>
    exception.values.some(({ value }) => value.includes(text))
  );
}

/** An entry of a client report (https://develop.sentry.dev/sdk/telemetry/client-reports/). */
export interface DiscardedEvents {
  readonly reason: string;
  readonly category: string;
  readonly quantity: number;
}

/** Quantities by `reason:category`, such as `{"backpressure:span": 3}`, summed over all client reports in these items. */
export function discardedOf(items: readonly ArrivedItem[]): Readonly<Record<string, number>> {
  const sums: Record<string, number> = {};
  for (const item of items.filter(({ type }) => type === "client_report")) {
    const { discarded_events } = item.json<{ discarded_events: DiscardedEvents[] }>();
    for (const { reason, category, quantity } of discarded_events) {
      const key = `${reason}:${category}`;
      sums[key] = (sums[key] ?? 0) + quantity;
    }
  }
  return sums;
}

/** The span's operation, such as `http.client`. */
export function opOf({ attributes }: Span): string {
  return String(attributes["sentry.op"]?.value ?? "");
}

function containers<T>(items: readonly ArrivedItem[], type: string): T[] {
  return items.filter((item) => item.type === type)
    .flatMap((item) => item.json<{ items: T[] }>().items);
}
