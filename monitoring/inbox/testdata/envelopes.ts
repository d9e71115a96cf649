import type { ReceivedEnvelope } from "../../protocol/admitted_envelope.ts";
import { Buffer } from "node:buffer";
import { gzipSync } from "node:zlib";
import { isOwnTelemetry } from "../../protocol/own_telemetry.ts";
import { readEnvelope } from "../../protocol/scanner.ts";

const encoder = new TextEncoder();

/** The envelope of an SDK that was recorded: a name in tests/relay/testdata/. */
export const recorded = (name: string): Uint8Array<ArrayBuffer> =>
  Deno.readFileSync(new URL(`../../../tests/relay/testdata/${name}.envelope`, import.meta.url));

export type Attributes = Record<string, unknown>;

/** Type and payload of an item; values other than bytes are written as JSON. */
export type TestItem = readonly [type: string, payload: unknown];

/** Items of an envelope. */
export const span = (trace: number, rest: Attributes = {}): TestItem => [
  "span",
  { items: [{ trace_id: hexId(trace), name: "load", ...rest }] },
];
export const log = (body: string, rest: Attributes = {}): TestItem => [
  "log",
  { items: [{ body, level: "info", ...rest }] },
];
export const error = (value: string, trace?: number, rest: Attributes = {}): TestItem => ["event", {
  exception: { values: [{ type: "TypeError", value }] },
  contexts: trace === undefined ? {} : { trace: { trace_id: hexId(trace) } },
  ...rest,
}];

/** Serializes an envelope like an SDK. An item may have a header instead of its type. */
export function envelopeOf(
  header: Attributes,
  ...items: readonly (TestItem | readonly [header: Attributes, payload: unknown])[]
): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = [encoder.encode(JSON.stringify(header) + "\n")];
  for (const [type, payload] of items) {
    const bytes = payload instanceof Uint8Array ? payload : encoder.encode(JSON.stringify(payload));
    const header = typeof type === "string" ? { type } : type;
    parts.push(encoder.encode(JSON.stringify({ ...header, length: bytes.byteLength }) + "\n"));
    parts.push(bytes, encoder.encode("\n"));
  }
  return new Uint8Array(Buffer.concat(parts));
}

/** An envelope with one event whose id ends with `n`. */
export function eventEnvelope(n: number): Uint8Array<ArrayBuffer> {
  return envelopeOf({ event_id: hexId(n) }, ["event", { event_id: hexId(n), message: `no. ${n}` }]);
}

/** 32 hex digits that end with `n`. */
export function hexId(n: number): string {
  return `e${n.toString(16).padStart(31, "0")}`;
}

/** The envelope as the relay passes it to the inbox. */
export function admitted(bytes: Uint8Array, receivedAt = 1_790_000_000_000): ReceivedEnvelope {
  return {
    bytes,
    contentEncoding: null,
    receivedAt,
    isOwn: isOwnTelemetry(readEnvelope(bytes).header),
  };
}

/** {@linkcode admitted}, compressed with gzip. */
export function admittedGzip(bytes: Uint8Array, receivedAt?: number): ReceivedEnvelope {
  return {
    ...admitted(bytes, receivedAt),
    bytes: new Uint8Array(gzipSync(bytes)),
    contentEncoding: "gzip",
  };
}
