import assert from "node:assert/strict";
import {
  type CountedReceipt,
  countReceipts,
  NOTHING_SENT,
  type SentCounts,
} from "./sent_counts.ts";

const receipt = (id: string, answer: Partial<CountedReceipt> = {}): CountedReceipt => (
  { id, at: 1, attempts: 1, sentBytes: 30, tookMs: 2, ...answer }
);
const stored = (id: string, at = 1) => receipt(id, { at, status: 200, outcome: "stored" });
const spooled = (id: string, at = 1) =>
  receipt(id, { at, status: 202, outcome: `spooled; key=${id}` });
const ends = ({ accepted, refused, lost }: SentCounts) => [accepted, refused, lost];

/** What is counted of one receipt, in a page that has none yet. */
const COUNTED: readonly (readonly [string, CountedReceipt, counts: readonly number[]])[] = [
  ["stored → accepted", stored("a"), [1, 0, 0]],
  ["refused → refused", receipt("a", { status: 403, error: "dsn_not_allowed" }), [0, 1, 0]],
  ["spooled by the relay → not accepted yet", spooled("a"), [0, 0, 0]],
  ["dropped in this browser → lost", receipt("a", { outcome: "dropped" }), [0, 0, 1]],
  ["unsent for a rate limit → lost", receipt("a", { outcome: "rate_limited" }), [0, 0, 1]],
  ["limited for good → lost", receipt("a", { status: 429, outcome: "rate_limited" }), [0, 0, 1]],
  ["spooled, then dropped → lost", receipt("a", { status: 202, outcome: "dropped" }), [0, 0, 1]],
  ["held back by a limit, waiting → nothing", receipt("a", { status: 429 }), [0, 0, 0]],
  ["failed, waiting → nothing", receipt("a", { status: 503 }), [0, 0, 0]],
  ["not sent yet → nothing", receipt("a", { attempts: 0 }), [0, 0, 0]],
  ["handed over to another tab → nothing", receipt("a", { outcome: "handed_over" }), [0, 0, 0]],
  ["withdrawn → nothing", receipt("a", { outcome: "withdrawn" }), [0, 0, 0]],
];
for (const [title, receipt, counts] of COUNTED) {
  Deno.test(title, () => assert.deepEqual(ends(countReceipts(NOTHING_SENT, [receipt])), counts));
}

Deno.test("receipts that stay in the list → each counted once, when it ends", () => {
  const first = countReceipts(NOTHING_SENT, [receipt("c"), stored("b", 2), stored("a", 1)]);
  assert.equal(first.accepted, 2);
  const list = [stored("d"), stored("c"), stored("b", 2), stored("a", 1)];
  const second = countReceipts(first, list);
  assert.equal(second.accepted, 4);
  assert.equal(countReceipts(second, list).accepted, 4);
});

Deno.test("receipts with one id and two times → counted twice", () => {
  assert.equal(countReceipts(NOTHING_SENT, [stored("replay", 2), stored("replay", 1)]).accepted, 2);
});

Deno.test("a receipt that leaves the list → its count stays, its key is forgotten", () => {
  const counts = countReceipts(countReceipts(NOTHING_SENT, [stored("a")]), [stored("b")]);
  assert.equal(counts.accepted, 2);
  assert.deepEqual([...counts.receipts.keys()], ["b/1"]);
});

Deno.test("spooled envelopes → their keys, until it is known what became of them", () => {
  const run = countReceipts(NOTHING_SENT, [spooled("b", 8), spooled("a", 7)]);
  assert.deepEqual([run.spooled, run.accepted], [["b", "a"], 0]);
  const left = receipt("b", { at: 8, status: 202, outcome: "left_spool" });
  const refused = receipt("a", { at: 7, status: 202, outcome: "rejected" });
  const later = countReceipts(run, [left, refused]);
  assert.deepEqual([later.spooled, ends(later)], [[], [0, 1, 0]]);
  const delivered = receipt("b", { at: 8, status: 202, outcome: "delivered" });
  assert.deepEqual(ends(countReceipts(run, [delivered])), [1, 0, 0]);
});

Deno.test("sent by another tab → what became of it is not known", () => {
  const { left, accepted } = countReceipts(NOTHING_SENT, [
    receipt("a", { outcome: "handed_over" }),
  ]);
  assert.deepEqual([left, accepted], [1, 0]);
});

Deno.test("refusals → the newest one's reason, bounded; without one the outcome's meaning", () => {
  const limited = receipt("a", { status: 429, outcome: "rate_limited", error: "" });
  const first = countReceipts(NOTHING_SENT, [limited]);
  assert.match(first.lastProblem?.reason ?? "", /announced a rate limit/);
  const long = receipt("b", { status: 400, error: `why ${"x".repeat(9000)}` });
  const { reason = "" } = countReceipts(first, [long, limited]).lastProblem ?? {};
  assert.deepEqual([reason.slice(0, 4), reason.length], ["why ", 200]);
});

Deno.test("envelopes sent any number of times → totals of requests and bytes", () => {
  const sent = (id: string, attempts: number) =>
    receipt(id, { attempts, sentBytes: 30 * attempts });
  const first = countReceipts(NOTHING_SENT, [sent("b", 0), sent("a", 1)]);
  assert.deepEqual([first.requests, first.bytes], [1, 30]);
  const again = countReceipts(first, [sent("b", 1), sent("a", 3)]);
  assert.deepEqual([again.requests, again.bytes], [4, 120]);
  const later = countReceipts(again, [sent("b", 1)]);
  assert.deepEqual([later.requests, later.bytes], [4, 120], "one has left the list");
});
