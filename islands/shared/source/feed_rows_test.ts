import assert from "node:assert/strict";
import fc from "fast-check";
import { FeedRows } from "./feed_rows.ts";
import type { InboxRow } from "../../../monitoring/protocol/inbox_row.ts";

const row = (id: number): InboxRow => ({
  id,
  received_at: id,
  event_id: null,
  trace_ids: [],
  replay_id: null,
  bytes: 1,
  content_encoding: null,
  items: [],
});
const rows = (...ids: readonly number[]) => ids.map(row);
const ids = (known: FeedRows) => known.rows.map(({ id }) => id);

Deno.test("rows come oldest first, twice or late, and stand newest first, once", () => {
  const known = new FeedRows(10);
  known.add(rows(1, 2));
  known.add(rows(1, 2, 3));
  known.add(rows(2));
  assert.deepEqual(ids(known), [3, 2, 1]);
  assert.equal(known.cursor, 3);
});

Deno.test("the newest are kept, and the total counts the others too", () => {
  const known = new FeedRows(3);
  known.add(rows(11, 12, 13, 14, 15));
  assert.deepEqual(ids(known), [15, 14, 13]);
  assert.equal(known.total, 5);
  known.skipTo(100);
  known.add(rows(101));
  assert.deepEqual(ids(known), [101, 15, 14]);
  assert.equal(known.total, 91, "those that were skipped as well");
});

Deno.test("an answer's cursor holds, also where it has no rows", () => {
  const known = new FeedRows(3);
  known.add([], 7);
  assert.equal(known.cursor, 7);
  assert.equal(known.total, 0);
  known.add(rows(8));
  assert.equal(known.total, 1);
});

Deno.test("a clearing takes what was before it and leaves what came after, in any order", () => {
  const known = new FeedRows(10);
  known.add(rows(1, 2, 4, 5));
  known.clear(3);
  known.clear(2);
  assert.deepEqual(ids(known), [5, 4]);
  assert.equal(known.total, 2);
  assert.equal(known.cursor, 5);
  known.clear(6);
  assert.deepEqual([ids(known), known.total, known.cursor], [[], 0, 6]);
});

Deno.test("an inbox that begins anew takes everything, and its ids begin again", () => {
  const known = new FeedRows(10);
  known.add(rows(7, 8));
  known.clear(0);
  known.add(rows(1));
  assert.deepEqual([ids(known), known.total, known.cursor], [[1], 1, 1]);
});

Deno.test("however overlapping pieces come, each row stands once and in order", () => {
  const piece = fc.tuple(fc.nat({ max: 30 }), fc.nat({ max: 8 }));
  fc.assert(fc.property(fc.array(piece), fc.integer({ min: 1, max: 12 }), (pieces, keep) => {
    const known = new FeedRows(keep);
    let end = 0;
    for (const [back, more] of pieces) {
      // Overlaps what is known, and never leaves a gap: the cursor sees to that.
      const from = Math.max(1, end - back + 1);
      end += more;
      known.add(rows(...Array.from({ length: end - from + 1 }, (_, n) => from + n)));
    }
    const expected = Array.from({ length: Math.min(end, keep) }, (_, n) => end - n);
    assert.deepEqual(ids(known), expected);
    assert.equal(known.total, end);
  }));
});
