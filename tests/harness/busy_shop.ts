/** Envelopes of a busy shop: five applications, one of them in two releases, as Sentry's SDKs send them. */
import {
  type Attributes,
  envelopeOf,
  type TestItem,
} from "../../monitoring/inbox/testdata/envelopes.ts";
import { profiledTransaction } from "./browser/profiles.ts";
import { addition, element, pageEvents, segmentEnvelope } from "./recorded_segments.ts";

/** The page, its API, and the services that the API calls. */
const SDKS = {
  "shop-web": { name: "sentry.javascript.react", platform: "javascript" },
  "shop-api": { name: "sentry.javascript.node", platform: "node" },
  "shop-search": { name: "sentry.javascript.node", platform: "node" },
  "shop-worker": { name: "sentry.python.celery", platform: "python" },
  "shop-mail": { name: "sentry.python", platform: "python" },
};
type Application = keyof typeof SDKS;

/** What the page asks the API for, and the service that takes part. */
const REQUESTS: readonly (readonly [method: string, path: string, Application?])[] = [
  ["GET", "/api/products", "shop-search"],
  ["GET", "/api/orders"],
  ["POST", "/api/checkout", "shop-worker"],
  ["POST", "/api/assistant", "shop-mail"],
];

/** The shop's last minutes; half-way the API is updated. */
const USED_S = 50 * 60;
/** Each so many requests fail. Odd, so that every request fails at times. */
const FAILURES = 13;
/** Each so many page loads are recorded, in two segments. */
const RECORDINGS = 15;
/** After each so many requests a job runs, a search is profiled, a user writes. */
const [JOBS, PROFILES, FEEDBACK] = [20, 30, 45];
/** From 1.87 ms on, so that durations have parts of milliseconds. */
const SHORTEST_S = 0.00187;

/**
 * Makes `count` envelopes, each time the same but for their times.
 *
 * @param now end of the shop's use, in milliseconds
 */
export function busyShop(
  count: number,
  now: number,
): Uint8Array<ArrayBuffer>[] {
  const made: Uint8Array<ArrayBuffer>[] = [];
  for (let n = 0; made.length < count; n++) {
    const progress = made.length / count;
    made.push(
      ...request(n, now / 1000 - USED_S * (1 - progress), progress < 0.5),
    );
  }
  return made.slice(0, count);
}

/** The envelopes of one page load or navigation with one request, which began at `start`, in seconds. */
function request(
  n: number,
  start: number,
  isOld: boolean,
): Uint8Array<ArrayBuffer>[] {
  const [method, path, service] = REQUESTS[n % REQUESTS.length]!;
  const isFailed = n % FAILURES === 0;
  const trace_id = hexOf(n, 32);
  const duration = SHORTEST_S + (n * 7919 % 1200) / 1000;
  const from = (application: Application, ...items: TestItem[]) => {
    const version = application === "shop-api" && !isOld ? "1.5.0" : "1.4.2";
    return send(application, version, start + duration, items);
  };
  /** A transaction with a query, a part of a millisecond after that of the caller. */
  const span = (
    depth: number,
    transaction: string,
    op: string,
    data: Attributes = {},
  ): TestItem => {
    const id = hexOf(n, 15) + depth;
    const times = {
      start_timestamp: start + depth / 3000,
      timestamp: start + duration / (depth + 1),
    };
    const parent_span_id = depth > 0 ? hexOf(n, 15) + (depth - 1) : undefined;
    const status = isFailed ? "internal_error" : "ok";
    return ["transaction", {
      ...times,
      transaction,
      contexts: {
        trace: { trace_id, span_id: id, parent_span_id, op, status, data },
      },
      ...op === "pageload" && { measurements: vitals(n) },
      spans: depth === 0 ? [] : [{
        ...times,
        trace_id,
        span_id: `${id.slice(1)}9`,
        parent_span_id: id,
        op: "db",
        description: `SELECT ${transaction}`,
      }, ...transaction.startsWith("shop-mail") ? assistantRun(n, id, trace_id, times) : []],
    }];
  };
  const answered = {
    "http.request.method": method,
    "http.response.status_code": isFailed ? 500 : 200,
  };
  const envelopes = [
    from(
      "shop-web",
      n % 3 ? span(0, "/cart", "navigation") : span(0, n % 2 ? "/sale" : "/", "pageload"),
    ),
    from("shop-api", span(1, `${method} ${path}`, "http.server", answered)),
    from("shop-api", lines(n, trace_id, start)),
    from("shop-api", measurements(n, trace_id, start, duration)),
  ];
  if (service) {
    envelopes.push(from(service, span(2, `${service} job`, "queue.process")));
  }
  if (n % RECORDINGS === 0) envelopes.push(...recording(n, start, duration));
  if (n % PROFILES === 0) envelopes.push(from("shop-search", ...profiledTransaction(n, start)));
  if (n % FEEDBACK === 0) envelopes.push(from("shop-web", feedback(n, trace_id, start)));
  if (n % JOBS === 0) {
    const status = isFailed ? "error" : "ok";
    envelopes.push(from("shop-worker", checkIn(n, "in_progress")));
    envelopes.push(from("shop-worker", checkIn(n, status, duration)));
  }
  if (isFailed) {
    // Page and API report the same failure, of which only the API's is handled.
    for (const application of ["shop-web", "shop-api"] as const) {
      envelopes.push(
        from(
          application,
          failure(n, application, start, `${method} ${path} answered 500`),
        ),
      );
    }
  }
  return envelopes;
}

/** As sent with a page load; some have no interaction. */
const vitals = (n: number) => ({
  lcp: { value: 800.25 + n * 37 % 4_000, unit: "millisecond" },
  cls: { value: n % 30 / 100 },
  ttfb: { value: 12.5 + n % 400, unit: "millisecond" },
  ...n % 4 === 0 && { inp: { value: 40 + n % 300, unit: "millisecond" } },
});

function recording(n: number, start: number, duration: number): Uint8Array<ArrayBuffer>[] {
  const replayId = hexOf(n, 32);
  const event = { release: "shop-web@1.4.2", environment: "production", trace_ids: [hexOf(n, 32)] };
  const [from, to] = [start, start + duration].map((at) => Math.floor(at * 1_000)) as [
    number,
    number,
  ];
  return [pageEvents(from, []), [addition(to, element(100, "p"))]]
    .map((events, number) => segmentEnvelope({ replayId, number, events, event }));
}

/** A job without a schedule, as Python's SDK reports it. @param duration seconds */
const checkIn = (n: number, status: string, duration?: number): TestItem => [
  "check_in",
  { check_in_id: hexOf(n, 32), monitor_slug: "sync-stock", status, duration },
];

const feedback = (n: number, trace_id: string, timestamp: number): TestItem => ["feedback", {
  event_id: hexOf(n, 31) + "f",
  timestamp,
  contexts: {
    feedback: { message: `Where is order ${n}?`, contact_email: `${n}@shop.test` },
    trace: { trace_id, span_id: hexOf(n, 15) + 0 },
  },
}];

const measurements = (
  n: number,
  trace_id: string,
  timestamp: number,
  duration: number,
): TestItem => ["trace_metric", {
  items: [
    { name: "orders", type: "counter", value: 1 + n % 3 },
    { name: "answer.duration", type: "distribution", value: duration * 1_000, unit: "millisecond" },
  ].map((metric) => ({ ...metric, timestamp, trace_id })),
}];

/** What an assistant's request runs: an agent that calls a model and, if it is asked for an order, a tool. */
function assistantRun(n: number, parent: string, trace_id: string, times: Attributes) {
  const idOf = (span: number) => `${parent.slice(2)}a${span}`;
  const sent = (span: number, above: string, operation: string, data: Attributes) => ({
    ...{ ...times, trace_id, span_id: idOf(span), parent_span_id: above },
    ...{ op: `gen_ai.${operation}`, description: operation, status: "ok" },
    data: { "gen_ai.operation.name": operation, ...data },
  });
  const tokens = { "gen_ai.usage.input_tokens": 400 + n, "gen_ai.usage.output_tokens": n % 90 };
  return [
    sent(1, parent, "invoke_agent", { "gen_ai.agent.name": "assistant" }),
    sent(2, idOf(1), "chat", { "gen_ai.request.model": "gpt-5-mini", ...tokens }),
    ...n % 8 === 7 ? [sent(3, idOf(1), "execute_tool", { "gen_ai.tool.name": "find_order" })] : [],
  ];
}

const lines = (
  n: number,
  trace_id: string,
  timestamp: number,
): TestItem => ["log", {
  items: [
    {
      timestamp,
      trace_id,
      level: "info",
      body: `Customer ${n} is known`,
      attributes: {},
    },
    {
      timestamp,
      trace_id,
      level: n % 7 ? "debug" : "warn",
      body: "Cart read",
      attributes: {},
    },
  ],
}];

const failure = (
  n: number,
  application: Application,
  timestamp: number,
  value: string,
): TestItem => [
  "event",
  {
    timestamp,
    event_id: hexOf(n, 31) + (application === "shop-api" ? "a" : "b"),
    level: "error",
    exception: {
      values: [{
        type: "Error",
        value,
        mechanism: { type: "generic", handled: application === "shop-api" },
      }],
    },
    ...application === "shop-web" && n % RECORDINGS === 0 && { tags: { replayId: hexOf(n, 32) } },
    contexts: {
      trace: {
        trace_id: hexOf(n, 32),
        span_id: hexOf(n, 15) + (application === "shop-api" ? 1 : 0),
      },
    },
  },
];

/** An envelope sent at that time in seconds. */
function send(
  application: Application,
  version: string,
  at: number,
  sent: readonly TestItem[],
) {
  const { name, platform } = SDKS[application];
  const sender = {
    platform,
    release: `${application}@${version}`,
    environment: "production",
  };
  const sdk = { name, version: "10.78.0" };
  const attributes = Object.fromEntries(
    Object.entries({ ...sender, "sdk.name": name }).map((
      [key, value],
    ) => [`sentry.${key}`, { value, type: "string" }]),
  );
  const header = { sdk, sent_at: new Date(at * 1000).toISOString() };
  const items = sent.map(([type, payload]) => {
    // deno-lint-ignore no-explicit-any -- items that are made above
    const { items, ...rest }: any = payload;
    const content = items
      // deno-lint-ignore no-explicit-any -- as above
      ? { items: items.map((item: any) => ({ ...item, attributes })) }
      : { ...sender, sdk, ...rest };
    const content_type = `application/vnd.sentry.items.${type.replace("_", "-")}+json`;
    return [items ? { type, item_count: items.length, content_type } : { type }, content] as const;
  });
  return envelopeOf(header, ...items);
}

const hexOf = (n: number, digits: number) => (n + 1).toString(16).padStart(digits, "0");
