import { type Context, ROOT_CONTEXT } from "@opentelemetry/api";
import { StackContextManager } from "@opentelemetry/sdk-trace-web";
import { wrapContextManagerClass } from "@sentry/opentelemetry";

/**
 * Knows the active context while code runs synchronously, and falls back to the page's own. A
 * browser cannot follow a context through `await`: without a fallback whatever comes after it would
 * begin a trace of its own.
 */
class FallbackContextManager extends StackContextManager {
  /** Active where nothing else is: the current page load or navigation. */
  fallback: Context = ROOT_CONTEXT;

  override active(): Context {
    const active = super.active();
    // A context that somebody made without a span on purpose is not the root context.
    return active === ROOT_CONTEXT ? this.fallback : active;
  }
}

/** The same with Sentry's scopes forked for each context. */
export const PageContextManager = wrapContextManagerClass(FallbackContextManager);
export type PageContextManager = InstanceType<typeof PageContextManager>;
