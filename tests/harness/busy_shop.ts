/** Envelopes of a busy shop: five applications, one of them in two releases, as Sentry's SDKs send them. */
import {
  type Attributes,
  envelopeOf,
  type TestItem,
} from "../../monitoring/inbox/testdata/envelopes.ts";
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
  const from = (application: Application, item: TestItem) => {
    const version = application === "shop-api" && !isOld ? "1.5.0" : "1.4.2";
    return send(application, version, start + duration, item);
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
      }],
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
  ];
  if (service) {
    envelopes.push(from(service, span(2, `${service} job`, "queue.process")));
  }
  if (n % RECORDINGS === 0) envelopes.push(...recording(n, start, duration));
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

/** An envelope with one item, sent at that time in seconds. */
function send(
  application: Application,
  version: string,
  at: number,
  [type, payload]: TestItem,
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
  // deno-lint-ignore no-explicit-any -- items that are made above
  const { items, ...rest }: any = payload;
  const content = items
    // deno-lint-ignore no-explicit-any -- as above
    ? { items: items.map((item: any) => ({ ...item, attributes })) }
    : { ...sender, sdk, ...rest };
  const header = { sdk, sent_at: new Date(at * 1000).toISOString() };
  const item = items
    ? {
      type,
      item_count: items.length,
      content_type: "application/vnd.sentry.items.log+json",
    }
    : { type };
  return envelopeOf(header, [item, content]);
}

const hexOf = (n: number, digits: number) => (n + 1).toString(16).padStart(digits, "0");
