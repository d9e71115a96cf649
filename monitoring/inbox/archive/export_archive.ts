import type { Inbox } from "../store.ts";
import { archiveHeader, archiveItem } from "../../protocol/inbox_archive.ts";

/** Rows that are asked for at once; bodies are read one by one. */
const ROWS_AT_ONCE = 200;

/**
 * The inbox at the moment of the call, as an archive that is read piece by piece: one body is in memory at a time,
 * whatever the inbox holds and however slowly it is read.
 *
 * What comes later is not in it. What goes before its turn came (the inbox was emptied, or is full and gave up its
 * oldest) cannot be in it: then the stream breaks off with an error, so that nobody keeps half an archive for a whole one.
 */
export function exportArchive(inbox: Inbox): ReadableStream<Uint8Array> {
  const { last, envelopes } = inbox.extent();
  const pieces = archivePieces(inbox, last, envelopes);
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      const { value, done } = pieces.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  }, { highWaterMark: 0 });
}

function* archivePieces(inbox: Inbox, last: number, count: number): Generator<Uint8Array, void> {
  yield archiveHeader(count);
  let written = 0;
  for (let since = 0; since < last;) {
    const { cursor, envelopes } = inbox.list({ since, limit: ROWS_AT_ONCE });
    for (const { id, received_at } of envelopes) {
      const body = id <= last ? inbox.bytes(id) : undefined;
      if (body === undefined) continue;
      yield* archiveItem({ ...body, receivedAt: received_at });
      written++;
    }
    if (envelopes.length === 0) break;
    since = cursor;
  }
  if (written < count) {
    throw new Error(`${count - written} of ${count} envelopes went before they were exported.`);
  }
}
