import type { ListQuery } from "../../models/list_query.ts";
import { decodeBody, DecodeError, parseContentEncoding } from "../../protocol/encoding.ts";
import type { Format } from "../../protocol/format.ts";
import type { InboxRow } from "../../protocol/inbox_row.ts";
import type { Inbox } from "../inbox.ts";

/** All envelopes that a query finds, newest first. Reads one page of them at a time. */
export function* listEnvelopes(inbox: Inbox, query: ListQuery): Generator<InboxRow, void> {
  let before: string | undefined;
  do {
    const { rows, next } = inbox.page("envelopes", { ...query, before });
    yield* rows;
    before = next ?? undefined;
  } while (before !== undefined);
}

/** A decompressed body; undefined: more than `maxBytes`, corrupt, or not stored any more. */
export async function readBody(
  inbox: Pick<Inbox, "bytes">,
  id: number,
  maxBytes: number,
): Promise<{ readonly bytes: Uint8Array; readonly format: Format } | undefined> {
  const stored = inbox.bytes(id);
  if (stored === undefined || stored.bytes.byteLength > maxBytes) return undefined;
  try {
    const encoding = parseContentEncoding(stored.contentEncoding);
    const bytes = await decodeBody(stored.bytes, encoding, maxBytes);
    return { bytes, format: stored.format ?? "envelope" };
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

export const readEnvelope = async (...of: Parameters<typeof readBody>) =>
  (await readBody(...of))?.bytes;
