import assert from "node:assert/strict";
import type { EnvelopeMeta } from "./envelope.ts";
import { type EnvelopeStore, openEnvelopeStore } from "./envelope_store.ts";
import { Journal } from "./journal.ts";
import type { DiscardedEvents } from "./journal_writer.ts";
import { createMemoryStore } from "./testdata/memory_store.ts";
import { rejectFull } from "./testdata/page_with_relay.ts";
import { replaceLocks } from "./testdata/web_locks.ts";

const LOST: DiscardedEvents[] = [{ reason: "internal_sdk_error", category: "error", quantity: 1 }];
const BYTES = Uint8Array.from({ length: 256 }, (_, byte) => byte);
const META: EnvelopeMeta = { id: "a", createdAt: 1, bytes: 256, items: [], attempts: 0 };
const storage = sessionStorage;

/** The discarded events that the store has counted. Resets them. */
async function counted(
  store: EnvelopeStore,
  journal?: Journal,
): Promise<readonly DiscardedEvents[]> {
  let all: readonly DiscardedEvents[] = [];
  await store.report((discarded) => {
    all = discarded;
    return { meta: { ...META, id: "report" }, bytes: BYTES };
  }, (id) => journal?.has(id) ?? false);
  return all;
}

/** Adds an entry of a page that has ended: without its lock. */
function addOfEndedPage(id = "a"): Journal {
  using _withoutLocks = replaceLocks(undefined);
  const journal = new Journal(storage);
  journal.add(id, LOST);
  return journal;
}

/** What the next page does. */
const recover = (store: EnvelopeStore) => new Journal(storage).recover(store);

/** A test with an empty store and an empty `sessionStorage`. */
function test(title: string, run: (store: EnvelopeStore) => Promise<void>): void {
  Deno.test(title, async () => {
    storage.clear();
    try {
      await run(createMemoryStore());
    } finally {
      storage.clear();
    }
  });
}

const ENDED:
  readonly (readonly [string, (store: EnvelopeStore) => unknown, readonly DiscardedEvents[]])[] = [
    ["before the store has its event → the next page counts it", () => addOfEndedPage(), LOST],
    ["after the store has its event → not counted", (store) => {
      addOfEndedPage();
      return store.put({ meta: META, bytes: BYTES });
    }, []],
    [
      "before its SDK has started → the next page counts it",
      () => storage.setItem("envelope:a", JSON.stringify(["", LOST])),
      LOST,
    ],
    ["invalid entries beside its own → deleted, its own is counted", () => {
      const invalid = ["", "no JSON", "null", "5", '"text"', '["page"]', "[1,2,3,4]"];
      for (const [n, text] of invalid.entries()) storage.setItem(`envelope:foreign${n}`, text);
      addOfEndedPage();
    }, LOST],
  ];
for (const [title, end, discarded] of ENDED) {
  test(`page ends, ${title}`, async (store) => {
    await end(store);
    await recover(store);
    assert.deepEqual(await counted(store), discarded);
    assert.equal(storage.length, 0);
  });
}

test("event sent before it was stored → the next page stores its bytes", async (store) => {
  assert.equal(addOfEndedPage().setEnvelope({ meta: META, bytes: BYTES }), true);
  await recover(store);
  assert.deepEqual(await store.list(), [META]);
  assert.deepEqual(await store.read("a"), BYTES);
  assert.deepEqual(await counted(store), []);
});

/** Two events that are not in an envelope yet. */
const TWO = LOST.map((one) => ({ ...one, quantity: 2 }));
const TAKEN: readonly (readonly [string, (journal: Journal) => unknown, lost: number])[] = [
  ["journaled → both are counted", () => {}, 2],
  ["sent → the other is counted", (journal) => {
    journal.setEnvelope({ meta: META, bytes: BYTES });
  }, 1],
  ["journaled, entry replaced → both are counted", (journal) => {
    const left = Object.entries(storage);
    journal.setUndelivered(LOST);
    for (const [key, entry] of left) storage.setItem(key, entry);
  }, 2],
  ["journaled, then a third → each is counted", (journal) => {
    journal.setUndelivered(TWO);
  }, 3],
  ["sent after a third → the others are counted", (journal) => {
    journal.setUndelivered(TWO);
    journal.setEnvelope({ meta: META, bytes: BYTES });
  }, 2],
];
for (const [title, act, lost] of TAKEN) {
  test(`page killed, one of two events ${title}`, async (store) => {
    {
      using _withoutLocks = replaceLocks(undefined);
      const journal = new Journal(storage);
      journal.setUndelivered(TWO);
      journal.add("a", LOST);
      act(journal);
    }
    await recover(store);
    assert.equal((await counted(store)).reduce((sum, { quantity }) => sum + quantity, 0), lost);
    assert.equal(storage.length, 0);
  });
}

test("next page ends while it recovers → counted once by the one after", async (store) => {
  addOfEndedPage();
  const left = Object.entries(storage);
  await recover(store);
  // As if that page had ended before it could delete the entries.
  for (const [key, entry] of left) storage.setItem(key, entry);
  await recover(store);
  assert.deepEqual(await counted(store), LOST);
});

test("page killed between counting and deleting its entry, report meanwhile → counted once", async (store) => {
  const other = new Journal(storage);
  addOfEndedPage();
  // The store has the count, and the page ends before it can delete its entry.
  await store.count("a", LOST);
  const reported = [...await counted(store, other)];
  await other.recover(store);
  reported.push(...await counted(store, other));
  assert.deepEqual(reported, LOST);
});

test("store has no room, or cannot be opened → the entry stays for a later page", async (store) => {
  addOfEndedPage();
  await recover({ ...store, recover: rejectFull });
  await recover(await openEnvelopeStore());
  assert.equal(storage.length, 1);
  await recover(store);
  assert.deepEqual(await counted(store), LOST);
});

test("store full for one page's entries → another page's are recovered", async (store) => {
  for (const id of ["a", "b"]) addOfEndedPage(id);
  let calls = 0;
  await recover({
    ...store,
    recover: (entries) => calls++ === 0 ? rejectFull() : store.recover(entries),
  });
  assert.equal(storage.length, 1);
  assert.deepEqual(await counted(store), LOST);
});

test("page has a new lock since another tab requested its old one → its entry is not recovered", async (store) => {
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
  {
    using _locks = replaceLocks({ request });
    await recover(store);
  }
  assert.deepEqual(await counted(store), []);
  running.remove("b");
});

test("page still runs → another page does not recover its entries", async (store) => {
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
  assert.equal(storage.length, 0);
});

Deno.test("storage refused or full → no entries, and envelopes are sent", () => {
  const setItem = () => {
    throw new DOMException("full", "QuotaExceededError");
  };
  for (const storage of [undefined, { setItem } as unknown as Storage]) {
    const journal = new Journal(storage);
    assert.equal(journal.add("a", LOST), false);
    assert.equal(journal.setEnvelope({ meta: META, bytes: BYTES }), true);
    journal.remove("a");
  }
});
