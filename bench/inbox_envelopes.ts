import { readEnvelope } from "../monitoring/protocol/scanner.ts";
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

/** Makes envelopes of 2 to 20 KB from recorded ones, with ids, names and times of their own. Deterministic. */
export function* makeEnvelopes(count: number): Generator<MadeEnvelope> {
  const recorded = Object.fromEntries(MIX.map((name) => [name, read(name)]));
  for (let number = 1; number <= count; number++) {
    const kind = MIX[number % MIX.length] ?? "log";
    const { header, items } = recorded[kind]!;
    const trace = hex(Math.floor(number / MIX.length) + 1, 32);
    const receivedAt = FIRST_MS + number * EVERY_MS;
    const made = items.map(([type, payload]): [string, unknown] =>
      payload instanceof Uint8Array
        ? [type, sized(payload, number)]
        : [type, varied(type, payload, number, trace, receivedAt / 1_000)]
    );
    const bytes = envelopeOf({ ...header, event_id: hex(number, 32) }, ...made);
    yield { number, bytes, receivedAt, trace };
  }
}

function varied(type: string, recorded: Json, n: number, trace: string, seconds: number): Json {
  const name = PAGES[n % PAGES.length];
  const ids = { event_id: hex(n, 32), timestamp: seconds };
  const contexts = { trace: { trace_id: trace, span_id: hex(n, 16), op: "ui.action" } };
  switch (type) {
    case "span":
    case "log": {
      const [first] = recorded.items as Json[];
      const entries = Array.from(
        { length: type === "span" ? 4 + n % 12 : 3 + n % 8 },
        (_, index) => ({
          ...first,
          trace_id: trace,
          span_id: hex(n * 100 + index, 16),
          name: index === 0 ? name : `${name} step ${index}`,
          body: `${name}: order ${n * 7 + index} took ${n % 900} ms`,
          level: LEVELS[(n + index) % LEVELS.length],
          timestamp: seconds,
          start_timestamp: seconds - 1 + index / 100,
          end_timestamp: seconds - 0.5 + index / 100,
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
      return {
        ...recorded,
        ...ids,
        contexts,
        transaction: name,
        start_timestamp: seconds - 2,
        spans,
      };
    }
    case "event": {
      const breadcrumbs = Array.from({ length: 10 + n % 40 }, (_, index) => ({
        timestamp: seconds - index,
        category: "ui.click",
        message: `button.order > span[title="${n} ${index}"]`,
      }));
      const exception = {
        values: [{
          type: n % 3 === 0 ? "TypeError" : "CheckoutError",
          value: `Cannot place ${"abcdefghijklmnop"[n % 16]}: order ${n} is empty`,
          stacktrace: {
            frames: Array.from({ length: 20 }, (_, index) => ({
              function: `place${index + n % 5}`,
              filename: `http://page.localhost/assets/order${n % 40}.js`,
              in_app: true,
              lineno: index,
              colno: 7,
            })),
          },
        }],
      };
      return { ...recorded, ...ids, contexts, exception, breadcrumbs };
    }
    default:
      return { ...recorded, ...ids, replay_id: trace, trace_ids: [trace] };
  }
}

/** A recording segment of 2 to 20 KB. */
function sized(recording: Uint8Array, n: number): Uint8Array {
  const bytes = new Uint8Array(2_000 + n % 18_000);
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
