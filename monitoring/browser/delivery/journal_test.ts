import assert from "node:assert/strict";
import type { Loss } from "../journal_entry.ts";
import { createMemoryStore } from "./_memory_store.ts";
import type { EnvelopeMeta } from "./describe_envelope.ts";
import { createRefusingStore, type EnvelopeStore } from "./envelope_store.ts";
import { Journal } from "./journal.ts";

const LOST: Loss[] = [{ reason: "internal_sdk_error", category: "error", quantity: 1 }];
const BYTES = Uint8Array.from({ length: 256 }, (_, byte) => byte);
const META: EnvelopeMeta = { id: "a", createdAt: 1, bytes: 256, items: [], attempts: 0 };

/** The losses that the store has counted; resets its count. */
async function counted(store: EnvelopeStore): Promise<readonly Loss[]> {
  let all: readonly Loss[] = [];
  await store.report((losses) => {
    all = losses;
    return { meta: { ...META, id: "report" }, bytes: BYTES };
  });
  return all;
}

/** The journal of a page that has ended after `act`: the browser has taken its lock away. */
function endedPage(storage: Storage, act: (journal: Journal) => void): void {
  const { locks } = navigator;
  Object.defineProperty(navigator, "locks", { value: undefined, configurable: true });
  act(new Journal(storage));
  Object.defineProperty(navigator, "locks", { value: locks, configurable: true });
}

/** Runs a test with the runtime's own storage in memory, which is empty before and after. */
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
  await store.put(META, BYTES);
  await new Journal(storage).recover(store);
  assert.deepEqual(await counted(store), []);
  assert.equal(storage.length, 0);
});

withStorage("store has confirmed the event → nothing is listed", (storage) => {
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
    assert.equal(journal.keep(META, BYTES), true);
  });
  await new Journal(storage).recover(store);
  assert.deepEqual(await store.list(), [META]);
  assert.deepEqual(await store.read("a"), BYTES);
  assert.deepEqual(await counted(store), []);
});

withStorage("event too large for keepalive → not kept, and counted", async (storage) => {
  const store = createMemoryStore();
  endedPage(storage, (journal) => {
    journal.add("a", LOST);
    assert.equal(journal.keep(META, new Uint8Array(60_001)), false);
  });
  await new Journal(storage).recover(store);
  assert.deepEqual(await counted(store), LOST);
});

withStorage("next page ends while it recovers → the one after counts no more", async (storage) => {
  const store = createMemoryStore();
  endedPage(storage, (journal) => journal.add("a", LOST));
  const left = Object.entries(storage);
  await new Journal(storage).recover(store);
  // As if that page had ended before it could delete what it had listed.
  for (const [key, entry] of left) storage.setItem(key, entry);
  await new Journal(storage).recover(store);
  assert.deepEqual(await counted(store), LOST);
});

withStorage("store has no room → the entry stays for a later page", async (storage) => {
  const store = createMemoryStore();
  endedPage(storage, (journal) => journal.add("a", LOST));
  const full = { ...store, recover: () => Promise.reject(new DOMException("full")) };
  await new Journal(storage).recover(full);
  assert.equal(storage.length, 1);
  await new Journal(storage).recover(store);
  assert.deepEqual(await counted(store), LOST);
});

withStorage("browser keeps no envelopes → entries do not pile up", async (storage) => {
  endedPage(storage, (journal) => journal.add("a", LOST));
  await new Journal(storage).recover(createRefusingStore());
  assert.equal(storage.length, 0);
});

withStorage("page that still runs → another page leaves its entries alone", async (storage) => {
  const store = createMemoryStore();
  const running = new Journal(storage);
  running.add("a", LOST);
  const other = new Journal(storage);
  await other.recover(store);
  assert.deepEqual(await counted(store), []);
  assert.equal(other.has("a"), true);
  running.remove("a");
  assert.equal(other.has("a"), false);
  // Listed again while its first lock may not be free yet.
  running.add("b", LOST);
  await other.recover(store);
  assert.deepEqual(await counted(store), []);
  running.remove("b");
});

Deno.test("storage refused or full → nothing is listed, and envelopes are sent as before", () => {
  const refused = new Journal(undefined);
  const full = new Journal({
    setItem() {
      throw new DOMException("full", "QuotaExceededError");
    },
  } as unknown as Storage);
  for (const journal of [refused, full]) {
    assert.equal(journal.add("a", LOST), false);
    assert.equal(journal.keep(META, BYTES), true);
    journal.remove("a");
  }
});
