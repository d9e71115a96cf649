import assert from "node:assert/strict";
import { readEnvelope } from "../../../monitoring/protocol/scanner.ts";
import { envelopeOf, eventEnvelope, hexId } from "../../../monitoring/inbox/testdata/envelopes.ts";
import { createThisPageSource, type PageEnvelope } from "./this_page_source.ts";

/** Envelopes as telemetry keeps them: new ones are appended, the oldest removed. */
class Page {
  readonly envelopes: PageEnvelope[] = [];
  readonly listeners = new Set<() => void>();

  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  add(bytes: Uint8Array, at = 1_790_000_000_000 + this.envelopes.length): void {
    this.envelopes.push({ at, bytes });
    for (const listener of this.listeners) listener();
  }
}

const idsOf = async (source: ReturnType<typeof createThisPageSource>) =>
  (await source.envelopes({})).rows.map(({ id }) => id);

Deno.test("envelopes of the page → listed newest first, with their bytes", async () => {
  const page = new Page();
  page.add(eventEnvelope(1), 5);
  const source = createThisPageSource(page);
  page.add(eventEnvelope(2), 6);
  const { rows, next } = await source.envelopes({});
  assert.deepEqual(rows.map(({ id, event_id, received_at }) => [id, event_id, received_at]), [
    [2, hexId(2), 6],
    [1, hexId(1), 5],
  ]);
  assert.equal(next, null);
  assert.equal(await source.envelope(1), page.envelopes[0]?.bytes);
  assert.equal(await source.envelope(3), undefined);
});

Deno.test("envelope added → subscriber called once, snapshot changes", () => {
  const page = new Page();
  const source = createThisPageSource(page);
  let calls = 0;
  source.subscribe(() => calls++);
  const before = source.snapshot();
  assert.equal(source.snapshot(), before);
  page.add(eventEnvelope(1));
  assert.equal(calls, 1);
  assert.ok(source.snapshot().version > before.version);
  assert.equal(source.snapshot().total, 1);
  // Telemetry also notifies of spans.
  for (const listener of page.listeners) listener();
  assert.equal(calls, 1);
});

Deno.test("oldest envelopes removed → no other envelope missing or listed twice", async () => {
  const page = new Page();
  const source = createThisPageSource(page);
  page.add(eventEnvelope(1));
  page.add(eventEnvelope(2));
  assert.deepEqual(await idsOf(source), [2, 1]);
  page.envelopes.shift();
  page.add(eventEnvelope(3));
  assert.deepEqual(await idsOf(source), [3, 2, 1]);
  page.envelopes.splice(0);
  page.add(eventEnvelope(4));
  assert.deepEqual(await idsOf(source), [4, 3, 2, 1]);
});

Deno.test("more bytes than the limit → oldest envelopes are dropped", async () => {
  const page = new Page();
  const size = eventEnvelope(1).byteLength;
  const source = createThisPageSource(page, 2 * size);
  for (const n of [1, 2, 3]) page.add(eventEnvelope(n));
  assert.deepEqual(await idsOf(source), [3, 2]);
  assert.equal(await source.envelope(1), undefined);
  assert.equal(source.download(1), undefined);
  assert.ok(await source.envelope(3));
});

Deno.test("clear → earlier envelopes gone, later ones listed", async () => {
  const page = new Page();
  const source = createThisPageSource(page);
  page.add(eventEnvelope(1));
  await source.clear();
  assert.deepEqual(await idsOf(source), []);
  assert.equal(await source.envelope(1), undefined);
  page.add(eventEnvelope(2));
  assert.deepEqual(await idsOf(source), [2]);
});

Deno.test("export → archive in the format of the inbox", async () => {
  const page = new Page();
  page.add(eventEnvelope(1), 7);
  const source = createThisPageSource(page);
  await source.envelopes({});
  const address = source.exported();
  const { header, items } = readEnvelope(
    new Uint8Array(await (await fetch(address)).arrayBuffer()),
  );
  URL.revokeObjectURL(address);
  assert.deepEqual(header, { sightglass_inbox: 1, envelopes: 1 });
  assert.equal(items[0]?.header.received_at, 7);
  assert.deepEqual(items[0]?.payload, eventEnvelope(1));
});

Deno.test("malformed envelopes → listed, and the next one is read", async () => {
  const page = new Page();
  page.add(new TextEncoder().encode("no envelope"));
  page.add(
    envelopeOf({}, ["event", null], ["log", { items: "x" }], ["span", { items: [null, 1] }]),
  );
  page.add(eventEnvelope(1));
  const source = createThisPageSource(page);
  assert.deepEqual(await idsOf(source), [3, 2, 1]);
});
