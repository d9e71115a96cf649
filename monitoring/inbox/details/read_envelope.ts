import type { Inbox } from "../inbox.ts";
import { decodeBody, DecodeError, parseContentEncoding } from "../../protocol/encoding.ts";

/** The part of the inbox that has bytes. */
type Stored = Pick<Inbox, "bytes">;

/** The decompressed bytes of an envelope; undefined: more than `maxBytes`, corrupt, or not stored any more. */
export async function readEnvelope(
  inbox: Stored,
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
