import { Buffer } from "node:buffer";
import type { IngestRequest } from "./stand_in_request.ts";

/** One HTTP answer, complete. */
export interface Answer {
  readonly kind: "answer";
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** What the stand-in does with a request. */
export type IngestBehaviour =
  /** Takes the envelope: 200 with its event id, as the ingest does. */
  | {
    readonly kind: "take";
    readonly headers?: Record<string, string>;
    /** Answers when this resolves, then closes. */
    readonly after?: Promise<void>;
    /** Answers after so many milliseconds; the connection stays open. */
    readonly delayMs?: number;
  }
  | Answer
  /** Sends these bytes, then closes or keeps the connection. */
  | { readonly kind: "raw"; readonly wire: Uint8Array; readonly thenCloses: boolean }
  /** Never reads again and never answers; the connection stays open. */
  | { readonly kind: "stall" }
  /** Never answers; the connection stays open. */
  | { readonly kind: "hang" }
  /** Closes without an answer. */
  | { readonly kind: "close" }
  /** Sends half of the status line, then closes. */
  | { readonly kind: "close in the head" }
  /** Sends the status line, the headers and half of the body, then closes. */
  | { readonly kind: "close half way"; readonly status?: number }
  /** Sends the status line, the headers and half of the body, then nothing more. */
  | { readonly kind: "hang half way"; readonly status?: number };

/** {@linkcode IngestBehaviour} by its name, for tests that read like sentences. */
export const takes = (headers: Record<string, string> = {}): IngestBehaviour => ({
  kind: "take",
  headers,
});
export const takesAfter = (after: Promise<void>): IngestBehaviour => ({
  kind: "take",
  headers: { connection: "close" },
  after,
});
export const takesSlowly = (delayMs: number): IngestBehaviour => ({ kind: "take", delayMs });
export const answers = (
  status: number,
  { headers = {}, body = "" }: { headers?: Record<string, string>; body?: string } = {},
): Answer => ({ kind: "answer", status, headers, body });
export const redirects = (location: string, status = 302): Answer =>
  answers(status, { headers: { location } });
export const answersRaw = (wire: Uint8Array | string, thenCloses = false): IngestBehaviour => ({
  kind: "raw",
  wire: typeof wire === "string" ? new TextEncoder().encode(wire) : wire,
  thenCloses,
});
export const stalls: IngestBehaviour = { kind: "stall" };
export const hangs: IngestBehaviour = { kind: "hang" };
export const closes: IngestBehaviour = { kind: "close" };
export const closesInTheHead: IngestBehaviour = { kind: "close in the head" };
export const closesHalfWay: IngestBehaviour = { kind: "close half way" };
export const hangsHalfWay: IngestBehaviour = { kind: "hang half way" };

/** The ingest's answer to an accepted envelope: 200, with the event id if it has one. */
export function taken(request: IngestRequest, headers: Record<string, string> = {}): Answer {
  const id = eventIdOf(request);
  const body = JSON.stringify(id === undefined ? {} : { id });
  return answers(200, { headers: { "content-type": "application/json", ...headers }, body });
}

/** The event id in the header of an uncompressed envelope. */
function eventIdOf(request: IngestRequest): string | undefined {
  if (request.headers["content-encoding"] !== undefined) return undefined;
  try {
    const header: unknown = JSON.parse(request.text.split("\n", 1)[0] ?? "");
    const id = (header as { event_id?: unknown } | null)?.event_id;
    return typeof id === "string" ? id : undefined;
  } catch {
    // Not an envelope: the stand-in accepts everything.
    return undefined;
  }
}

/** CORS headers of Sentry's Relay: pages with a self-hosted DSN post directly to it. */
const CORS = {
  "access-control-allow-origin": "*",
  "access-control-allow-methods": "POST",
  "access-control-allow-headers": "x-sentry-auth, content-type, content-encoding",
  "access-control-expose-headers": "x-sentry-error, x-sentry-rate-limits, retry-after",
};

/** The answer on the wire. */
export function answerBytes(
  { status, headers = {}, body = "" }: Answer,
  request: IngestRequest,
): Uint8Array {
  const bytes = new TextEncoder().encode(body);
  const lines = Object.entries({ ...CORS, ...headers }).map(([name, value]) => `${name}: ${value}`);
  if (status !== 204) lines.push(`content-length: ${bytes.length}`);
  const head = new TextEncoder().encode(
    `HTTP/1.1 ${status} Scripted\r\n${lines.join("\r\n")}\r\n\r\n`,
  );
  if (request.method === "HEAD") return head;
  return new Uint8Array(Buffer.concat([head, bytes]));
}
