import assert from "node:assert/strict";
import type { EnvelopeMeta } from "./envelope.ts";
import { type EnvelopeStore, openEnvelopeStore } from "./envelope_store.ts";
import { Journal } from "./journal.ts";
import type { Loss } from "./journal_entry.ts";
import { createMemoryStore } from "./testdata/memory_store.ts";

const LOST: Loss[] = [{ reason: "internal_sdk_error", category: "error", quantity: 1 }];
const BYTES = Uint8Array.from({ length: 256 }, (_, byte) => byte);
const META: EnvelopeMeta = { id: "a", createdAt: 1, bytes: 256, items: [], attempts: 0 };

/** The losses that the store has counted. Resets them. */
async function counted(store: EnvelopeStore, journal?: Journal): Promise<readonly Loss[]> {
  let all: readonly Loss[] = [];
  await store.report((losses) => {
    all = losses;
    return { meta: { ...META, id: "report" }, bytes: BYTES };
  }, (id) => journal?.has(id) ?? false);
  return all;
}

/** Runs `act` on the journal of a page that has ended: without its lock. */
function endedPage(storage: Storage, act: (journal: Journal) => void): void {
  const { locks } = navigator;
  Object.defineProperty(navigator, "locks", { value: undefined, configurable: true });
  act(new Journal(storage));
  Object.defineProperty(navigator, "locks", { value: locks, configurable: true });
}

/** Runs a test with an empty `sessionStorage`. */
function withStorage(name: string, test: (storage: Storage) => Promise<void>): void {
  Deno.test(name, async () => {
    sessionStorage.clear();
    try {
      await test(sessionStorage);
    } finally {
      sessionStorage.clear();
    }
  });
}

withStorage(
  "page ends before the store has its event → the next page counts it",
  async (storage) => {
    const store = createMemoryStore();
    endedPage(storage, (journal) => journal.add("a", LOST));
    await new Journal(storage).recover(store);
    assert.deepEqual(await counted(store), LOST);
    assert.equal(storage.length, 0);
  },
);

withStorage("page ends after the store has its event → not counted", async (storage) => {
  const store = createMemoryStore();
  endedPage(storage, (journal) => journal.add("a", LOST));
  await store.put({ meta: META, bytes: BYTES });
  await new Journal(storage).recover(store);
  assert.deepEqual(await counted(store), []);
  assert.equal(storage.length, 0);
});

withStorage("page ends before its SDK has started → the next page counts it", async (storage) => {
  const store = createMemoryStore();
  storage.setItem("envelope:a", JSON.stringify(["", LOST]));
  await new Journal(storage).recover(store);
  assert.deepEqual(await counted(store), LOST);
});

withStorage("store has confirmed the event → no entry", (storage) => {
  const journal = new Journal(storage);
  journal.add("a", LOST);
  journal.remove("a");
  assert.equal(storage.length, 0);
  return Promise.resolve();
});

withStorage("event sent before it was stored → the next page stores its bytes", async (storage) => {
  const store = createMemoryStore();
  endedPage(storage, (journal) => {
    journal.add("a", LOST);
    assert.equal(journal.setEnvelope({ meta: META, bytes: BYTES }), true);
  });
  await new Journal(storage).recover(store);
  assert.deepEqual(await store.list(), [META]);
  assert.deepEqual(await store.read("a"), BYTES);
  assert.deepEqual(await counted(store), []);
});

withStorage("next page ends while it recovers → counted once by the one after", async (storage) => {
  const store = createMemoryStore();
  endedPage(storage, (journal) => journal.add("a", LOST));
  const left = Object.entries(storage);
  await new Journal(storage).recover(store);
  // As if that page had ended before it could delete the entries.
  for (const [key, entry] of left) storage.setItem(key, entry);
  await new Journal(storage).recover(store);
  assert.deepEqual(await counted(store), LOST);
});

withStorage(
  "page killed between counting and deleting its entry, report meanwhile → counted once",
  async (storage) => {
    const store = createMemoryStore();
    const other = new Journal(storage);
    endedPage(storage, (journal) => journal.add("a", LOST));
    // The store has the count, and the page ends before it can delete its entry.
    await store.count("a", LOST);
    const reported = [...await counted(store, other)];
    await other.recover(store);
    reported.push(...await counted(store, other));
    assert.deepEqual(reported, LOST);
  },
);

withStorage("store has no room → the entry stays for a later page", async (storage) => {
  const store = createMemoryStore();
  endedPage(storage, (journal) => journal.add("a", LOST));
  const full = { ...store, recover: () => Promise.reject(new DOMException("full")) };
  await new Journal(storage).recover(full);
  assert.equal(storage.length, 1);
  await new Journal(storage).recover(store);
  assert.deepEqual(await counted(store), LOST);
});

withStorage("store cannot be opened → the entry stays for a later page", async (storage) => {
  const store = createMemoryStore();
  endedPage(storage, (journal) => journal.add("a", LOST));
  await new Journal(storage).recover(await openEnvelopeStore());
  await new Journal(storage).recover(store);
  assert.deepEqual(await counted(store), LOST);
});

withStorage("invalid entries → deleted, and the others recovered", async (storage) => {
  const store = createMemoryStore();
  for (
    const [n, text] of ["", "no JSON", "null", "5", '"text"', '["page"]', "[1,2,3,4]"].entries()
  ) {
    storage.setItem(`envelope:foreign${n}`, text);
  }
  endedPage(storage, (journal) => journal.add("a", LOST));
  await new Journal(storage).recover(store);
  assert.deepEqual(await store.list(), []);
  assert.deepEqual(await counted(store), LOST);
  assert.equal(storage.length, 0);
});

withStorage("store full for one page's entries → another page's are recovered", async (storage) => {
  const store = createMemoryStore();
  for (const id of ["a", "b"]) endedPage(storage, (journal) => journal.add(id, LOST));
  let calls = 0;
  const full: EnvelopeStore = {
    ...store,
    recover: (entries) =>
      calls++ === 0 ? Promise.reject(new DOMException("full")) : store.recover(entries),
  };
  await new Journal(storage).recover(full);
  assert.equal(storage.length, 1);
  assert.deepEqual(await counted(store), LOST);
});

withStorage(
  "page has a new lock since another tab requested its old one → its entry is not recovered",
  async (storage) => {
    const store = createMemoryStore();
    const running = new Journal(storage);
    running.add("a", LOST);
    // Another tab has read that entry and gets the lock as it is released.
    let granted = false;
    const { locks } = navigator;
    const request = (name: string, options: LockOptions, held: LockGrantedCallback<unknown>) => {
      if (granted) return locks.request(name, options, held);
      granted = true;
      running.remove("a");
      running.add("b", LOST);
      return Promise.resolve(held({ name, mode: "exclusive" }));
    };
    Object.defineProperty(navigator, "locks", { value: { request }, configurable: true });
    await new Journal(storage).recover(store);
    Object.defineProperty(navigator, "locks", { value: locks, configurable: true });
    assert.deepEqual(await counted(store), []);
    running.remove("b");
  },
);

withStorage("page still runs → another page does not recover its entries", async (storage) => {
  const store = createMemoryStore();
  const running = new Journal(storage);
  running.add("a", LOST);
  const other = new Journal(storage);
  await other.recover(store);
  assert.deepEqual(await counted(store), []);
  assert.equal(other.has("a"), true);
  running.remove("a");
  assert.equal(other.has("a"), false);
  // A new entry while the first lock may not be released yet.
  running.add("b", LOST);
  await other.recover(store);
  assert.deepEqual(await counted(store), []);
  running.remove("b");
});

Deno.test("storage refused or full → no entries, and envelopes are sent", () => {
  const refused = new Journal(undefined);
  const full = new Journal({
    setItem() {
      throw new DOMException("full", "QuotaExceededError");
    },
  } as unknown as Storage);
  for (const journal of [refused, full]) {
    assert.equal(journal.add("a", LOST), false);
    assert.equal(journal.setEnvelope({ meta: META, bytes: BYTES }), true);
    journal.remove("a");
  }
});
