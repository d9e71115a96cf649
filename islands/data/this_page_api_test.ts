import assert from "node:assert/strict";
import { readEnvelope } from "../../monitoring/protocol/scanner.ts";
import { envelopeOf, eventEnvelope, hexId } from "../../monitoring/inbox/testdata/envelopes.ts";
import { SessionPage } from "../testdata/session_page.ts";
import { createThisPageApi } from "./this_page_api.ts";

/** A page that has sent these events, and the API that lists them. */
function session(events: readonly number[], maxBytes?: number) {
  const page = new SessionPage();
  for (const n of events) page.add(eventEnvelope(n));
  const api = createThisPageApi(page, maxBytes);
  const ids = async () => (await api.envelopes({})).rows.map(({ id }) => id);
  return { page, api, ids };
}

Deno.test("envelopes of the page → listed newest first, with their bytes", async () => {
  const page = new SessionPage();
  page.add(eventEnvelope(1), 5);
  const api = createThisPageApi(page);
  page.add(eventEnvelope(2), 6);
  const { rows, next } = await api.envelopes({});
  assert.deepEqual(rows.map(({ id, event_id, received_at }) => [id, event_id, received_at]), [
    [2, hexId(2), 6],
    [1, hexId(1), 5],
  ]);
  assert.equal(next, null);
  assert.equal(await api.envelope(1), page.envelopes[0]?.bytes);
  assert.equal(await api.envelope(3), undefined);
  const content = await api.envelopeContent(1);
  assert.deepEqual(content?.row, rows[1]);
  assert.match(content!.items[0]!.text, /^{\n {2}"event_id": "/);
  assert.equal(await api.envelopeContent(3), undefined);
});

Deno.test("envelope added → subscriber called once, snapshot changes", () => {
  const { page, api } = session([]);
  let calls = 0;
  api.subscribe(() => calls++);
  const before = api.snapshot();
  assert.equal(api.snapshot(), before);
  page.add(eventEnvelope(1));
  assert.equal(calls, 1);
  assert.ok(api.snapshot().version > before.version);
  assert.equal(api.snapshot().total, 1);
  // Telemetry also notifies of spans.
  page.notify();
  assert.equal(calls, 1);
});

Deno.test("oldest envelopes removed → no other envelope missing or listed twice", async () => {
  const { page, ids } = session([1, 2]);
  assert.deepEqual(await ids(), [2, 1]);
  page.envelopes.shift();
  page.add(eventEnvelope(3));
  assert.deepEqual(await ids(), [3, 2, 1]);
  page.envelopes.splice(0);
  page.add(eventEnvelope(4));
  assert.deepEqual(await ids(), [4, 3, 2, 1]);
});

Deno.test("more bytes than the limit → oldest envelopes are dropped", async () => {
  const { api, ids } = session([1, 2, 3], 2 * eventEnvelope(1).byteLength);
  assert.deepEqual(await ids(), [3, 2]);
  assert.equal(await api.envelope(1), undefined);
  assert.equal(api.download(1), undefined);
  assert.ok(await api.envelope(3));
});

Deno.test("clear → earlier envelopes gone, later ones listed", async () => {
  const { page, api, ids } = session([1]);
  await api.clear();
  assert.deepEqual(await ids(), []);
  assert.equal(await api.envelope(1), undefined);
  page.add(eventEnvelope(2));
  assert.deepEqual(await ids(), [2]);
});

Deno.test("export → archive in the format of the inbox", async () => {
  const { page, api } = session([]);
  page.add(eventEnvelope(1), 7);
  await api.envelopes({});
  const address = api.exported();
  const { header, items } = readEnvelope(await (await fetch(address)).bytes());
  URL.revokeObjectURL(address);
  assert.deepEqual(header, { sightglass_inbox: 1, envelopes: 1 });
  assert.equal(items[0]?.header.received_at, 7);
  assert.deepEqual(items[0]?.payload, eventEnvelope(1));
});

Deno.test("malformed envelopes → listed, and the next one is read", async () => {
  const { page, api, ids } = session([]);
  page.add(new TextEncoder().encode("no envelope"));
  page.add(
    envelopeOf({}, ["event", null], ["log", { items: "x" }], ["span", { items: [null, 1] }]),
  );
  page.add(eventEnvelope(1));
  assert.deepEqual(await ids(), [3, 2, 1]);
  await assert.rejects(api.envelopeContent(1), /at byte 0/);
});
