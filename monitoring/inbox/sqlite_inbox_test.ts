import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { admitted, admittedGzip, envelopeOf, eventEnvelope, hexId } from "./testdata/envelopes.ts";
import { until } from "../../tests/harness/until.ts";
import { OWN_APPLICATION } from "../models/application_rows.ts";
import { OWN_TELEMETRY } from "../protocol/own_telemetry.ts";
import { exportArchive, importArchive } from "./archive.ts";
import type { Inbox } from "./inbox.ts";
import { InboxClosedError } from "./inbox_types.ts";
import { DatabaseOpenError } from "../storage/errors.ts";
import { INBOX_SCHEMA } from "./schema.ts";
import { all, ids, inboxTests, markAsEarlier, sized, withFolder } from "./testdata/inbox_suite.ts";

const MIB = 1024 * 1024;

inboxTests("SQLite", (work) => withFolder((_, open) => work(open))).forEach((test) =>
  Deno.test(test)
);

Deno.test(
  "clear → disk space freed, later ids higher, also after a restart",
  withFolder(async (file, open) => {
    const inbox = open({ maxBytes: 20 * MIB });
    for (let n = 0; n < 8; n++) await inbox.store(admitted(sized(MIB)));
    inbox.clear();
    const left = statSync(file).size + statSync(`${file}-wal`).size;
    assert.ok(left < MIB, `${left} bytes are left`);
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
    // Decompressing the first one takes longer than all of the second.
    await Promise.all([
      inbox.store(
        admittedGzip(envelopeOf({ event_id: hexId(1) }, ["event", { x: "x".repeat(MIB) }])),
      ),
      inbox.store(admitted(eventEnvelope(2))),
    ]);
    const order = all(inbox).envelopes.map((row) => row.event_id);
    assert.deepEqual(order, [hexId(1), hexId(2)]);
  }),
);

Deno.test(
  "two slow reads → between them a tenth of the first one's time, for senders",
  withFolder(async (_, open) => {
    const inbox = open();
    const times: number[] = [];
    const slow = () => {
      times.push(performance.now());
      for (const end = performance.now() + 500; performance.now() < end;);
      times.push(performance.now());
    };
    await Promise.all([slow, slow].map((read) => inbox.readInTurn(read)));
    const [began, ended, next] = times as [number, number, number];
    // Timers are of whole milliseconds.
    assert.ok(
      next - ended >= (ended - began) / 10 - 2,
      `${next - ended} ms after ${ended - began}`,
    );
  }),
);

Deno.test(
  "envelope that cannot be decompressed → stored, with a row that describes nothing",
  withFolder(async (_, open) => {
    const inbox = open();
    const envelope = { ...admitted(eventEnvelope(1)), contentEncoding: "gzip" };
    await inbox.store(envelope);
    const [row] = all(inbox).envelopes;
    assert.deepEqual([row?.event_id, row?.items], [null, []]);
    assert.deepEqual(inbox.bytes(1)?.bytes, envelope.bytes);
  }),
);

Deno.test(
  "envelope only marked as Sightglass's own → not its application, also after an import or new index",
  withFolder(async (file, open) => {
    const inbox = open();
    for (const isOwn of [false, true]) {
      const bytes = envelopeOf(OWN_TELEMETRY, ["event", { message: String(isOwn) }]);
      await inbox.store({ ...admitted(bytes), isOwn });
    }
    const applications = (inbox: Inbox) =>
      all(inbox).envelopes.map(({ application }) =>
        application && application === OWN_APPLICATION.key
      );
    assert.deepEqual(applications(inbox), [false, true]);

    const imported = open({ path: undefined });
    await importArchive(imported, exportArchive(inbox), MIB);
    assert.deepEqual(applications(imported), [false, true]);

    inbox.close();
    markAsEarlier(file);
    const reopened = open();
    await until("all is indexed", () => !applications(reopened).includes(null));
    assert.deepEqual(applications(reopened), [false, true]);
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
    const oldest = Math.min(...Object.keys(INBOX_SCHEMA.upgrades!).map(Number));
    for (const version of [INBOX_SCHEMA.version + 1, oldest - 1, 0, -1, 77]) {
      {
        using db = new DatabaseSync(file);
        db.exec(`PRAGMA user_version = ${version}`);
      }
      const before = readFileSync(file);
      assert.throws(() => open(), (error) => {
        assert.ok(error instanceof DatabaseOpenError);
        const { version: known } = INBOX_SCHEMA;
        const problem = `${file} has schema version ${version}, known is ${known}.`;
        assert.ok(error.message.includes(problem), error.message);
        return true;
      });
      assert.equal(Buffer.compare(readFileSync(file), before), 0, `version ${version}`);
    }
    assert.deepEqual(readdirSync(join(file, "..")), ["inbox.sqlite", "inbox.sqlite.reserve"]);
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

Deno.test("any sequence of store, clear and restart → limit, order and bytes correct", async () => {
  const body = fc.uint8Array({ maxLength: 400 })
    .map((payload) => envelopeOf({}, ["attachment", payload]));
  const step = fc.oneof(
    { weight: 8, arbitrary: body },
    { weight: 2, arbitrary: fc.constantFrom("clear" as const, "restart" as const) },
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
            if (step === "clear") {
              inbox.clear();
              kept = [];
            } else if (step === "restart") {
              inbox.close();
              inbox = open({ maxBytes });
            } else if (step.byteLength <= maxBytes) {
              await inbox.store(admitted(step));
              const id = all(inbox).cursor;
              assert.ok(id > highest, "an id was used again");
              highest = id;
              kept.push({ id, body: step });
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
  "no envelope arrives → what is too old is deleted nevertheless",
  withFolder(async (_, open) => {
    let day = 0;
    const inbox = open({ maxAgeDays: 30, expiryMs: 5, now: () => START + day * DAY_MS });
    await inbox.store(onDay(0));
    day = 31;
    await until("it is deleted", () => ids(inbox).length === 0);
  }),
);
