import assert from "node:assert/strict";
import { LiveList } from "./live_list.ts";
import type { ListQuery, Page } from "../../../monitoring/models/rows.ts";

interface Row {
  readonly id: number;
  readonly name?: string;
}

/** A list whose answers come when the test says so. */
class Questions {
  readonly asked: ListQuery[] = [];
  readonly #open: PromiseWithResolvers<Page<Row>>[] = [];

  readonly list = new LiveList<Row>({
    list: (query) => {
      this.asked.push(query);
      const answer = Promise.withResolvers<Page<Row>>();
      this.#open.push(answer);
      return answer.promise;
    },
    keyOf: ({ id }) => String(id),
  });

  /** Answers the oldest question that is open. */
  async answer(rows: readonly (number | Row)[], next: string | null = null): Promise<void> {
    this.#open.shift()!.resolve({
      rows: rows.map((row) => typeof row === "number" ? { id: row } : row),
      next,
    });
    await Promise.resolve();
  }

  async fail(message: string): Promise<void> {
    this.#open.shift()!.reject(new Error(message));
    await Promise.resolve();
    await Promise.resolve();
  }

  get ids(): number[] {
    return this.list.snapshot().rows.map(({ id }) => id);
  }
}

Deno.test("what stands on the screen stays while it is asked for again", async () => {
  const q = new Questions();
  q.list.ask({});
  assert.deepEqual([q.list.snapshot().state, q.ids], ["loading", []]);
  await q.answer([2, 1]);
  q.list.ask({});
  assert.deepEqual([q.list.snapshot().state, q.ids], ["ready", [2, 1]]);
  await q.answer([3, 2, 1]);
  assert.deepEqual(q.ids, [3, 2, 1]);
});

Deno.test("the answer to a query that is no longer in force is dropped", async () => {
  const q = new Questions();
  q.list.ask({ q: "a" });
  q.list.ask({ q: "ab" });
  await q.answer([1]);
  assert.deepEqual([q.list.snapshot().state, q.ids], ["loading", []]);
  await q.answer([2]);
  assert.deepEqual([q.list.snapshot().state, q.ids], ["ready", [2]]);
});

Deno.test("many changes while an answer is awaited make one question more, and no answer is lost", async () => {
  const q = new Questions();
  q.list.ask({});
  for (let n = 0; n < 50; n++) q.list.ask({});
  assert.equal(q.asked.length, 1);
  await q.answer([1]);
  assert.deepEqual(q.ids, [1]);
  assert.equal(q.asked.length, 2);
  await q.answer([2, 1]);
  assert.deepEqual([q.ids, q.asked.length], [[2, 1], 2]);
});

Deno.test("older rows are fetched page by page, once for each press", async () => {
  const q = new Questions();
  q.list.ask({ q: "x" });
  await q.answer([4, 3], "3");
  q.list.snapshot().more!();
  q.list.snapshot().more!();
  assert.deepEqual(q.asked, [{ q: "x" }, { q: "x", before: "3" }]);
  await q.answer([2, 1]);
  assert.deepEqual(q.ids, [4, 3, 2, 1]);
  assert.equal(q.list.snapshot().more, undefined);
});

Deno.test("older rows that were fetched stay when newer ones come, and a row that moved stands once", async () => {
  const q = new Questions();
  q.list.ask({});
  await q.answer([4, 3], "3");
  q.list.snapshot().more!();
  await q.answer([2, 1], "1");
  q.list.ask({});
  await q.answer([{ id: 1, name: "moved up" }, 5], "5");
  assert.deepEqual(q.ids, [1, 5, 4, 3, 2]);
  assert.equal(q.list.snapshot().rows[0]?.name, "moved up");
  q.list.snapshot().more!();
  assert.deepEqual(q.asked.at(-1), { before: "1" });
});

Deno.test("an answer without older rows is the whole list: what it lacks is gone", async () => {
  const q = new Questions();
  q.list.ask({});
  await q.answer([4, 3], "3");
  q.list.snapshot().more!();
  await q.answer([2, 1]);
  q.list.ask({});
  await q.answer([]);
  assert.deepEqual(q.ids, []);
});

Deno.test("a failure is told, with the rows still there, and the next answer mends it", async () => {
  const q = new Questions();
  q.list.ask({});
  await q.answer([1]);
  q.list.ask({});
  await q.fail("The inbox does not answer.");
  const { state, error } = q.list.snapshot();
  assert.deepEqual([state, error, q.ids], ["failed", "The inbox does not answer.", [1]]);
  q.list.ask({});
  await q.answer([1]);
  assert.deepEqual([q.list.snapshot().state, q.list.snapshot().error], ["ready", undefined]);
});

Deno.test("a snapshot is the same object until something changes", async () => {
  const q = new Questions();
  q.list.ask({});
  const before = q.list.snapshot();
  assert.equal(q.list.snapshot(), before);
  await q.answer([]);
  assert.notEqual(q.list.snapshot(), before);
});

Deno.test("a list knows which query's rows it holds, however the query was written down", () => {
  const q = new Questions();
  assert.equal(q.list.asks({}), false);
  q.list.ask({ q: "a" });
  assert.equal(q.list.asks({ q: "a", trace: undefined }), true);
  assert.equal(q.list.asks({ q: "ab" }), false);
});
