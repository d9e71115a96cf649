import assert from "node:assert/strict";
import { LiveList } from "./live_list.ts";
import type { Page } from "../../../monitoring/models/rows.ts";
import type { Clock } from "./pace.ts";
import type { ConsoleQuery } from "./source.ts";

interface Row {
  readonly id: number;
  readonly name?: string;
}

/** A clock that a test moves. */
class TestClock implements Clock {
  #now = 0;
  #timer: { readonly at: number; readonly run: () => void } | undefined;

  readonly now = () => this.#now;
  readonly after = (ms: number, run: () => void) => {
    this.#timer = { at: this.#now + ms, run };
    this.pass(0);
    return () => void (this.#timer = undefined);
  };

  pass(ms: number): void {
    this.#now += ms;
    const timer = this.#timer;
    if (timer === undefined || timer.at > this.#now) return;
    this.#timer = undefined;
    timer.run();
  }
}

/** A list whose requests are answered by the test. */
class Requests {
  readonly clock = new TestClock();
  readonly sent: ConsoleQuery[] = [];
  readonly #open: PromiseWithResolvers<Page<Row>>[] = [];

  readonly list = new LiveList<Row>({
    list: (query) => {
      this.sent.push(query);
      const answer = Promise.withResolvers<Page<Row>>();
      this.#open.push(answer);
      return answer.promise;
    },
    keyOf: ({ id }) => String(id),
    clock: this.clock,
  });

  /** Answers the oldest open request. */
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

  more(): void {
    this.list.snapshot().more!();
  }

  get ids(): number[] {
    return this.list.snapshot().rows.map(({ id }) => id);
  }

  get state() {
    return this.list.snapshot().state;
  }
}

/** A list that has been read once; the answer took `tookMs`. */
async function readOnce(rows: readonly (number | Row)[], next?: string, tookMs = 0) {
  const q = new Requests();
  q.list.read({});
  q.clock.pass(tookMs);
  await q.answer(rows, next);
  return q;
}

Deno.test("list read again → rows stay until the answer; without a change the same snapshot", async () => {
  const q = new Requests();
  q.list.read({});
  assert.deepEqual([q.state, q.ids], ["loading", []]);
  assert.equal(q.list.snapshot(), q.list.snapshot());
  await q.answer([2, 1]);
  q.list.read({});
  assert.deepEqual([q.state, q.ids], ["ready", [2, 1]]);
  await q.answer([3, 2, 1]);
  assert.deepEqual(q.ids, [3, 2, 1]);
});

Deno.test("row read again unchanged → the same object; changed → a new one", async () => {
  const q = await readOnce([{ id: 2, name: "a" }, 1]);
  const [first, second] = q.list.snapshot().rows;
  q.list.read({});
  await q.answer([{ id: 2, name: "b" }, 1]);
  const [changed, same] = q.list.snapshot().rows;
  assert.deepEqual([first?.name, changed?.name], ["a", "b"]);
  assert.equal(same, second);
});

Deno.test("answer to an earlier query → dropped", async () => {
  const q = new Requests();
  q.list.read({ q: "a" });
  q.list.read({ q: "ab" });
  await q.answer([1]);
  assert.deepEqual([q.state, q.ids], ["loading", []]);
  await q.answer([2]);
  assert.deepEqual([q.state, q.ids], ["ready", [2]]);
});

Deno.test("50 changes during a request → one more request", async () => {
  const q = new Requests();
  q.list.read({});
  for (let n = 0; n < 50; n++) q.list.read({});
  assert.equal(q.sent.length, 1);
  await q.answer([1]);
  assert.deepEqual([q.ids, q.sent.length], [[1], 2]);
  await q.answer([2, 1]);
  assert.deepEqual([q.ids, q.sent.length], [[2, 1], 2]);
});

Deno.test("answer after 200 ms → next request 1,800 ms after it if wanted, later ones at once", async () => {
  const q = await readOnce([1], undefined, 200);
  for (const pass of [0, 250, 1_549]) {
    q.clock.pass(pass);
    q.list.read({});
    assert.equal(q.sent.length, 1);
  }
  q.clock.pass(1);
  assert.equal(q.sent.length, 2);
  await q.answer([1]);
  q.clock.pass(60_000);
  assert.equal(q.sent.length, 2, "no change");
  q.list.read({});
  assert.equal(q.sent.length, 3);
});

Deno.test("request fails after 10 s → next one after at most 10 s, retry at once", async () => {
  const q = new Requests();
  q.list.read({});
  q.clock.pass(10_000);
  await q.fail("silent");
  q.list.read({});
  q.clock.pass(10_000);
  assert.equal(q.sent.length, 2);
  q.clock.pass(10_000);
  await q.fail("silent");
  q.list.retry();
  assert.equal(q.sent.length, 3);
});

Deno.test("pause after a slow answer → older rows and another query are requested at once", async () => {
  const q = await readOnce([4, 3], "2.4", 200);
  q.list.read({});
  q.more();
  assert.deepEqual(q.sent.slice(1), [{ before: "2.4" }]);
  await q.answer([2, 1]);
  assert.deepEqual(q.sent.slice(2), [{}]);
  q.clock.pass(200);
  await q.answer([5, 4], "2.4");
  q.list.read({ q: "a" });
  assert.deepEqual(q.sent.slice(3), [{ q: "a" }]);
});

Deno.test("list held → no request, and no answer is shown, until a second after the last call", async () => {
  const q = await readOnce([1]);
  q.list.hold();
  q.list.read({});
  q.clock.pass(900);
  q.list.hold();
  q.clock.pass(999);
  assert.equal(q.sent.length, 1);
  q.clock.pass(1);
  assert.equal(q.sent.length, 2);

  q.list.hold();
  await q.answer([2, 1]);
  assert.deepEqual(q.ids, [1]);
  q.clock.pass(1_000);
  assert.equal(q.sent.length, 3);
  await q.answer([2, 1]);
  assert.deepEqual(q.ids, [2, 1]);
});

Deno.test("list held → older rows, and the first answer to another query, are shown at once", async () => {
  const q = await readOnce([2], "2.4");
  q.list.hold();
  q.more();
  q.list.hold();
  await q.answer([1], "1.4");
  assert.deepEqual(q.ids, [2, 1]);
  q.list.read({ q: "a" });
  q.list.hold();
  await q.answer([3]);
  assert.deepEqual(q.ids, [3]);
});

Deno.test("list frozen → no wanted request, no answer on its way; then it follows again", async () => {
  const q = await readOnce([1], undefined, 100);
  q.list.read({});
  const resume = q.list.freeze({});
  q.clock.pass(10_000);
  assert.equal(q.sent.length, 1);
  assert.ok(resume);
  resume();
  q.list.read({});

  const resumeAgain = q.list.freeze({});
  await q.answer([2, 1]);
  assert.deepEqual(q.ids, [1]);
  assert.ok(resumeAgain);
  resumeAgain();
  q.list.read({});
  await q.answer([2, 1]);
  assert.deepEqual(q.ids, [2, 1]);
  assert.equal(q.list.freeze({ q: "a" }), false);
});

Deno.test("list not visible in the pause → no request until it is visible", async () => {
  const q = await readOnce([1], undefined, 200);
  q.list.read({});
  q.list.rest();
  q.clock.pass(60_000);
  assert.equal(q.sent.length, 1);
  q.list.read({});
  assert.equal(q.sent.length, 2);
});

Deno.test("more pressed twice, or while the newest are read → one request for the next page", async () => {
  const q = await readOnce([4, 3], "2.4");
  q.list.read({});
  q.more();
  q.more();
  assert.equal(q.sent.length, 2);
  await q.answer([4, 3], "2.4");
  q.more();
  assert.deepEqual(q.sent.slice(2), [{ before: "2.4" }]);
  await q.answer([2, 1]);
  assert.deepEqual(q.ids, [4, 3, 2, 1]);
  assert.equal(q.list.snapshot().more, undefined);
});

Deno.test("newer rows arrive → older pages stay, a row that moved is listed once", async () => {
  const q = await readOnce([4, 3], "3");
  q.more();
  await q.answer([2, 1], "1");
  q.list.read({});
  await q.answer([{ id: 1, name: "moved up" }, 5], "5");
  assert.deepEqual(q.ids, [1, 5, 4, 3, 2]);
  assert.equal(q.list.snapshot().rows[0]?.name, "moved up");
  q.more();
  assert.deepEqual(q.sent.at(-1), { before: "1" });
});

Deno.test("answer without a next page → rows that it lacks are removed", async () => {
  const q = await readOnce([4, 3], "3");
  q.more();
  await q.answer([2, 1]);
  q.list.read({});
  await q.answer([]);
  assert.deepEqual(q.ids, []);
});

Deno.test("request fails → error with the old rows; retried or read again → no error", async () => {
  const q = await readOnce([1]);
  q.list.retry();
  assert.equal(q.sent.length, 1, "retried only if it failed");
  for (const again of [() => q.list.read({}), () => q.list.retry()]) {
    q.list.read({});
    await q.fail("The inbox does not answer.");
    assert.deepEqual([q.state, q.list.snapshot().error, q.ids], [
      "failed",
      "The inbox does not answer.",
      [1],
    ]);
    again();
    await q.answer([1]);
    assert.deepEqual([q.state, q.list.snapshot().error], ["ready", undefined]);
  }
});
