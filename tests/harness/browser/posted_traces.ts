/** Traces of other senders: ordinary, large, and of an attacker. */
import { ATTACK, MARKUP, postEnvelope } from "./posted_envelopes.ts";

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

/** Spans of a trace in which an async function and the request that it awaits have the same parent. */
export function lostContextTrace(traceId: string): unknown[] {
  const start = Date.now() / 1000 - 60;
  const spans: readonly [op: string, name: string, parent: number, from: number, to: number][] = [
    ["http.server", "POST /checkout", -1, 0, 0.75],
    ["function", "charge", 0, 0.1, 0.563],
    ["http.client", "POST bank.example/charge", 0, 0.101, 0.561],
    ["db", "INSERT INTO orders", 0, 0.6, 0.7],
  ];
  return spans.map(([op, name, parent, from, to], n) => ({
    trace_id: traceId,
    span_id: spanId(n),
    ...(parent >= 0 && { parent_span_id: spanId(parent) }),
    name,
    start_timestamp: start + from,
    end_timestamp: start + to,
    attributes: { "sentry.op": { value: op, type: "string" } },
  }));
}

/** A page load with a query of `query_s` seconds on the server, and a click an hour later. */
export function pageLoadTrace(traceId: string, query_s = 0.4, page = "/checkout"): unknown[] {
  const start = Date.now() / 1000 - 2 * 3600;
  const spans: readonly [op: string, name: string, parent: number, from: number, to: number][] = [
    ["pageload", page, -1, 0, 1],
    ["resource.script", "/app.js", 0, 0.1, 0.2],
    ["http.client", "POST /orders", 0, 0.3, 0.9],
    ["http.server", "/orders", 2, 0.35, 0.85],
    ["db.query", "SELECT price", 3, 0.4, 0.4 + query_s],
    ["ui.interaction.click", "button.pay", 0, 3600, 3600.05],
  ];
  return spans.map(([op, name, parent, from, to], n) => ({
    trace_id: traceId,
    span_id: spanId(n),
    ...(parent >= 0 && { parent_span_id: spanId(parent) }),
    name,
    start_timestamp: start + from,
    end_timestamp: start + to,
    status: op === "http.client" ? "internal_error" : "ok",
    attributes: {
      "sentry.op": { value: op, type: "string" },
      ...(op === "http.server" && { "http.request.method": { value: "POST", type: "string" } }),
    },
  }));
}

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
