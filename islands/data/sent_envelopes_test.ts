import assert from "node:assert/strict";
import { envelopeOf, eventEnvelope, hexId } from "../../monitoring/inbox/testdata/envelopes.ts";
import { SessionPage } from "../testdata/session_page.ts";
import { InboxStateStore } from "./inbox_state.ts";
import { SentEnvelopes } from "./sent_envelopes.ts";

/** A page that has sent these events, and the list of them. */
function session(events: readonly number[]) {
  const page = new SessionPage();
  for (const n of events) page.add(eventEnvelope(n));
  const state = new InboxStateStore();
  const sent = new SentEnvelopes(page, state);
  const rows = async () => (await sent.read("envelopes")).rows;
  const ids = async () => (await rows()).map(({ id }) => id);
  return { page, state, sent, rows, ids };
}

const bytesAt = async (address: string | undefined) => {
  const bytes = await (await fetch(address!)).bytes();
  URL.revokeObjectURL(address!);
  return bytes;
};

Deno.test("envelopes of the page → listed newest first, with their bytes", async () => {
  const { page, sent, rows } = session([]);
  page.add(eventEnvelope(1), 5);
  page.add(eventEnvelope(2), 6);
  const listed = await rows();
  assert.deepEqual(listed.map(({ id, event_id, received_at }) => [id, event_id, received_at]), [
    [2, hexId(2), 6],
    [1, hexId(1), 5],
  ]);
  assert.deepEqual(await bytesAt(sent.address(1)), page.envelopes[0]?.bytes);
  assert.equal(sent.address(3), undefined);
  const content = await sent.read("envelope", { id: "1" });
  assert.deepEqual(content?.row, listed[1]);
  assert.match(content!.items[0]!.text, /^{\n {2}"event_id": "/);
  assert.equal(await sent.read("envelope", { id: "3" }), undefined);
});

Deno.test("envelope added → the state changes once", () => {
  const { page, state } = session([]);
  let calls = 0;
  state.subscribe(() => calls++);
  const before = state.snapshot();
  assert.equal(before.state, "live");
  page.add(eventEnvelope(1));
  assert.ok(state.snapshot().version > before.version);
  assert.equal(state.snapshot().total, 1);
  // Telemetry also notifies of spans.
  const after = state.snapshot();
  page.notify();
  assert.equal(state.snapshot(), after);
});

Deno.test("oldest envelopes evicted by the page → not listed, the others keep their ids", async () => {
  const { page, sent, ids } = session([1, 2]);
  page.envelopes.shift();
  page.add(eventEnvelope(3));
  assert.deepEqual(await ids(), [3, 2]);
  assert.equal(sent.address(1), undefined);
  page.envelopes.splice(0);
  page.add(eventEnvelope(4));
  assert.deepEqual(await ids(), [4]);
});

Deno.test("malformed envelopes → listed, and the next one is read", async () => {
  const { page, sent, ids } = session([]);
  page.add(new TextEncoder().encode("no envelope"));
  page.add(
    envelopeOf({}, ["event", null], ["log", { items: "x" }], ["span", { items: [null, 1] }]),
  );
  page.add(eventEnvelope(1));
  assert.deepEqual(await ids(), [3, 2, 1]);
  await assert.rejects(sent.read("envelope", { id: "1" }), /at byte 0/);
});
