import assert from "node:assert/strict";
import { JournalWriter } from "./journal_writer.ts";
import { journalUndelivered, type Undelivered } from "./undelivered.ts";

/** The discarded events in the storage. */
const written = () => Object.values(sessionStorage).map((entry) => JSON.parse(entry)[1]);
const discarded = (category: string, quantity: number) => ({
  reason: "internal_sdk_error",
  category,
  quantity,
});

Deno.test("captured → in the journal after the task, until it is delivered or withdrawn", async () => {
  let opened = 0;
  let counts: Undelivered = { log_item: 0, span: 0 };
  const journal = new JournalWriter(sessionStorage);
  const changed = journalUndelivered(
    () => (opened++, journal),
    () => counts,
  );
  const change = async (next: Undelivered) => {
    counts = next;
    changed();
    changed();
    await Promise.resolve();
    return written();
  };
  try {
    assert.deepEqual(await change(counts), []);
    assert.equal(opened, 0, "nothing to write: no access to the storage");
    assert.deepEqual(await change({ log_item: 2, span: 1 }), [[
      discarded("log_item", 2),
      discarded("span", 1),
    ]]);
    assert.equal(opened, 1);
    assert.deepEqual(await change({ span: 1 }), [[discarded("span", 1)]]);
    assert.deepEqual(await change({ log_item: 0 }), []);
  } finally {
    sessionStorage.clear();
  }
});
