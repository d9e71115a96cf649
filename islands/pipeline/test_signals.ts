import { captureError, loadOpenTelemetry, log } from "../../monitoring/browser/mod.ts";
import type { SpanContext, TraceAPI } from "@opentelemetry/api";

/** Makes an error, a log and a span, which are sent like those of an application. */
export async function makeTestSignals(): Promise<void> {
  handleError();
  log("info", "A log of level info, made on the page", { made_by: "signals" });
  await createManualSpan();
}

/** An error that is caught, and reported by the code that caught it. */
export function handleError(): void {
  try {
    throw new Error("Handled error, made on the page");
  } catch (error) {
    captureError(error, { handled: true });
  }
}

/** A span with a request as its child. */
export async function createManualSpan(): Promise<void> {
  const { trace } = await loadOpenTelemetry();
  const request = () => fetch("/signal?delay_ms=80", { cache: "no-store" });
  await runInSpan(trace, "manual span", request);
}

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
