import type { EnvelopeMeta } from "./describe_envelope.ts";
import { byAge, createMemoryStore, type EnvelopeStore } from "./envelope_store.ts";

const DATABASE = "envelopes";
const VERSION = 1;
/** Small rows that are listed, apart from the bytes, which are read one by one. */
const METAS = "metas";
const BODIES = "bodies";
/** Milliseconds; some browsers have at times said neither yes nor no, and everything would wait. */
const PATIENCE_MS = 5_000;

/**
 * Opens the store that survives the page. Where the browser refuses (a private window, storage
 * turned off, a full disk) or does not answer, a store in memory: monitoring goes on, it only forgets.
 */
export async function openEnvelopeStore(patienceMs = PATIENCE_MS): Promise<EnvelopeStore> {
  try {
    return storeIn(await open(patienceMs));
  } catch {
    // Which of the many ways a browser says no is of no use to anybody.
    return createMemoryStore();
  }
}

function open(patienceMs: number): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("The database does not answer.")), patienceMs);
    const request = indexedDB.open(DATABASE, VERSION);
    request.onupgradeneeded = () => {
      request.result.createObjectStore(METAS, { keyPath: "id" });
      request.result.createObjectStore(BODIES);
    };
    request.onsuccess = () => {
      clearTimeout(timer);
      // A newer version of the page, in another tab, must not wait for this one.
      request.result.onversionchange = () => request.result.close();
      resolve(request.result);
    };
    request.onerror = () => reject(request.error);
    request.onblocked = () => reject(new Error("The database is in use by another version."));
  });
}

function storeIn(database: IDBDatabase): EnvelopeStore {
  const write = (act: (metas: IDBObjectStore, bodies: IDBObjectStore) => void) =>
    new Promise<void>((resolve, reject) => {
      // "relaxed" is handed to the operating system: it survives the tab and the browser, which is
      // what happens, at a tenth of the cost of surviving a power cut.
      const transaction = database.transaction([METAS, BODIES], "readwrite", {
        durability: "relaxed",
      });
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error);
      act(transaction.objectStore(METAS), transaction.objectStore(BODIES));
      // At once: a page that is left takes along a transaction that could still grow.
      transaction.commit();
    });
  const read = <T>(name: string, ask: (rows: IDBObjectStore) => IDBRequest<T>) =>
    new Promise<T>((resolve, reject) => {
      const request = ask(database.transaction(name).objectStore(name));
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });

  return {
    lasts: true,
    put: (meta, bytes) =>
      write((metas, bodies) => {
        metas.put(meta);
        bodies.put(bytes, meta.id);
      }),
    list: async () => byAge(await read<EnvelopeMeta[]>(METAS, (rows) => rows.getAll())),
    read: (id) => read<Uint8Array | undefined>(BODIES, (rows) => rows.get(id)),
    delete: (id) =>
      write((metas, bodies) => {
        metas.delete(id);
        bodies.delete(id);
      }),
  };
}
