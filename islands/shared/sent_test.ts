import assert from "node:assert/strict";
import { nothingSent, sum } from "./sent.ts";

const envelope = (id: string, attempts: number, bytes = 100) => ({ id, at: 1, attempts, bytes });
const totals = ({ envelopes, requests, bytes }: ReturnType<typeof sum>) =>
  [envelopes, requests, bytes] as const;

Deno.test("each time an envelope is sent counts, and once as an envelope", () => {
  const first = sum(nothingSent, [envelope("b", 0), envelope("a", 1)]);
  assert.deepEqual(totals(first), [1, 1, 100]);
  const again = sum(first, [envelope("b", 1), envelope("a", 3)]);
  assert.deepEqual(totals(again), [2, 4, 400]);
  assert.deepEqual(totals(sum(again, [envelope("b", 1), envelope("a", 3)])), [2, 4, 400]);
});

Deno.test("what has left the list stays in the sums", () => {
  const first = sum(nothingSent, [envelope("a", 1)]);
  const later = sum(first, [envelope("b", 1)]);
  assert.deepEqual(totals(later), [2, 2, 200]);
  assert.deepEqual([...later.attempts.keys()], ["b/1"], "and is forgotten");
});

Deno.test("what was never sent, for a limit or because it was given up, is no request", () => {
  assert.deepEqual(totals(sum(nothingSent, [envelope("a", 0, 0)])), [0, 0, 0]);
});
