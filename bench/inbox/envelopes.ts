import { readEnvelope } from "../../monitoring/protocol/scanner.ts";
import { OWN_TELEMETRY } from "../../monitoring/protocol/own_telemetry.ts";
import { envelopeOf, recorded } from "../../monitoring/inbox/testdata/envelopes.ts";

/** A generated envelope, with values to query it by. */
export interface GeneratedEnvelope {
  readonly number: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
  readonly trace: string;
}

type Json = Record<string, unknown>;

/** Names of the recorded envelopes that the generated ones are made from, in turns: ten for each trace. */
const RECORDED = [
  "span",
  "log",
  "transaction",
  "event",
  "span",
  "replay",
  "log",
  "span",
  "event",
  "replay",
] as const;
const FIRST_RECEIVED_AT = 1_795_200_000_000;
const INTERVAL_MS = 400;
const PAGES = ["checkout", "basket", "GET /orders/:id", "settings", "pageload /", "Größe wählen"];
const LEVELS = ["trace", "debug", "info", "info", "info", "warn", "error", "fatal"];
const OPS = ["pageload", "http.server", "ui.action", "navigation", "queue.process"];
const STATUSES = [200, 200, 200, 200, 201, 204, 301, 302, 400, 404, 500, 503];
const ENVIRONMENTS = ["production", "staging", "development"];
/** Each in three environments, so that there are 24 sources. Every ninth trace is Sightglass's own. */
const APPLICATIONS = ["shop", "checkout", "account", "search", "billing", "mail", "stock", "admin"];
const ENVELOPES_PER_RELEASE = 20_000;
const GROUPS = 2_000;

/** The sender that an envelope names. */
interface Sender {
  readonly release: string;
  readonly environment: string;
  readonly sdk: { readonly name: string; readonly version: string };
  readonly isOwn: boolean;
}

/** When an envelope is received, milliseconds since 1970. */
export const timeOf = (number: number) => FIRST_RECEIVED_AT + number * INTERVAL_MS;

function senderOf(number: number, traceNumber: number): Sender {
  const index = traceNumber % (APPLICATIONS.length + 1);
  const name = APPLICATIONS[index] ?? "sightglass";
  const side = index % 2 === 0 ? "browser" : "node";
  return {
    release: `${name}@1.${Math.floor(number / ENVELOPES_PER_RELEASE)}.0`,
    environment: ENVIRONMENTS[Math.floor(traceNumber / 10) % ENVIRONMENTS.length]!,
    sdk: { name: `sentry.javascript.${side}`, version: "10.75.2" },
    isOwn: index === APPLICATIONS.length,
  };
}

/**
 * Makes envelopes of 1 to 20 KB from recorded ones, with senders, ids, names, statuses, levels and times of their
 * own. Deterministic.
 */
export function* makeEnvelopes(count: number): Generator<GeneratedEnvelope> {
  const templates = RECORDED.map(readTemplate);
  for (let number = 1; number <= count; number++) {
    const { header, items } = templates[number % templates.length]!;
    const traceNumber = Math.floor(number / templates.length) + 1;
    const trace = hexId(traceNumber, 32);
    const { isOwn, ...sender } = senderOf(number, traceNumber);
    const receivedAt = timeOf(number);
    const generated = items.map(([type, payload]): [string, unknown] =>
      payload instanceof Uint8Array
        ? [type, resized(payload, number)]
        : [type, varied(type, payload, { number, trace, seconds: receivedAt / 1_000, sender })]
    );
    const { sdk, release, environment } = sender;
    const bytes = envelopeOf({
      ...header,
      ...isOwn && OWN_TELEMETRY,
      event_id: hexId(number, 32),
      sdk,
      trace: { trace_id: trace, release, environment },
    }, ...generated);
    yield { number, bytes, receivedAt, trace };
  }
}

/** Values that vary between envelopes. */
interface Variation {
  readonly number: number;
  readonly trace: string;
  /** Time of receipt, seconds since 1970. */
  readonly seconds: number;
  readonly sender: Omit<Sender, "isOwn">;
}

/** The payload of a recorded item with other values. */
function varied(
  type: string,
  template: Json,
  { number: n, trace, seconds, sender }: Variation,
): Json {
  const name = PAGES[n % PAGES.length];
  const round = Math.floor(n / RECORDED.length);
  const op = OPS[round % OPS.length];
  const status = STATUSES[round % STATUSES.length]!;
  const common = { event_id: hexId(n, 32), timestamp: seconds, ...sender };
  const data = { "http.response.status_code": status };
  const contexts = { trace: { trace_id: trace, span_id: hexId(n, 16), op, data } };
  switch (type) {
    case "span":
    case "log": {
      const [first] = template.items as Json[];
      const attributes = {
        ...first?.attributes as Json,
        "sentry.release": { value: sender.release, type: "string" },
        "sentry.environment": { value: sender.environment, type: "string" },
        "sentry.sdk.name": { value: sender.sdk.name, type: "string" },
      };
      const root = {
        name,
        parent_span_id: null,
        is_segment: true,
        status: status < 500 ? "ok" : "error",
        attributes: {
          ...attributes,
          "sentry.op": { value: op, type: "string" },
          "http.response.status_code": { value: status, type: "integer" },
        },
      };
      const entries = Array.from(
        { length: type === "span" ? 4 + n % 12 : 3 + n % 8 },
        (_, index) => ({
          ...first,
          trace_id: trace,
          span_id: hexId(n * 100 + index, 16),
          name: `${name} step ${index}`,
          attributes,
          body: `${name}: order ${n * 7 + index} took ${n % 900} ms`,
          level: LEVELS[(n + index) % LEVELS.length],
          timestamp: seconds,
          start_timestamp: seconds - 1 + index / 100,
          end_timestamp: seconds - 0.5 + n % 900 / 100,
          ...index === 0 && root,
        }),
      );
      return { ...template, items: entries };
    }
    case "transaction": {
      const spans = Array.from({ length: 6 + n % 20 }, (_, index) => ({
        trace_id: trace,
        span_id: hexId(n * 100 + index, 16),
        parent_span_id: hexId(n, 16),
        op: "http.client",
        description: `GET /api/orders/${n}/${index}`,
        start_timestamp: seconds - 1,
        timestamp: seconds,
      }));
      const measurements = {
        lcp: { value: 500 + n % 5_000 },
        fcp: { value: 300 + n % 2_000 },
        ttfb: { value: 50 + n % 1_000 },
        cls: { value: n % 50 / 100 },
        inp: { value: n % 700 },
      };
      return {
        ...template,
        ...common,
        contexts,
        transaction: name,
        start_timestamp: seconds - 2,
        spans,
        ...op === "pageload" && { measurements },
      };
    }
    case "event": {
      const breadcrumbs = Array.from({ length: 10 + n % 40 }, (_, index) => ({
        timestamp: seconds - index,
        category: "ui.click",
        message: `button.order > span[title="${n} ${index}"]`,
      }));
      // Half of all errors are in one group, the others in GROUPS.
      const group = round % GROUPS;
      const file = n % RECORDED.length < RECORDED.length / 2 ? 0 : group;
      const exception = {
        values: [{
          type: file % 3 === 0 ? "TypeError" : "CheckoutError",
          value: `Cannot place ${"abcdefghijklmnop"[file % 16]}: order ${n} is empty`,
          mechanism: { type: "generic", handled: n % 4 !== 3 },
          stacktrace: {
            frames: Array.from({ length: 20 }, (_, index) => ({
              function: `place${index + file % 5}`,
              filename: `http://page.localhost/assets/order${file}.js`,
              in_app: true,
              lineno: index,
              colno: 7,
            })),
          },
        }],
      };
      const level = ["error", "warning", "fatal", "info"][group % 4];
      return { ...template, ...common, level, contexts, exception, breadcrumbs };
    }
    default:
      return { ...template, ...common, replay_id: trace, trace_ids: [trace] };
  }
}

/** A recording segment of 1 to 10 KB. */
function resized(recording: Uint8Array, n: number): Uint8Array {
  const bytes = new Uint8Array(1_000 + n % 9_000);
  bytes.set(recording.subarray(0, bytes.byteLength));
  return bytes;
}

function readTemplate(name: string): { header: Json; items: [string, Json | Uint8Array][] } {
  const { header, items } = readEnvelope(recorded(name));
  return {
    header,
    items: items.map(({ header: { type }, payload }) => [
      type,
      type === "replay_recording" ? payload : JSON.parse(new TextDecoder().decode(payload)),
    ]),
  };
}

/** A pseudorandom id that depends only on the number. */
function hexId(n: number, length: number): string {
  let text = "";
  for (let word = n + 1; text.length < length;) {
    word = Math.imul(word ^ (word >>> 15), 0x2c1b3c6d) + n | 0;
    text += (word >>> 0).toString(16).padStart(8, "0");
  }
  return text.slice(0, length);
}
