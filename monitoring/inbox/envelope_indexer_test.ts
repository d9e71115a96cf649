import assert from "node:assert/strict";
import { until } from "../../tests/harness/until.ts";
import { join } from "node:path";
import { admitted, envelopeOf, error, log, span } from "./testdata/envelopes.ts";
import type { Inbox } from "./inbox.ts";
import { openInbox } from "./sqlite_inbox.ts";
import { writeVersion1 } from "./testdata/version_1_file.ts";

const NOW = 1_795_262_400_000;
const envelopes = (count: number) =>
  Array.from(
    { length: count },
    (_, n) => envelopeOf({}, span(n), error(`order ${n}`, n), log(`log ${n}`)),
  );

/** Runs a test with a file of schema version 1 that contains `count` envelopes. */
async function withVersion1(
  count: number,
  work: (open: (maxBytes?: number) => Inbox) => Promise<void>,
): Promise<void> {
  const folder = Deno.makeTempDirSync({ prefix: "inbox-" });
  const opened: Inbox[] = [];
  try {
    const path = join(folder, "inbox.sqlite");
    writeVersion1(path, envelopes(count), NOW);
    await work((maxBytes = 10_000_000) => {
      const inbox = openInbox({ path, maxBytes });
      opened.push(inbox);
      return inbox;
    });
  } finally {
    for (const inbox of opened) inbox.close();
    Deno.removeSync(folder, { recursive: true });
  }
}

const found = (inbox: Inbox) => inbox.page("errors", {}).rows[0]?.count ?? 0;

Deno.test("file of version 1 → envelopes kept, indexed in the background", () =>
  withVersion1(50, async (open) => {
    const inbox = open();
    const { envelopes } = inbox.list({ since: 0, limit: 500 });
    assert.equal(envelopes.length, 50);
    assert.equal(inbox.envelopes({}).rows.length, 50);
    await inbox.store(admitted(envelopeOf({}, error("order 50")), NOW + 100));
    assert.equal(found(inbox), 1, "what comes new is indexed at once");
    await until("the backlog is indexed", () => found(inbox) === 51);
    assert.equal(inbox.page("traces", {}).rows.length, 50);
    assert.deepEqual(inbox.page("logs", { q: "log 7" }).rows.map((row) => row.at), [NOW + 7]);
    assert.equal(inbox.envelopes({ q: "order 33" }).rows[0]?.id, 34);
  }));

Deno.test("indexing interrupted → continues after a restart, newest first", () =>
  withVersion1(400, async (open) => {
    const first = open();
    await until("the backlog is indexed", () => found(first) > 0);
    first.close();
    const second = open();
    const count = found(second);
    assert.ok(count > 0 && count < 400, `${count} of 400`);
    const ids = second.page("occurrences", {}).rows.map((row) => row.envelope);
    assert.equal(ids[0], 400);
    await until("the backlog is indexed", () => found(second) === 400);
    second.close();
    assert.equal(found(open()), 400);
  }));

Deno.test("envelope deleted before it was indexed → stays deleted", () =>
  withVersion1(100, async (open) => {
    const evicting = open(20_000);
    const kept = evicting.envelopes({}).rows.length;
    assert.ok(kept > 0 && kept < 100);
    await until("the backlog is indexed", () => found(evicting) === kept);
    evicting.clear();
    assert.equal(found(evicting), 0);
    evicting.close();
    assert.equal(found(open()), 0);
  }));

Deno.test("clear during indexing → indexing ends", () =>
  withVersion1(400, async (open) => {
    const inbox = open();
    await until("the backlog is indexed", () => found(inbox) > 0);
    inbox.clear();
    await inbox.store(admitted(envelopeOf({}, error("order 1")), NOW));
    await new Promise((resolve) => setTimeout(resolve, 100));
    assert.equal(found(inbox), 1);
    assert.equal(inbox.envelopes({}).rows.length, 1);
  }));
