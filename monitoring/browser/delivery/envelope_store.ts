import type { EnvelopeMeta, StoredEnvelope } from "./envelope.ts";
import type { DiscardedEvents, JournalEntry } from "./journal_writer.ts";

/** Stores envelopes, across pages and tabs, until they are accepted, refused or dropped. */
export type EnvelopeStore = ReturnType<typeof createStore>;

const DATABASE = "envelopes";
/** Version 2 added the table of discarded events. */
const VERSION = 2;
/** Descriptions are listed; bodies are read one by one. */
const METAS = "metas";
const BODIES = "bodies";
/** Discarded events that are not reported yet, by the id of the envelope or of the count. */
const DISCARDED = "losses";
const ALL = [METAS, BODIES, DISCARDED];
/** Some browsers have at times neither opened a database nor failed (https://webkit.org/b/226547). */
const OPEN_TIMEOUT_MS = 5_000;

/**
 * Opens the store in IndexedDB, without the `idb` package: its 1,369 bytes (gzip) would replace 317 here,
 * and the telemetry core has a budget. If the browser refuses (a private window, storage turned off, a full
 * disk) or does not respond, all methods of the result reject.
 */
export async function openEnvelopeStore(timeoutMs = OPEN_TIMEOUT_MS): Promise<EnvelopeStore> {
  try {
    return createStore(await open(timeoutMs));
  } catch {
    return createStore(undefined);
  }
}

function open(timeoutMs: number): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(reject, timeoutMs);
    const request = indexedDB.open(DATABASE, VERSION);
    request.onupgradeneeded = () => {
      const { result } = request;
      for (const name of ALL) {
        if (result.objectStoreNames.contains(name)) continue;
        result.createObjectStore(name, name === METAS ? { keyPath: "id" } : undefined);
      }
    };
    request.onsuccess = () => {
      clearTimeout(timer);
      // Lets a newer version of the page, in another tab, upgrade the database.
      request.result.onversionchange = () => request.result.close();
      resolve(request.result);
    };
    request.onerror = reject;
    // An older version of the page has the database open.
    request.onblocked = reject;
  });
}

/** {@linkcode METAS}, {@linkcode BODIES} and {@linkcode DISCARDED}, as far as a transaction includes them. */
type Tables = [metas: IDBObjectStore, bodies: IDBObjectStore, discarded: IDBObjectStore];

/** @param database undefined: each transaction throws, so that all promises reject */
function createStore(database: IDBDatabase | undefined) {
  /**
   * Runs a transaction on the tables `names`, given to `act` in the same order. Name only those that are
   * written: a transaction waits for every earlier one that shares a table, and a `put` while the page
   * ends cannot wait.
   */
  const write = (names: readonly string[], act: (...tables: Tables) => void) =>
    new Promise<void>((resolve, reject) => {
      // "relaxed" survives the end of the tab and of the browser, but not a power cut, at a tenth of
      // the cost of "strict".
      const transaction = database!.transaction(names, "readwrite", { durability: "relaxed" });
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error);
      act(...names.map((name) => transaction.objectStore(name)) as Tables);
    });
  const read = <T>(name: string, query: (rows: IDBObjectStore) => IDBRequest<T>) =>
    new Promise<T>((resolve, reject) => {
      const request = query(database!.transaction(name).objectStore(name));
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });

  /**
   * Envelopes that were put during one task share a transaction: when a page ends, only the first of
   * several queued transactions is sure to be committed.
   */
  let batch: StoredEnvelope[] = [];
  let writing: Promise<void> | undefined;
  function writeBatch(): Promise<void> {
    const envelopes = batch;
    batch = [];
    writing = undefined;
    return write([METAS, BODIES], (metas, bodies) => {
      for (const envelope of envelopes) insert(metas, bodies, envelope);
      // When a page ends, the browser aborts a transaction that was not committed explicitly.
      metas.transaction.commit();
    });
  }

  return {
    /** False: this page cannot open the database, and all methods reject. Other pages may have opened it. */
    isPersistent: !!database,
    /** Adds or replaces an envelope. Rejects if the disk or the browser's quota is full. */
    put(envelope: StoredEnvelope): Promise<void> {
      batch.push(envelope);
      return writing ??= Promise.resolve().then(writeBatch);
    },
    /** The descriptions of all envelopes, in any order. */
    list: () => read<EnvelopeMeta[]>(METAS, (rows) => rows.getAll()),
    /** An envelope's bytes; undefined if it has been deleted. */
    read: (id: string) => read<Uint8Array | undefined>(BODIES, (rows) => rows.get(id)),
    delete: (id: string) =>
      write([METAS, BODIES], (metas, bodies) => {
        metas.delete(id);
        bodies.delete(id);
        metas.transaction.commit();
      }),
    /**
     * Deletes an envelope and counts its discarded events, in one transaction.
     *
     * @returns false: it had been deleted before, and nothing is counted
     */
    async drop(id: string, lost: readonly DiscardedEvents[]) {
      let wasStored = false;
      await write(ALL, (metas, bodies, discarded) =>
        then(metas.getKey(id), (key) => {
          wasStored = key !== undefined;
          if (!wasStored) return;
          metas.delete(id);
          bodies.delete(id);
          discarded.put(lost, id);
        }));
      return wasStored;
    },
    /** Counts discarded events of envelopes that were never stored. The same `id` again replaces its count. */
    count: (id: string, lost: readonly DiscardedEvents[]) =>
      write([DISCARDED], (discarded) => discarded.put(lost, id)),
    /** Stores or counts journal entries of a page that has ended, unless the envelope is stored. Idempotent. */
    recover: (entries: readonly JournalEntry[]) =>
      write(ALL, (metas, bodies, discarded) => {
        for (const { id, discarded: lost, sent } of entries) {
          then(metas.getKey(id), (key) => {
            if (key !== undefined) return;
            if (sent) insert(metas, bodies, sent);
            else discarded.put(lost, id);
          });
        }
      }),
    /**
     * Replaces all counted discarded events by an envelope that reports them, in one transaction.
     *
     * @param make called if there are discarded events; undefined: they are deleted unreported
     * @param isPending ids that are still in the journal, which are left for a later report: if their page
     * ends now they are counted again
     */
    async report(
      make: (discarded: readonly DiscardedEvents[]) => StoredEnvelope | undefined,
      isPending: (id: string) => boolean,
    ) {
      // Usually there are none: then envelopes need not wait for a transaction on all tables.
      if (await read<number>(DISCARDED, (rows) => rows.count()) === 0) return;
      await write(ALL, (metas, bodies, discarded) => {
        const counted: DiscardedEvents[] = [];
        then(discarded.openCursor(), (row) => {
          if (!row) {
            const report = counted.length > 0 && make(counted);
            if (report) insert(metas, bodies, report);
            return;
          }
          if (!isPending(row.key as string)) {
            // Before version 0.1.0 a row was a single loss.
            counted.push(...[row.value].flat());
            row.delete();
          }
          row.continue();
        });
      });
    },
  };
}

function insert(metas: IDBObjectStore, bodies: IDBObjectStore, envelope: StoredEnvelope): void {
  metas.put(envelope.meta);
  bodies.put(envelope.bytes, envelope.meta.id);
}

/** Continues within the transaction, which in some browsers a promise's `then` does not. */
function then<T>(request: IDBRequest<T>, next: (result: T) => void): void {
  request.onsuccess = () => next(request.result);
}
