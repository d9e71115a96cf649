import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { Inbox } from "../inbox/inbox.ts";
import { admitted, admittedGzip, envelopeOf, hexId } from "../inbox/testdata/envelopes.ts";
import { getAgentRun } from "./signal_details.ts";
import { getError } from "./error_details.ts";
import { type TelemetryReader, ToolError } from "./telemetry_reader.ts";
import { TOOLS } from "./tools.ts";
import { getTrace } from "./trace_details.ts";
import { MAX_ANSWER_BYTES, untrustedText } from "./untrusted_text.ts";
import { MAX_TRACE_ROWS } from "../models/trace/trace_content.ts";

const NOW = Date.now();
const TRACE = "a".repeat(32);
const DEV = "http://localhost:5173";

/** Runs a test with an inbox in memory that has these envelopes. */
async function withReader(
  envelopes: readonly Uint8Array<ArrayBuffer>[],
  work: (reader: TelemetryReader) => Promise<void>,
): Promise<void> {
  const inbox = new Inbox({ maxBytes: 64 * 1024 * 1024 });
  try {
    for (const bytes of envelopes) await inbox.store(admittedGzip(bytes, NOW));
    const mapOrigins = { configured: [DEV], fetchable: [] };
    await work({ inbox, mapOrigins, health: () => Promise.reject(new Error("not used")) });
  } finally {
    inbox.close();
  }
}

// deno-lint-ignore no-explicit-any -- JSON of known shape
const jsonOf = (data: unknown): any => JSON.parse(JSON.stringify(data));

Deno.test("get_error of a hostile event → bounded, and errors of its group are listed", async () => {
  const long = "ü\u202e".repeat(200);
  const hostile = (n: number) => ({
    event_id: hexId(n),
    exception: {
      values: Array.from({ length: 60 }, () => ({
        type: long,
        value: long,
        stacktrace: {
          frames: Array.from({ length: 10 }, () => ({
            function: long,
            filename: long,
            context_line: long,
            pre_context: [long],
            vars: { long },
          })),
        },
      })),
    },
    tags: Array.from({ length: 300 }, (_, n) => [`${n}${long}`.slice(0, 1_000), "x"]),
  });
  const small = { event_id: hexId(3), exception: { values: [{ type: "Error", value: "e" }] } };
  const other = { ...small, event_id: hexId(4) };
  const events = [hostile(1), small, other].map((event) => envelopeOf({}, ["event", event]));
  await withReader(events, async (reader) => {
    for (const id of [1, 4]) {
      const answer = await getError({ event_id: hexId(id) }, reader);
      const text = untrustedText(answer);
      assert.ok(Buffer.byteLength(text) <= MAX_ANSWER_BYTES);
      assert.equal(/Truncated/.test(text), id === 1);
      if (id === 4) {
        const { other_errors_of_group, count } = jsonOf(answer.data);
        assert.deepEqual(
          [count, ...other_errors_of_group.map(({ event_id }: { event_id: string }) => event_id)],
          [2, hexId(3)],
        );
      }
    }
  });
});

Deno.test("get_error with breadcrumbs of the SDK itself → the application's alone", async () => {
  const event = {
    event_id: hexId(1),
    exception: { values: [{ type: "Error", value: "no money" }] },
    breadcrumbs: [{ category: "sentry.event" }, { category: "http" }, {
      category: "sentry.replay",
    }],
  };
  await withReader([envelopeOf({}, ["event", event])], async (reader) => {
    const { breadcrumbs } = jsonOf((await getError({ event_id: hexId(1) }, reader)).data);
    assert.deepEqual(breadcrumbs.map(({ category }: { category: string }) => category), ["http"]);
  });
});

Deno.test("get_trace with span_id → bounded head; units, kind, status message, events and links of a span", async () => {
  const start = Math.floor(NOW / 1000);
  const span = {
    trace_id: TRACE,
    span_id: "1".repeat(16),
    name: "work".repeat(1_000),
    op: "op".repeat(1_000),
    kind: "client",
    status: "error",
    status_message: "no stock",
    start_timestamp: start,
    end_timestamp: start + 1,
    attributes: {
      "device.memory": { value: 8.5, type: "double", unit: "gigabyte" },
      "gen_ai.response.finish_reasons": { value: ["stop"], type: "array" },
    },
    events: [{ name: "cache miss", timestamp: start + 0.25, attributes: { key: "A-1" } }],
    links: [{ trace_id: "b".repeat(32), span_id: "c".repeat(16) }, { trace_id: "none" }],
  };
  await withReader([envelopeOf({}, ["span", { items: [span] }])], async (reader) => {
    const { data } = await getTrace({ trace_id: TRACE, span_id: span.span_id }, reader);
    const { name, op, span: { kind, status_message, attributes, events, links } } = jsonOf(data);
    assert.deepEqual([name.length, op.length], [301, 100]);
    assert.deepEqual([kind, status_message], ["client", "no stock"]);
    assert.deepEqual(attributes, [
      ["device.memory", "8.5", "gigabyte"],
      ["gen_ai.response.finish_reasons", '["stop"]'],
    ]);
    assert.deepEqual(events, [
      { offset_ms: 250, name: "cache miss", attributes: [["key", "A-1"]] },
    ]);
    assert.deepEqual(links, [
      { trace_id: "b".repeat(32), span_id: "c".repeat(16), attributes: [] },
    ]);
  });
});

Deno.test("get_agent_run of a hostile run → its tree and messages, bounded", async () => {
  const spanOf = (id: number, op: string, attributes: Record<string, unknown>) => ({
    trace_id: TRACE,
    span_id: `${id}`.repeat(16),
    ...id > 1 && { parent_span_id: "1".repeat(16) },
    ...{
      name: op,
      op,
      status: "error",
      start_timestamp: NOW / 1000,
      end_timestamp: NOW / 1000 + 1,
    },
    attributes: Object.fromEntries(
      Object.entries(attributes).map(([name, value]) => [`gen_ai.${name}`, { value }]),
    ),
  });
  const items = [
    spanOf(1, "gen_ai.invoke_agent", { "agent.name": "support" }),
    spanOf(2, "gen_ai.execute_tool", {
      "tool.name": "stock",
      "tool.output": "ignore ".repeat(20_000),
    }),
    spanOf(3, "http.client", {}),
    spanOf(4, "gen_ai.chat", { "input.messages": '[{"role":"user","content":"Q"}]' }),
    spanOf(5, "gen_ai.chat", {
      "input.messages": '[{"role":"user","content":"Q"},{"role":"assistant","content":"A"}]',
    }),
  ];
  await withReader([envelopeOf({}, ["span", { items }])], async (reader) => {
    const answer = await getAgentRun({ trace_id: TRACE }, reader);
    assert.ok(Buffer.byteLength(untrustedText(answer)) <= MAX_ANSWER_BYTES);
    assert.match(answer.summary, /agent's tokens and cost repeat those of the calls below it/);
    const { spans } = jsonOf(answer.data);
    const facts = spans.map((span: Record<string, unknown>) => [span.depth, span.kind, span.name]);
    assert.deepEqual(facts.slice(0, 2), [[0, "agent", "support"], [1, "tool", "stock"]]);
    const roles = spans.map(({ messages }: { messages: { role: string }[] }) =>
      messages.map(({ role }) => role)
    );
    assert.deepEqual(roles, [[], ["tool"], ["user"], ["assistant"]], "each message once");
    assert.throws(() => getAgentRun({ trace_id: "b".repeat(32) }, reader), /No AI spans/);
  });
});

Deno.test("get_trace, function beside the request it awaits → the request has the self time", async () => {
  const start = Math.floor(NOW / 1000);
  const spans: readonly [op: string, from: number, to: number][] = [
    ["http.server", 0, 0.5],
    ["function", 0, 0.46],
    ["http.client", 0.005, 0.455],
  ];
  const items = spans.map(([op, from, to], n) => ({
    trace_id: TRACE,
    span_id: hexId(n + 1).slice(16),
    ...n > 0 && { parent_span_id: hexId(1).slice(16) },
    name: op,
    start_timestamp: start + from,
    end_timestamp: start + to,
    attributes: { "sentry.op": { value: op, type: "string" } },
  }));
  await withReader([envelopeOf({}, ["span", { items }])], async (reader) => {
    const { longest_spans } = jsonOf((await getTrace({ trace_id: TRACE }, reader)).data);
    assert.deepEqual(
      longest_spans.map(({ op, self_ms }: { op: string; self_ms: number }) => [op, self_ms]),
      [["http.client", 450], ["http.server", 40], ["function", 10]],
    );
  });
});

Deno.test("get_trace, the same query twelve times at once → one of longest_spans, as in the page", async () => {
  const items = Array.from({ length: 13 }, (_, n) => ({
    trace_id: TRACE,
    span_id: hexId(n + 1).slice(16),
    ...n > 0 && { parent_span_id: hexId(1).slice(16) },
    name: n === 0 ? "GET /" : "SELECT",
    start_timestamp: NOW / 1000 + n / 1000,
    end_timestamp: NOW / 1000 + (n === 0 ? 200 : n + 100) / 1000,
    attributes: { "sentry.op": { value: n === 0 ? "http.server" : "db", type: "string" } },
  }));
  await withReader([envelopeOf({}, ["span", { items }])], async (reader) => {
    const { longest_spans: [longest, root] } = jsonOf(
      (await getTrace({ trace_id: TRACE }, reader)).data,
    );
    const { name, duration_ms, self_ms, repeated } = longest;
    const times = [duration_ms, self_ms, repeated];
    assert.deepEqual([name, ...times], ["SELECT", 111, 111, "12 in parallel, 111 ms, sum 1.20 s"]);
    assert.deepEqual([root.name, root.repeated], ["GET /", undefined]);
  });
});

Deno.test("get_trace, task of a server whose clock is ahead, by no request → its clock, as in the page", async () => {
  const of = (name: string, n: number, at: number, op: string, parent?: number) => {
    const ids = { span_id: id(n), ...parent && { parent_span_id: id(parent) } };
    const attributes = { "service.name": { value: name }, "sentry.op": { value: op } };
    const times = { start_timestamp: at / 1000, end_timestamp: at / 1000 + 1 };
    const sdk = { name: "sentry.javascript.node", version: "10.0.0" };
    const item = { trace_id: TRACE, ...ids, name: op, ...times, attributes };
    return envelopeOf({ sdk, sent_at: new Date(at).toISOString() }, ["span", { items: [item] }]);
  };
  const id = (n: number) => hexId(n).slice(16);
  const ahead = 9 * 60_000;
  const bodies = [
    of("api", 1, NOW, "http.server"),
    of("worker", 2, NOW + ahead, "queue.process", 1),
  ];
  await withReader(bodies, async (reader) => {
    const { clocks_off } = jsonOf((await getTrace({ trace_id: TRACE }, reader)).data);
    assert.deepEqual(clocks_off, [{ application: "worker", clock_ms: ahead }]);
  });
  await withReader(bodies.slice(0, 1), async (reader) => {
    assert.deepEqual(jsonOf((await getTrace({ trace_id: TRACE }, reader)).data).clocks_off, []);
  });
});

Deno.test("get_trace with parents that were not received → they are no spans of its count", async () => {
  const id = (n: number) => hexId(n).slice(16);
  const span = (n: number, parent?: number) => ({
    ...{ trace_id: TRACE, span_id: id(n), name: "x", ...parent && { parent_span_id: id(parent) } },
    ...{ start_timestamp: NOW / 1000, end_timestamp: NOW / 1000 },
  });
  const summaryOf = async (...items: object[]) => {
    let summary = "";
    await withReader([envelopeOf({}, ["span", { items }])], async (reader) => {
      summary = (await getTrace({ trace_id: TRACE }, reader)).summary;
    });
    return summary;
  };
  assert.equal(await summaryOf(span(1), span(2, 1)), "One trace, 1 to 2 of 2 spans.");
  const missing = "One trace, 1 to 4 of 4 rows: 2 spans, 2 missing parents.";
  assert.equal(await summaryOf(span(1, 8), span(2, 9)), missing);
});

Deno.test("get_trace of 1,500 spans → pages with each span once, all bounded", async () => {
  const id = (n: number) => n.toString(16).padStart(16, "0");
  const spans = Array.from({ length: 1_500 }, (_, n) => ({
    trace_id: TRACE,
    span_id: id(n + 1),
    ...n > 0 && { parent_span_id: id(1 + Math.floor((n - 1) / 10)) },
    name: `span no. ${n} ${"x".repeat(n % 500)}`,
    start_timestamp: NOW / 1000 + n / 1e4,
    end_timestamp: NOW / 1000 + n / 1e4 + 0.01,
  }));
  const log = { trace_id: TRACE, body: "y".repeat(3_000), timestamp: NOW / 1000 };
  const envelopes = [0, 500, 1_000].map((from) =>
    envelopeOf({ trace: { trace_id: TRACE } }, ["span", { items: spans.slice(from, from + 500) }])
  );
  const logs = envelopeOf({}, ["log", { items: Array(90).fill(log) }]);
  await withReader([...envelopes, logs], async (reader) => {
    const seen: string[] = [];
    let after: string | undefined;
    let pages = 0;
    do {
      const answer = await getTrace({ trace_id: TRACE, after }, reader);
      assert.ok(Buffer.byteLength(untrustedText(answer)) <= MAX_ANSWER_BYTES);
      assert.doesNotMatch(untrustedText(answer), /Truncated/);
      const data = jsonOf(answer.data);
      assert.equal(data.logs, 90);
      assert.equal(data.first_logs?.length, pages === 0 ? 20 : undefined);
      seen.push(...data.spans.map(({ span_id }: { span_id: string }) => span_id));
      after = data.next ?? undefined;
      pages++;
      // What arrives meanwhile must not move the pages.
      const late = { ...spans[0], span_id: id(9_000 + pages), name: "late" };
      await reader.inbox.store(admitted(envelopeOf({}, ["span", { items: [late] }]), NOW));
    } while (after !== undefined && pages < 200);
    const known = seen.filter((span) => Number.parseInt(span, 16) <= 1_500);
    assert.equal(new Set(known).size, 1_500);
    assert.equal(known.length, 1_500);
  });
});

Deno.test("get_trace of 20,001 logs → the newest 20,000, and the answer states so", async () => {
  const log = { trace_id: TRACE, body: "step", timestamp: NOW / 1000 };
  const envelope = envelopeOf({}, ["log", { items: Array(MAX_TRACE_ROWS / 4).fill(log) }]);
  const span = { trace_id: TRACE, name: "POST /jobs", op: "queue.process" };
  const times = { start_timestamp: NOW / 1000 - 60, end_timestamp: NOW / 1000 };
  const root = envelopeOf({}, ["span", { items: [{ ...span, ...times }] }]);
  await withReader([root, ...Array(4).fill(envelope)], async (reader) => {
    const read = () => getTrace({ trace_id: TRACE }, reader);
    assert.doesNotMatch((await read()).summary, /Not shown/);
    await reader.inbox.store(admitted(envelopeOf({}, ["log", { items: [log] }]), NOW));
    const { summary, data } = await read();
    assert.match(summary, /Not shown: 1 of 20,001 logs\. Only the newest 20,000 of each/);
    const { name, duration_ms, omitted } = jsonOf(data);
    assert.deepEqual([name, duration_ms], ["POST /jobs", 60_000]);
    assert.deepEqual(omitted, { spans: 0, errors: 0, logs: 1 });
  });
});

Deno.test("rows larger than an answer → fewer rows, attributes as sent, the others on the next page", async () => {
  const attributes = Object.fromEntries(
    Array.from({ length: 30 }, (_, n) => [`attribute ${n}`, { value: `${n} `.repeat(40) }]),
  );
  Object.assign(attributes, { index: { value: 7 }, created_at: { value: 8 } });
  const items = Array.from({ length: 40 }, (_, n) => ({ body: `log no. ${n}`, attributes }));
  await withReader([envelopeOf({}, ["log", { items }])], async (reader) => {
    const tool = TOOLS.find(({ name }) => name === "search_logs")!;
    const bodies: string[] = [];
    const summaries: string[] = [];
    let before: string | undefined;
    do {
      const answer = await tool.run({ limit: 40, before }, reader);
      assert.ok(Buffer.byteLength(untrustedText(answer)) <= MAX_ANSWER_BYTES);
      const { rows, next } = jsonOf(answer.data);
      bodies.push(...rows.map(({ body }: { body: string }) => body));
      const { index, created_at } = rows[0].attributes;
      assert.deepEqual([index, created_at], [7, 8], "attributes as sent");
      summaries.push(answer.summary);
      before = next ?? undefined;
    } while (before !== undefined);
    assert.deepEqual(bodies, items.map(({ body }) => body).toReversed());
    assert.match(summaries[0]!, /Truncated/);
    assert.ok(summaries.length > 2);
  });
});

Deno.test("rows that an answer just has room for → each is in one page", async () => {
  const tool = TOOLS.find(({ name }) => name === "search_logs")!;
  const [count, paddings] = [40, 30];
  const logs = (length: number) =>
    Array.from({ length: paddings }, (_, n) => ({
      trace_id: hexId(n + 1),
      items: Array.from({ length: count }, (_, i) => "x".repeat(i === 0 ? length + 8 * n : length)),
    })).map(({ trace_id, items }) =>
      envelopeOf({}, ["log", { items: items.map((body) => ({ body, trace_id })) }])
    );
  const rowsOf = async (trace: number, reader: TelemetryReader) => {
    const rows: { body: string }[] = [];
    let next: string | null | undefined;
    while (next !== null) {
      const input = { limit: count, trace_id: hexId(trace), ...next && { before: next } };
      const page = JSON.parse(untrustedText(await tool.run(input, reader)).split("\n").at(-2)!);
      rows.push(...page.rows);
      next = page.next;
    }
    return rows;
  };
  let bytes = 0;
  await withReader(logs(0), async (reader) => {
    bytes = Buffer.byteLength(JSON.stringify(await rowsOf(1, reader)));
  });
  const length = Math.floor((MAX_ANSWER_BYTES - 1_500 - bytes) / count) - 4;
  await withReader(logs(length), async (reader) => {
    for (let trace = 1; trace <= paddings; trace++) {
      const lengths = (await rowsOf(trace, reader)).map(({ body }) => body.length);
      const sent = [length + 8 * (trace - 1), ...Array(count - 1).fill(length)];
      assert.deepEqual(lengths.toSorted(), sent.toSorted());
    }
  });
});

Deno.test("get_error of a script whose map was fetched by its address → its source, and that it may be old", async () => {
  const filename = `${DEV}/cart.js`;
  const frames = [{ function: "add", filename, lineno: 1, colno: 1, in_app: true }];
  const values = [{ type: "Error", value: "e", stacktrace: { frames } }];
  const event = { event_id: hexId(1), exception: { values } };
  await withReader([envelopeOf({}, ["event", event])], async (reader) => {
    const found = async () => jsonOf((await getError({ event_id: hexId(1) }, reader)).data);
    const before = await found();
    assert.match(before.missing_source, /^No page of .* has posted since this server's start/);
    const map = { version: 3, sources: ["cart.ts"], sourcesContent: ["sum(1)"], mappings: "AAAA" };
    await reader.inbox.storeSourceMap(filename, new TextEncoder().encode(JSON.stringify(map)));
    const { missing_source, exceptions: [{ frames: [frame] }] } = await found();
    assert.deepEqual([frame.at, frame.source], ["cart.ts:1:1", ["> 1 sum(1)"]]);
    assert.match(missing_source, /cart.js has no debug id: .* fetched by its address/);
  });
});

Deno.test("list_feedback → messages with their error, its time as text, and attachments", async () => {
  const event_id = hexId(1);
  const event = { event_id, exception: { values: [{ type: "Error", value: "e" }] } };
  const feedback = { message: "It broke.", name: "Ada", associated_event_id: event_id };
  const envelopes = [
    envelopeOf({}, ["event", event]),
    envelopeOf({}, ["feedback", { contexts: { feedback } }], ["attachment", new Uint8Array(3)]),
  ];
  await withReader(envelopes, async (reader) => {
    const tool = TOOLS.find(({ name }) => name === "list_feedback")!;
    const [row] = jsonOf((await tool.run({ query: "broke", state: "open" }, reader)).data).rows;
    assert.deepEqual([row.message, row.name, row.attachments[0].bytes], ["It broke.", "Ada", 3]);
    const at = new Date(NOW).toISOString();
    assert.deepEqual([row.at, row.error.at, row.error.by], [at, at, "event"]);
    assert.equal(row.about, event_id);
  });
});

Deno.test("list_endpoints, order of the other list → refused", async () => {
  await withReader([], async (reader) => {
    const tool = TOOLS.find(({ name }) => name === "list_endpoints")!;
    for (const input of [{ sort: "-repeated" }, { of: "queries", sort: "-change" }]) {
      assert.throws(() => tool.run(input, reader), ToolError);
    }
    const { summary } = await tool.run({ of: "queries", sort: "-repeated" }, reader);
    assert.match(summary, /^Queries, -repeated first: 0\./);
  });
});

Deno.test("list_monitors → the worst first, times as texts, five runs and missed times each", async () => {
  const checkIn = (slug: string, minutes: number, status: string) =>
    envelopeOf({}, ["check_in", {
      ...{ monitor_slug: slug, status, timestamp: (NOW - minutes * 60_000) / 1_000 },
      monitor_config: { schedule: { type: "interval", value: 1, unit: "minute" } },
    }]);
  const many = Array.from({ length: 7 }, (_, n) => checkIn("fine", n, "ok"));
  await withReader([...many, checkIn("broken", 60, "error")], async (reader) => {
    const tool = TOOLS.find(({ name }) => name === "list_monitors")!;
    const [broken, fine] = jsonOf((await tool.run({}, reader)).data).rows;
    const since = new Date(NOW - 59 * 60_000).toISOString();
    assert.deepEqual([broken.slug, broken.state, broken.since], ["broken", "missed", since]);
    assert.deepEqual([broken.missed.length, broken.runs.length, broken.has_more], [5, 1, true]);
    assert.deepEqual([fine.state, fine.runs.length, fine.has_more], ["ok", 5, true]);
    assert.equal(fine.runs[0].started_at, new Date(NOW).toISOString());
    assert.equal(fine.next_at, new Date(NOW + 60_000).toISOString());
    const first = await tool.run({ limit: 1 }, reader);
    assert.match(first.summary, /^Monitors, worst first: 1\. There may be more/);
    const rest = await tool.run({ limit: 1, before: jsonOf(first.data).next }, reader);
    assert.match(rest.summary, /There are no more/);
    assert.equal(jsonOf(rest.data).rows[0].slug, "fine");
  });
});

Deno.test("application by its name, as sent or shown → its rows; by that of several → refused", async () => {
  const sent = (release: string, environment: string, message: string) =>
    envelopeOf({}, ["event", { release, environment, message, timestamp: NOW / 1_000 }]);
  const envelopes = [
    sent("shop@1", "dev", "of the shop"),
    sent("apps@1", "dev", "of apps"),
    sent("twice@1", "dev", "of two"),
    sent("twice@1", "test", "of two"),
    envelopeOf({ sdk: { name: "sentry.javascript.react" } }, ["event", { message: "of an SDK" }]),
    envelopeOf({}, ["event", { message: "of none" }]),
  ];
  await withReader(envelopes, async (reader) => {
    const tool = TOOLS.find(({ name }) => name === "list_errors")!;
    const valuesOf = async (application: string, environment?: string) =>
      jsonOf((await tool.run({ application, environment }, reader)).data).rows.map((
        row: { value: string },
      ) => row.value);
    assert.deepEqual(await valuesOf("shop"), ["of the shop"]);
    assert.equal((await valuesOf("apps")).length, 5, "every application");
    await assert.rejects(() => valuesOf("twice"), /Several applications/);
    assert.deepEqual(await valuesOf("twice", "test"), ["of two"]);
    await assert.rejects(() => valuesOf("none"), /No application has this name/);
    assert.deepEqual(await valuesOf("react"), ["of an SDK"]);
    assert.deepEqual(await valuesOf("sentry.javascript.react"), ["of an SDK"]);
    assert.deepEqual(await valuesOf("sender not named"), ["of none"]);
    assert.deepEqual(await valuesOf("twice (test)"), ["of two"]);
    assert.deepEqual(await valuesOf("react (browser, production)"), ["of an SDK"]);
  });
});
