import assert from "node:assert/strict";
import {
  addSent,
  countReceipts,
  EMPTY_FLOW,
  type FlowReceipt,
  MAX_REASONS,
  NOTHING_SENT,
} from "./flow.ts";

const receipt = (id: string, answer: Partial<FlowReceipt> = {}): FlowReceipt => (
  { id, at: 1, bytes: 100, ...answer }
);
const stored = (id: string, at = 1) => receipt(id, { at, status: 200, outcome: "stored" });
const spooled = (id: string, at = 1) => receipt(id, { at, status: 202, outcome: "spooled" });
const refused = (id: string) => receipt(id, { status: 403, error: "dsn_not_allowed" });

/** What is counted of one receipt, in a page that has none yet. */
const COUNTED: readonly (readonly [string, FlowReceipt, counts: readonly number[]])[] = [
  ["stored → accepted", stored("a"), [1, 0, 0]],
  ["refused → refused", refused("a"), [0, 1, 0]],
  ["spooled by the relay → not accepted yet", spooled("a"), [0, 0, 1]],
  ["failed, waiting → nothing", receipt("a", { status: 503 }), [0, 0, 0]],
  ["not sent yet → nothing", receipt("a"), [0, 0, 0]],
  ["handed over to another tab → nothing", receipt("a", { outcome: "handed_over" }), [0, 0, 0]],
  ["withdrawn → nothing", receipt("a", { outcome: "withdrawn" }), [0, 0, 0]],
];
for (const [title, receipt, counts] of COUNTED) {
  Deno.test(title, () => {
    const flow = countReceipts(EMPTY_FLOW, [receipt]);
    assert.deepEqual([flow.accepted, flow.refused, flow.spooled], counts);
    assert.equal(flow === EMPTY_FLOW, counts.every((count) => count === 0), "same state");
  });
}

Deno.test("receipts that stay in the list → each counted once, when it settles, oldest first", () => {
  const first = countReceipts(EMPTY_FLOW, [receipt("c"), stored("b", 2), stored("a", 1)]);
  assert.equal(first.accepted, 2);
  assert.deepEqual(first.fresh.map(({ id }) => id), ["a", "b"]);
  const list = [stored("d"), stored("c"), stored("b", 2), stored("a", 1)];
  const second = countReceipts(first, list);
  assert.equal(second.accepted, 4);
  assert.deepEqual(second.fresh.map(({ id }) => id), ["c", "d"]);
  assert.equal(countReceipts(second, list), second, "nothing settled, same state");
});

Deno.test("receipts with one id and two times → counted twice", () => {
  assert.equal(countReceipts(EMPTY_FLOW, [stored("replay", 2), stored("replay", 1)]).accepted, 2);
});

Deno.test("a receipt that leaves the list → its count stays, its key is forgotten", () => {
  const flow = countReceipts(countReceipts(EMPTY_FLOW, [stored("a")]), [stored("b")]);
  assert.equal(flow.accepted, 2);
  assert.deepEqual([...flow.settled], ["b/1"]);
});

Deno.test("a run of spooled envelopes → the time of its first one, until one is accepted", () => {
  const flow = countReceipts(EMPTY_FLOW, [spooled("b", 8), spooled("a", 7)]);
  assert.deepEqual([flow.spooled, flow.spoolingSince], [2, 7]);
  assert.equal(countReceipts(flow, [spooled("c", 9), spooled("b", 8)]).spoolingSince, 7);
  const back = countReceipts(flow, [stored("c"), spooled("b", 8), spooled("a", 7)]);
  assert.deepEqual([back.accepted, back.spooled, back.spoolingSince], [1, 2, undefined]);
  assert.equal(countReceipts(back, [spooled("d", 20), stored("c")]).spoolingSince, 20);
});

Deno.test("a refusal without an error text → the outcome's meaning", () => {
  for (const error of [{}, { error: "" }]) {
    const limited = receipt("a", { outcome: "rate_limited", ...error });
    const { refusals } = countReceipts(EMPTY_FLOW, [limited]);
    assert.match(refusals[0]?.reason ?? "", /announced a rate limit/);
  }
});

Deno.test("50 long reasons → a bounded list, all counted", () => {
  const many = Array.from(
    { length: 50 },
    (_, index) => receipt(`${index}`, { status: 400, error: `${index} ${"x".repeat(9000)}` }),
  );
  const flow = countReceipts(EMPTY_FLOW, many);
  assert.deepEqual([flow.refused, flow.refusals.length], [50, MAX_REASONS]);
  assert.ok(flow.refusals.every(({ reason }) => reason.length <= 200));
});

Deno.test("envelopes sent any number of times → totals of envelopes, requests and bytes", () => {
  const sent = (id: string, attempts: number) => (
    { id, at: 1, attempts, bytes: 100, sentBytes: 30 * attempts }
  );
  const totals = (
    { envelopes, requests, bytes, uncompressedBytes }: typeof NOTHING_SENT,
  ) => [envelopes, requests, bytes, uncompressedBytes];
  assert.deepEqual(totals(addSent(NOTHING_SENT, [sent("a", 0)])), [0, 0, 0, 0], "not sent yet");
  const first = addSent(NOTHING_SENT, [sent("b", 0), sent("a", 1)]);
  assert.deepEqual(totals(first), [1, 1, 30, 100]);
  const again = addSent(first, [sent("b", 1), sent("a", 3)]);
  assert.deepEqual(totals(again), [2, 4, 120, 200]);
  assert.deepEqual(totals(addSent(again, [sent("b", 1), sent("a", 3)])), [2, 4, 120, 200]);
  const later = addSent(again, [sent("b", 1)]);
  assert.deepEqual(totals(later), [2, 4, 120, 200], "one has left the list");
  assert.deepEqual([...later.receipts.keys()], ["b/1"], "and is forgotten");
});
