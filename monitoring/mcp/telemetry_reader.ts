import type { Inbox } from "../inbox/inbox.ts";
import { decodeBody, parseContentEncoding } from "../protocol/encoding.ts";
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

/** An envelope is too large when decompressed, or corrupt. */
export class UnreadableEnvelopeError extends Error {
  override readonly name = "UnreadableEnvelopeError";
}

/**
 * The decompressed bytes of an envelope; undefined if it is not stored any more.
 *
 * @throws {UnreadableEnvelopeError}
 */
export async function readEnvelopeBytes(
  { inbox }: TelemetryReader,
  id: number,
  maxBytes: number,
): Promise<Uint8Array | undefined> {
  const stored = inbox.bytes(id);
  if (stored === undefined) return undefined;
  if (stored.bytes.byteLength > maxBytes) throw new UnreadableEnvelopeError();
  try {
    const encoding = parseContentEncoding(stored.contentEncoding);
    return await decodeBody(stored.bytes, encoding, maxBytes);
  } catch (cause) {
    throw new UnreadableEnvelopeError("Cannot decompress the envelope.", { cause });
  }
}

/** A time as text; null stays null. */
export function isoTime(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
