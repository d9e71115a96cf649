import assert from "node:assert/strict";
import type { Inbox } from "../inbox.ts";
import {
  admitted,
  type Attributes,
  envelopeOf,
  error,
  hexId,
  log,
  span,
  type TestItem,
} from "./envelopes.ts";
import { addAiTests } from "./index_ai.ts";
import { addEndpointTests } from "./index_endpoints.ts";
import { addFeedbackTests } from "./index_feedback.ts";
import { addFilterTests } from "./index_filters.ts";
import { addGroupTests } from "./index_groups.ts";
import { addMonitorTests } from "./index_monitors.ts";
import { addMetricTests } from "./index_metrics.ts";
import { addOrderTests } from "./index_order.ts";
import { addProfileTests } from "./index_profiles.ts";
import { addReportTests } from "./index_reports.ts";
import { addRecordingTests, segment } from "./index_recordings.ts";
import { type AddTest, bodies, ENVELOPE_BYTES, NOON, sentBy, traces } from "./tested_index.ts";

/**
 * The contract of the lists, as tests for each database. Pass each to `Deno.test`.
 *
 * @param make opens an empty inbox for at most `max` envelopes of {@linkcode ENVELOPE_BYTES}
 */
export function indexTests(
  name: string,
  make: (maxEnvelopes: number) => Inbox | Promise<Inbox>,
): readonly Deno.TestDefinition[] {
  const tests: Deno.TestDefinition[] = [];
  const test: AddTest = (behaviour, body, maxEnvelopes = 100) => {
    const fn = async () => {
      const inbox = await make(maxEnvelopes);
      let count = 0;
      try {
        const addOf = (header: Attributes, ...items: TestItem[]) =>
          inbox.store(admitted(padded(items, header), NOON + 1_000 * count++));
        await body(inbox, (...items) => addOf({}, ...items), addOf);
      } finally {
        await inbox.close();
      }
    };
    tests.push({ name: `${name}: ${behaviour}`, fn });
  };

  addRowTests(test);
  addFilterTests(test);
  addGroupTests(test);
  addMonitorTests(test);
  addOrderTests(test);
  addRecordingTests(test);
  addMetricTests(test);
  addAiTests(test);
  addEndpointTests(test);
  addFeedbackTests(test);
  addProfileTests(test);
  addReportTests(test);
  return tests;
}

/** An envelope of {@linkcode ENVELOPE_BYTES}. */
function padded(
  sent: readonly TestItem[],
  { sender, ...header }: Attributes,
): Uint8Array<ArrayBuffer> {
  const items = sent.map((item) => sentBy(item, sender));
  const empty = envelopeOf({ ...header, pad: "" }, ...items).byteLength;
  return envelopeOf({ ...header, pad: "x".repeat(Math.max(0, ENVELOPE_BYTES - empty)) }, ...items);
}

const permutations = <T>(list: readonly T[]): T[][] =>
  list.length === 0
    ? [[]]
    : list.flatMap((one, n) =>
      permutations(list.toSpliced(n, 1)).map((others) => [one, ...others])
    );

/** The rows of each list. */
function addRowTests(test: AddTest): void {
  test("every list → newest first", async (inbox, add) => {
    for (let n = 1; n <= 3; n++) {
      await add(span(n), log(`log ${n}`), error(`failed ${"abc"[n - 1]}`));
    }
    assert.deepEqual(traces(inbox), [hexId(3), hexId(2), hexId(1)]);
    assert.deepEqual(bodies(inbox), ["log 3", "log 2", "log 1"]);
    const values = ["failed c", "failed b", "failed a"];
    assert.deepEqual(inbox.page("errors", {}).rows.map((row) => row.value), values);
    assert.deepEqual(inbox.page("occurrences", {}).rows.map((row) => row.value), values);
    const ids = inbox.page("envelopes", {}).rows.map((row) => row.id);
    assert.deepEqual(ids, ids.toSorted((a, b) => b - a));
  });

  test("entries of one envelope → last one first", async (inbox, add) => {
    await add(["log", { items: [{ body: "first" }, { body: "second" }] }]);
    assert.deepEqual(inbox.page("logs", {}).rows.map(({ body, index }) => [body, index]), [
      ["second", 1],
      ["first", 0],
    ]);
  });

  test(
    "spans of a trace in bodies of any order → named for the same span",
    async (inbox, _, addOf) => {
      const spanOf = (
        op: string,
        id: string,
        parent: string | undefined,
        from: number,
        to: number,
      ) => ({
        ...{ span_id: id.repeat(16), parent_span_id: parent?.repeat(16), name: `${op} ${id}` },
        start_timestamp: NOON / 1_000 + from,
        end_timestamp: NOON / 1_000 + to,
        attributes: { "sentry.op": { value: op } },
      });
      const request = (id: string, from: number) => ({
        ...spanOf("http.server", id, "f", from, from + 1),
        is_segment: true,
      });
      const traces = [
        // Two requests of one application: the earlier one.
        [request("a", 1), request("b", 0), spanOf("db", "c", "a", 1.1, 1.2)],
        // The root of two batches of a server.
        [spanOf("db", "a", "b", 1, 2), spanOf("http.server", "b", undefined, 0, 3)],
        // A span with children, although another one began earlier.
        [spanOf("job", "b", "f", 1, 3), spanOf("db", "a", "b", 2, 3), spanOf("db", "c", "f", 0, 9)],
      ];
      const expected = [["http.server b", 0, 1_000], ["http.server b", 0, 3_000], [
        "job b",
        1_000,
        3_000,
      ]];
      let id = 0;
      for (const [n, spans] of traces.entries()) {
        for (const order of permutations(spans)) {
          id++;
          for (const one of order) {
            const items = [{ trace_id: hexId(id), ...one }];
            await addOf({ sdk: { name: "sentry.python" } }, ["span", { items }]);
          }
          const [row] = inbox.page("traces", { trace: hexId(id) }).rows;
          const found = [row!.name, row!.started_at - NOON, row!.ended_at! - NOON];
          assert.deepEqual(found, expected[n], `${order.map(({ name }) => name)}`);
        }
      }
    },
  );

  test("trace in several envelopes → one row", async (inbox, add) => {
    const id = hexId(7);
    await add(["span", {
      items: [
        { trace_id: id, name: "child", parent_span_id: "a", start_timestamp: NOON / 1_000 - 5 },
        { trace_id: id, name: "late", parent_span_id: "a", end_timestamp: NOON / 1_000 + 9 },
      ],
    }]);
    await add(span(8));
    await add(error("x", 7), log("y", { trace_id: id }));
    await add(span(7, {
      name: "GET /",
      attributes: { "sentry.op": { value: "http.server", type: "string" } },
      start_timestamp: NOON / 1_000 - 4,
      end_timestamp: NOON / 1_000 - 1,
    }));
    const recorded = {
      replay_id: hexId(99),
      trace_ids: [id, hexId(1234)],
      replay_start_timestamp: NOON / 1_000 - 2,
      timestamp: NOON / 1_000,
    };
    await add(["replay_event", recorded]);
    // Not shown before a segment of the recording has arrived.
    assert.equal(inbox.page("traces", {}).rows[0]?.replay_id, null);
    await add(["replay_event", recorded], segment(0));
    const { rows } = inbox.page("traces", {});
    assert.deepEqual(rows.map((row) => row.trace_id), [id, hexId(8)]);
    assert.deepEqual(rows[0], {
      trace_id: id,
      name: "GET /",
      op: "http.server",
      started_at: NOON - 4_000,
      ended_at: NOON - 1_000,
      spans: 3,
      errors: 1,
      logs: 1,
      failed: true,
      http_status: null,
      release: null,
      replay_id: hexId(99),
      received_at: NOON + 3_000,
      applications: [inbox.applications({}).rows[0]!.key],
      match: null,
    });
  });

  test(
    "trace with only errors and logs → named for the first error, starts with it",
    async (inbox, add) => {
      await add(error("x", 7, { timestamp: NOON / 1_000 - 3 }));
      await add(log("y", { trace_id: hexId(7), timestamp: NOON / 1_000 - 8 }));
      const [row] = inbox.page("traces", {}).rows;
      assert.deepEqual([row?.name, row?.started_at, row?.ended_at], [
        "TypeError: x",
        NOON - 3_000,
        null,
      ]);
    },
  );

  test("groups → count, times and newest error, charts of one axis", async (inbox, add) => {
    await add(error("order 1", 1, { timestamp: NOON / 1_000 - 10 }));
    await add(error("order 2", 2, { timestamp: NOON / 1_000 - 30, level: "fatal" }));
    await add(error("payment"));
    const { rows } = inbox.page("errors", {});
    assert.deepEqual(rows.map((row) => [row.value, row.count]), [["payment", 1], ["order …", 2]]);
    const { group: _, envelope, application, ...row } = rows[1]!;
    assert.equal(envelope, inbox.page("envelopes", {}).rows[1]?.id);
    assert.deepEqual(row, {
      type: "TypeError",
      value: "order …",
      where: null,
      level: "fatal",
      handled: null,
      unhandled: 0,
      count: 2,
      first_seen: NOON - 30_000,
      first_received_at: NOON,
      last_seen: NOON - 10_000,
      // From the first error of all groups to the last.
      chart: Array.from({ length: 24 }, (_, part) => [0, 14].includes(part) ? 1 : 0),
      chart_from: NOON - 30_000,
      chart_to: NOON + 2_001,
      trace_id: hexId(2),
      applications: [application],
      unhandled_in: [],
      state: "open",
      regression: null,
    });
    assert.equal(inbox.page("errors", { state: "open" }).rows.length, 2);
    assert.equal(inbox.page("errors", { state: "muted" }).rows.length, 0);
  });

  test(
    "eviction → rows removed from lists and counts",
    async (inbox, add) => {
      await add(span(1, { name: "root", start_timestamp: NOON / 1_000 - 9 }), error("order 1", 1));
      await add(span(1, { name: "child", parent_span_id: "a" }), error("order 2", 1), log("old"));
      await add(span(2));
      assert.equal(inbox.page("traces", { trace: hexId(1) }).rows[0]?.name, "root");
      await add(log("new"));
      const [trace] = inbox.page("traces", { trace: hexId(1) }).rows;
      assert.deepEqual([trace?.name, trace?.spans, trace?.errors], ["child", 1, 1]);
      assert.equal(inbox.page("errors", {}).rows[0]?.count, 1);
      assert.equal(inbox.page("occurrences", { q: "order 1" }).rows.length, 0);
      await add(log("newer"));
      await add(log("newest"));
      assert.deepEqual(traces(inbox), []);
      assert.deepEqual(inbox.page("errors", {}).rows, []);
      assert.deepEqual(bodies(inbox), ["newest", "newer", "new"]);
      assert.equal(inbox.page("envelopes", {}).rows.length, 3);
      assert.equal(inbox.page("envelopes", { trace: hexId(1) }).rows.length, 0);
    },
    3,
  );

  test("clear → empty lists, then new rows", async (inbox, add) => {
    await add(span(1), error("x", 1), log("y"));
    const [before] = inbox.page("envelopes", {}).rows;
    await inbox.clear();
    for (
      const list of ["traces", "errors", "occurrences", "logs", "recordings", "profiles"] as const
    ) {
      assert.deepEqual(inbox.page(list, {}), { rows: [], next: null });
    }
    assert.deepEqual(inbox.page("envelopes", {}), { rows: [], next: null });
    await add(span(1), log("z"));
    assert.equal(inbox.page("traces", {}).rows[0]?.errors, 0);
    assert.ok(inbox.page("envelopes", {}).rows[0]!.id > before!.id);
  });
}
