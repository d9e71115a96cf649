import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { temporaryFolder } from "../../../tests/harness/temporary_folder.ts";
import { Inbox } from "../inbox.ts";
import type { InboxOptions } from "../inbox_types.ts";
import { admitted, admittedGzip, envelopeOf, eventEnvelope, hexId } from "./envelopes.ts";

/** Opens an inbox; repeated calls open the same one. */
export type OpenInbox = (options?: Partial<InboxOptions>) => Inbox | Promise<Inbox>;

const DAY_MS = 24 * 3_600_000;
const START = 1_790_000_000_000;

export const all = (inbox: Inbox, since = 0) => inbox.list({ since, limit: 500 });
export const ids = (inbox: Inbox) => all(inbox).envelopes.map((row) => row.id);
/** Makes an inbox's file one of an earlier version, whose index is made again. */
export function markAsEarlier(path: string): void {
  using db = new DatabaseSync(path);
  db.exec("ALTER TABLE totals RENAME COLUMN size TO weight");
  db.exec("ALTER TABLE envelopes DROP COLUMN format");
  db.exec("PRAGMA user_version = 14");
}
/** An envelope of exactly `bytes` bytes. */
export const sized = (bytes: number) => {
  const payload = new Uint8Array(Math.max(0, bytes - 150));
  const rest = bytes - envelopeOf({ pad: "" }, ["attachment", payload]).byteLength;
  return envelopeOf({ pad: "x".repeat(rest) }, ["attachment", payload]);
};
/** An envelope of 300 bytes that was received on that day. */
const onDay = (day: number) => admitted(sized(300), START + day * DAY_MS);

/** Runs a test with a temporary folder, and a function that opens inboxes in it. */
export function withFolder(
  work: (file: string, open: (options?: Partial<InboxOptions>) => Inbox) => void | Promise<void>,
) {
  return async () => {
    using folder = temporaryFolder();
    const file = join(folder.path, "data", "inbox.sqlite");
    const opened: Inbox[] = [];
    try {
      await work(file, (options) => {
        const inbox = new Inbox({
          path: file,
          maxBytes: 1024 * 1024,
          onNotice: (notice) => assert.fail(`unexpected notice: ${notice}`),
          ...options,
        });
        opened.push(inbox);
        return inbox;
      });
    } finally {
      for (const inbox of opened) inbox.close();
    }
  };
}

/**
 * What an inbox stores, lists and deletes, as tests for each implementation. Pass each to `Deno.test`.
 *
 * @param withInbox runs a test with an empty inbox whose ids begin with 1, by default of 1 MiB
 */
export function inboxTests(
  name: string,
  withInbox: (work: (open: OpenInbox) => Promise<void>) => () => Promise<void>,
): readonly Deno.TestDefinition[] {
  const tests: Deno.TestDefinition[] = [];
  const test = (behaviour: string, work: (open: OpenInbox) => Promise<void>) =>
    void tests.push({ name: `${name}: ${behaviour}`, fn: withInbox(work) });

  test("compressed envelope → same bytes and encoding, row with ids and items", async (open) => {
    const inbox = await open();
    const bytes = envelopeOf({ event_id: hexId(1), trace: { trace_id: hexId(2) } }, ["event", {}]);
    const envelope = admittedGzip(bytes, 1_790_000_000_123);
    await inbox.store(envelope);
    assert.deepEqual(all(inbox), {
      cursor: 1,
      cleared: 0,
      groupChanges: 0,
      envelopes: [{
        id: 1,
        received_at: 1_790_000_000_123,
        event_id: hexId(1),
        trace_ids: [hexId(2)],
        replay_id: null,
        bytes: envelope.bytes.byteLength,
        items: [{ type: "event", bytes: 2 }],
        content_encoding: "gzip",
        application: inbox.applications({}).rows[0]!.key,
      }],
    });
    const stored = inbox.bytes(1);
    assert.equal(stored?.contentEncoding, "gzip");
    assert.equal(Buffer.compare(stored.bytes, envelope.bytes), 0);
    assert.equal(inbox.bytes(2), undefined);
  });

  test("view of a larger buffer → only the view is stored", async (open) => {
    const inbox = await open();
    const bytes = eventEnvelope(1);
    const buffer = new Uint8Array(bytes.byteLength + 20).fill(7);
    buffer.set(bytes, 9);
    await inbox.store(admitted(buffer.subarray(9, 9 + bytes.byteLength)));
    assert.deepEqual(inbox.bytes(1)?.bytes, bytes);
  });

  test("restart → same rows and cursor", async (open) => {
    const first = await open();
    for (let n = 1; n <= 3; n++) await first.store(admitted(eventEnvelope(n)));
    const before = all(first);
    await first.close();
    const second = await open();
    assert.deepEqual(all(second), before);
    await second.store(admitted(eventEnvelope(4)));
    assert.deepEqual(ids(second), [1, 2, 3, 4]);
  });

  test("list by cursor → pages, oldest first", async (open) => {
    const inbox = await open();
    for (let n = 1; n <= 5; n++) await inbox.store(admitted(eventEnvelope(n)));
    const first = inbox.list({ since: 0, limit: 2 });
    assert.deepEqual([first.cursor, first.envelopes.map((row) => row.id)], [2, [1, 2]]);
    const second = inbox.list({ since: 2, limit: 3 });
    assert.deepEqual([second.cursor, second.envelopes.map((row) => row.id)], [5, [3, 4, 5]]);
    const end = inbox.list({ since: 5, limit: 3 });
    assert.deepEqual([end.cursor, end.envelopes], [5, []]);
    assert.equal(inbox.list({ since: 99, limit: 3 }).cursor, 5, "beyond the end: the end");
  });

  test("list of one item type → other envelopes skipped, cursor after them", async (open) => {
    const inbox = await open();
    const kinds = ["event", "log", "event", "span", "log"];
    for (const type of kinds) {
      await inbox.store(admitted(envelopeOf({}, [type, {}], [type, {}], ["session", {}])));
    }
    const logs = inbox.list({ since: 0, type: "log", limit: 10 });
    assert.deepEqual([logs.cursor, logs.envelopes.map((row) => row.id)], [5, [2, 5]]);
    const one = inbox.list({ since: 0, type: "log", limit: 1 });
    assert.deepEqual([one.cursor, one.envelopes.map((row) => row.id)], [2, [2]]);
    assert.deepEqual(inbox.list({ since: 2, type: "event", limit: 1 }).envelopes[0]?.id, 3);
    assert.deepEqual(inbox.list({ since: 0, type: "lo%", limit: 10 }).envelopes, []);
  });

  test("over the size limit → oldest evicted; exactly at the limit → none", async (open) => {
    const inbox = await open({ maxBytes: 3_000 });
    for (let n = 0; n < 3; n++) await inbox.store(admitted(sized(1_000)));
    assert.deepEqual(ids(inbox), [1, 2, 3]);
    await inbox.store(admitted(sized(200)));
    assert.deepEqual(ids(inbox), [2, 3, 4]);
    await inbox.store(admitted(sized(3_000)));
    assert.deepEqual(ids(inbox), [5]);
    assert.equal(inbox.bytes(4), undefined);
    assert.deepEqual(inbox.list({ since: 0, type: "attachment", limit: 9 }).envelopes.length, 1);
  });

  test("nothing changes → no subscriber is called", async (open) => {
    const inbox = await open();
    const changes: string[] = [];
    inbox.subscribe((change) => changes.push(change));
    // Longer than the interval of checks for changes by other processes.
    await new Promise((resolve) => setTimeout(resolve, 600));
    assert.deepEqual(changes, []);
  });

  test("store, clear, close → subscribers called until they unsubscribe", async (open) => {
    const inbox = await open();
    // Sets: a busy inbox may report the same change twice.
    const changes = new Set<string>();
    const left = new Set<string>();
    inbox.subscribe((change) => changes.add(change));
    const leave = inbox.subscribe((change) => left.add(change));
    await inbox.store(admitted(eventEnvelope(1)));
    leave();
    await inbox.clear();
    await inbox.close();
    assert.deepEqual([...changes], ["stored", "cleared", "closed"]);
    assert.deepEqual([...left], ["stored"]);
  });

  test("limits of bytes and age → each deletes the oldest, and a restart does so too", async (open) => {
    let day = 0;
    const options = { maxBytes: 900, maxAgeDays: 30, now: () => START + day * DAY_MS };
    const inbox = await open(options);
    const storeOn = async (next: number) => await inbox.store(onDay(day = next));
    for (const next of [0, 1, 2]) await storeOn(next);
    assert.deepEqual(ids(inbox), [1, 2, 3]);
    await storeOn(3);
    assert.deepEqual(ids(inbox), [2, 3, 4], "over the bytes");
    await storeOn(32.5);
    assert.deepEqual(ids(inbox), [4, 5], "two over the age");
    await storeOn(32.6);
    assert.deepEqual(ids(inbox), [4, 5, 6], "their bytes are free");
    day = 34;
    const second = await open(options);
    assert.deepEqual(ids(second), [5, 6], "at the start");
    day = 1_000;
    assert.deepEqual(
      ids(await open({ ...options, maxAgeDays: undefined })),
      [5, 6],
      "no age limit",
    );
  });

  test("imported envelopes older than stored ones → deleted by their own age, with their entries", async (open) => {
    let day = 40;
    const inbox = await open({ maxAgeDays: 30, now: () => START + day * DAY_MS });
    const event = (n: number, at: number) => admitted(eventEnvelope(n), START + at * DAY_MS);
    const events = (inbox: Inbox) => inbox.page("occurrences", {}).rows.map((row) => row.event_id);
    await inbox.store(event(1, 39));
    assert.equal(await inbox.storeImported(event(2, 9)), "too old");
    assert.equal(await inbox.storeImported(event(3, 20)), "taken");
    await inbox.store(event(4, 40));
    assert.equal(await inbox.storeImported(event(5, 21)), "taken");
    assert.deepEqual(events(inbox), [4, 1, 5, 3].map(hexId));
    day = 52;
    await inbox.store(event(6, 52));
    assert.deepEqual(events(inbox), [6, 4, 1].map(hexId));
    assert.equal(inbox.page("traces", {}).rows.length, 0);
    assert.deepEqual(inbox.page("envelopes", { type: "event" }).rows.length, 3);
  });

  return tests;
}
