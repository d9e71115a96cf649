import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { admitted, admittedGzip, envelopeOf, eventEnvelope, hexId } from "./testdata/envelopes.ts";
import { until } from "../../tests/until.ts";
import { APPLICATIONS, OWN_SOURCE } from "../models/rows.ts";
import { OWN_TELEMETRY } from "../protocol/own_telemetry.ts";
import { exportArchive, importArchive } from "./archive.ts";
import { EnvelopeOverBoundError, type Inbox, InboxClosedError } from "./inbox.ts";
import { type InboxOptions, openInbox } from "./sqlite_inbox.ts";
import { DatabaseVersionError } from "../storage/errors.ts";
import { INBOX_SCHEMA } from "./schema.ts";

const MIB = 1024 * 1024;

/** Runs a test with a temporary folder, and a function that opens inboxes in it. */
function withFolder(
  work: (file: string, open: (options?: Partial<InboxOptions>) => Inbox) => void | Promise<void>,
) {
  return async () => {
    const folder = Deno.makeTempDirSync({ prefix: "inbox-" });
    const file = join(folder, "data", "inbox.sqlite");
    const opened: Inbox[] = [];
    try {
      await work(file, (options) => {
        const inbox = openInbox({
          path: file,
          maxBytes: MIB,
          onNotice: (notice) => assert.fail(`unexpected notice: ${notice}`),
          ...options,
        });
        opened.push(inbox);
        return inbox;
      });
    } finally {
      for (const inbox of opened) inbox.close();
      Deno.removeSync(folder, { recursive: true });
    }
  };
}

const all = (inbox: Inbox, since = 0) => inbox.list({ since, limit: 500 });
const ids = (inbox: Inbox) => all(inbox).envelopes.map((row) => row.id);
/** An envelope of exactly `bytes` bytes. */
const sized = (bytes: number) => {
  const payload = new Uint8Array(Math.max(0, bytes - 150));
  const rest = bytes - envelopeOf({ pad: "" }, ["attachment", payload]).byteLength;
  return envelopeOf({ pad: "x".repeat(rest) }, ["attachment", payload]);
};

Deno.test(
  "compressed envelope → same bytes and encoding, row with ids and items",
  withFolder(async (_, open) => {
    const inbox = open();
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
        source: inbox.sources({}).rows[0]!.key,
      }],
    });
    const stored = inbox.bytes(1);
    assert.equal(stored?.contentEncoding, "gzip");
    assert.equal(Buffer.compare(stored.bytes, envelope.bytes), 0);
    assert.equal(inbox.bytes(2), undefined);
  }),
);

Deno.test(
  "view of a larger buffer → only the view is stored",
  withFolder(async (_, open) => {
    const inbox = open();
    const bytes = eventEnvelope(1);
    const buffer = new Uint8Array(bytes.byteLength + 20).fill(7);
    buffer.set(bytes, 9);
    await inbox.store(admitted(buffer.subarray(9, 9 + bytes.byteLength)));
    assert.deepEqual(inbox.bytes(1)?.bytes, bytes);
  }),
);

Deno.test(
  "restart → same rows and cursor",
  withFolder(async (_, open) => {
    const first = open();
    for (let n = 1; n <= 3; n++) await first.store(admitted(eventEnvelope(n)));
    const before = all(first);
    first.close();
    const second = open();
    assert.deepEqual(all(second), before);
    await second.store(admitted(eventEnvelope(4)));
    assert.deepEqual(ids(second), [1, 2, 3, 4]);
  }),
);

Deno.test(
  "list by cursor → pages, oldest first",
  withFolder(async (_, open) => {
    const inbox = open();
    for (let n = 1; n <= 5; n++) await inbox.store(admitted(eventEnvelope(n)));
    const first = inbox.list({ since: 0, limit: 2 });
    assert.deepEqual([first.cursor, first.envelopes.map((row) => row.id)], [2, [1, 2]]);
    const second = inbox.list({ since: 2, limit: 3 });
    assert.deepEqual([second.cursor, second.envelopes.map((row) => row.id)], [5, [3, 4, 5]]);
    const end = inbox.list({ since: 5, limit: 3 });
    assert.deepEqual([end.cursor, end.envelopes], [5, []]);
    assert.equal(inbox.list({ since: 99, limit: 3 }).cursor, 5, "beyond the end: the end");
  }),
);

Deno.test(
  "list of one item type → other envelopes skipped, cursor after them",
  withFolder(async (_, open) => {
    const inbox = open();
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
  }),
);

Deno.test(
  "over the size limit → oldest evicted; exactly at the limit → none",
  withFolder(async (_, open) => {
    const inbox = open({ maxBytes: 3_000 });
    for (let n = 0; n < 3; n++) await inbox.store(admitted(sized(1_000)));
    assert.deepEqual(ids(inbox), [1, 2, 3]);
    await inbox.store(admitted(sized(200)));
    assert.deepEqual(ids(inbox), [2, 3, 4]);
    await inbox.store(admitted(sized(3_000)));
    assert.deepEqual(ids(inbox), [5]);
    assert.equal(inbox.bytes(4), undefined);
    assert.deepEqual(inbox.list({ since: 0, type: "attachment", limit: 9 }).envelopes.length, 1);
  }),
);

Deno.test(
  "size limit lowered → applied at the start",
  withFolder(async (_, open) => {
    const before = open();
    for (let n = 0; n < 100; n++) await before.store(admitted(sized(1_000)));
    before.close();
    assert.deepEqual(ids(open({ maxBytes: 2_500 })), [99, 100]);
  }),
);

Deno.test(
  "envelope over the size limit → refused with both numbers, nothing evicted",
  withFolder(async (_, open) => {
    const inbox = open({ maxBytes: 3_000 });
    await inbox.store(admitted(sized(1_000)));
    await assert.rejects(inbox.store(admitted(sized(3_001))), (error) => {
      assert.ok(error instanceof EnvelopeOverBoundError);
      assert.deepEqual([error.bytes, error.maxBytes], [3_001, 3_000]);
      return true;
    });
    assert.deepEqual(ids(inbox), [1]);
  }),
);

Deno.test(
  "clear → disk space freed, later ids higher, also after a restart",
  withFolder(async (file, open) => {
    const inbox = open({ maxBytes: 20 * MIB });
    for (let n = 0; n < 8; n++) await inbox.store(admitted(sized(MIB)));
    inbox.clear();
    assert.ok(statSync(file).size < 250_000, `${statSync(file).size} bytes are left`);
    assert.equal(statSync(`${file}-wal`).size, 0);
    assert.deepEqual(all(inbox), { cursor: 9, cleared: 9, groupChanges: 0, envelopes: [] });
    inbox.close();
    const again = open();
    await again.store(admitted(eventEnvelope(1)));
    assert.deepEqual(ids(again), [10]);
    again.clear();
    await again.store(admitted(sized(MIB)));
    assert.deepEqual(ids(again), [12], "the whole bound is free again");
  }),
);

Deno.test(
  "concurrent envelopes → stored in the order of the calls",
  withFolder(async (_, open) => {
    const inbox = open();
    const slow = Promise.withResolvers<Uint8Array>();
    const first = admitted(eventEnvelope(1));
    const stored = [
      inbox.store({ ...first, decoded: () => slow.promise }),
      inbox.store(admitted(eventEnvelope(2))),
    ];
    slow.resolve(first.bytes);
    await Promise.all(stored);
    const order = all(inbox).envelopes.map((row) => row.event_id);
    assert.deepEqual(order, [hexId(1), hexId(2)]);
  }),
);

Deno.test(
  "envelope that cannot be decompressed → stored with the row of its framing",
  withFolder(async (_, open) => {
    const inbox = open();
    const envelope = admittedGzip(eventEnvelope(1));
    await inbox.store({ ...envelope, decoded: () => Promise.reject(new Error("no memory")) });
    const [row] = all(inbox).envelopes;
    assert.equal(row?.event_id, hexId(1));
    assert.deepEqual(row?.items, envelope.items);
    assert.deepEqual(inbox.bytes(1)?.bytes, envelope.bytes);
  }),
);

Deno.test(
  "store, clear, close → subscribers called until they unsubscribe",
  withFolder(async (_, open) => {
    const inbox = open();
    const heard: string[] = [];
    const left: string[] = [];
    inbox.subscribe((change) => heard.push(change));
    const leave = inbox.subscribe((change) => left.push(change));
    await inbox.store(admitted(eventEnvelope(1)));
    leave();
    inbox.clear();
    inbox.close();
    assert.deepEqual(heard, ["stored", "cleared", "closed"]);
    assert.deepEqual(left, ["stored"]);
  }),
);

Deno.test(
  "client report that names no sender → of the only application; of none if there are several",
  withFolder(async (_, open) => {
    const inbox = open();
    const store = (name?: string) =>
      inbox.store(admitted(
        name === undefined
          ? envelopeOf({ dsn: "https://inbox@sightglass.invalid/1" }, ["client_report", {}])
          : envelopeOf({ sdk: { name } }, ["event", {}]),
      ));
    await store();
    assert.deepEqual(inbox.sources({}).rows, []);
    await store("sentry.python");
    await store();
    const [python] = inbox.sources({}).rows;
    assert.deepEqual([python?.name, python?.envelopes], ["sentry.python", 2]);
    await store("sentry.ruby");
    await store();
    assert.equal(inbox.sources({}).rows.length, 2);
    const ruby = inbox.sources({}).rows[0]?.key;
    assert.deepEqual(all(inbox).envelopes.map(({ source }) => source), [
      null,
      python?.key,
      python?.key,
      ruby,
      null,
    ]);
    assert.equal(inbox.envelopes({ source: APPLICATIONS }).rows.length, 5);
  }),
);

Deno.test(
  "envelope only marked as Sightglass's own → not its source, also after an import or new index",
  withFolder(async (file, open) => {
    const inbox = open();
    for (const isOwn of [false, true]) {
      const bytes = envelopeOf(OWN_TELEMETRY, ["event", { message: String(isOwn) }]);
      await inbox.store({ ...admitted(bytes), isOwn });
    }
    const sources = (inbox: Inbox) =>
      all(inbox).envelopes.map(({ source }) => source && source === OWN_SOURCE.key);
    assert.deepEqual(sources(inbox), [false, true]);

    const imported = open({ path: undefined });
    await importArchive(imported, exportArchive(inbox), { maxEnvelopeBytes: MIB });
    assert.deepEqual(sources(imported), [false, true]);

    inbox.close();
    const db = new DatabaseSync(file);
    db.exec("DELETE FROM envelope_texts; UPDATE totals SET backlog = 2");
    db.exec("DELETE FROM error_entries; DELETE FROM trace_entries");
    db.close();
    const reopened = open();
    await until("all is indexed", () => !sources(reopened).includes(null));
    assert.deepEqual(sources(reopened), [false, true]);
  }),
);

Deno.test(
  "closed inbox → every call fails",
  withFolder(async (_, open) => {
    const inbox = open();
    const late = inbox.store(admitted(eventEnvelope(1)));
    inbox.close();
    inbox.close();
    await assert.rejects(late, InboxClosedError);
    assert.throws(() => all(inbox), InboxClosedError);
  }),
);

Deno.test(
  "file of another schema version → refused with path and version, unchanged",
  withFolder((file, open) => {
    open().close();
    for (const version of [INBOX_SCHEMA.length + 1, 0, -1, 77]) {
      const db = new DatabaseSync(file);
      db.exec(`PRAGMA user_version = ${version}`);
      db.close();
      const before = readFileSync(file);
      assert.throws(() => open(), (error) => {
        assert.ok(error instanceof DatabaseVersionError);
        assert.deepEqual([error.file, error.found, error.known], [
          file,
          version,
          INBOX_SCHEMA.length,
        ]);
        assert.ok(error.message.includes(file) && error.message.includes(String(version)));
        return true;
      });
      assert.equal(Buffer.compare(readFileSync(file), before), 0, `version ${version}`);
    }
    assert.deepEqual(readdirSync(join(file, "..")), ["inbox.sqlite", "inbox.sqlite.reserve"]);
  }),
);

Deno.test(
  "empty file → becomes an inbox",
  withFolder(async (file, open) => {
    open().close();
    writeFileSync(file, "");
    const inbox = open();
    await inbox.store(admitted(eventEnvelope(1)));
    assert.deepEqual(ids(inbox), [1]);
  }),
);

Deno.test(
  "corrupt file at the start → renamed with a notice, new file used",
  withFolder(async (file, open) => {
    open().close();
    const rubbish = Buffer.from("this is no database ".repeat(500));
    writeFileSync(file, rubbish);
    const notices: string[] = [];
    const now = () => Date.UTC(2026, 10, 20, 12, 0, 0);
    const inbox = open({ now, onNotice: (notice) => notices.push(notice) });
    const aside = `${file}.corrupt-2026-11-20T12-00-00.000Z`;
    assert.equal(Buffer.compare(readFileSync(aside), rubbish), 0);
    assert.equal(notices.length, 1);
    assert.ok(notices[0]?.includes(aside), notices[0]);
    await inbox.store(admitted(eventEnvelope(1)));
    assert.deepEqual(ids(inbox), [1]);

    inbox.close();
    writeFileSync(file, rubbish);
    open({ now, onNotice: (notice) => notices.push(notice) });
    assert.ok(existsSync(`${aside}-2`), "a second one does not replace the first");
  }),
);

Deno.test(
  "file corrupt later → renamed then, ids continue",
  withFolder(async (file, open) => {
    const before = open();
    for (let n = 0; n < 20; n++) await before.store(admitted(sized(20_000)));
    before.close();
    // Not the first pages, so that the file opens without an error.
    const bytes = readFileSync(file);
    bytes.fill(0xa5, 40 * 4_096);
    writeFileSync(file, bytes);
    const notices: string[] = [];
    const inbox = open({ onNotice: (notice) => notices.push(notice) });
    const heard: string[] = [];
    inbox.subscribe((change) => heard.push(change));
    assert.deepEqual(notices, []);
    assert.deepEqual(all(inbox).envelopes, []);
    assert.equal(notices.length, 1);
    assert.deepEqual(heard, ["cleared"]);
    await inbox.store(admitted(eventEnvelope(1)));
    assert.deepEqual(ids(inbox), [22]);
  }),
);

Deno.test("any sequence of store, clear and restart → limit, order and bytes correct", async () => {
  type Step = { kind: "store"; body: Uint8Array } | { kind: "clear" } | { kind: "restart" };
  const step: fc.Arbitrary<Step> = fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({
        kind: fc.constant("store" as const),
        body: fc.uint8Array({ maxLength: 400 }).map((payload) =>
          envelopeOf({}, ["attachment", payload])
        ),
      }),
    },
    { weight: 1, arbitrary: fc.constant({ kind: "clear" as const }) },
    { weight: 1, arbitrary: fc.constant({ kind: "restart" as const }) },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 40 }),
      fc.integer({ min: 300, max: 3_000 }),
      (steps, maxBytes) =>
        withFolder(async (_, open) => {
          let inbox = open({ maxBytes });
          /** The expected content. */
          let kept: { id: number; body: Uint8Array }[] = [];
          let highest = 0;
          for (const step of steps) {
            if (step.kind === "clear") {
              inbox.clear();
              kept = [];
            } else if (step.kind === "restart") {
              inbox.close();
              inbox = open({ maxBytes });
            } else if (step.body.byteLength > maxBytes) {
              await assert.rejects(inbox.store(admitted(step.body)), EnvelopeOverBoundError);
            } else {
              await inbox.store(admitted(step.body));
              const id = all(inbox).cursor;
              assert.ok(id > highest, "an id was used again");
              highest = id;
              kept.push({ id, body: step.body });
              const sum = () => kept.reduce((sum, { body }) => sum + body.byteLength, 0);
              while (sum() > maxBytes) kept.shift();
            }
            assert.deepEqual(ids(inbox), kept.map(({ id }) => id));
          }
          for (const { id, body } of kept) assert.deepEqual(inbox.bytes(id)?.bytes, body);
        })(),
    ),
    { numRuns: 40 },
  );
});

const DAY_MS = 24 * 3_600_000;
const START = 1_790_000_000_000;
/** An envelope of 300 bytes that was received on that day. */
const onDay = (day: number) => admitted(sized(300), START + day * DAY_MS);

Deno.test(
  "limits of bytes and age → each deletes the oldest, and a restart does so too",
  withFolder(async (_, open) => {
    let day = 0;
    const options = { maxBytes: 900, maxAgeDays: 30, now: () => START + day * DAY_MS };
    const inbox = open(options);
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
    const second = open(options);
    assert.deepEqual(ids(second), [5, 6], "at the start");
    day = 1_000;
    assert.deepEqual(ids(open({ ...options, maxAgeDays: undefined })), [5, 6], "no age limit");
  }),
);

Deno.test(
  "no envelope arrives → what is too old is deleted nevertheless",
  withFolder(async (_, open) => {
    let day = 0;
    const inbox = open({ maxAgeDays: 30, expiryMs: 5, now: () => START + day * DAY_MS });
    await inbox.store(onDay(0));
    day = 31;
    const deadline = performance.now() + 20_000;
    while (ids(inbox).length > 0 && performance.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    assert.deepEqual(ids(inbox), []);
  }),
);

Deno.test(
  "imported envelopes older than stored ones → deleted by their own age, with their entries",
  withFolder(async (_, open) => {
    let day = 40;
    const inbox = open({ maxAgeDays: 30, now: () => START + day * DAY_MS });
    const event = (n: number, at: number) => admitted(eventEnvelope(n), START + at * DAY_MS);
    const events = (inbox: Inbox) => inbox.page("occurrences", {}).rows.map((row) => row.event_id);
    await inbox.store(event(1, 39));
    assert.equal(await inbox.storeOnce(event(2, 9)), "too old");
    assert.equal(await inbox.storeOnce(event(3, 20)), "stored");
    await inbox.store(event(4, 40));
    assert.equal(await inbox.storeOnce(event(5, 21)), "stored");
    assert.deepEqual(events(inbox), [5, 4, 3, 1].map(hexId));
    day = 52;
    await inbox.store(event(6, 52));
    assert.deepEqual(events(inbox), [6, 4, 1].map(hexId));
    assert.equal(inbox.page("traces", {}).rows.length, 0);
    assert.deepEqual(inbox.envelopes({ type: "event" }).rows.length, 3);
  }),
);
