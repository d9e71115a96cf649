import { trace } from "@opentelemetry/api";
import { type Client, getCurrentScope, type Span, spanToJSON } from "@sentry/core/browser";
import { ROOT_CONTEXT } from "@opentelemetry/api";
import type { PageContextManager } from "./context_manager.ts";

const PAGE_OPS: ReadonlySet<unknown> = new Set(["pageload", "navigation"]);

/** Whether a span stands for a page: all that happens while none of its own is active hangs there. */
export function isPageSpan(span: Span): boolean {
  return PAGE_OPS.has(spanToJSON(span).op);
}

/**
 * Makes each page load or navigation the fallback context from its start on. Must be in place
 * before browser tracing starts the page load.
 *
 * @param onTrace told the id of each new trace
 */
export function followPageTrace(
  client: Client,
  contextManager: PageContextManager,
  onTrace: (traceId: string) => void,
): void {
  client.on("spanStart", (span) => {
    if (!isPageSpan(span)) return;
    const { traceId } = span.spanContext();
    contextManager.fallback = trace.setSpan(
      ROOT_CONTEXT,
      span as Parameters<typeof trace.setSpan>[1],
    );
    // Browser tracing has set the scope from the page's headers or drawn an id of its own; events
    // that find no span must name the trace that the page is really in.
    const scope = getCurrentScope();
    scope.setPropagationContext({ traceId, sampleRand: scope.getPropagationContext().sampleRand });
    onTrace(traceId);
  });
}
