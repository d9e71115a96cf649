import { at, textAt } from "../json.ts";
import { requestMethod } from "../trace/trace_name.ts";
import type { PlainAttributes } from "./otlp_values.ts";

/** By the number of OpenTelemetry's `SpanKind`; 0, "unspecified", is read as its default. */
export const SPAN_KINDS = [
  "internal",
  "internal",
  "server",
  "client",
  "producer",
  "consumer",
] as const;

export type OtlpKind = (typeof SPAN_KINDS)[number];

interface NamedSpan {
  readonly name: string;
  readonly kind: OtlpKind;
  readonly attributes: PlainAttributes;
}

/** What messaging spans do, by names of the current and the earlier conventions. */
const QUEUE_OPS: Readonly<Record<string, string>> = {
  create: "create",
  publish: "publish",
  send: "publish",
  receive: "receive",
  process: "process",
  deliver: "process",
  settle: "settle",
};

/**
 * The operation that Sentry's SDKs would give a span, by its kind and the semantic conventions, current names first.
 * https://opentelemetry.io/docs/specs/semconv/
 *
 * @returns null: the conventions say nothing
 */
export function operationOf({ name, kind, attributes }: NamedSpan): string | null {
  const text = (...names: readonly string[]) => firstText(attributes, names);
  const sent = text("sentry.op");
  if (sent !== null) return sent;
  const isServed = kind === "server" || kind === "consumer";
  if (text("gen_ai.operation.name", "gen_ai.provider.name", "gen_ai.system") !== null) {
    const operation = text("gen_ai.operation.name");
    return operation === null ? "gen_ai" : `gen_ai.${operation}`;
  }
  if (text("db.system.name", "db.system") !== null) return "db";
  if (text("rpc.system.name", "rpc.system", "rpc.service") !== null) {
    return isServed ? "rpc.server" : kind === "client" ? "rpc.client" : "rpc";
  }
  if (text("messaging.system") !== null || kind === "producer" || kind === "consumer") {
    const operation = text("messaging.operation.type", "messaging.operation") ?? "";
    const byKind = isServed ? "process" : "publish";
    return `queue.${Object.hasOwn(QUEUE_OPS, operation) ? QUEUE_OPS[operation] : byKind}`;
  }
  // A server's span without attributes is named by the same conventions.
  if (requestMethod(attributes) !== undefined || (isServed && /^[A-Z]{3,17} \//.test(name))) {
    return isServed ? "http.server" : kind === "client" ? "http.client" : "http";
  }
  if (text("faas.trigger", "faas.invocation_id", "faas.execution") !== null) return "function";
  return null;
}

/** The name that Sentry's SDKs would give a span: Go's HTTP client sends `HTTP GET`. */
export const nameOf = (name: string, op: string | null): string =>
  op?.startsWith("http") ? name.replace(/^HTTP (?=[A-Z]+$)/, "") : name;

function firstText(attributes: PlainAttributes, names: readonly string[]): string | null {
  for (const name of names) {
    const text = typeof at(attributes, name) === "string" ? textAt(attributes, name) : null;
    if (text !== null) return text;
  }
  return null;
}
