import assert from "node:assert/strict";
import { advance, type Passing, still } from "./flow.ts";

const receipt = (id: string, answer: Partial<Passing> = {}): Passing => ({
  id,
  at: 1,
  bytes: 100,
  ...answer,
});
const stored = (id: string, at = 1) => receipt(id, { at, status: 200, outcome: "stored" });
const refused = (id: string) => receipt(id, { status: 403, error: "dsn_not_allowed" });

Deno.test("an envelope is counted once, when it settles", () => {
  const first = advance(still, [stored("a")]);
  assert.equal(first.accepted, 1);
  assert.deepEqual(first.fresh.map(({ id }) => id), ["a"]);

  const second = advance(first, [stored("b"), stored("a")]);
  assert.equal(second.accepted, 2);
  assert.deepEqual(second.fresh.map(({ id }) => id), ["b"]);
  assert.equal(advance(second, [stored("b"), stored("a")]), second, "nothing settled, same state");
});

Deno.test("what waits moves only once it has an answer", () => {
  const waiting = advance(still, [receipt("a", { status: 503 }), receipt("b")]);
  assert.equal(waiting, still);
  const answered = advance(waiting, [stored("a"), receipt("b")]);
  assert.equal(answered.accepted, 1);
});

Deno.test("what the relay spooled has left the browser, and is not accepted by the ingest", () => {
  const spooled = (id: string) => receipt(id, { status: 202, outcome: "spooled" });
  const flow = advance(still, [spooled("b"), spooled("a")]);
  assert.deepEqual([flow.accepted, flow.spooled, flow.isSpooling], [0, 2, true]);
  const back = advance(flow, [stored("c"), spooled("b"), spooled("a")]);
  assert.deepEqual([back.accepted, back.spooled, back.isSpooling], [1, 2, false]);
});

Deno.test("what another tab has seen to is counted there", () => {
  assert.equal(advance(still, [receipt("a", { outcome: "handed_over" })]), still);
});

Deno.test("the newest refusal is remembered, accepted envelopes do not hide it", () => {
  const flow = advance(still, [stored("c"), refused("b"), refused("a")]);
  assert.deepEqual([flow.accepted, flow.refused, flow.lastRefused?.id], [1, 2, "b"]);
  assert.equal(advance(flow, [stored("d"), stored("c"), refused("b")]).lastRefused?.id, "b");
});

Deno.test("envelopes that share an id are told apart by their time", () => {
  assert.equal(advance(still, [stored("replay", 2), stored("replay", 1)]).accepted, 2);
});

Deno.test("marks move in the order in which they were sent", () => {
  const flow = advance(still, [stored("c", 3), stored("b", 2), stored("a", 1)]);
  assert.deepEqual(flow.fresh.map(({ id }) => id), ["a", "b", "c"]);
});

Deno.test("what has left the list is forgotten, its count stays", () => {
  const flow = advance(advance(still, [stored("a")]), [stored("b")]);
  assert.equal(flow.accepted, 2);
  assert.deepEqual([...flow.settled], ["b/1"]);
});
