import {
  ARCHIVE_TYPE,
  archiveHeader,
  archiveItem,
} from "../../../monitoring/protocol/inbox_archive.ts";
import { indexEnvelope } from "../../../monitoring/models/index/index_entries.ts";
import { MemoryIndex } from "../../../monitoring/models/index/memory_index.ts";
import { parseEnvelope } from "../../../monitoring/models/parsed_envelope.ts";
import type { ListQuery } from "../../../monitoring/models/rows.ts";
import { readTimeBound } from "../../../monitoring/models/time_bound.ts";
import type { ConsoleQuery, DataSource } from "./source.ts";
import { SourceStateStore } from "./source_state.ts";

/** The envelopes that telemetry has made since the page was opened. */
export interface PageEnvelopes {
  /** Oldest first; the oldest may be removed. Each is the same object until then. */
  readonly envelopes: readonly PageEnvelope[];
  /** Calls back after envelopes were added. Returns the function that unsubscribes. */
  subscribe(listener: () => void): () => void;
}

export interface PageEnvelope {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly bytes: Uint8Array;
}

/** The same limit as that of {@linkcode PageEnvelopes}. */
const MAX_BYTES = 16 * 1024 * 1024;

/**
 * Reads the envelopes of this page, in relay mode, where the server stores none. Everything is in memory.
 *
 * @param maxBytes of envelopes; the oldest are dropped, and only their rows stay
 */
export function createThisPageSource(
  page: PageEnvelopes,
  maxBytes = MAX_BYTES,
): DataSource {
  const index = new MemoryIndex();
  const store = new SourceStateStore("live");
  const kept = new Map<number, PageEnvelope>();
  let bytes = 0;
  let lastId = 0;
  let lastAdded: PageEnvelope | undefined;
  let isSubscribed = false;

  function add(envelope: PageEnvelope): void {
    const id = ++lastId;
    const { description, entries } = indexEnvelope(parseEnvelope(envelope.bytes), envelope.at);
    const row = {
      id,
      received_at: envelope.at,
      bytes: envelope.bytes.byteLength,
      content_encoding: null,
      source: entries.source.key,
      ...description,
    };
    index.add(id, envelope.at, entries, row);
    kept.set(id, envelope);
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
    scope: "visit",
    snapshot: store.snapshot,
    subscribe(listener) {
      if (!isSubscribed) {
        isSubscribed = true;
        page.subscribe(addNew);
        addNew();
      }
      return store.subscribe(listener);
    },
    // deno-lint-ignore require-await -- converts what the index throws to a rejection
    async list(name, query) {
      addNew();
      return index.list(name, listQuery(query));
    },
    // deno-lint-ignore require-await -- as above
    async envelopes(query) {
      addNew();
      return index.envelopes(listQuery(query));
    },
    // deno-lint-ignore require-await -- as above
    async sources(query) {
      addNew();
      return index.sources(listQuery(query));
    },
    envelope: (id) => Promise.resolve(kept.get(id)?.bytes),
    // Served to readers of the inbox only, and there is no inbox.
    sourceMap: () => Promise.resolve(undefined),
    authorize: () => Promise.resolve(true),
    clear() {
      addNew();
      index.clear();
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

function listQuery({ since, until, ...query }: ConsoleQuery): ListQuery {
  const now = Date.now();
  const bound = (text = "") => readTimeBound(text, now);
  return { ...query, since: bound(since), until: bound(until), now };
}

function blobUrl(parts: readonly Uint8Array[]): string {
  return URL.createObjectURL(
    new Blob(parts as Uint8Array<ArrayBuffer>[], { type: ARCHIVE_TYPE }),
  );
}
