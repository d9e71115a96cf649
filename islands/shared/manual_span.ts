import type { SpanContext, TraceAPI } from "@opentelemetry/api";

/**
 * Runs work in a span of its own, with nothing but OpenTelemetry's API.
 *
 * @param work requests that it starts synchronously are children of the span
 */
export function runInSpan<T>(
  trace: TraceAPI,
  name: string,
  work: (span: SpanContext) => Promise<T>,
): Promise<T> {
  return trace.getTracer("sightglass").startActiveSpan(name, async (span) => {
    try {
      return await work(span.spanContext());
    } finally {
      span.end();
    }
  });
}
