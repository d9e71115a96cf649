/** `view=trace`, `view=error`, `view=recording` and `view=envelope`: what the page and assistants show of one of them, from a real server. */
import assert from "node:assert/strict";
import {
  admittedGzip,
  envelopeOf,
  error,
  hexId,
  log,
  span,
} from "../../monitoring/inbox/testdata/envelopes.ts";
import type { EnvelopeContent } from "../../monitoring/models/envelope_content.ts";
import type { ErrorContent } from "../../monitoring/models/error/error_content.ts";
import type { ErrorGroupRow } from "../../monitoring/models/error/error_row.ts";
import type { RecordingContent } from "../../monitoring/models/recording/timeline.ts";
import { MAX_LIST_ROWS } from "../../monitoring/models/rows.ts";
import {
  MAX_TRACE_ROWS,
  omittedText,
  type TraceContent,
} from "../../monitoring/models/trace/trace_content.ts";
import { readTrace } from "../../monitoring/models/trace/trace.ts";
import { pageEvents, segmentEnvelope } from "../harness/recorded_segments.ts";
import { startInboxServer } from "./_inbox_server.ts";

const TRACE = 1;
const EVENT = hexId(0xe);

/** Frames as a minified script has them, and a map of the script. */
const DEBUG_ID = "01234567-89ab-4def-8123-456789abcdef";
const SCRIPT = "https://shop.test/a.js";
const MAP = JSON.stringify({
  version: 3,
  debugId: DEBUG_ID,
  sources: ["shop.ts"],
  sourcesContent: ["throw new Error('no money');"],
  names: [],
  mappings: "AAAA",
});
const errorOf = (value: string, eventId: string, part: object = {}) =>
  [
    "event",
    {
      event_id: eventId,
      timestamp: Date.now() / 1_000,
      contexts: { trace: { trace_id: hexId(TRACE), span_id: "1".padStart(16, "0") } },
      exception: {
        values: [{
          type: "PaymentError",
          value,
          stacktrace: { frames: [{ filename: SCRIPT, function: "r", lineno: 1, colno: 1 }] },
        }],
      },
      debug_meta: {
        images: [{ type: "sourcemap", code_file: SCRIPT, debug_id: DEBUG_ID }],
      },
      ...part,
    },
  ] as const;

async function get<T>(url: string): Promise<{ status: number; body: T }> {
  const response = await fetch(url);
  return { status: response.status, body: await response.json() };
}

Deno.test("view=trace → spans, errors and logs of its envelopes, oldest first, as it grows; others' are left out", async () => {
  await using server = startInboxServer();
  const store = (...items: Parameters<typeof envelopeOf>[1][]) =>
    server.inbox.store(admittedGzip(envelopeOf({}, ...items), Date.now()));
  const spanOf = (trace: number, id: string) =>
    span(trace, { span_id: id.padStart(16, "0"), start_timestamp: 1, end_timestamp: 2 });
  const read = () => get<TraceContent>(`${server.url}?view=trace&id=${hexId(TRACE)}`);
  assert.deepEqual((await read()).body.spans, []);
  await store(spanOf(TRACE, "a"), spanOf(2, "b"));
  await store(spanOf(2, "c"));
  await store(spanOf(TRACE, "d"), errorOf("declined", EVENT) as never);
  const { status, body } = await read();
  assert.equal(status, 200);
  assert.deepEqual(body.spans.map(({ span_id, envelope }) => [span_id.slice(-1), envelope]), [
    ["a", 1],
    ["d", 3],
  ]);
  assert.deepEqual(body.marks.map(({ kind, envelope }) => [kind, envelope]), [["error", 3]]);
  assert.deepEqual(body.envelopes, [1, 3]);
  assert.equal(body.whole, null);
  assert.deepEqual(body.omitted, { spans: 0, errors: 0, logs: 0 });
  const service = { attributes: { "service.name": { value: "shop", type: "string" } } };
  await store(span(TRACE, { span_id: "e".padStart(16, "0"), start_timestamp: 1, ...service }));
  const grown = (await read()).body;
  assert.deepEqual(grown.envelopes, [1, 3, 4]);
  const { rows } = server.inbox.applications({});
  const { key, name } = rows.find(({ name }) => name === "shop")!;
  const sender = { application: key, application_name: name };
  assert.deepEqual(grown.spans.slice(0, 2), body.spans.map((span) => ({ ...span, ...sender })));
  assert.equal(grown.spans.at(-1)!.application, key);
});

Deno.test("span of times that cannot be → its trace starts and lasts as in the list, drawn as sent", async () => {
  await using server = startInboxServer();
  const now = Date.now();
  const seconds = now / 1_000 - 5;
  const cases: [number, number, number, number | null, number?][] = [
    // Milliseconds, as if they were seconds; months ahead; the clock of a device that was never set.
    [now, now + 500, now, null, 500_000],
    [seconds + 1e7, seconds + 1e7 + 1, now, null, 1_000],
    [300, 301, now, null, 1_000],
    // Before the start; in the year 9999.
    [seconds, seconds - 1, now - 5_000, null, 0],
    [seconds, 253_402_300_000, now - 5_000, null, 0],
    [seconds, seconds + 1, now - 5_000, 1_000, 1_000],
  ];
  // Named for nothing, a trace has no duration.
  cases.push([seconds, seconds + 2, now - 5_000, null, 2_000]);
  for (const [i, [start_timestamp, end_timestamp, ...expected]] of cases.entries()) {
    const id = hexId(i + 1);
    const sent = span(i + 1, {
      start_timestamp,
      end_timestamp,
      is_segment: true,
      name: i < 6 ? "GET /" : "",
    });
    await server.inbox.store(admittedGzip(envelopeOf({}, sent), now));
    const row = server.inbox.page("traces", {}).rows.find(({ trace_id }) => trace_id === id)!;
    const listed = row.ended_at && row.ended_at - row.started_at!;
    assert.deepEqual([row.started_at ?? row.received_at, listed], expected.slice(0, 2), id);
    const { body } = await get<TraceContent>(`${server.url}?view=trace&id=${id}`);
    const { summary, start_ms, end_ms } = readTrace(body);
    const drawn = Math.round(end_ms - start_ms);
    assert.deepEqual([summary.started_at, summary.duration_ms, drawn], expected, id);
  }
});

Deno.test("view=trace of 20,001 spans → what was not read is counted; name and duration of the list", async () => {
  await using server = startInboxServer({ maxBytes: 64 * 1024 * 1024 });
  const service = "a".repeat(16);
  const start = Math.round(Date.now() / 1_000) - 200;
  const transaction = {
    transaction: "GET /export",
    start_timestamp: start,
    timestamp: start + 100,
    contexts: { trace: { trace_id: hexId(TRACE), span_id: service, op: "http.server" } },
  };
  const steps = (second: number) => ({
    items: Array.from({ length: MAX_TRACE_ROWS / 4 }, (_, n) => ({
      trace_id: hexId(TRACE),
      span_id: `${second}${n}`.padStart(16, "b"),
      parent_span_id: service,
      name: "step",
      start_timestamp: start + second,
      end_timestamp: start + second + 1,
    })),
  });
  const items = [
    [["transaction", transaction], errorOf("declined", EVENT)],
    ...[96, 97, 98, 99].map((second) => [["span", steps(second)]]),
  ] as const;
  for (const sent of items) {
    const bytes = envelopeOf(
      { sdk: { name: "sentry.javascript.node" } },
      ...(sent as readonly Parameters<typeof envelopeOf>[1][]),
    );
    await server.inbox.store(admittedGzip(bytes, Date.now()));
  }
  const row = server.inbox.page("traces", {}).rows[0]!;
  assert.deepEqual([row.name, row.ended_at! - row.started_at], ["GET /export", 100_000]);
  const { body } = await get<TraceContent>(`${server.url}?view=trace&id=${hexId(TRACE)}`);
  assert.deepEqual([body.envelopes, body.spans.length], [[1, 2, 3, 4, 5], MAX_TRACE_ROWS]);
  assert.deepEqual(body.omitted, { spans: 1, errors: 0, logs: 0 });
  const { summary, origin_ms } = readTrace(body);
  assert.deepEqual(
    [summary.name, summary.op, summary.started_at, summary.duration_ms, origin_ms],
    [row.name, row.op, row.started_at, 100_000, row.started_at],
  );
  assert.match(
    omittedText(body),
    /^Not shown: 1 of 20,001 spans\. Only the newest 20,000 of each.*, self times include spans that are not shown\.$/,
  );
});

Deno.test("view=error → source lines of the map, texts to copy, attachments and feedback; the newest, or that of an envelope", async () => {
  await using server = startInboxServer();
  const posted = await fetch(`${server.url}?maps`, { method: "POST", body: MAP });
  await posted.body?.cancel();
  const store = (
    header: Readonly<Record<string, unknown>>,
    ...items: Parameters<typeof envelopeOf>[1][]
  ) => server.inbox.store(admittedGzip(envelopeOf(header, ...items), Date.now()));
  await store({ event_id: EVENT }, errorOf("declined", EVENT) as never, [
    { type: "attachment", filename: "cart.txt", content_type: "text/plain" } as never,
    new TextEncoder().encode("milk"),
  ]);
  await store({}, ["user_report", { event_id: EVENT, comments: "It broke.", name: "Ada" }]);
  await store({}, errorOf("declined", hexId(2)) as never);
  const [{ group, count }] = (await get<{ rows: { group: string; count: number }[] }>(
    `${server.url}?view=errors`,
  )).body.rows as [{ group: string; count: number }];
  assert.equal(count, 2);

  const error = `${server.url}?view=error&id=${group}`;
  const newest = (await get<ErrorContent>(error)).body;
  assert.deepEqual([newest.envelope, newest.event.event_id], [3, hexId(2)]);
  const { status, body } = await get<ErrorContent>(`${error}&envelope=1&event=${EVENT}`);
  assert.equal(status, 200);
  assert.equal(body.event.event_id, EVENT);
  const [[frame]] = body.stacks as [[ErrorContent["stacks"][number][number]]];
  assert.equal(frame.file, "shop.ts");
  assert.deepEqual(frame.source?.lines, ["throw new Error('no money');"]);
  assert.equal(body.missing_source, "");
  assert.match(body.text, /^PaymentError: declined\n {4}at .*shop\.ts:1:1/);
  assert.match(body.markdown, /untrusted data.*^> 1 throw new Error/ms);
  const { attachments, feedback } = body.related;
  const type = "application/octet-stream";
  assert.deepEqual(attachments, [
    { envelope: 1, item: 1, name: "cart.txt", type, content_type: "text/plain", bytes: 4 },
  ]);
  assert.deepEqual(feedback.map(({ message, name }) => [message, name]), [["It broke.", "Ada"]]);
  const fingerprint = ["stock"];
  await store({}, ["event", { message: "first" }], ["event", { message: "second", fingerprint }], [
    "event",
    { message: "third", fingerprint },
  ]);
  const [last, second] = server.inbox.page("occurrences", {}).rows;
  const ofLast = `${server.url}?view=error&id=${last!.group}&envelope=4`;
  for (const [query, value] of [["", "third"], [`&event=${second!.event_id}`, "second"]]) {
    assert.equal((await get<ErrorContent>(ofLast + query)).body.event.value, value);
  }
});

Deno.test("view=error without its map → the next step; not stored → 404; unreadable → 422; a bad id → 400", async () => {
  await using server = startInboxServer();
  await server.inbox.store(admittedGzip(envelopeOf({}, errorOf("x", EVENT) as never), Date.now()));
  await server.inbox.store(admittedGzip(envelopeOf({}, ["log", {}]), Date.now()));
  const group = "0".repeat(14);
  const at = (query: string) => get<ErrorContent & { error: string }>(`${server.url}?${query}`);
  const { body } = await at(`view=error&id=${group}&envelope=1`);
  assert.match(body.missing_source, /^The source map of \/a\.js is not in the inbox: upload it/);
  assert.match(body.stacks[0]![0]!.file!, /a\.js$/);
  const answers = [
    [`view=error&id=${group}`, 404, "error_not_found"],
    [`view=error&id=${group}&envelope=99`, 404, "error_not_found"],
    [`view=error&id=${group}&envelope=2`, 422, "error_unreadable"],
    ["view=error&id=x", 400, "parameter_invalid"],
    ["view=error", 400, "parameter_invalid"],
    ["view=trace&id=1234", 400, "parameter_invalid"],
    ["view=trace", 400, "parameter_invalid"],
  ] as const;
  for (const [query, status, code] of answers) {
    const answer = await at(query);
    assert.deepEqual([answer.status, answer.body.error], [status, code], query);
  }
});

Deno.test("view=recording → its row, pages and events by time, with what leads to them; not stored → 404; unreadable → 422; a bad id → 400", async () => {
  await using server = startInboxServer();
  const store = (bytes: Uint8Array<ArrayBuffer>) =>
    server.inbox.store(admittedGzip(bytes, Date.now()));
  const from = Date.now() - 100_000;
  const replayId = hexId(50);
  const breadcrumb = (after: number, category: string, rest: object) => ({
    type: 5,
    timestamp: from + after,
    data: { tag: "breadcrumb", payload: { category, ...rest } },
  });
  const click = breadcrumb(2_000, "ui.click", { message: "button.pay" });
  const moved = breadcrumb(4_000, "navigation", { data: { to: "https://shop.example/paid" } });
  await store(segmentEnvelope({ replayId, number: 1, events: [moved] }));
  await store(segmentEnvelope({ replayId, number: 0, events: [...pageEvents(from, []), click] }));
  const broken = new TextEncoder().encode('{"segment_id":2}\n[{');
  await store(envelopeOf({ event_id: replayId }, ["replay_recording", broken]));
  // Also after the last frame, the newest first.
  for (
    const [value, after] of [["late", 50_000], ["later", 90_000], ["declined", 3_000]] as const
  ) {
    const part = { timestamp: (from + after) / 1_000, tags: { replayId } };
    await store(envelopeOf({}, errorOf(value, EVENT, part) as never));
  }
  await store(
    envelopeOf(
      { trace: { trace_id: hexId(TRACE), replay_id: replayId } },
      span(TRACE, {
        span_id: "b".padStart(16, "0"),
        parent_span_id: "a".padStart(16, "0"),
        name: "pay",
        start_timestamp: (from + 2_500) / 1_000,
        end_timestamp: (from + 2_600) / 1_000,
      }),
    ),
  );
  const at = (query: string) =>
    get<RecordingContent & { error: string }>(`${server.url}?view=recording${query}`);
  const { status, body } = await at(`&id=${replayId}`);
  assert.equal(status, 200);
  assert.deepEqual([body.replay_id, body.segments, body.unreadable], [replayId, 3, 1]);
  assert.deepEqual(body.urls, ["https://shop.example/cart"]);
  assert.ok(body.applications.length > 0);
  const events = body.events.filter(({ kind }) => kind !== "trace");
  assert.deepEqual(events.map(({ kind, text, at }) => [kind, text, Math.round(at - from)]), [
    ["click", "button.pay", 2_000],
    ["span", "pay", 2_500],
    ["error", "declined", 3_000],
    ["navigation", "/paid", 4_000],
    ["error", "late", 50_000],
    ["error", "later", 90_000],
  ]);
  assert.deepEqual(
    [events[1]!.trace_id, events[1]!.span_id, events[2]!.envelope, events[2]!.group?.length],
    [hexId(TRACE), "b".padStart(16, "0"), 6, 14],
  );

  // Nothing of it can be played: its first segment is missing.
  await store(segmentEnvelope({ replayId: hexId(53), number: 1, events: [click, moved] }));
  assert.deepEqual((await at(`&id=${hexId(53)}`)).body.events.map(({ kind }) => kind), [
    "click",
    "navigation",
  ]);
  await store(envelopeOf({ event_id: hexId(51) }, ["replay_recording", broken]));
  const answers = [
    [`&id=${hexId(52)}`, 404, "recording_not_found"],
    [`&id=${hexId(51)}`, 422, "recording_unreadable"],
    ["&id=1234", 400, "parameter_invalid"],
    ["", 400, "parameter_invalid"],
  ] as const;
  for (const [query, status, code] of answers) {
    const answer = await at(query);
    assert.deepEqual([answer.status, answer.body.error], [status, code], query);
  }
});

Deno.test("server's clock 3 s ahead → its errors and logs where they happened, in recording and trace", async () => {
  await using server = startInboxServer();
  const from = Date.now() - 10_000;
  const replayId = hexId(54);
  const trace_id = hexId(TRACE);
  const sent = (after: number) => (from + after) / 1_000;
  const ofSpan = (id: string, start: number, end: number, rest: object) =>
    span(TRACE, {
      span_id: id.padStart(16, "0"),
      start_timestamp: sent(start),
      end_timestamp: sent(end),
      ...rest,
    });
  for (
    const bytes of [
      segmentEnvelope({ replayId, number: 0, events: pageEvents(from, []) }),
      envelopeOf(
        { sdk: { name: "sentry.javascript.browser" }, trace: { trace_id, replay_id: replayId } },
        ofSpan("a", 1_000, 1_100, { name: "fetch" }),
      ),
      envelopeOf(
        { sdk: { name: "sentry.javascript.node" } },
        ofSpan("b", 4_010, 4_090, { name: "pay", parent_span_id: "a".padStart(16, "0") }),
        error("declined", TRACE, { timestamp: sent(4_050), event_id: EVENT, level: "warning" }),
        log("charging", { timestamp: sent(4_040), trace_id }),
      ),
      // An hour behind, and no span shows it.
      envelopeOf(
        { sdk: { name: "sentry.python" } },
        error("refused", TRACE, { timestamp: sent(-3_600_000), event_id: hexId(2) }),
      ),
    ]
  ) await server.inbox.store(admittedGzip(bytes, Date.now()));
  const { body } = await get<RecordingContent>(`${server.url}?view=recording&id=${replayId}`);
  const events = body.events.filter(({ kind }) => kind !== "trace");
  assert.deepEqual(
    events.map(({ text, at, isAstray, level }) => [text, Math.round(at - from), isAstray, level]),
    [
      ["refused", -3_600_000, true, "error"],
      ["pay", 1_010, undefined, undefined],
      ["charging", 1_040, undefined, undefined],
      ["declined", 1_050, undefined, "warning"],
    ],
  );
  // Each leads to the recording that lists it.
  const rows = server.inbox.page("occurrences", {}).rows;
  assert.deepEqual(rows.map(({ replay_id }) => replay_id), [replayId, replayId]);
  assert.equal(body.errors, 2);
  const { body: stored } = await get<TraceContent>(`${server.url}?view=trace&id=${trace_id}`);
  const { marks, end_ms } = readTrace(stored);
  assert.deepEqual(
    marks.map(({ at_ms, isKnown }) => [Math.round(at_ms - from), isKnown]),
    [[-3_600_000, false], [1_040, true], [1_050, true]],
  );
  assert.equal(Math.round(end_ms - from), 1_100);
});

Deno.test("view=recording with more logs than a page of a list → all of them", async () => {
  await using server = startInboxServer();
  const from = Date.now() - 10_000;
  const replayId = hexId(53);
  const items = Array.from({ length: MAX_LIST_ROWS + 50 }, (_, n) => ({
    timestamp: (from + n) / 1_000,
    trace_id: hexId(TRACE),
    body: `log ${n}`,
    attributes: { "sentry.replay_id": { value: replayId, type: "string" } },
  }));
  for (
    const bytes of [
      segmentEnvelope({ replayId, number: 0, events: pageEvents(from, []) }),
      envelopeOf({}, ["log", { items }]),
    ]
  ) await server.inbox.store(admittedGzip(bytes, Date.now()));
  const { body } = await get<RecordingContent>(`${server.url}?view=recording&id=${replayId}`);
  const logs = body.events.filter(({ kind }) => kind === "log");
  assert.deepEqual(logs.map(({ text }) => text), items.map((item) => item.body));
});

Deno.test("view=error of a group → how often its errors have each tag, without ids; of one error → nothing", async () => {
  await using server = startInboxServer();
  const browsers = ["Chrome", "Firefox", "Chrome"];
  const listed = async () =>
    (await get<{ rows: [ErrorGroupRow] }>(`${server.url}?view=errors`)).body.rows[0];
  const tagsOf = async (application = "apps") => {
    const query = `view=error&id=${(await listed()).group}&application=${application}`;
    return (await get<ErrorContent>(`${server.url}?${query}`)).body.tag_values;
  };
  for (const [n, name] of browsers.entries()) {
    const event = errorOf("declined", hexId(n + 1), {
      release: "shop@1",
      tags: { order: `${n}`, paid: "no", replayId: hexId(n % 2) },
      contexts: { browser: { name, version: "148" } },
    });
    await server.inbox.store(admittedGzip(envelopeOf({}, event as never), Date.now()));
    if (n === 0) assert.equal(await tagsOf(), undefined);
  }
  const one = (value: string, count: number) => ({ value, count });
  assert.deepEqual(await tagsOf(), {
    errors: 3,
    names: [
      { name: "browser", values: [one("Chrome 148", 2), one("Firefox 148", 1)] },
      { name: "release", values: [one("shop@1", 3)] },
      { name: "paid", values: [one("no", 3)] },
    ],
  });
  const [shop] = (await listed()).applications;
  const other = errorOf("declined", hexId(9), { release: "other@1" });
  await server.inbox.store(admittedGzip(envelopeOf({}, other as never), Date.now()));
  assert.deepEqual([(await tagsOf())?.errors, (await tagsOf(shop))?.errors], [4, 3]);
});

Deno.test("view=envelope → its row, items as bounded text, errors; not stored → 404; unreadable → 422; a bad id → 400", async () => {
  await using server = startInboxServer();
  const event = errorOf("declined", EVENT);
  const bytes = envelopeOf({ event_id: EVENT }, event as never, [
    "attachment",
    new TextEncoder().encode("milk ".repeat(100_000)),
  ]);
  await server.inbox.store(admittedGzip(bytes, Date.now()));
  const broken = new TextEncoder().encode("no envelope");
  const stored = admittedGzip(bytes, Date.now());
  await server.inbox.store({ ...stored, bytes: broken });
  await server.inbox.store({ ...stored, bytes: broken, contentEncoding: null });
  const at = (query: string) =>
    get<EnvelopeContent & { error: string }>(`${server.url}?view=envelope${query}`);
  const { status, body } = await at("&id=1");
  assert.equal(status, 200);
  assert.deepEqual([body.row.id, body.row.event_id, body.bytes], [1, EVENT, bytes.byteLength]);
  assert.deepEqual(JSON.parse(body.header), { event_id: EVENT });
  const [item, attachment] = body.items as [EnvelopeContent["items"][number], ...typeof body.items];
  assert.deepEqual([item.type, item.kind, item.truncated], ["event", "JSON", false]);
  assert.deepEqual(JSON.parse(item.text), JSON.parse(JSON.stringify(event[1])));
  const payload = bytes.subarray(item.offset, item.offset + item.bytes);
  assert.deepEqual(JSON.parse(new TextDecoder().decode(payload)), JSON.parse(item.text));
  assert.deepEqual(
    [attachment?.kind, attachment?.bytes, attachment?.text.length, attachment?.truncated],
    ["text", 500_000, 200_000, true],
  );
  assert.deepEqual(body.errors, [{ name: EVENT, title: "PaymentError: declined" }]);
  const answers = [
    ["&id=2", 422, "envelope_unreadable"],
    ["&id=3", 422, "envelope_unreadable"],
    ["&id=9", 404, "envelope_not_found"],
    ["&id=x", 400, "parameter_invalid"],
    ["", 400, "parameter_invalid"],
  ] as const;
  for (const [query, status, code] of answers) {
    const answer = await at(query);
    assert.deepEqual([answer.status, answer.body.error], [status, code], query);
  }
});
