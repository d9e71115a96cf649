import type { Inbox } from "../inbox/inbox.ts";
import { decodeBody, DecodeError, parseContentEncoding } from "../protocol/encoding.ts";
import type { HealthReport } from "../protocol/relay_api.ts";

/** What the tools read. */
export interface TelemetryReader {
  readonly inbox: Inbox;
  /** Returns the relay's state. */
  health(): Promise<HealthReport>;
}

/** The caller can fix it: reported to the assistant. */
export class ToolError extends Error {
  override readonly name = "ToolError";
}

/** The decompressed bytes of an envelope; undefined: more than `maxBytes`, corrupt, or not stored any more. */
export async function readEnvelopeBytes(
  { inbox }: TelemetryReader,
  id: number,
  maxBytes: number,
): Promise<Uint8Array | undefined> {
  const stored = inbox.bytes(id);
  if (stored === undefined || stored.bytes.byteLength > maxBytes) return undefined;
  try {
    const encoding = parseContentEncoding(stored.contentEncoding);
    return await decodeBody(stored.bytes, encoding, maxBytes);
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

/** A time as text; null without one. */
export function isoTime(ms: number | null | undefined): string | null {
  return typeof ms === "number" ? new Date(ms).toISOString() : null;
}
