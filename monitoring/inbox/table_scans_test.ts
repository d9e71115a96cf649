import assert from "node:assert/strict";
import { join } from "node:path";
import { tableScans } from "../storage/testdata/table_scans.ts";
import { openInbox } from "./sqlite_inbox.ts";
import { admitted, recorded } from "./testdata/envelopes.ts";
import { ids } from "./testdata/inbox_suite.ts";

const DAY_MS = 86_400_000;
const RECORDED = ["event", "span", "log", "transaction", "replay"].map(recorded);
const MAX_BYTES = 5 * RECORDED.reduce((sum, { byteLength }) => sum + byteLength, 0);
/** One row, or some for each application. */
const FEW_ROWS = [
  "totals",
  "sqlite_sequence",
  "applications",
  "releases",
  "senders",
  "group_states",
];

/** Read until enough bytes are found. */
const READ_IN_PART = ["SELECT id, bytes AS size FROM envelopes ORDER BY id"];

Deno.test("full inbox stores and evicts → no statement reads a whole table", async () => {
  const folder = Deno.makeTempDirSync({ prefix: "inbox-" });
  const path = join(folder, "inbox.sqlite");
  let now = 1_790_000_000_000;
  const inbox = openInbox({ path, maxBytes: MAX_BYTES, maxAgeDays: 30, now: () => now });
  /** An envelope of each kind, so long after another. */
  const store = async (stepMs: number) => {
    for (const bytes of RECORDED) await inbox.store(admitted(bytes, now += stepMs));
  };
  try {
    for (let round = 0; round < 8; round++) await store(1);
    assert.notEqual(ids(inbox)[0], 1, "the oldest are evicted");
    const { group } = inbox.page("errors", {}).rows[0]!;
    const scans = await tableScans(path, FEW_ROWS, async () => {
      await store(1);
      const query = { since: ids(inbox)[0]!, limit: 10 };
      for (const type of [undefined, "event"]) inbox.list({ ...query, type });
      assert.equal(await inbox.storeImported(admitted(RECORDED[0]!, now)), "no room");
      inbox.changeGroup(group, "resolved");
      await store(10 * DAY_MS);
      assert.equal(ids(inbox).length, 4, "what is too old is deleted");
      await inbox.changeGroup(group, "deleted");
    });
    assert.deepEqual(scans, READ_IN_PART);
  } finally {
    inbox.close();
    Deno.removeSync(folder, { recursive: true });
  }
});
