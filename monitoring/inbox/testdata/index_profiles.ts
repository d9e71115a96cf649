import assert from "node:assert/strict";
import { hexId, span, type TestItem } from "./envelopes.ts";
import type { ListQuery } from "../../models/list_query.ts";
import { readProfileContent } from "../details/profile_content.ts";
import { type AddTest, NOON, shop } from "./tested_index.ts";

const seconds = (at: number) => NOON / 1_000 + at;

/** A chunk of a profiler's session: a sample of each function, 10 ms apart from `at` seconds after noon. */
export const profileChunk = (
  profiler: number,
  chunk: number,
  at: number,
  functions: readonly string[],
  thread = "0",
): TestItem => ["profile_chunk", {
  version: "2",
  platform: "node",
  profiler_id: hexId(profiler),
  chunk_id: hexId(chunk),
  profile: {
    frames: [...functions, "handler"].map((name) => ({
      function: name,
      ...name !== "(idle)" && { abs_path: "/app/api.mjs" },
    })),
    stacks: functions.map((_, n) => [n, functions.length]),
    samples: functions.map((_, n) => ({
      timestamp: seconds(at) + n / 100,
      thread_id: thread,
      stack_id: n,
    })),
    thread_metadata: { "0": { name: "main" } },
  },
}];

/** The first span of a process, profiled from `at` to `end` seconds after noon. */
export const profiledSpan = (
  trace: number,
  profiler: number,
  name: string,
  at: number,
  end: number,
  thread = "0",
) =>
  span(trace, {
    name,
    span_id: `b${trace}`.padEnd(16, "0"),
    is_segment: true,
    start_timestamp: seconds(at),
    end_timestamp: seconds(end),
    attributes: {
      "sentry.profiler_id": { value: hexId(profiler) },
      "thread.id": { value: thread },
    },
  });

/** A profile of a transaction, from `at` seconds after noon. */
const profile = (id: number, trace: number, name: string, at: number): TestItem => ["profile", {
  version: "1",
  event_id: hexId(id),
  timestamp: new Date(NOON + at * 1_000).toISOString(),
  transaction: { name, trace_id: hexId(trace), active_thread_id: "0" },
  profile: {
    frames: [{ function: "sort" }],
    stacks: [[0]],
    samples: [0, 1, 2].map((n) => ({
      elapsed_since_start_ns: n * 1e7,
      thread_id: "0",
      stack_id: 0,
    })),
  },
}];

/** The list of profiles, and one of them. */
export function addProfileTests(test: AddTest): void {
  const names = (inbox: Parameters<Parameters<AddTest>[1]>[0], query: ListQuery = {}) =>
    inbox.page("profiles", query).rows.map(({ name }) => name);

  test(
    "chunks of a profiler late and twice → one session, with its spans",
    async (inbox, _, addOf) => {
      const [early, late] = [["a", "b"], ["b", "(idle)", "b"]];
      await addOf(shop("1"), profileChunk(1, 12, -30, late));
      await addOf(shop("1"), profileChunk(1, 11, -60, early), profileChunk(1, 12, -30, late));
      await addOf(shop("1"), profiledSpan(5, 1, "GET /report", -30, -29));
      await addOf(shop("1"), profiledSpan(6, 1, "GET /", -60, -59.5));
      await addOf(shop("1"), profiledSpan(7, 1, "GET /on/another/thread", -60, -50, "7"));
      assert.equal(names(inbox, { q: "duration:>30s" }).length, 1);
      const [row, ...others] = inbox.page("profiles", {}).rows;
      assert.deepEqual(others, []);
      const { application: _application, ...facts } = row!;
      assert.deepEqual(facts, {
        profile_id: hexId(1),
        of: "session",
        name: "GET /report",
        started_at: NOON - 60_000,
        ended_at: NOON - 29_980,
        samples: 5,
        top: { function: "b", file: "/app/api.mjs", share: 0.75, of: 4 },
        spans: 3,
        release: "shop@1",
        trace_id: null,
      });
      const whole = await readProfileContent(inbox, { id: hexId(1) });
      assert.equal(whole?.samples.length, 5);
      assert.deepEqual(whole?.spans.map(({ name, thread }) => [name, thread]), [
        ["GET /on/another/thread", "7"],
        ["GET /report", "0"],
        ["GET /", "0"],
      ]);
      const asked = { id: hexId(1), trace: hexId(5), span: "b500000000000000" };
      const part = await readProfileContent(inbox, asked);
      assert.deepEqual([part?.span?.name, part?.span?.thread], ["GET /report", "0"]);
      assert.equal(part?.samples.length, 3);
      assert.equal(await readProfileContent(inbox, { id: hexId(9) }), undefined);
    },
  );

  test(
    "profiles → filtered by words, trace, recording, sender and time; sorted",
    async (inbox, add, addOf) => {
      await addOf(shop("1"), profile(1, 7, "import prices", -60));
      await addOf(shop("2"), profile(2, 8, "export", -30), [
        "replay_event",
        { replay_id: hexId(50), trace_ids: [hexId(8)] },
      ]);
      await addOf(shop("2"), profileChunk(3, 1, -20, ["compareSlowly", "format"]));
      await add(profiledSpan(9, 3, "GET /report", -20, -19));
      assert.deepEqual(names(inbox), ["GET /report", "export", "import prices"]);
      const spans = inbox.page("profiles", {}).rows.map(({ spans }) => spans);
      assert.deepEqual(spans, [1, null, null], "not counted of a transaction");
      assert.deepEqual(names(inbox, { q: "compareslow" }), ["GET /report"]);
      assert.deepEqual(names(inbox, { q: "name:export" }), ["export"]);
      assert.deepEqual(names(inbox, { q: "duration:>15ms" }), ["export", "import prices"]);
      // The name is of a span of its session, the function of a chunk.
      assert.deepEqual(names(inbox, { q: "report compareslow" }), ["GET /report"]);
      assert.deepEqual(names(inbox, { q: "-name:GET*" }), ["export", "import prices"]);
      assert.deepEqual(names(inbox, { trace: hexId(7) }), ["import prices"]);
      assert.deepEqual(names(inbox, { trace: hexId(9) }), ["GET /report"]);
      assert.deepEqual(names(inbox, { replay: hexId(50) }), ["export"]);
      assert.deepEqual(names(inbox, { profile: hexId(2) }), ["export"]);
      assert.deepEqual(names(inbox, { release: "shop@1" }), ["import prices"]);
      assert.deepEqual(names(inbox, { environment: "production" }), []);
      assert.deepEqual(names(inbox, { application: "sightglass" }), []);
      assert.deepEqual(names(inbox, { since: NOON - 40_000, until: NOON - 25_000 }), ["export"]);
      assert.equal(names(inbox, { sort: "duration" })[0], "GET /report");
      assert.equal(names(inbox, { sort: "-samples" }).at(-1), "GET /report");
      const { rows, next } = inbox.page("profiles", { limit: 2 });
      assert.equal(rows.length, 2);
      assert.deepEqual(names(inbox, { before: next! }), ["import prices"]);
      assert.equal(inbox.applications({}).counts.profiles, 3);
      const envelopes = inbox.page("envelopes", { q: "compareSlowly" }).rows;
      assert.deepEqual(envelopes.map(({ items }) => items[0]?.type), ["profile_chunk"]);
    },
  );

  test(
    "profile beside its transaction, before or after → its name and span",
    async (inbox, add) => {
      const transaction = (trace: number, op: string, name: string): TestItem => ["transaction", {
        ...{ event_id: hexId(trace), transaction: name, request: { method: "GET" } },
        ...{ start_timestamp: seconds(-20), timestamp: seconds(-19) },
        contexts: { trace: { trace_id: hexId(trace), span_id: "a".repeat(16), op } },
      }];
      // Python's SDK sends the profile first.
      await add(profile(1, 7, "/report", -20), transaction(7, "http.server", "/report"));
      await add(transaction(8, "pageload", "/8"), profile(2, 8, "/8", -20));
      await add(profile(3, 9, "/alone", -20));
      assert.deepEqual(names(inbox), ["/alone", "Page load /8", "GET /report"]);
      for (const [id, name] of [[1, "GET /report"], [2, "Page load /8"], [3, undefined]] as const) {
        assert.equal((await readProfileContent(inbox, { id: hexId(id) }))?.span?.name, name);
      }
      assert.deepEqual(names(inbox, { q: 'name:"GET /report"' }), ["GET /report"]);
    },
  );

  test("eviction of a chunk → the rest of the session", async (inbox, add) => {
    await add(profileChunk(1, 11, -60, ["a", "b"]));
    await add(profileChunk(1, 12, -30, ["c"]));
    await add(profile(2, 7, "export", -10));
    const [, session] = inbox.page("profiles", {}).rows;
    assert.deepEqual([session?.samples, session?.started_at], [1, NOON - 30_000]);
    const content = await readProfileContent(inbox, { id: hexId(1) });
    assert.deepEqual(content?.frames.map((frame) => frame.function), ["handler", "c"]);
  }, 2);
}
