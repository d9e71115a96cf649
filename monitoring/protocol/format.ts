/** The forms of the bodies that are taken, stored as received, and forwarded. Stored by name. */
export const FORMATS = [
  "envelope",
  "otlp-traces-json",
  "otlp-traces-protobuf",
  "otlp-logs-json",
  "otlp-logs-protobuf",
  "otlp-metrics-json",
  "otlp-metrics-protobuf",
] as const;

export type Format = (typeof FORMATS)[number];

export type OtlpFormat = Exclude<Format, "envelope">;

/** A signal of OpenTelemetry, as in the paths of OTLP/HTTP. */
export type Signal = "traces" | "logs" | "metrics";

/** The media type that a body of this format is forwarded with. */
export function contentTypeOf(format: Format): string {
  if (format === "envelope") return "application/x-sentry-envelope";
  return format.endsWith("-json") ? "application/json" : "application/x-protobuf";
}

/** Undefined: it is Sentry's. */
export function signalOf<Of extends Format>(format: Of) {
  return format.split("-")[1] as Of extends OtlpFormat ? Signal : undefined;
}
