import {
  ARCHIVE_TYPE,
  archiveHeader,
  archiveItem,
} from "../../monitoring/protocol/inbox_archive.ts";
import type { SessionData, SessionEnvelope } from "../../monitoring/browser/mod.ts";
import { readEnvelopeContent } from "../../monitoring/models/envelope_content.ts";
import { indexBody } from "../../monitoring/models/index/index_entries.ts";
import { parseEnvelope } from "../../monitoring/models/parsed_envelope.ts";
import type { InboxRow } from "../../monitoring/protocol/inbox_row.ts";
import type { EnvelopeReader } from "./api.ts";
import { ApiStateStore } from "./api_state.ts";

/** The same limit as that of {@linkcode SessionData}. */
const MAX_BYTES = 16 * 1024 * 1024;

/**
 * Reads the envelopes of this page, in relay mode, where the server stores none. Everything is in memory.
 *
 * @param maxBytes of envelopes; the oldest are dropped
 */
export function createThisPageApi(
  page: Pick<SessionData, "envelopes" | "subscribe">,
  maxBytes = MAX_BYTES,
): EnvelopeReader {
  const store = new ApiStateStore("live");
  /** Oldest first. */
  const kept = new Map<number, SessionEnvelope & { readonly row: InboxRow }>();
  let bytes = 0;
  let lastId = 0;
  let lastAdded: SessionEnvelope | undefined;
  let isSubscribed = false;

  function add(envelope: SessionEnvelope): void {
    const id = ++lastId;
    const { description, resources } = indexBody([parseEnvelope(envelope.bytes)], envelope.at);
    const row = {
      id,
      received_at: envelope.at,
      bytes: envelope.bytes.byteLength,
      content_encoding: null,
      application: resources[0]!.application.key,
      ...description,
    };
    kept.set(id, { ...envelope, row });
    bytes += envelope.bytes.byteLength;
    for (const [oldest, { bytes: { byteLength } }] of kept) {
      if (bytes <= maxBytes) break;
      kept.delete(oldest);
      bytes -= byteLength;
    }
  }

  /** Adds the envelopes since the last call. */
  function addNew(): void {
    const { envelopes } = page;
    // If the last one was removed, so were all before it, and the rest is new.
    const fresh = envelopes.slice(lastAdded ? envelopes.lastIndexOf(lastAdded) + 1 : 0);
    if (fresh.length === 0) return;
    lastAdded = fresh.at(-1);
    fresh.forEach(add);
    store.envelopesChanged({ total: kept.size });
  }

  return {
    scope: "session",
    snapshot: store.snapshot,
    subscribe(listener) {
      if (!isSubscribed) {
        isSubscribed = true;
        page.subscribe(addNew);
        addNew();
      }
      return store.subscribe(listener);
    },
    envelopes({ type, trace }) {
      addNew();
      const rows = Array.from(kept.values(), ({ row }) => row).filter(({ items, trace_ids }) =>
        (!type || items.some((item) => item.type === type)) &&
        (!trace || trace_ids.includes(trace))
      );
      return Promise.resolve({ rows: rows.reverse(), next: null });
    },
    applications() {
      addNew();
      const counts = { traces: 0, errors: 0, logs: 0, recordings: 0, envelopes: kept.size };
      return Promise.resolve({ rows: [], counts, ops: [] });
    },
    envelope: (id) => Promise.resolve(kept.get(id)?.bytes),
    // deno-lint-ignore require-await -- rejects if the envelope is malformed
    async envelopeContent(id) {
      const found = kept.get(id);
      return found && readEnvelopeContent(found.row, found.bytes);
    },
    authorize: () => Promise.resolve(true),
    clear() {
      addNew();
      kept.clear();
      bytes = 0;
      store.envelopesChanged({ total: 0 });
      return Promise.resolve();
    },
    download(id) {
      const envelope = kept.get(id);
      return envelope && blobUrl([envelope.bytes]);
    },
    exported() {
      const items = [...kept.values()].flatMap(({ at, bytes }) =>
        archiveItem({ receivedAt: at, contentEncoding: null, bytes })
      );
      return blobUrl([archiveHeader(kept.size), ...items]);
    },
  };
}

function blobUrl(parts: readonly Uint8Array[]): string {
  return URL.createObjectURL(
    new Blob(parts as Uint8Array<ArrayBuffer>[], { type: ARCHIVE_TYPE }),
  );
}
