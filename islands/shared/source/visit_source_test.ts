import assert from "node:assert/strict";
import { readEnvelope } from "../../../monitoring/protocol/scanner.ts";
import { envelopeOf, eventEnvelope, hexId } from "../../../monitoring/inbox/testdata/envelopes.ts";
import { createVisitSource, type TapedEnvelope } from "./visit_source.ts";

/** A tape as the page's telemetry has one: a list that grows at its end and loses its beginning. */
class Tape {
  readonly envelopes: TapedEnvelope[] = [];
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

const idsOf = async (source: ReturnType<typeof createVisitSource>) =>
  (await source.envelopes({})).rows.map(({ id }) => id);

Deno.test("what the visit sent is listed, newest first, and its bytes are to be had", async () => {
  const tape = new Tape();
  tape.add(eventEnvelope(1), 5);
  const source = createVisitSource(tape);
  tape.add(eventEnvelope(2), 6);
  const { rows, next } = await source.envelopes({});
  assert.deepEqual(rows.map(({ id, event_id, received_at }) => [id, event_id, received_at]), [
    [2, hexId(2), 6],
    [1, hexId(1), 5],
  ]);
  assert.equal(next, null);
  assert.equal(await source.envelope(1), tape.envelopes[0]?.bytes);
  assert.equal(await source.envelope(3), undefined);
});

Deno.test("errors, logs and traces come of the same bytes as in an inbox", async () => {
  const tape = new Tape();
  const trace_id = "a".repeat(32);
  tape.add(envelopeOf({ event_id: hexId(1) }, ["event", {
    exception: { values: [{ type: "TypeError", value: "no" }] },
    contexts: { trace: { trace_id } },
  }]));
  tape.add(
    envelopeOf({}, ["log", { items: [{ timestamp: 1, level: "warn", body: "hello", trace_id }] }]),
  );
  const source = createVisitSource(tape);
  const [error] = (await source.list("errors", {})).rows;
  assert.deepEqual([error?.type, error?.value, error?.count], ["TypeError", "no", 1]);
  assert.equal((await source.list("logs", { q: "HELLO" })).rows.length, 1);
  assert.equal((await source.list("logs", { q: "absent" })).rows.length, 0);
  const [trace] = (await source.list("traces", {})).rows;
  assert.deepEqual([trace?.trace_id, trace?.errors, trace?.logs], [trace_id, 1, 1]);
});

Deno.test("a subscriber learns of what comes, and the snapshot stays the same until then", () => {
  const tape = new Tape();
  const source = createVisitSource(tape);
  let calls = 0;
  source.subscribe(() => calls++);
  const before = source.snapshot();
  assert.equal(source.snapshot(), before);
  tape.add(eventEnvelope(1));
  assert.equal(calls, 1);
  assert.ok(source.snapshot().version > before.version);
  assert.equal(source.snapshot().total, 1);
  // The tape tells of spans too.
  for (const listener of tape.listeners) listener();
  assert.equal(calls, 1);
});

Deno.test("no envelope is taken twice or left out when the tape loses its oldest", async () => {
  const tape = new Tape();
  const source = createVisitSource(tape);
  tape.add(eventEnvelope(1));
  tape.add(eventEnvelope(2));
  assert.deepEqual(await idsOf(source), [2, 1]);
  tape.envelopes.shift();
  tape.add(eventEnvelope(3));
  assert.deepEqual(await idsOf(source), [3, 2, 1]);
  tape.envelopes.splice(0);
  tape.add(eventEnvelope(4));
  assert.deepEqual(await idsOf(source), [4, 3, 2, 1]);
});

Deno.test("bytes are bounded: of the oldest ones only the rows are left", async () => {
  const tape = new Tape();
  const size = eventEnvelope(1).byteLength;
  const source = createVisitSource(tape, { maxBytes: 2 * size });
  for (const n of [1, 2, 3]) tape.add(eventEnvelope(n));
  assert.deepEqual(await idsOf(source), [3, 2, 1]);
  assert.equal(await source.envelope(1), undefined);
  assert.equal(source.download(1), undefined);
  assert.ok(await source.envelope(3));
});

Deno.test("what is cleared does not come back, and what is made after it does", async () => {
  const tape = new Tape();
  const source = createVisitSource(tape);
  tape.add(eventEnvelope(1));
  await source.clear();
  assert.deepEqual(await idsOf(source), []);
  assert.equal(await source.envelope(1), undefined);
  tape.add(eventEnvelope(2));
  assert.deepEqual(await idsOf(source), [2]);
});

Deno.test("its export is an archive as an inbox's is", async () => {
  const tape = new Tape();
  tape.add(eventEnvelope(1), 7);
  const source = createVisitSource(tape);
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

Deno.test("hostile bytes are listed as what they are and stop nothing", async () => {
  const tape = new Tape();
  tape.add(new TextEncoder().encode("no envelope"));
  tape.add(
    envelopeOf({}, ["event", null], ["log", { items: "x" }], ["span", { items: [null, 1] }]),
  );
  tape.add(eventEnvelope(1));
  const source = createVisitSource(tape);
  assert.deepEqual(await idsOf(source), [3, 2, 1]);
});
