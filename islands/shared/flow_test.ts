import assert from "node:assert/strict";
import {
  addSent,
  countReceipts,
  EMPTY_FLOW,
  type FlowReceipt,
  MAX_REASONS,
  NOTHING_SENT,
} from "./flow.ts";

const receipt = (id: string, answer: Partial<FlowReceipt> = {}): FlowReceipt => ({
  id,
  at: 1,
  bytes: 100,
  ...answer,
});
const stored = (id: string, at = 1) => receipt(id, { at, status: 200, outcome: "stored" });
const refused = (id: string) => receipt(id, { status: 403, error: "dsn_not_allowed" });

Deno.test("receipts that stay in the list → each counted once, when it settles", () => {
  const first = countReceipts(EMPTY_FLOW, [stored("a")]);
  assert.equal(first.accepted, 1);
  assert.deepEqual(first.fresh.map(({ id }) => id), ["a"]);

  const second = countReceipts(first, [stored("b"), stored("a")]);
  assert.equal(second.accepted, 2);
  assert.deepEqual(second.fresh.map(({ id }) => id), ["b"]);
  assert.equal(
    countReceipts(second, [stored("b"), stored("a")]),
    second,
    "nothing settled, same state",
  );
});

Deno.test("a waiting receipt → counted when it has a response", () => {
  const waiting = countReceipts(EMPTY_FLOW, [receipt("a", { status: 503 }), receipt("b")]);
  assert.equal(waiting, EMPTY_FLOW);
  const answered = countReceipts(waiting, [stored("a"), receipt("b")]);
  assert.equal(answered.accepted, 1);
});

Deno.test("spooled by the relay → counted as spooled, not as accepted", () => {
  const spooled = (id: string, at = 1) => receipt(id, { at, status: 202, outcome: "spooled" });
  const flow = countReceipts(EMPTY_FLOW, [spooled("b", 8), spooled("a", 7)]);
  assert.deepEqual([flow.accepted, flow.spooled], [0, 2]);
  assert.equal(flow.spoolingSince, 7, "since the first of the run");
  const longer = countReceipts(flow, [spooled("c", 9), spooled("b", 8), spooled("a", 7)]);
  assert.equal(longer.spoolingSince, 7);
  const back = countReceipts(flow, [stored("c"), spooled("b", 8), spooled("a", 7)]);
  assert.deepEqual([back.accepted, back.spooled, back.spoolingSince], [1, 2, undefined]);
  assert.equal(
    countReceipts(back, [spooled("d", 20), stored("c")]).spoolingSince,
    20,
    "a new outage",
  );
});

Deno.test("handed over to another tab, or withdrawn → not counted here", () => {
  assert.equal(countReceipts(EMPTY_FLOW, [receipt("a", { outcome: "handed_over" })]), EMPTY_FLOW);
  assert.equal(countReceipts(EMPTY_FLOW, [receipt("b", { outcome: "withdrawn" })]), EMPTY_FLOW);
});

Deno.test("refusals → counted by reason, the newest first", () => {
  const tooLarge = receipt("c", { at: 3, status: 413, error: "envelope_too_large" });
  const flow = countReceipts(EMPTY_FLOW, [stored("d"), tooLarge, refused("b"), refused("a")]);
  assert.deepEqual([flow.accepted, flow.refused], [1, 3]);
  assert.deepEqual(flow.refusals, [
    { reason: "envelope_too_large", status: 413, count: 1, lastAt: 3 },
    { reason: "dsn_not_allowed", status: 403, count: 2, lastAt: 1 },
  ]);
  assert.equal(countReceipts(flow, [stored("e"), stored("d"), tooLarge]).refusals, flow.refusals);
});

Deno.test("a refusal without an error text → the outcome's meaning", () => {
  const limited = receipt("a", { outcome: "rate_limited" });
  assert.match(
    countReceipts(EMPTY_FLOW, [limited]).refusals[0]?.reason ?? "",
    /announced a rate limit/,
  );
  assert.match(
    countReceipts(EMPTY_FLOW, [{ ...limited, error: "" }]).refusals[0]?.reason ?? "",
    /announced a rate limit/,
  );
});

Deno.test("50 long reasons → a bounded list, all counted", () => {
  const many = Array.from(
    { length: 50 },
    (_, index) => receipt(`${index}`, { status: 400, error: `${index} ${"x".repeat(9000)}` }),
  );
  const flow = countReceipts(EMPTY_FLOW, many);
  assert.equal(flow.refused, 50);
  assert.equal(flow.refusals.length, MAX_REASONS);
  assert.ok(flow.refusals.every(({ reason }) => reason.length <= 200));
});

Deno.test("receipts with one id and two times → counted twice", () => {
  assert.equal(countReceipts(EMPTY_FLOW, [stored("replay", 2), stored("replay", 1)]).accepted, 2);
});

Deno.test("settled receipts → oldest first", () => {
  const flow = countReceipts(EMPTY_FLOW, [stored("c", 3), stored("b", 2), stored("a", 1)]);
  assert.deepEqual(flow.fresh.map(({ id }) => id), ["a", "b", "c"]);
});

Deno.test("a receipt that leaves the list → its count stays, its key is forgotten", () => {
  const flow = countReceipts(countReceipts(EMPTY_FLOW, [stored("a")]), [stored("b")]);
  assert.equal(flow.accepted, 2);
  assert.deepEqual([...flow.settled], ["b/1"]);
});

const sentReceipt = (id: string, attempts: number) => ({
  id,
  at: 1,
  attempts,
  bytes: 100,
  sentBytes: 30 * attempts,
});
const totals = (sent: ReturnType<typeof addSent>) =>
  [sent.envelopes, sent.requests, sent.bytes, sent.uncompressedBytes] as const;

Deno.test("an envelope sent three times → one envelope, three requests", () => {
  const first = addSent(NOTHING_SENT, [sentReceipt("b", 0), sentReceipt("a", 1)]);
  assert.deepEqual(totals(first), [1, 1, 30, 100]);
  const again = addSent(first, [sentReceipt("b", 1), sentReceipt("a", 3)]);
  assert.deepEqual(totals(again), [2, 4, 120, 200]);
  assert.deepEqual(
    totals(addSent(again, [sentReceipt("b", 1), sentReceipt("a", 3)])),
    [2, 4, 120, 200],
  );
});

Deno.test("a sent receipt that leaves the list → stays in the totals", () => {
  const first = addSent(NOTHING_SENT, [sentReceipt("a", 1)]);
  const later = addSent(first, [sentReceipt("b", 1)]);
  assert.deepEqual(totals(later), [2, 2, 60, 200]);
  assert.deepEqual([...later.receipts.keys()], ["b/1"], "and is forgotten");
});

Deno.test("an envelope that was never sent → not counted", () => {
  assert.deepEqual(totals(addSent(NOTHING_SENT, [sentReceipt("a", 0)])), [0, 0, 0, 0]);
});
