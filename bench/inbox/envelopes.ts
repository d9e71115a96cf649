import { readEnvelope } from "../monitoring/protocol/scanner.ts";
import { OWN_TELEMETRY } from "../monitoring/protocol/own_telemetry.ts";
import { envelopeOf } from "../monitoring/inbox/testdata/envelopes.ts";

/** A generated envelope, with values to query it by. */
export interface MadeEnvelope {
  readonly number: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly receivedAt: number;
  readonly trace: string;
}

type Json = Record<string, unknown>;

/** Order of envelope types: ten envelopes for each trace. */
const MIX = [
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
const FIRST_MS = 1_795_200_000_000;
const EVERY_MS = 400;
const PAGES = ["checkout", "basket", "GET /orders/:id", "settings", "pageload /", "Größe wählen"];
const LEVELS = ["trace", "debug", "info", "info", "info", "warn", "error", "fatal"];
const OPS = ["pageload", "http.server", "ui.action", "navigation", "queue.process"];
const STATUSES = [200, 200, 200, 200, 201, 204, 301, 302, 400, 404, 500, 503];
const ENVIRONMENTS = ["production", "staging", "development"];
/** Each in three environments, so that there are 24 sources. Every ninth trace is Sightglass's own. */
const APPLICATIONS = ["shop", "checkout", "account", "search", "billing", "mail", "stock", "admin"];
/** Envelopes between two releases. */
const RELEASE_EVERY = 20_000;

/** What an envelope states about its sender. */
interface Sender {
  readonly release: string;
  readonly environment: string;
  readonly sdk: { readonly name: string; readonly version: string };
  readonly isOwn: boolean;
}

/** When an envelope is received, milliseconds since 1970. */
export const timeOf = (number: number) => FIRST_MS + number * EVERY_MS;

function senderOf(number: number, traceNumber: number): Sender {
  const index = traceNumber % (APPLICATIONS.length + 1);
  const name = APPLICATIONS[index] ?? "sightglass";
  const side = index % 2 === 0 ? "browser" : "node";
  return {
    release: `${name}@1.${Math.floor(number / RELEASE_EVERY)}.0`,
    environment: ENVIRONMENTS[Math.floor(traceNumber / 10) % ENVIRONMENTS.length]!,
    sdk: { name: `sentry.javascript.${side}`, version: "10.75.2" },
    isOwn: index === APPLICATIONS.length,
  };
}

/**
 * Makes envelopes of 1 to 20 KB from recorded ones, with senders, ids, names, statuses, levels and times of their
 * own. Deterministic.
 */
export function* makeEnvelopes(count: number): Generator<MadeEnvelope> {
  const recorded = Object.fromEntries(MIX.map((name) => [name, read(name)]));
  for (let number = 1; number <= count; number++) {
    const kind = MIX[number % MIX.length] ?? "log";
    const { header, items } = recorded[kind]!;
    const traceNumber = Math.floor(number / MIX.length) + 1;
    const trace = hex(traceNumber, 32);
    const { isOwn, ...sender } = senderOf(number, traceNumber);
    const receivedAt = timeOf(number);
    const made = items.map(([type, payload]): [string, unknown] =>
      payload instanceof Uint8Array
        ? [type, sized(payload, number)]
        : [type, varied(type, payload, number, trace, receivedAt / 1_000, sender)]
    );
    const { sdk, release, environment } = sender;
    const bytes = envelopeOf({
      ...header,
      ...isOwn && OWN_TELEMETRY,
      event_id: hex(number, 32),
      sdk,
      trace: { trace_id: trace, release, environment },
    }, ...made);
    yield { number, bytes, receivedAt, trace };
  }
}

function varied(
  type: string,
  recorded: Json,
  n: number,
  trace: string,
  seconds: number,
  sender: Omit<Sender, "isOwn">,
): Json {
  const name = PAGES[n % PAGES.length];
  const op = OPS[Math.floor(n / 10) % OPS.length];
  const status = STATUSES[Math.floor(n / 10) % STATUSES.length]!;
  const seen = { event_id: hex(n, 32), timestamp: seconds, ...sender };
  const data = { "http.response.status_code": status };
  const contexts = { trace: { trace_id: trace, span_id: hex(n, 16), op, data } };
  switch (type) {
    case "span":
    case "log": {
      const [first] = recorded.items as Json[];
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
          span_id: hex(n * 100 + index, 16),
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
      return { ...recorded, items: entries };
    }
    case "transaction": {
      const spans = Array.from({ length: 6 + n % 20 }, (_, index) => ({
        trace_id: trace,
        span_id: hex(n * 100 + index, 16),
        parent_span_id: hex(n, 16),
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
        ...recorded,
        ...seen,
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
      // Half of all errors are in one group, the others in a thousand.
      const [group, isLarge] = [Math.floor(n / 10) % 2_000, n % 10 < 5];
      const file = isLarge ? 0 : group;
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
      return { ...recorded, ...seen, level, contexts, exception, breadcrumbs };
    }
    default:
      return { ...recorded, ...seen, replay_id: trace, trace_ids: [trace] };
  }
}

/** A recording segment of 1 to 10 KB. */
function sized(recording: Uint8Array, n: number): Uint8Array {
  const bytes = new Uint8Array(1_000 + n % 9_000);
  bytes.set(recording.subarray(0, bytes.byteLength));
  return bytes;
}

function read(name: string): { header: Json; items: [string, Json | Uint8Array][] } {
  const file = new URL(`../tests/relay/testdata/${name}.envelope`, import.meta.url);
  const { header, items } = readEnvelope(Deno.readFileSync(file));
  return {
    header,
    items: items.map(({ header: { type }, payload }) => [
      type,
      type === "replay_recording" ? payload : JSON.parse(new TextDecoder().decode(payload)),
    ]),
  };
}

/** A pseudorandom id that depends only on the number. */
function hex(n: number, length: number): string {
  let text = "";
  for (let word = n + 1; text.length < length;) {
    word = Math.imul(word ^ (word >>> 15), 0x2c1b3c6d) + n | 0;
    text += (word >>> 0).toString(16).padStart(8, "0");
  }
  return text.slice(0, length);
}
