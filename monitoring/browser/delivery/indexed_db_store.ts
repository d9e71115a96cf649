import type { EnvelopeMeta } from "./describe_envelope.ts";
import { byAge, createMemoryStore, type EnvelopeStore } from "./envelope_store.ts";
import { type Loss, lossKey } from "./losses.ts";

const DATABASE = "envelopes";
/** 2: with losses. */
const VERSION = 2;
/** Small rows that are listed, apart from the bytes, which are read one by one. */
const METAS = "metas";
const BODIES = "bodies";
/** Quantities that were given up and are not reported yet, by reason and category. */
const LOSSES = "losses";
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
      const { objectStoreNames } = request.result;
      const lacks = (name: string) => !objectStoreNames.contains(name);
      if (lacks(METAS)) request.result.createObjectStore(METAS, { keyPath: "id" });
      if (lacks(BODIES)) request.result.createObjectStore(BODIES);
      if (lacks(LOSSES)) request.result.createObjectStore(LOSSES);
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

/** The three tables in one transaction. */
interface Tables {
  readonly metas: IDBObjectStore;
  readonly bodies: IDBObjectStore;
  readonly losses: IDBObjectStore;
}

function storeIn(database: IDBDatabase): EnvelopeStore {
  /**
   * @param names the tables that are written, and no others: a transaction waits for every earlier one
   * that shares a table with it, and what is put while a page is left cannot wait
   * @param commit at once: a page that is left takes along a transaction that could still grow
   */
  const write = (
    names: readonly (typeof METAS | typeof BODIES | typeof LOSSES)[],
    act: (tables: Tables) => void,
    { commit = false } = {},
  ) =>
    new Promise<void>((resolve, reject) => {
      // "relaxed" is handed to the operating system: it survives the tab and the browser, which is
      // what happens, at a tenth of the cost of surviving a power cut.
      const transaction = database.transaction(names, "readwrite", { durability: "relaxed" });
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error);
      const table = (name: string) => transaction.objectStore(name);
      act({
        get metas() {
          return table(METAS);
        },
        get bodies() {
          return table(BODIES);
        },
        get losses() {
          return table(LOSSES);
        },
      });
      if (commit) transaction.commit();
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
      write([METAS, BODIES], ({ metas, bodies }) => {
        metas.put(meta);
        bodies.put(bytes, meta.id);
      }, { commit: true }),
    list: async () => byAge(await read<EnvelopeMeta[]>(METAS, (rows) => rows.getAll())),
    read: (id) => read<Uint8Array | undefined>(BODIES, (rows) => rows.get(id)),
    delete: (id) =>
      write([METAS, BODIES], ({ metas, bodies }) => {
        metas.delete(id);
        bodies.delete(id);
      }, { commit: true }),
    async giveUp(id, lost) {
      let was = false;
      await write(
        [METAS, BODIES, LOSSES],
        ({ metas, bodies, losses }) =>
          then(metas.getKey(id), (key) => {
            was = key !== undefined;
            if (!was) return;
            metas.delete(id);
            bodies.delete(id);
            addTo(losses, lost);
          }),
      );
      return was;
    },
    count: (lost) => write([LOSSES], ({ losses }) => addTo(losses, lost)),
    async report(make) {
      // Asked first, and of that table alone: mostly there is nothing, and envelopes need not wait.
      if (await read<number>(LOSSES, (rows) => rows.count()) === 0) return;
      await write(
        [METAS, BODIES, LOSSES],
        ({ metas, bodies, losses }) =>
          then<Loss[]>(losses.getAll(), (counted) => {
            if (counted.length === 0) return;
            const { meta, bytes } = make(counted);
            metas.put(meta);
            bodies.put(bytes, meta.id);
            losses.clear();
          }),
      );
    },
  };
}

/** Adds to the quantities that are counted already. */
function addTo(rows: IDBObjectStore, losses: readonly Loss[]): void {
  for (const loss of losses) {
    then<Loss | undefined>(rows.get(lossKey(loss)), (before) => {
      rows.put({ ...loss, quantity: loss.quantity + (before?.quantity ?? 0) }, lossKey(loss));
    });
  }
}

/** Goes on within the transaction, as a promise's `then` would not in every browser. */
function then<T>(request: IDBRequest<T>, next: (result: T) => void): void {
  request.onsuccess = () => next(request.result);
}
