import type { TraceSpan } from "./trace_span.ts";

/** Kinds of spans by what they spent their time on: each has a colour. */
export const SPAN_KINDS = [
  "navigation",
  "resource",
  "rendering",
  "HTTP",
  "server",
  "database",
  "AI",
  "other",
] as const;

export type SpanKind = (typeof SPAN_KINDS)[number];

/**
 * Patterns for the start of a span's operation; the first match decides.
 * https://develop.sentry.dev/sdk/telemetry/traces/span-operations/
 */
const KIND_BY_OP: readonly (readonly [RegExp, SpanKind])[] = [
  // `browser.*`: the phases of a page load (Navigation Timing).
  [/^(pageload|navigation|browser)\b/, "navigation"],
  [/^resource\b/, "resource"],
  [/^(ui|paint|view|template)\b/, "rendering"],
  [/^(db|cache)\b/, "database"],
  [/^(gen_)?ai\b/, "AI"],
  [/^(http|rpc|grpc|graphql|websocket)\.server\b/, "server"],
  [/^(http|rpc|grpc|graphql|websocket|fetch|xhr)\b/, "HTTP"],
];

/** Names of OpenTelemetry's instrumentations for a connection, which has no statement: "pg-pool.connect", "redis-connect". */
const CONNECTION = /^([a-z\d]+(-[a-z\d]+)*[.-])?connect$/;

/** Whether a span sent a statement to a database or a cache. */
export const isQuery = (span: Pick<TraceSpan, "name" | "op" | "side">): boolean =>
  spanKind(span) === "database" && !CONNECTION.test(span.name);

/** The kind of a span by its operation; without a known one, by the side that made it. */
export function spanKind({ op, side }: Pick<TraceSpan, "op" | "side">): SpanKind {
  const known = op === null ? undefined : KIND_BY_OP.find(([prefix]) => prefix.test(op))?.[1];
  return known ?? (side === "server" ? "server" : "other");
}
