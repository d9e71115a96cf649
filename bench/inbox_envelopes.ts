/** Envelopes of 1 to 20 KB of nine applications, with names, statuses, levels and times that differ. Deterministic. */
import { hash } from "node:crypto";
import { envelopeOf, type TestItem } from "../monitoring/inbox/testdata/envelopes.ts";
import { sentBy } from "../monitoring/inbox/testdata/tested_index.ts";
import { OWN_TELEMETRY } from "../monitoring/protocol/own_telemetry.ts";

const FIRST_RECEIVED_AT = 1_795_200_000_000;
const INTERVAL_MS = 400;
const PAGES = ["checkout", "basket", "GET /orders/:id", "settings", "pageload /", "Größe wählen"];
const LEVELS = ["trace", "debug", "info", "info", "info", "warn", "error", "fatal"];
const OPS = ["pageload", "http.server", "ui.action", "navigation", "queue.process"];
const STATUSES = [200, 200, 200, 200, 201, 204, 301, 302, 400, 404, 500, 503];
const ENVIRONMENTS = ["production", "staging", "development"];
/** The last one is Sightglass itself. */
const APPLICATIONS = "shop checkout account search billing mail stock admin sightglass".split(" ");
const ENVELOPES_PER_RELEASE = 5_000;
const GROUPS = 2_000;
/** Kinds of envelopes, in turns: those of one trace. */
const KINDS = ("spans logs transaction error spans recording logs spans error recording metrics " +
  "other").split(" ");
/** In place of `other`, in turns. */
const OTHERS = ["check-in", "feedback", "profile", "AI run"];

/** When an envelope is received. */
export const timeOf = (n: number): number => FIRST_RECEIVED_AT + n * INTERVAL_MS;

export const traceOf = (n: number): string => hexId(Math.floor(n / KINDS.length), 32);

export function makeEnvelope(n: number): Uint8Array<ArrayBuffer> {
  const index = Math.floor(n / KINDS.length) % APPLICATIONS.length;
  const application = APPLICATIONS[index]!;
  const sender = {
    release: `${application}@1.${Math.floor(n / ENVELOPES_PER_RELEASE)}.0`,
    environment: pick(ENVIRONMENTS, Math.floor(n / KINDS.length / APPLICATIONS.length)),
  };
  const header = {
    event_id: hexId(n, 32),
    sdk: { name: `sentry.javascript.${index % 2 ? "node" : "browser"}`, version: "10.75.2" },
    ...application === "sightglass" && OWN_TELEMETRY,
  };
  return envelopeOf(header, ...itemsOf(n).map((item) => sentBy(item, sender)));
}

function itemsOf(n: number): TestItem[] {
  const turn = Math.floor(n / KINDS.length);
  const [trace_id, seconds, name] = [traceOf(n), timeOf(n) / 1_000, pick(PAGES, n)];
  const [op, status] = [pick(OPS, turn), pick(STATUSES, turn)];
  const data = { "http.response.status_code": status };
  const trace = { trace_id, span_id: hexId(n, 16), op, data };
  const event = { event_id: hexId(n, 32), timestamp: seconds, contexts: { trace } };
  const attributes = { "sentry.op": { value: op }, "http.response.status_code": { value: status } };
  const kind = pick(KINDS, n);
  switch (kind === "other" ? pick(OTHERS, turn) : kind) {
    case "spans":
      return spansOf(n, 4 + n % 12, (i) => ({
        name: i === 0 ? name : isQuery(i) ? `${QUERY} ${n}` : `${name} step ${i}`,
        status: status < 500 ? "ok" : "error",
        attributes: isQuery(i) ? { ...attributes, "sentry.op": { value: "db" } } : attributes,
      }));
    case "metrics": {
      const items = some(20, (i) => ({
        name: `shop.metric${i}`,
        type: pick(["counter", "gauge", "distribution"], i),
        value: n % 900 + i,
        trace_id,
        timestamp: seconds,
        attributes: { route: { value: pick(PAGES, turn) } },
      }));
      return [["trace_metric", { version: 2, items }]];
    }
    case "check-in": {
      const check = { check_in_id: hexId(n, 32), monitor_slug: `job ${turn % 12}`, duration: 2 };
      return [["check_in", { ...check, status: turn % 60 < 56 ? "ok" : "error" }]];
    }
    case "feedback":
      return [["feedback", {
        ...event,
        contexts: { ...event.contexts, feedback: { message: `Order ${n} is late` } },
      }]];
    case "profile": {
      const samples = some(300, (i) => ({
        timestamp: seconds - 1 + i / 300,
        thread_id: "0",
        stack_id: i % 40,
      }));
      const frames = some(40, (i) => ({ function: `place${i + turn % 5}`, abs_path: "/app.mjs" }));
      const stacks = some(40, (i) => some(i % 20 + 1, (depth) => (i + depth) % 40));
      return [["profile_chunk", {
        ...{ version: "2", platform: "node", chunk_id: hexId(n, 32) },
        profiler_id: hexId(Math.floor(turn / 20), 32),
        profile: { frames, stacks, samples },
      }]];
    }
    case "AI run":
      return spansOf(n, 6, (i) => ({
        name: i === 0 ? "invoke_agent support" : "chat gpt-5-mini",
        status: "ok",
        attributes: {
          "sentry.op": { value: i === 0 ? "gen_ai.invoke_agent" : "gen_ai.chat" },
          "gen_ai.agent.name": { value: `support${turn % 7}` },
          "gen_ai.request.model": { value: "gpt-5-mini" },
          "gen_ai.conversation.id": { value: hexId(Math.floor(turn / 8), 32) },
          "gen_ai.usage.input_tokens": { value: n % 900 },
        },
      }));
    case "logs": {
      const items = some(3 + n % 8, (i) => ({
        trace_id,
        timestamp: seconds,
        level: pick(LEVELS, n + i),
        body: `${name}: order ${n * 7 + i} took ${n % 900} ms`,
      }));
      return [["log", { items }]];
    }
    case "transaction": {
      const spans = some(6 + n % 20, (i) => ({
        trace_id,
        span_id: hexId(n * 100 + i, 16),
        parent_span_id: trace.span_id,
        op: "http.client",
        description: `GET /api/orders/${n}/${i}`,
        start_timestamp: seconds - 1,
        timestamp: seconds,
      }));
      const vitals = { lcp: 5_000, fcp: 2_000, ttfb: 1_000, cls: 0.5, inp: 700 };
      const measurements = Object.fromEntries(
        Object.entries(vitals).map(([name, most]) => [name, { value: n % 1_000 / 1_000 * most }]),
      );
      const root = { ...event, transaction: name, start_timestamp: seconds - 2, spans };
      return [["transaction", { ...root, ...op === "pageload" && { measurements } }]];
    }
    case "error": {
      // Half of all errors are in one group, the others in GROUPS.
      const file = n % KINDS.length < KINDS.length / 2 ? 0 : turn % GROUPS;
      const frames = some(20, (i) => ({
        function: `place${i + file % 5}`,
        filename: `http://page.localhost/assets/order${file}.js`,
        in_app: true,
        lineno: i,
        colno: 7,
      }));
      const exception = {
        type: file % 3 === 0 ? "TypeError" : "CheckoutError",
        value: `Cannot place ${"abcdefghijklmnop"[file % 16]}: order ${n} is empty`,
        mechanism: { type: "generic", handled: n % 4 !== 3 },
        stacktrace: { frames },
      };
      const breadcrumbs = some(10 + n % 40, (i) => ({
        timestamp: seconds - i,
        category: "ui.click",
        message: `button.order > span[title="${n} ${i}"]`,
      }));
      const level = pick(["error", "warning", "fatal", "info"], turn);
      return [["event", { ...event, level, exception: { values: [exception] }, breadcrumbs }]];
    }
    default: {
      const segment_id = n % KINDS.length < 9 ? 0 : 1;
      const bytes = new Uint8Array(1_000 + n % 9_000).fill(0x61);
      bytes.set(new TextEncoder().encode(`{"segment_id":${segment_id}}\n`));
      const ids = { replay_id: trace_id, trace_ids: [trace_id], segment_id };
      const replay = { ...event, ...ids, urls: [`/${name}`] };
      return [["replay_event", replay], ["replay_recording", bytes]];
    }
  }
}

/** Spans of which the first is the parent of the others. */
function spansOf(n: number, count: number, make: (i: number) => object): TestItem[] {
  const seconds = timeOf(n) / 1_000;
  const items = some(count, (i) => ({
    trace_id: traceOf(n),
    span_id: hexId(n * 100 + i, 16),
    ...i > 0 && { parent_span_id: hexId(n * 100, 16) },
    is_segment: i === 0,
    start_timestamp: seconds - 1 + i / 100,
    end_timestamp: seconds - 0.5 + n % 900 / 100,
    ...make(i),
  }));
  return [["span", { version: 2, items }]];
}

const isQuery = (i: number) => i > 0 && i % 2 === 0;
const QUERY = "SELECT id, name, price, created_at, updated_at FROM orders WHERE id =";

const pick = <T>(values: readonly T[], at: number): T => values[at % values.length]!;

const some = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** A pseudorandom id that depends only on the number. */
export const hexId = (n: number, length: number): string => hash("sha256", `${n}`).slice(0, length);
