import { context, propagation, ProxyTracerProvider, trace } from "@opentelemetry/api";
import {
  SentryAsyncLocalStorageContextManager,
  SentryPropagator,
  SentryTracerProvider,
} from "@sentry/opentelemetry";

/**
 * Who owns OpenTelemetry in this process: `runtime` where Deno itself traces (`OTEL_DENO=true`, and
 * always on Deno Deploy), else `us`. There is one at a time: two lose spans in both.
 */
export type Owner = "runtime" | "us";

/** The runtime registers its provider before any module runs. */
export function findOwner(): Owner {
  const provider = trace.getTracerProvider();
  const taken = !(provider instanceof ProxyTracerProvider) ||
    provider.getDelegateTracer("sightglass") !== undefined;
  return taken ? "runtime" : "us";
}

/** From here on spans made through OpenTelemetry's API are real, and follow `await`. */
export function becomeOwner(): void {
  context.setGlobalContextManager(new SentryAsyncLocalStorageContextManager());
  propagation.setGlobalPropagator(new SentryPropagator());
  trace.setGlobalTracerProvider(new SentryTracerProvider());
}
