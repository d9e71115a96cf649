import { SpanStatusCode, trace } from "@opentelemetry/api";

/**
 * Runs work in a span of its own, with nothing but OpenTelemetry's API.
 *
 * @param work requests that it starts synchronously are children of the span
 */
export function runInSpan<T>(work: () => Promise<T>): Promise<T> {
  return trace.getTracer("sightglass").startActiveSpan("manual span", async (span) => {
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
