import {
  ARCHIVE_TYPE,
  archiveHeader,
  archiveItem,
} from "../../../monitoring/protocol/inbox_archive.ts";
import { describeEnvelope } from "../../../monitoring/models/describe.ts";
import { entriesOf } from "../../../monitoring/models/entries/entries.ts";
import { createMemoryIndex } from "../../../monitoring/models/entries/memory_index.ts";
import { parseEnvelope } from "../../../monitoring/models/parsed_envelope.ts";
import { LiveState } from "./source_state.ts";
import type { ConsoleSource } from "./source.ts";

/** What a page has made of envelopes since it was opened. */
export interface EnvelopeTape {
  /** In the order of their making; the oldest may go. Each is the same object for as long as it is there. */
  readonly envelopes: readonly TapedEnvelope[];
  /** Calls back when there are more; gives how to stop. */
  subscribe(listener: () => void): () => void;
}

export interface TapedEnvelope {
  /** When it was made, milliseconds since 1970. */
  readonly at: number;
  readonly bytes: Uint8Array;
}

export interface VisitSourceOptions {
  /** Bytes of envelopes kept to be looked at; the oldest go first. Default: what the page itself keeps, 16 MiB. */
  readonly maxBytes?: number;
}

/**
 * What this visit itself has sent, as the console reads it: where a server relays, nobody else tells the page what its
 * envelopes hold. Everything is in memory and ends with the page.
 */
export function createVisitSource(
  tape: EnvelopeTape,
  { maxBytes = 16 * 1024 * 1024 }: VisitSourceOptions = {},
): ConsoleSource {
  const index = createMemoryIndex();
  const live = new LiveState("live");
  const kept = new Map<number, TapedEnvelope>();
  let bytes = 0;
  let lastId = 0;
  let seen: TapedEnvelope | undefined;
  let following = false;

  function add(envelope: TapedEnvelope): void {
    const id = ++lastId;
    const parsed = parseEnvelope(envelope.bytes);
    const row = {
      id,
      received_at: envelope.at,
      bytes: envelope.bytes.byteLength,
      content_encoding: null,
      ...describeEnvelope(parsed),
    };
    index.add(id, envelope.at, entriesOf(parsed, envelope.at), row);
    kept.set(id, envelope);
    bytes += envelope.bytes.byteLength;
    for (const [oldest, { bytes: { byteLength } }] of kept) {
      if (bytes <= maxBytes) break;
      kept.delete(oldest);
      bytes -= byteLength;
    }
  }

  /** Takes in what has been made since the last time. */
  function catchUp(): void {
    const { envelopes } = tape;
    // If the last one is gone, so are all before it: everything there is has come since.
    const fresh = envelopes.slice(seen ? envelopes.lastIndexOf(seen) + 1 : 0);
    if (fresh.length === 0) return;
    seen = fresh.at(-1);
    fresh.forEach(add);
    live.update("live", kept.size, true);
  }

  return {
    scope: "visit",
    snapshot: live.snapshot,
    subscribe(listener) {
      if (!following) {
        following = true;
        tape.subscribe(catchUp);
        catchUp();
      }
      return live.subscribe(listener);
    },
    // deno-lint-ignore require-await -- what the index throws is a rejection, as with any source
    async list(name, query) {
      catchUp();
      return index.list(name, query);
    },
    // deno-lint-ignore require-await -- as above
    async envelopes(query) {
      catchUp();
      return index.envelopes(query);
    },
    envelope: (id) => Promise.resolve(kept.get(id)?.bytes),
    // Who may read the scripts' sources is who may read the inbox, and there is none.
    sourceMap: () => Promise.resolve(undefined),
    authorize: () => Promise.resolve(true),
    clear() {
      catchUp();
      index.clear();
      kept.clear();
      bytes = 0;
      live.update("live", 0, true);
      return Promise.resolve();
    },
    download(id) {
      const envelope = kept.get(id);
      return envelope && addressOf([envelope.bytes]);
    },
    exported() {
      const items = [...kept.values()].flatMap(({ at, bytes }) =>
        archiveItem({ receivedAt: at, contentEncoding: null, bytes })
      );
      return addressOf([archiveHeader(kept.size), ...items]);
    },
  };
}

function addressOf(parts: readonly Uint8Array[]): string {
  return URL.createObjectURL(
    new Blob(parts as Uint8Array<ArrayBuffer>[], { type: ARCHIVE_TYPE }),
  );
}
