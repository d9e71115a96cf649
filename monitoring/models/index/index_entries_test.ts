import assert from "node:assert/strict";
import fc from "fast-check";
import { envelopeOf, hexId, recorded, type TestItem } from "../../inbox/testdata/envelopes.ts";
import { describeEvent } from "../error/error_event.ts";
import { MAX_ENTRIES, parseEnvelope } from "../parsed_envelope.ts";
import { ROOT_RANK } from "../trace/trace_root.ts";
import { indexBody, type IndexEntries } from "./index_entries.ts";

const NOW = 1_795_233_300_000;
const trace = hexId(0xace);
const replay = hexId(0x4e9);

const read = (bytes: Uint8Array) => indexBody([parseEnvelope(bytes)], NOW).resources[0]!;
const recordedEntries = (name: string) => read(recorded(name));
const entries = (...items: TestItem[]) => read(envelopeOf({}, ...items));
const span = (rest: Record<string, unknown>) => ({
  trace_id: trace,
  span_id: "1",
  name: "s",
  ...rest,
});
const spans = (...items: unknown[]) => entries(["span", { version: 2, items }]).traces[0];

Deno.test("recorded error event → entry", () => {
  const { errors: [error], traces: [touched], logs } = recordedEntries("event");
  const { attributes: _, ...shown } = error!;
  assert.deepEqual({ ...shown, group: "" }, {
    group: "",
    type: "Error",
    value: "Cannot place the order: the basket is empty",
    where: "/page.js",
    level: "error",
    handled: true,
    at: 1_795_233_255_202,
    event_id: "3000892398844746a1dfff4faa3459e0",
    trace_id: "59536e01ba9a4144800b88e6970a728a",
    span_id: "b5acf41543ccf4f0",
    replay_id: "5eb3598873784e9388474ced40850656",
  });
  assert.equal(touched?.errors, 1);
  assert.equal(touched?.replay_id, "5eb3598873784e9388474ced40850656");
  assert.equal(touched?.seen_at, 1_795_233_255_202);
  assert.deepEqual(logs, []);
});

Deno.test("recorded spans → trace named by the segment span", () => {
  const { traces: [touched] } = recordedEntries("span");
  const { root, ...rest } = touched!;
  assert.deepEqual(root, {
    rank: ROOT_RANK.parent,
    started_at: 1_795_233_255_825.8,
    ended_at: 1_795_233_255_832.4,
    name: "checkout",
    op: "ui.action",
    http_status: null,
  });
  assert.deepEqual(rest, {
    trace_id: "bf12261196034272b1f0fa81186c72c4",
    spans: 2,
    errors: 0,
    logs: 0,
    seen_at: NOW,
    failed: false,
    preflight: false,
    replay_id: null,
  });
});

Deno.test("Flask with sentry-sdk 1.9 → HTTP status by tag, preflight by method", () => {
  // Recorded, without what is not read.
  const transaction = (method: string, status: string, code: string): TestItem => ["transaction", {
    transaction: "checkout",
    transaction_info: { source: "component" },
    contexts: {
      trace: {
        trace_id: "1ac0800082af47059710886b1a2bdd61",
        span_id: "989a0e9377b1c525",
        parent_span_id: null,
        op: "http.server",
        description: null,
        status,
      },
    },
    tags: { "http.status_code": code },
    start_timestamp: "2026-11-20T20:28:44.288630Z",
    timestamp: "2026-11-20T20:28:44.303231Z",
    spans: [],
    request: { url: "http://localhost/api/checkout", query_string: "", method },
    sdk: { name: "sentry.python", version: "1.9.10" },
    platform: "python",
  }];
  const { traces: [failed] } = entries(transaction("POST", "internal_error", "500"));
  assert.deepEqual([failed?.root?.name, failed?.root?.http_status], ["POST checkout", 500]);
  assert.deepEqual([failed?.failed, failed?.preflight], [true, false]);
  const { traces: [preflight] } = entries(transaction("OPTIONS", "ok", "200"));
  assert.deepEqual([preflight?.failed, preflight?.preflight], [false, true]);
});

Deno.test("query that ends after its cancelled request was sent → no run of an endpoint", () => {
  // As Node's SDK 10 sends it, without what is not read.
  const late: TestItem = ["transaction", {
    transaction: "SELECT id FROM products WHERE name LIKE '%s%'",
    contexts: {
      trace: {
        trace_id: trace,
        span_id: "acbac65689f7fb4a",
        parent_span_id: "bf30c1e70b71fa22",
        op: "db",
        data: { "sentry.op": "db", "sentry.parent_span_already_sent": true },
        status: "ok",
      },
      response: { status_code: 200 },
    },
    start_timestamp: NOW / 1_000,
    timestamp: NOW / 1_000 + 0.9,
    spans: [],
  }];
  const { spans: [query], traces: [touched] } = entries(late);
  assert.deepEqual([query?.is_run, touched?.root?.http_status], [false, null]);
});

Deno.test("request after its page's navigation has ended → no run of an endpoint", () => {
  // As the browser's SDK 11 streams it, without what is not read.
  const attributes = { "sentry.origin": { value: "auto.http.browser", type: "string" } };
  const search = { name: "GET /api/search", op: "http.client", is_segment: true, attributes };
  const page = { name: "/product/3", op: "navigation", is_segment: true };
  const items = [span(search), span({ ...page, span_id: "2" })];
  const { spans: [request, navigation] } = entries(["span", { version: 2, items }]);
  assert.deepEqual([request?.is_run, navigation?.is_run], [false, true]);
});

Deno.test("trace of spans without names → without a name, at the start of the first", () => {
  const starts = [NOW - 2_000, NOW - 3_000, 0];
  const unnamed = starts.map((ms) => span({ name: "", start_timestamp: ms / 1_000 }));
  const { root, seen_at } = spans(...unnamed)!;
  assert.deepEqual([root, seen_at], [null, NOW - 3_000]);
});

Deno.test("recorded transaction and log → trace entry, log entry with attributes", () => {
  const [touched] = recordedEntries("transaction").traces;
  assert.deepEqual(
    [touched?.trace_id, touched?.spans, touched?.root?.name, touched?.root?.op],
    ["48e3ef2cb35d42c8a99804d536ce6210", 1, "checkout", "ui.action"],
  );
  assert.equal(touched?.root?.ended_at, 1_795_233_256_197.5);
  const { logs: [log], traces: [logged] } = recordedEntries("log");
  assert.deepEqual(
    [log?.at, log?.level, log?.body, log?.attributes.items, log?.trace_id],
    [1_795_233_255_168.7, "info", "An order was placed", 3, "59536e01ba9a4144800b88e6970a728a"],
  );
  assert.deepEqual([logged?.logs, logged?.replay_id], [1, "5eb3598873784e9388474ced40850656"]);
});

Deno.test("recorded items without spans, errors or logs → trace mentioned, nothing counted", () => {
  for (const name of ["replay", "feedback", "client_report", "profile_chunk", "session"]) {
    const { errors, logs, traces } = recordedEntries(name);
    assert.deepEqual([errors, logs], [[], []], name);
    for (const { spans, errors, logs } of traces) {
      assert.deepEqual([spans, errors, logs], [0, 0, 0]);
    }
    if (name !== "replay" && name !== "feedback") continue;
    assert.equal(traces[0]?.trace_id, "59536e01ba9a4144800b88e6970a728a", name);
    assert.equal(traces[0]?.replay_id, "5eb3598873784e9388474ced40850656", name);
  }
});

Deno.test("violations of a policy → errors, one group for each directive and host", () => {
  const { errors: [error] } = recordedEntries("raw_security");
  const { attributes: _, ...shown } = error!;
  assert.deepEqual({ ...shown, group: "" }, {
    group: "",
    type: "Blocked by the page's policy",
    value: "script-src-elem inline",
    common: "fingerprint csp script-src-elem inline",
    where: null,
    level: "error",
    handled: null,
    at: NOW,
    event_id: "0123456789abcdef0123456789abcdef",
    trace_id: null,
    span_id: null,
    replay_id: null,
  });
  const reports = [
    { "blocked-uri": "https://a.example/1" },
    { "blocked-uri": "https://a.example/2", "source-file": "https://b.example/c.js" },
    { "blocked-uri": "https://b.example/1", disposition: "report" },
    { "blocked-uri": "data" },
    { "effective-directive": 5, "violated-directive": [] },
  ].map((fields) => ({ "csp-report": { "effective-directive": "img-src", ...fields } }));
  const { errors } = entries(
    ...reports.map((json) => ["raw_security", json] as const),
    ["raw_security", { "expect-ct-report": {} }],
  );
  assert.deepEqual(errors.map(({ type, value, level }) => `${level}: ${type}: ${value}`), [
    "error: Blocked by the page's policy: img-src https://a.example",
    "error: Blocked by the page's policy: img-src https://a.example",
    "warning: Against the page's policy: img-src https://b.example",
    "error: Blocked by the page's policy: img-src data",
    "error: Blocked by the page's policy: 5 unknown",
  ]);
  assert.equal(errors[1]?.where, "/c.js");
  assert.equal(new Set(errors.map(({ group }) => group)).size, 4);
});

Deno.test("trace name → page load, navigation, server, parent, any span; then the earliest", () => {
  const child = span({ name: "child", parent_span_id: "9", start_timestamp: 1_795_233_000 });
  const early = span({ name: "early", parent_span_id: "9", start_timestamp: 1_795_232_000 });
  const segment = span({ name: "segment", parent_span_id: "9", is_segment: true });
  const root = span({ name: "root", start_timestamp: 1_795_233_100 });
  const parent = span({ name: "parent", parent_span_id: "8", span_id: "9" });
  const navigation = span({ name: "/cart", op: "navigation", start_timestamp: 1_795_233_200 });
  const load = span({ name: "/", parent_span_id: "9", op: "pageload" });
  const named: readonly (readonly [string, ...unknown[]])[] = [
    ["early", child, early],
    ["segment", child, early, segment],
    ["root", child, early, segment, root],
    ["parent", child, early, parent],
    ["/cart", child, segment, root, navigation],
    ["/", child, early, segment, root, navigation, load],
  ];
  for (const [name, ...items] of named) assert.equal(spans(...items)?.root?.name, name);
});

Deno.test("interaction of the page before, sent with a navigation → the navigation's name and time", () => {
  const navigation = span({
    name: "/orders",
    op: "navigation",
    start_timestamp: 1_795_233_009,
    end_timestamp: 1_795_233_009.912,
  });
  const click = span({
    name: "<unknown>",
    op: "ui.interaction.click",
    start_timestamp: 1_795_233_000.6,
    end_timestamp: 1_795_233_000.7,
  });
  const { root } = spans(click, navigation)!;
  assert.deepEqual([root?.name, root!.ended_at! - root!.started_at!], ["/orders", 912]);
});

Deno.test("no spans → trace named for the first error, else the first log", () => {
  const touched = (...items: TestItem[]) => entries(...items).traces[0]!;
  const log = (body: string, second: number) => (
    { trace_id: trace, body, timestamp: 1_795_233_000 + second }
  );
  const logs: TestItem = ["log", { items: [log("second", 2), log("first", 1)] }];
  const exception = { values: [{ type: "TypeError", value: "x is undefined" }] };
  const contexts = { trace: { trace_id: trace } };
  const error: TestItem = ["event", { contexts, timestamp: 1_795_233_009, exception }];
  assert.equal(touched(logs).root?.name, "first");
  const name = "TypeError: x is undefined";
  const failed = touched(logs, error);
  assert.deepEqual(failed.root, {
    rank: ROOT_RANK.error,
    started_at: 1_795_233_009_000,
    ended_at: null,
    name,
    op: null,
    http_status: null,
  });
  const withSpan = touched(error, ["span", { items: [span({ name: "work" })] }]);
  assert.equal(withSpan.root?.name, "work");
});

Deno.test("server's transaction → method of its request; interaction (older form) → its page", () => {
  const contexts = { trace: { trace_id: trace, op: "http.server" } };
  const served = { transaction: "/cart", request: { method: "POST" }, contexts };
  assert.equal(entries(["transaction", served]).traces[0]?.root?.name, "POST /cart");
  const click = { trace_id: trace, op: "ui.interaction.click", description: "button#pay" };
  const { root } = entries(["span", { ...click, data: { transaction: "/cart" } }]).traces[0]!;
  assert.deepEqual([root?.rank, root?.name, root?.op], [ROOT_RANK.annotation, "/cart", click.op]);
});

Deno.test("implausible times in spans, errors and logs → replaced", () => {
  const times = [NaN, -1, 0, 1e300, 253_402_300_000, NOW, "yesterday", "+275760-09-13", null, {}, [
    1_795_233_000,
  ]];
  for (const timestamp of times) {
    const { errors, logs } = entries(["event", { timestamp }], ["log", { items: [{ timestamp }] }]);
    assert.equal(errors[0]?.at, NOW, String(timestamp));
    assert.equal(logs[0]?.at, NOW, String(timestamp));
    const touched = spans(span({ start_timestamp: timestamp, end_timestamp: timestamp }));
    const { started_at, ended_at } = touched!.root!;
    assert.deepEqual([started_at, ended_at], [null, null], String(timestamp));
  }
  const backwards = spans(span({ start_timestamp: 1_795_233_010, end_timestamp: 1_795_233_000 }));
  const { started_at, ended_at } = backwards!.root!;
  assert.deepEqual([started_at, ended_at], [1_795_233_010_000, null]);
  const iso = entries(["event", { timestamp: "2026-11-21T03:54:15.202Z" }]).errors[0];
  assert.equal(iso?.at, 1_795_233_255_202);
});

Deno.test("several exceptions → entry of the last one; list or single object → read", () => {
  const thrown = { type: "CheckoutError", value: "thrown", mechanism: { handled: false } };
  const cause = { type: "TypeError", value: "the cause", mechanism: { handled: true } };
  for (const exception of [{ values: [cause, thrown] }, [cause, thrown], thrown]) {
    const [error] = entries(["event", { exception }]).errors;
    assert.deepEqual([error?.type, error?.value, error?.handled], [
      "CheckoutError",
      "thrown",
      false,
    ]);
  }
});

Deno.test("event without exception → message, grouped by its template", () => {
  const message = (logentry: unknown) => entries(["event", { logentry, level: "info" }]).errors[0];
  const ann = message({ message: "hello %s", params: ["Ann"], formatted: "hello Ann" });
  const bob = message({ message: "hello %s", params: ["Bob"], formatted: "hello Bob" });
  assert.deepEqual([ann?.type, ann?.value, ann?.level], ["Message", "hello Ann", "info"]);
  assert.equal(ann?.group, bob?.group);
  const plain = entries(["event", { message: "hello Ann" }]).errors[0];
  assert.equal(plain?.value, "hello Ann");
  // With a stack trace, as SDKs of Node.js send it.
  const exception = { values: [{ value: "hello", mechanism: { synthetic: true } }] };
  const [traced] = entries(["event", { message: "hello", exception }]).errors;
  assert.deepEqual([traced?.type, traced?.value], ["Message", "hello"]);
  assert.equal(traced?.former, entries(["event", { exception }]).errors[0]?.group);
  const { title, exceptions } = describeEvent({ message: "hello", exception });
  assert.deepEqual([title, exceptions.shown[0]?.type], ["Message", "Message"]);
});

Deno.test("log → attributes as texts, numbers, booleans or JSON, without colours of a terminal", () => {
  const attributes = {
    text: { value: "\x1b[2mfaint\x1b[0m", type: "string" },
    bare: 5,
    flag: { value: false, type: "boolean" },
    list: { value: [1, "x"], type: "array" },
    "__proto__x": { value: null },
  };
  const body = "\x1b[32mready\x1b[39m in \x1b[1m3\x1b[22m ms\x1b[K";
  const { logs: [json, coloured] } = entries(["log", {
    items: [{ body: { a: 1 }, attributes }, { body }],
  }]);
  assert.equal(json?.body, '{"a":1}');
  assert.deepEqual(json?.attributes, {
    text: "faint",
    bare: 5,
    flag: false,
    list: '[1,"x"]',
    "__proto__x": '{"value":null}',
  });
  assert.equal(coloured?.body, "ready in 3 ms");
});

Deno.test("huge envelope → bounded entries", () => {
  const long = "\u0000<script>".repeat(20_000);
  const values = Array.from({ length: 3 }, () => ({ type: long, value: long }));
  const attributes = Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`a${n}`, long]));
  const logs = Array.from({ length: 20_000 }, (_, n) => ({ trace_id: hexId(n + 1), body: "b" }));
  const flood = entries(
    ["event", { message: long, exception: { values }, fingerprint: Array(1_000).fill("x") }],
    ["log", { items: logs }],
    ["span", { items: Array.from({ length: 5_000 }, (_, n) => span({ name: `${n}` })) }],
  );
  assert.deepEqual([flood.logs.length, flood.traces.length], [MAX_ENTRIES, MAX_ENTRIES]);
  const deep = entries(["log", { items: [{ body: "m".repeat(1_000_000), attributes }] }]);
  assert.ok(JSON.stringify(deep.logs[0]).length < 10_000);
  assertBounded(flood);
});

Deno.test("body of several resources → keys run on; what exceeds them is counted", () => {
  const resource = (logs: number) =>
    parseEnvelope(envelopeOf({}, ["log", { items: Array(logs).fill({ body: "b" }) }]));
  const { resources, unlisted } = indexBody([0, 3, 9_000, 9_000, 2].map(resource), NOW);
  assert.deepEqual(resources.map(({ first, keys }) => [first, keys]), [
    [0, 1],
    [1, 3],
    [4, 9_000],
    [9_004, 2],
  ]);
  assert.equal(unlisted, 9_000);
  assert.deepEqual(indexBody([], NOW).resources.map(({ keys }) => keys), [1]);
});

Deno.test("any values in any place → never throws", () => {
  const types = fc.constantFrom("event", "transaction", "span", "log", "replay_event", "feedback");
  const anything = fc.oneof(fc.jsonValue(), fc.constantFrom<unknown>(trace, replay, -1, "x", []));
  const payload = fc.record({
    exception: fc.oneof(anything, fc.record({ values: fc.array(anything) })),
    message: anything,
    logentry: anything,
    contexts: fc.oneof(anything, fc.record({ trace: fc.record({ trace_id: anything }) })),
    fingerprint: anything,
    timestamp: anything,
    start_timestamp: anything,
    spans: anything,
    trace_ids: anything,
    items: fc.oneof(
      anything,
      fc.array(fc.record({
        trace_id: anything,
        name: anything,
        attributes: anything,
        level: anything,
        body: anything,
        start_timestamp: anything,
      })),
    ),
  }, { requiredKeys: [] });
  fc.assert(fc.property(
    fc.dictionary(fc.string(), anything),
    fc.array(fc.tuple(types, fc.oneof(payload, anything))),
    (header, items) => {
      const { description, resources } = indexBody(
        [parseEnvelope(envelopeOf(header, ...items))],
        NOW,
      );
      assertBounded(resources[0]!);
      assert.equal(description.items.length, items.length);
      for (const id of description.trace_ids) assert.match(id, /^[\da-f]{32}$/);
    },
  ));
  fc.assert(fc.property(fc.uint8Array(), (bytes) => void read(bytes)));
});

function assertBounded({ traces, errors, logs }: IndexEntries): void {
  assert.ok(traces.length + logs.length <= 3 * MAX_ENTRIES);
  for (const row of [...traces, ...errors, ...logs]) {
    const json = JSON.stringify(row);
    assert.ok(json.length < 25_000, `${json.length} characters`);
    assert.doesNotMatch(json.replaceAll(/\\[tnr]/g, ""), /\\u00[01]/, "control characters");
  }
  for (const { at, group } of errors) {
    assert.ok(Number.isSafeInteger(at) && at > 0);
    assert.match(group, /^[\da-f]{14}$/);
  }
}
