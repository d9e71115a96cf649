import type { SpanStatusCode, TraceAPI } from "@opentelemetry/api";

// The API itself is loaded with telemetry.
const ERROR: SpanStatusCode.ERROR = 2;

/** A running span. */
export interface ManualSpan {
  readonly traceId: string;
  readonly spanId: string;
}

/**
 * Runs work in a span of its own, with nothing but OpenTelemetry's API.
 *
 * @param work requests that it starts synchronously are children of the span
 */
export function runInSpan<T>(
  trace: TraceAPI,
  name: string,
  work: (span: ManualSpan) => Promise<T>,
): Promise<T> {
  return trace.getTracer("sightglass").startActiveSpan(name, async (span) => {
    const { traceId, spanId } = span.spanContext();
    try {
      return await work({ traceId, spanId });
    } catch (error) {
      span.setStatus({ code: ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}
