import assert from "node:assert/strict";
import { advance, MAX_REASONS, type Passing, still } from "./flow.ts";

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
  const spooled = (id: string, at = 1) => receipt(id, { at, status: 202, outcome: "spooled" });
  const flow = advance(still, [spooled("b", 8), spooled("a", 7)]);
  assert.deepEqual([flow.accepted, flow.spooled], [0, 2]);
  assert.equal(flow.spoolingSince, 7, "since the first of the run");
  const longer = advance(flow, [spooled("c", 9), spooled("b", 8), spooled("a", 7)]);
  assert.equal(longer.spoolingSince, 7);
  const back = advance(flow, [stored("c"), spooled("b", 8), spooled("a", 7)]);
  assert.deepEqual([back.accepted, back.spooled, back.spoolingSince], [1, 2, undefined]);
  assert.equal(advance(back, [spooled("d", 20), stored("c")]).spoolingSince, 20, "a new outage");
});

Deno.test("what another tab has seen to is counted there", () => {
  assert.equal(advance(still, [receipt("a", { outcome: "handed_over" })]), still);
});

Deno.test("refusals are counted by reason, that of the newest first, and accepted ones do not hide them", () => {
  const tooLarge = receipt("c", { at: 3, status: 413, error: "envelope_too_large" });
  const flow = advance(still, [stored("d"), tooLarge, refused("b"), refused("a")]);
  assert.deepEqual([flow.accepted, flow.refused], [1, 3]);
  assert.deepEqual(flow.refusals, [
    { why: "envelope_too_large", status: 413, count: 1, lastAt: 3 },
    { why: "dsn_not_allowed", status: 403, count: 2, lastAt: 1 },
  ]);
  assert.equal(advance(flow, [stored("e"), stored("d"), tooLarge]).refusals, flow.refusals);
});

Deno.test("a refusal without a reason is told in our own words", () => {
  const limited = receipt("a", { outcome: "rate_limited" });
  assert.match(advance(still, [limited]).refusals[0]?.why ?? "", /announced a limit/);
  assert.match(
    advance(still, [{ ...limited, error: "" }]).refusals[0]?.why ?? "",
    /announced a limit/,
  );
});

Deno.test("answers that each name a reason of their own, however long, fill no memory", () => {
  const many = Array.from(
    { length: 50 },
    (_, index) => receipt(`${index}`, { status: 400, error: `${index} ${"x".repeat(9000)}` }),
  );
  const flow = advance(still, many);
  assert.equal(flow.refused, 50);
  assert.equal(flow.refusals.length, MAX_REASONS);
  assert.ok(flow.refusals.every(({ why }) => why.length <= 200));
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
