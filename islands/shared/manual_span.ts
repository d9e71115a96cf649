import { SpanStatusCode, trace, TraceFlags } from "@opentelemetry/api";

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
export function runInSpan<T>(name: string, work: (span: ManualSpan) => Promise<T>): Promise<T> {
  return trace.getTracer("sightglass").startActiveSpan(name, async (span) => {
    const { traceId, spanId, traceFlags } = span.spanContext();
    try {
      return await work({ traceId, spanId, isSampled: (traceFlags & TraceFlags.SAMPLED) !== 0 });
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}
