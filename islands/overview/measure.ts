import { SpanStatusCode, trace } from "@opentelemetry/api";

/**
 * Runs work inside a span of its own, through OpenTelemetry's API alone.
 *
 * @param work started inside the span, so that what it begins at once hangs under it
 */
export function measure<T>(work: () => Promise<T>): Promise<T> {
  return trace.getTracer("sightglass").startActiveSpan("measure by hand", async (span) => {
    try {
      return await work();
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}
