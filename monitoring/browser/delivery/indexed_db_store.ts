import type { Loss } from "../journal_entry.ts";
import type { EnvelopeMeta } from "./describe_envelope.ts";
import type { EnvelopeStore, StoredEnvelope } from "./envelope_store.ts";
import { sumOfLosses } from "./losses.ts";

const DATABASE = "envelopes";
/** 2: with losses. */
const VERSION = 2;
/** Small rows that are listed, apart from the bytes, which are read one by one. */
const METAS = "metas";
const BODIES = "bodies";
/** Losses that are not reported yet, by the id of the envelope or of the count. */
const LOSSES = "losses";
const ALL = [METAS, BODIES, LOSSES];
/** Milliseconds; some browsers have at times said neither yes nor no, and everything would wait. */
const PATIENCE_MS = 5_000;

/**
 * Opens the store that survives the page. Where the browser refuses (a private window, storage
 * turned off, a full disk) or does not answer, one that refuses: what waits is then lost with the page.
 */
export async function openEnvelopeStore(patienceMs = PATIENCE_MS): Promise<EnvelopeStore> {
  try {
    return storeIn(await open(patienceMs));
  } catch {
    // Which of the many ways a browser says no is of no use to anybody.
    return storeIn(undefined);
  }
}

function open(patienceMs: number): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(reject, patienceMs);
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
      // A newer version of the page, in another tab, must not wait for this one.
      request.result.onversionchange = () => request.result.close();
      resolve(request.result);
    };
    request.onerror = reject;
    // In use by another version of the page.
    request.onblocked = reject;
  });
}

/** {@linkcode METAS}, {@linkcode BODIES} and {@linkcode LOSSES}, as far as a transaction has them. */
type Tables = [metas: IDBObjectStore, bodies: IDBObjectStore, losses: IDBObjectStore];

/** @param database undefined: each transaction throws, so that all promises reject */
function storeIn(database: IDBDatabase | undefined): EnvelopeStore {
  /**
   * @param names the tables that are written, and no others: a transaction waits for every earlier one
   * that shares a table with it, and what is put while a page is left cannot wait
   * @param act given the tables in the order of `names`
   */
  const write = (names: readonly string[], act: (...tables: Tables) => void) =>
    new Promise<void>((resolve, reject) => {
      // "relaxed" is handed to the operating system: it survives the tab and the browser, which is
      // what happens, at a tenth of the cost of surviving a power cut.
      const transaction = database!.transaction(names, "readwrite", { durability: "relaxed" });
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error);
      act(...names.map((name) => transaction.objectStore(name)) as Tables);
    });
  const read = <T>(name: string, ask: (rows: IDBObjectStore) => IDBRequest<T>) =>
    new Promise<T>((resolve, reject) => {
      const request = ask(database!.transaction(name).objectStore(name));
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });

  /**
   * One transaction for what one task has made: of several in the queue only the first is sure to be
   * committed if the page ends.
   */
  let burst: StoredEnvelope[] = [];
  let writing: Promise<void> | undefined;
  function putBurst(): Promise<void> {
    const envelopes = burst;
    burst = [];
    writing = undefined;
    return write([METAS, BODIES], (metas, bodies) => {
      for (const envelope of envelopes) putInto(metas, bodies, envelope);
      // If the page ends, the browser aborts a transaction that is not committed explicitly.
      metas.transaction.commit();
    });
  }

  return {
    lasts: !!database,
    put(meta, bytes) {
      burst.push({ meta, bytes });
      return writing ??= Promise.resolve().then(putBurst);
    },
    list: () => read<EnvelopeMeta[]>(METAS, (rows) => rows.getAll()),
    read: (id) => read<Uint8Array | undefined>(BODIES, (rows) => rows.get(id)),
    delete: (id) =>
      write([METAS, BODIES], (metas, bodies) => {
        metas.delete(id);
        bodies.delete(id);
        metas.transaction.commit();
      }),
    async giveUp(id, lost) {
      let was = false;
      await write(ALL, (metas, bodies, losses) =>
        then(metas.getKey(id), (key) => {
          was = key !== undefined;
          if (!was) return;
          metas.delete(id);
          bodies.delete(id);
          losses.put(lost, id);
        }));
      return was;
    },
    count: (id, lost) => write([LOSSES], (losses) => losses.put(lost, id)),
    recover: (entries) =>
      write(ALL, (metas, bodies, losses) => {
        for (const { id, losses: lost, sent } of entries) {
          then(metas.getKey(id), (key) => {
            if (key !== undefined) return;
            if (sent) putInto(metas, bodies, sent);
            else losses.put(lost, id);
          });
        }
      }),
    async report(make, isListed) {
      // Asked first, and of that table alone: mostly there is nothing, and envelopes need not wait.
      if (await read<number>(LOSSES, (rows) => rows.count()) === 0) return;
      await write(ALL, (metas, bodies, losses) => {
        const counted: Loss[] = [];
        then(losses.openCursor(), (row) => {
          if (!row) {
            if (counted.length > 0) putInto(metas, bodies, make(sumOfLosses(counted)));
            return;
          }
          if (!isListed(row.key as string)) {
            // Earlier versions of the page stored a single loss in each row.
            counted.push(...[row.value].flat());
            row.delete();
          }
          row.continue();
        });
      });
    },
  };
}

function putInto(
  metas: IDBObjectStore,
  bodies: IDBObjectStore,
  { meta, bytes }: StoredEnvelope,
): void {
  metas.put(meta);
  bodies.put(bytes, meta.id);
}

/** Goes on within the transaction, as a promise's `then` would not in every browser. */
function then<T>(request: IDBRequest<T>, next: (result: T) => void): void {
  request.onsuccess = () => next(request.result);
}
