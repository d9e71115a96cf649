/** Posts envelopes to the inbox like other senders: errors of other SDKs, traces, and attacks. */
import { expect } from "@playwright/test";
import { envelopeOf, hexId, type TestItem } from "../../../monitoring/inbox/testdata/envelopes.ts";
import { sentBy } from "../../../monitoring/inbox/testdata/tested_index.ts";

/** The inbox's own DSN. */
export const DSN = "https://inbox@sightglass.invalid/1";

/** A script that leaves a trace if it is ever run. */
export const ATTACK = "globalThis.attacked = true";
/** Markup that runs {@linkcode ATTACK} if it is ever parsed as HTML. */
export const MARKUP = `<img src=x onerror="${ATTACK}"><script>${ATTACK}</script>`;

const nowSeconds = () => Date.now() / 1000;

/**
 * Posts an envelope like an SDK outside of a browser; fails unless the server accepts it.
 *
 * @param header may have the `sender` of its items: release and environment
 */
export async function postEnvelope(
  origin: string,
  { sender, ...header }: Record<string, unknown>,
  ...items: readonly TestItem[]
): Promise<void> {
  const sent = items.map((item) => sentBy(item, sender));
  await postBody(origin, envelopeOf({ dsn: DSN, ...header }, ...sent));
}

/** Posts the bytes of an envelope; fails unless the server accepts them. */
export async function postBody(origin: string, body: BodyInit): Promise<void> {
  const response = await fetch(`${origin}/monitoring`, { method: "POST", body });
  expect(response.status, await response.text()).toBe(200);
}

/** Posts events, each in an envelope. A `Uint8Array` is sent unchanged; only objects get an event id. */
export async function postEvents(origin: string, ...events: readonly unknown[]): Promise<void> {
  for (const event of events) {
    const id = hexId(Math.floor(Math.random() * 2 ** 48));
    const payload = typeof event === "object" && !(event instanceof Uint8Array)
      ? { event_id: id, timestamp: nowSeconds(), ...event }
      : event;
    await postEnvelope(origin, { event_id: id }, ["event", payload]);
  }
}

/** An event with one exception. */
export const errorEvent = (type: string, value = "fails", rest: object = {}) => ({
  exception: { values: [{ type, value }] },
  ...rest,
});

/** sentry-sdk for Python: local variables, source lines, an exception raised while handling another. */
export const pythonEvent = () => ({
  platform: "python",
  level: "error",
  release: "shop@4.2.0",
  sdk: { name: "sentry.python.django", version: "2.20.0" },
  modules: { django: "5.1", "sentry-sdk": "2.20.0" },
  exception: {
    values: [
      {
        type: "KeyError",
        value: "'sku-991'",
        mechanism: { type: "chained", exception_id: 1, parent_id: 0, source: "__context__" },
        stacktrace: {
          frames: [{ filename: "shop/stock.py", function: "price_of", lineno: 7, in_app: true }],
        },
      },
      {
        type: "CheckoutError",
        module: "shop.errors",
        value: "no price for sku-991",
        mechanism: { type: "django", handled: false, exception_id: 0 },
        stacktrace: {
          frames: [
            ...["handle_request", "get_response", "_wrapped_view", "dispatch"].map((name) => ({
              filename: "django/core/handlers/base.py",
              function: name,
              lineno: 197,
              in_app: false,
            })),
            {
              filename: "shop/views.py",
              function: "checkout",
              lineno: 42,
              in_app: true,
              pre_context: ["def checkout(request):", "    try:", "        price = price_of(sku)"],
              context_line: '        raise CheckoutError(f"no price for {sku}")',
              post_context: ["", "    return render(request)"],
              vars: { sku: "'sku-991'", request: "<WSGIRequest: GET '/checkout'>" },
            },
          ],
        },
      },
    ],
  },
});

/** sentry-java: packages, no columns, no source lines. */
export const javaEvent = () => ({
  platform: "java",
  level: "fatal",
  sdk: { name: "sentry.java.spring-boot.jakarta", version: "8.1.0" },
  exception: {
    values: [{
      type: "IllegalStateException",
      module: "java.lang",
      value: "The basket is locked",
      stacktrace: {
        frames: [
          { module: "java.lang.Thread", function: "run", filename: "Thread.java", lineno: 1583 },
          {
            module: "com.example.Cart",
            function: "checkout",
            filename: "Cart.java",
            lineno: 88,
            in_app: true,
          },
        ],
      },
    }],
  },
});

/**
 * @sentry/node: an AggregateError whose members have causes, a timestamp as text.
 *
 * @param now milliseconds since 1970
 */
export const nodeEvent = (now = Date.now()) => {
  const chained = (id: number, parent: number, source: string, type: string, value: string) => ({
    type,
    value,
    mechanism: { type: "chained", exception_id: id, parent_id: parent, source },
  });
  return {
    platform: "node",
    timestamp: new Date(now).toISOString(),
    sdk: { name: "sentry.javascript.node", version: "10.0.0" },
    tags: { queue: "mail" },
    exception: {
      values: [
        chained(3, 2, "cause", "Error", "connect ECONNREFUSED ::1:25"),
        chained(2, 0, "errors[1]", "MailError", "the second server does not answer"),
        chained(1, 0, "errors[0]", "MailError", "the first server refused"),
        {
          type: "AggregateError",
          value: "All servers failed",
          mechanism: { type: "generic", handled: true, exception_id: 0, is_exception_group: true },
          stacktrace: {
            frames: [
              { filename: "node:internal/process/task_queues", function: "run", in_app: false },
              { filename: "/app/mail.js", function: "send", lineno: 9, colno: 11, in_app: true },
            ],
          },
        },
      ],
    },
    breadcrumbs: [
      { timestamp: now / 1000 - 1, category: "http", level: "warning", data: { status_code: 421 } },
      { timestamp: now / 1000 - 3, category: "console", message: "Sending a mail" },
      { timestamp: now / 1000 - 2, category: "sentry.event", message: "Sent another event" },
    ],
  };
};

/** A message with parameters, without an exception. */
export const messageEvent = () => ({
  level: "warning",
  logentry: { message: "Stock of %s is low", formatted: "Stock of sku-991 is low" },
});

/** An attack in every field: markup, long texts, deep nesting, wrong types. */
export const hostileEvent = () => {
  const long = MARKUP.repeat(Math.ceil(1_000_000 / MARKUP.length));
  let deep: unknown = MARKUP;
  for (let level = 0; level < 300; level++) deep = { [MARKUP]: [deep] };
  const frame = {
    filename: `javascript:${ATTACK}`,
    function: MARKUP,
    lineno: -1,
    colno: 1e300,
    pre_context: [MARKUP, null, 5],
    context_line: MARKUP.repeat(20),
    post_context: { length: 9 },
    vars: { [MARKUP]: MARKUP },
    in_app: "yes",
  };
  return {
    level: { toString: MARKUP },
    platform: MARKUP,
    release: MARKUP,
    environment: [MARKUP],
    timestamp: 1e300,
    server_name: MARKUP,
    sdk: { name: MARKUP, version: deep },
    tags: { [MARKUP]: MARKUP, link: `javascript:${ATTACK}`, ["__proto__"]: MARKUP },
    user: deep,
    request: { url: `javascript:${ATTACK}`, headers: [[MARKUP, MARKUP]], data: [MARKUP] },
    contexts: { [MARKUP]: { a: deep }, trace: { trace_id: `"><script>${ATTACK}</script>` } },
    extra: Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`${MARKUP}${n}`, MARKUP])),
    breadcrumbs: {
      values: [
        { timestamp: 1e300, category: MARKUP, level: MARKUP, message: MARKUP, data: deep },
        { timestamp: "2999-01-01", category: "future" },
        { timestamp: 0, category: "past" },
        null,
        ...Array.from({ length: 2_000 }, () => ({ message: MARKUP })),
      ],
    },
    exception: {
      values: [
        { type: MARKUP, value: deep, mechanism: { exception_id: 1, parent_id: 2 } },
        { type: MARKUP, value: MARKUP, mechanism: { exception_id: 2, parent_id: 1 } },
        {
          type: "Hostile",
          value: long,
          mechanism: { exception_id: 0, handled: "no", source: MARKUP },
          stacktrace: { frames: Array.from({ length: 300 }, () => frame) },
        },
      ],
    },
    debug_meta: {
      images: [{
        type: "sourcemap",
        code_file: frame.filename,
        debug_id: "../../../../etc/passwd",
      }],
    },
  };
};

/** Posts lists of spans, each in its own envelope. */
export async function postSpans(
  origin: string,
  ...containers: readonly (readonly unknown[])[]
): Promise<void> {
  for (const items of containers) {
    const sdk = { name: "sentry.javascript.browser", version: "10.0.0" };
    await postEnvelope(origin, { sdk }, ["span", { version: 2, items }]);
  }
}

/** A span id of 16 hexadecimal digits. */
export const spanId = (n: number): string => (n + 1).toString(16).padStart(16, "0");

/** A trace of `count` spans, five for each parent, in lists of 1,000 like the SDK's. */
export function largeTrace(traceId: string, count: number): unknown[][] {
  const start = Math.floor(Date.now() / 1000) - 60;
  const spans = Array.from({ length: count }, (_, n) => ({
    trace_id: traceId,
    span_id: spanId(n),
    ...(n > 0 && { parent_span_id: spanId(Math.floor((n - 1) / 5)) }),
    name: `step ${n}`,
    start_timestamp: start + n / 1000,
    end_timestamp: start + n / 1000 + 5,
    status: n % 97 === 0 ? "error" : "ok",
    attributes: {
      "sentry.op": { value: "function", type: "string" },
      "code.line": { value: n, type: "integer" },
    },
  }));
  return Array.from(
    { length: Math.ceil(count / 1000) },
    (_, n) => spans.slice(n * 1000, n * 1000 + 1000),
  );
}

type TreeSpan = readonly [op: string, name: string, parent: number, from: number, to: number];

/** Spans of one trace. A parent is the index of its row, or -1; times are seconds after `start`. */
const treeOf = (traceId: string, start: number, spans: readonly TreeSpan[]) =>
  spans.map(([op, name, parent, from, to], n) => ({
    trace_id: traceId,
    span_id: spanId(n),
    ...(parent >= 0 && { parent_span_id: spanId(parent) }),
    name,
    start_timestamp: start + from,
    end_timestamp: start + to,
    status: name === "POST /orders" ? "internal_error" : "ok",
    attributes: {
      "sentry.op": { value: op, type: "string" },
      ...(op === "http.server" && { "http.request.method": { value: "POST", type: "string" } }),
    },
  }));

/** Spans of a trace in which an async function and the request that it awaits have the same parent. */
export const lostContextTrace = (traceId: string): unknown[] =>
  treeOf(traceId, nowSeconds() - 60, [
    ["http.server", "POST /checkout", -1, 0, 0.75],
    ["function", "charge", 0, 0.1, 0.563],
    ["http.client", "POST bank.example/charge", 0, 0.101, 0.561],
    ["db", "INSERT INTO orders", 0, 0.6, 0.7],
  ]);

/** A page load with a query of `query_s` seconds on the server, and a click an hour later. */
export const pageLoadTrace = (traceId: string, query_s = 0.4, page = "/checkout"): unknown[] =>
  treeOf(traceId, nowSeconds() - 2 * 3600, [
    ["pageload", page, -1, 0, 1],
    ["resource.script", "/app.js", 0, 0.1, 0.2],
    ["http.client", "POST /orders", 0, 0.3, 0.9],
    ["http.server", "/orders", 2, 0.35, 0.85],
    ["db.query", "SELECT price", 3, 0.4, 0.4 + query_s],
    ["ui.interaction.click", "button.pay", 0, 3600, 3600.05],
  ]);

/** Markup as names, wrong types, a megabyte, cycles, invalid times: all in one trace. */
export function hostileTrace(traceId: string): unknown[] {
  const start = Date.now() / 1000 - 10;
  const span = (n: number, further: Record<string, unknown>) => ({
    trace_id: traceId,
    span_id: spanId(n),
    name: `span ${n}`,
    start_timestamp: start,
    end_timestamp: start + 1,
    ...further,
  });
  return [
    span(0, {
      name: MARKUP,
      status: MARKUP,
      attributes: {
        [MARKUP]: { value: MARKUP, type: "string" },
        link: { value: `javascript:${ATTACK}`, type: "string" },
        // As a computed name: else it would set the prototype.
        ["__proto__"]: { value: "own" },
        deep: { value: JSON.parse("[".repeat(5000) + "]".repeat(5000)), type: "array" },
      },
    }),
    span(1, { name: "M".repeat(1_048_576), parent_span_id: spanId(0) }),
    span(2, { name: "circle a", parent_span_id: spanId(3) }),
    span(3, { name: "circle b", parent_span_id: spanId(2) }),
    span(4, { name: "own parent", parent_span_id: spanId(4) }),
    span(5, { name: "orphan", parent_span_id: "feedfacefeedface" }),
    span(6, { name: "far future", start_timestamp: 8.64e12, end_timestamp: 8.64e12 }),
    span(7, { name: "backwards", end_timestamp: start - 1 }),
    span(8, { name: "never ends", end_timestamp: undefined }),
    span(9, { name: { not: "a text" }, start_timestamp: "soon", end_timestamp: [] }),
    { trace_id: traceId, span_id: 7, parent_span_id: {}, name: 5, attributes: "none" },
    "no span",
    null,
  ];
}
