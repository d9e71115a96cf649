import assert from "node:assert/strict";
import process from "node:process";
import fc from "fast-check";
import {
  admitted,
  type Attributes,
  envelopeOf,
  error,
  hexId,
  log,
  span,
  type TestItem,
} from "./testdata/envelopes.ts";
import { logRow, occurrenceRow, runRow, traceRow } from "../../islands/testdata/rows.ts";
import type { Lists, Page } from "../models/rows.ts";
import { LIST_FILTERS, LIST_SORTS, type ListQuery } from "../models/list_query.ts";
import {
  type Durations,
  HISTOGRAM_LISTS,
  type HistogramList,
  MIN_RANGE_MS,
} from "../models/histogram.ts";
import { Inbox } from "./inbox.ts";
import { indexTests } from "./testdata/index_suite.ts";
import { profileChunk } from "./testdata/index_profiles.ts";
import { ENVELOPE_BYTES, sentBy, shop } from "./testdata/tested_index.ts";
import { parseEnvelope } from "../models/parsed_envelope.ts";
import { readApplication } from "../models/application.ts";
import { OWN_TELEMETRY } from "../protocol/own_telemetry.ts";

const openFor = (maxEnvelopes: number) => new Inbox({ maxBytes: maxEnvelopes * ENVELOPE_BYTES });

indexTests("SQLite", openFor).forEach((test) => Deno.test(test));

Deno.test("rows of lists → every field of their types, which the reader of SQL only asserts", async () => {
  const inbox = openFor(9);
  const checkIn: TestItem = ["check_in", { monitor_slug: "job", status: "ok" }];
  await inbox.store(admitted(envelopeOf({}, span(1), error("E", 1), log("text"), checkIn), NOW));
  const samples = {
    traces: traceRow(),
    occurrences: occurrenceRow(),
    logs: logRow(),
    runs: runRow(),
  };
  for (const [list, sample] of Object.entries(samples)) {
    const [row] = inbox.page(list as keyof typeof samples, {}).rows;
    assert.deepEqual(Object.keys(row!).sort(), Object.keys(sample).sort(), list);
  }
  inbox.close();
});

Deno.test("search that takes over 5 seconds of processor time → ends early, is refused; others are answered", async () => {
  const inbox = openFor(900);
  const names = Array.from({ length: 120 }, (_, i) => `GET /${i}`);
  const spans = names.map((name, i) => span(i, { name, attributes: { row: { value: i } } }));
  const logs = names.map((name, i) => log(name, { trace_id: hexId(i) }));
  await inbox.store(admitted(envelopeOf({}, ...spans, ...logs), NOW));
  const { now } = performance;
  const { cpuUsage } = process;
  let asked = 0;
  performance.now = () => 1_000 * asked++;
  try {
    // Other processes take the time.
    process.cpuUsage = () => ({ user: 0, system: 0 });
    assert.equal(inbox.page("logs", { q: "-message:G*" }).rows.length, 0);
    assert.ok(asked > 7);
    process.cpuUsage = () => ({ user: 500_000 * asked, system: 500_000 * asked });
    // Asked for each row and trace; of envelopes before each term.
    const ofRows = ["get message:G*", "message:* -name:x*", "-message:G* -row:*"];
    const ofTerms = ["get message:G* -other:x", "-other:1..2 -other:>3 message:G*"];
    for (
      const [view, queries] of Object.entries({ traces: ofRows, logs: ofRows, envelopes: ofTerms })
    ) {
      for (const q of queries) {
        asked = 0;
        const read = () => inbox.page(view as "traces", { q });
        assert.throws(read, /answered within 5 seconds/, `${view} ${q}`);
        assert.equal(asked, 7, `${view} ${q}`);
      }
      inbox.page(view as "traces", {});
    }
  } finally {
    process.cpuUsage = cpuUsage;
    performance.now = now;
  }
  assert.equal(inbox.page("traces", { q: "row:>109" }).rows.length, 10);
  inbox.close();
});

const few = fc.integer({ min: 1, max: 4 });
const word = fc.constantFrom("order 1", "order 2", "Payment", "100%", "größe", "x_y");
const level = fc.constantFrom("trace", "info", "warn", "fatal");
const NOW = 1_795_262_400_000;
const time = fc.integer({ min: NOW - 9_000, max: NOW }).map((ms) => ms / 1_000);

const item = fc.oneof(
  few.map((n) =>
    span(n, { name: "OPTIONS /", attributes: { "sentry.op": { value: "http.server" } } })
  ),
  fc.record({ trace: few, name: word, start_timestamp: time, parent_span_id: word }, {
    requiredKeys: ["trace"],
  }).map(({ trace, ...rest }) => span(trace, rest)),
  fc.record({ body: word, level, timestamp: time, trace: few }, { requiredKeys: ["body"] })
    .map(({ body, trace, ...rest }) =>
      log(body, trace === undefined ? rest : { ...rest, trace_id: hexId(trace) })
    ),
  fc.tuple(word, fc.option(few, { nil: undefined }), time, fc.constantFrom("warning", "fatal"))
    .map(([value, trace, timestamp, level]) => error(value, trace, { timestamp, level })),
  fc.tuple(few, time, fc.nat(9)).map(([trace, start, seconds]) =>
    span(trace, { start_timestamp: start, end_timestamp: start + seconds })
  ),
  fc.record({
    trace: few,
    op: fc.constantFrom("http.server", "pageload", "db"),
    status: fc.constantFrom("ok", "error"),
    code: fc.constantFrom(200, 404, 503),
    parent_span_id: word,
    is_segment: fc.boolean(),
  }, { requiredKeys: ["trace", "op"] }).map(({ trace, op, code, ...rest }) =>
    span(trace, {
      ...rest,
      attributes: {
        "sentry.op": { value: op },
        ...op === "pageload" && { "browser.web_vital.lcp.value": { value: 10 * trace } },
        ...code !== undefined && { "http.response.status_code": { value: code } },
      },
    })
  ),
  fc.record({
    trace: few,
    span_id: fc.constantFrom("1", "2", "3"),
    parent_span_id: fc.constantFrom("1", "2", "3", "4"),
    op: fc.constantFrom("gen_ai.invoke_agent", "gen_ai.chat", "gen_ai.execute_tool"),
    status: fc.constantFrom("ok", "error"),
    start_timestamp: time,
    tokens: few,
  }, { requiredKeys: ["trace", "op"] }).map(({ trace, op, tokens = 0, ...rest }) =>
    span(trace, { ...rest, op, attributes: { "gen_ai.usage.input_tokens": { value: tokens } } })
  ),
  few.map((n) => ["replay_event", { replay_id: hexId(90 + n), trace_ids: [hexId(n)] }] as const),
  fc.tuple(few, few, word).map(([n, at, name]) => profileChunk(n, at, -at, [name])),
  few.map((n) => ["trace_metric", { items: [{ trace_id: hexId(n) }] }] as const),
  fc.record({
    check_in_id: few.map(hexId),
    monitor_slug: fc.constantFrom("order", "x_y"),
    status: fc.constantFrom("in_progress", "ok", "error"),
    timestamp: time,
    contexts: few.map((n) => ({ trace: { trace_id: hexId(n) } })),
  }, { requiredKeys: ["monitor_slug", "status"] }).map((checkIn) => ["check_in", checkIn] as const),
);

/** Of two applications, one in two releases, and Sightglass. */
const HEADERS: readonly Record<string, unknown>[] = [
  shop("1"),
  shop("2"),
  { sdk: { name: "sentry.javascript.browser" }, sender: { release: "page@1" } },
  OWN_TELEMETRY,
];
const sentEnvelope = ({ sender, ...header }: Attributes, items: readonly TestItem[]) =>
  envelopeOf(header, ...items.map((item) => sentBy(item, sender)));
const keyOf = (header: Attributes) =>
  readApplication(parseEnvelope(sentEnvelope(header, [["event", {}]]))).key;
const receivedTime = fc.integer({ min: NOW - 10_000, max: NOW + 10 });

const query: fc.Arbitrary<ListQuery> = fc.record({
  q: fc.oneof(word, fc.constantFrom("", "ORDER", "e", "span", hexId(2), "%", "typeerror")),
  trace: few.map(hexId),
  type: fc.constantFrom("span", "log", "event"),
  level,
  handled: fc.boolean(),
  state: fc.constantFrom("open", "resolved"),
  application: fc.constantFrom("apps", "sightglass", ...HEADERS.map(keyOf)),
  release: fc.constantFrom("shop@1", "shop@2"),
  since: receivedTime,
  until: receivedTime,
  environment: fc.constantFrom("test", "production"),
  status: fc.constantFrom(...LIST_FILTERS.status.values),
  op: fc.constantFrom("http.server", "pageload", "db"),
  name: fc.constantFrom("load", "order 1"),
  preflights: fc.boolean(),
  replay: few.map((n) => hexId(90 + n)),
  page: fc.constantFrom("load", "x_y"),
  sort: fc.constantFrom(...LIST_SORTS),
  now: receivedTime,
  limit: few,
}, { requiredKeys: ["now"] });

/** The lists whose rows are one entry or envelope each: each filter takes or leaves a row by itself. */
const SINGLE = ["occurrences", "logs", "envelopes"] as const;
const LISTS = [
  ...[...SINGLE, "traces", "errors", "pages", "profiles", "ai_runs", "runs"] as const,
  ...["endpoints", "queries"] as const,
] as const;

Deno.test("any query → its pages are the list, which its filters leave one by one", async () => {
  const sent = fc.tuple(
    fc.constantFrom(...HEADERS),
    fc.array(item, { minLength: 1, maxLength: 4 }),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(sent, { maxLength: 12 }),
      fc.array(query, { minLength: 1, maxLength: 6 }),
      async (envelopes, queries) => {
        const inbox = openFor(1_000);
        using _closed = { [Symbol.dispose]: () => inbox.close() };
        for (const [n, [header, items]] of envelopes.entries()) {
          await inbox.store(admitted(sentEnvelope(header, items), NOW + n));
        }
        /** The rows of a list, as texts. */
        const rowsOf = (name: typeof LISTS[number], query: ListQuery) =>
          everyRow<object>((before) => inbox.page(name, { ...query, before }))
            .filter((row) => row !== "end of page").map((row) => JSON.stringify(row));
        for (const { limit, ...asked } of queries) {
          for (const name of LISTS) {
            assert.deepEqual(rowsOf(name, { ...asked, limit }), rowsOf(name, asked), name);
          }
          const { sort: _, now, ...filters } = asked;
          const { op, name: called, ...others } = filters;
          // A trace is left for one span that has both.
          const ofSpan = { ...op && { op }, ...called && { name: called } };
          const parts = Object.entries(others).map(([filter, value]) => ({ [filter]: value }));
          for (const name of SINGLE) {
            const left = [ofSpan, ...parts]
              .map((part) => new Set(rowsOf(name, { now, ...part })));
            assert.deepEqual(
              rowsOf(name, { now, ...filters }),
              rowsOf(name, { now }).filter((row) => left.every((rows) => rows.has(row))),
              name,
            );
          }
        }
      },
    ),
    { numRuns: 60 },
  );
});

Deno.test("any query → a histogram counts the rows of its list, each in the part of its time", async () => {
  /** The time of each row, and whether it failed. */
  const rowsOf = (inbox: Inbox, of: HistogramList, query: ListQuery) => {
    const all = <Name extends keyof Lists>(name: Name) =>
      everyRow((before) => inbox.page(name, { ...query, before }))
        .filter((row) => row !== "end of page") as Lists[Name][];
    if (of === "logs") {
      return all("logs").map(({ at, level }) => ({
        at,
        warned: level === "warn",
        failed: ["error", "fatal"].includes(level),
        ms: null,
      }));
    }
    if (of === "errors" || of === "feedback") {
      // No group is resolved.
      const errors = query.state === "resolved" ? [] : all("occurrences");
      return (of === "errors" ? errors : all("feedback")).map(({ at }) => ({
        at,
        warned: false,
        failed: undefined,
        ms: null,
      }));
    }
    return all("traces").map(({ started_at, ended_at, failed }) => ({
      at: started_at,
      ms: ended_at === null ? null : ended_at - started_at,
      warned: false,
      failed,
    }));
  };
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(item, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 12 }),
      fc.array(query, { minLength: 1, maxLength: 4 }),
      async (envelopes, queries) => {
        const inbox = openFor(1_000);
        using _closed = { [Symbol.dispose]: () => inbox.close() };
        for (const [n, items] of envelopes.entries()) {
          await inbox.store(admitted(sentEnvelope(HEADERS[0]!, items), NOW + n));
        }
        for (const { sort: _, limit: __, ...asked } of queries) {
          for (const list of HISTOGRAM_LISTS) {
            const now = NOW + 20;
            const histogram = inbox.histogram({ ...asked, of: list, now });
            const { from, to, step, parts, earlier, later, durations } = histogram;
            assert.equal(parts.length, (to - from) / step);
            if (list === "endpoints") {
              const { rows } = inbox.page("endpoints", asked);
              const runs = rows.flatMap(({ before, ...newest }) =>
                before ? [newest, before] : newest
              );
              for (const [of, name] of [["count", "count"], ["failed", "failures"]] as const) {
                const sum = runs.reduce((sum, run) => sum + run[of], 0);
                assert.equal(parts.reduce((sum, part) => sum + part[name], 0), sum);
              }
              continue;
            }
            const all = rowsOf(inbox, list, asked);
            const rows = all.filter(({ at }) => at >= from && at < to);
            assert.equal(earlier + rows.length + later, all.length);
            if (asked.since === undefined && rows.length > 0) {
              assert.ok(parts[0]!.count > 0, "from the first");
              assert.ok(
                // The shortest range, from and to multiples of a step.
                to - from <= MIN_RANGE_MS + 2 * step || parts.at(-1)!.count > 0 || asked.until,
                "to the last",
              );
              assert.equal(rows.length, all.length);
            }
            assert.equal(durations === undefined, list !== "traces");
            if (durations !== undefined) {
              assertDurations(
                durations,
                rows.flatMap(({ ms }) => ms ?? []),
              );
            }
            const inPart = Map.groupBy(rows, ({ at }) => Math.floor((at - from) / step));
            for (const [part, { count, warnings, failures }] of parts.entries()) {
              const of = inPart.get(part) ?? [];
              assert.equal(count, of.length);
              assert.equal(warnings, of.filter(({ warned }) => warned).length);
              if (of.every(({ failed }) => failed !== undefined)) {
                assert.equal(failures, of.filter(({ failed }) => failed).length);
              }
            }
          }
        }
      },
    ),
    { numRuns: 40 },
  );
});

Deno.test("any tree of spans → queries counted, repeated in a run, as one by one; traces of endpoints", async () => {
  const id = fc.constantFrom(..."123456");
  const sent = fc.record({
    ...{ trace: few, id, parent: fc.option(id), n: fc.nat(2) },
    // Some end before their start: they do not count.
    ms: fc.integer({ min: -9, max: 50 }),
    op: fc.constantFrom("db", "db", "function", "http.server"),
  });
  const nameOf = ({ op, n, ms }: { op: string; n: number; ms: number }) =>
    `from ${"abc"[n]}${op === "db" ? ` where ${ms}` : ""}`;
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(sent, { selector: ({ trace, id }) => `${trace} ${id}`, maxLength: 24 }),
      async (spans) => {
        const inbox = openFor(100);
        using _closed = { [Symbol.dispose]: () => inbox.close() };
        for (const one of spans) {
          const { trace, id, parent, op, ms } = one;
          const times = { start_timestamp: NOW / 1_000, end_timestamp: (NOW + ms) / 1_000 };
          const rest = { span_id: id, name: nameOf(one), ...times };
          const sent = {
            ...rest,
            ...parent && { parent_span_id: parent },
            is_segment: op === "http.server",
          };
          const item = span(trace, { ...sent, attributes: { "sentry.op": { value: op } } });
          await inbox.store(admitted(envelopeOf({}, item), NOW));
        }
        type Sent = typeof spans[number];
        const runOf = ({ trace, parent }: Sent, seen = new Set<string>()): string => {
          const above = spans.find((one) => one.trace === trace && one.id === parent);
          if (!above || seen.has(above.id)) return `trace ${trace}`;
          const isRun = above.parent === null || above.op === "http.server";
          return isRun ? `${trace} ${above.id}` : runOf(above, seen.add(above.id));
        };
        const ended = spans.filter(({ ms }) => ms >= 0);
        const queries = Map.groupBy(ended.filter(({ op }) => op === "db"), ({ n }) => n);
        const expected = [...queries.values()].map((all) => {
          const counts = Map.groupBy(all, (one) => runOf(one)).values();
          const sum = all.reduce((sum, { ms }) => sum + ms, 0);
          return [all.length, sum, Math.max(...[...counts].map(({ length }) => length))];
        });
        const rows = inbox.page("queries", {}).rows
          .map(({ count, total_ms, repeated }) => [count, total_ms, repeated.count]);
        assert.deepEqual(rows.sort(), expected.sort());
        for (const { op, name } of inbox.page("endpoints", {}).rows) {
          const runs = ended.filter((one) =>
            one.op === op && name === nameOf(one) &&
            (one.parent === null || op === "http.server")
          );
          const found = inbox.page("traces", { endpoint: name, op: op! }).rows;
          assert.deepEqual(
            found.map(({ trace_id }) => trace_id).sort(),
            [...new Set(runs.map(({ trace }) => hexId(trace)))].sort(),
          );
        }
      },
    ),
    { numRuns: 60 },
  );
});

/** Of all traces of a histogram that have ended; the median by nearest rank, of 5 or more. */
function assertDurations({ count, median, dots }: Durations, all: readonly number[]): void {
  const sorted = all.toSorted((a, b) => a - b);
  assert.equal(count, all.length);
  assert.equal(median, all.length < 5 ? null : sorted[Math.ceil(all.length / 2) - 1]);
  const shown = dots.map(({ ms }) => ms).sort((a, b) => a - b);
  assert.deepEqual([shown[0], shown.at(-1)], [sorted[0], sorted.at(-1)]);
  if (all.length <= 3) assert.deepEqual(shown, sorted);
}

/** All rows of a list, with a marker at the end of each page. */
function everyRow<Row>(ask: (before?: string) => Page<Row>): (Row | "end of page")[] {
  const rows: (Row | "end of page")[] = [];
  for (let page = ask();; page = ask(page.next)) {
    rows.push(...page.rows, "end of page");
    if (page.next === null) return rows;
  }
}
