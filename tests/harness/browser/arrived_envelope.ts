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
