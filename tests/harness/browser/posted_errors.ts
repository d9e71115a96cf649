/** Error events in the formats of other SDKs, and of an attacker. */
import { hexId } from "../../../monitoring/inbox/testdata/envelopes.ts";
import { ATTACK, MARKUP, postEnvelope } from "./posted_envelopes.ts";

const nowSeconds = () => Date.now() / 1000;

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

/** sentry-sdk for Python: local variables, source lines, an exception raised while handling another. */
export const pythonEvent = () => ({
  platform: "python",
  level: "error",
  server_name: "web-1",
  release: "shop@4.2.0",
  sdk: { name: "sentry.python.django", version: "2.20.0" },
  modules: { django: "5.1", "sentry-sdk": "2.20.0" },
  contexts: { runtime: { name: "CPython", version: "3.13.1" } },
  exception: {
    values: [
      {
        type: "KeyError",
        value: "'sku-991'",
        mechanism: { type: "chained", exception_id: 1, parent_id: 0, source: "__context__" },
        stacktrace: {
          frames: [{
            filename: "shop/stock.py",
            function: "price_of",
            lineno: 7,
            in_app: true,
            context_line: "    return PRICES[sku]",
          }],
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
              abs_path: "/srv/shop/views.py",
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
  logger: "com.example.Cart",
  sdk: { name: "sentry.java.spring-boot.jakarta", version: "8.1.0" },
  exception: {
    values: [
      {
        type: "IllegalStateException",
        module: "java.lang",
        value: "The basket is locked",
        thread_id: 31,
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
      },
    ],
  },
  threads: { values: [{ id: 31, name: "http-nio-8080-exec-1", crashed: true }] },
});

/**
 * @sentry/node: an AggregateError whose members have causes, a timestamp as text.
 *
 * @param now milliseconds since 1970
 */
export const nodeEvent = (now = Date.now()) => ({
  platform: "node",
  timestamp: new Date(now).toISOString(),
  sdk: { name: "sentry.javascript.node", version: "10.0.0" },
  tags: { queue: "mail" },
  user: { id: "42" },
  exception: {
    values: [
      {
        type: "Error",
        value: "connect ECONNREFUSED ::1:25",
        mechanism: { type: "chained", exception_id: 3, parent_id: 2, source: "cause" },
      },
      {
        type: "MailError",
        value: "the second server does not answer",
        mechanism: { type: "chained", exception_id: 2, parent_id: 0, source: "errors[1]" },
      },
      {
        type: "MailError",
        value: "the first server refused",
        mechanism: { type: "chained", exception_id: 1, parent_id: 0, source: "errors[0]" },
      },
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
});

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
