import type { SpanStatusCode, TraceAPI, TraceFlags } from "@opentelemetry/api";

// The API itself is loaded with telemetry.
const ERROR: SpanStatusCode.ERROR = 2;
const SAMPLED: TraceFlags.SAMPLED = 1;

/** A running span. */
export interface ManualSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly isSampled: boolean;
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
    const { traceId, spanId, traceFlags } = span.spanContext();
    try {
      return await work({ traceId, spanId, isSampled: (traceFlags & SAMPLED) !== 0 });
    } catch (error) {
      span.setStatus({ code: ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}
