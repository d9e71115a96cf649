import { isOwnPageOrNoBrowser } from "../monitoring/access/caller.ts";
import type { Log } from "../monitoring/runtime/console_log.ts";
import type { Context } from "../server/mod.ts";
import type { SignalLimits } from "./_signal_limits.ts";

/** Milliseconds; a longer delay would only hold a connection. */
const MAX_DELAY_MS = 5000;

/** What {@linkcode answerSignal} needs. */
export interface SignalServices {
  readonly log: Log;
  readonly signals: SignalLimits;
}

/**
 * `GET /signal` answers the page's slow and failing requests: after `?delay_ms=` (0 to 5,000) milliseconds with the
 * status `?status=` (200 to 599). With `?throw=true` the handler throws an error, which the server answers with 500.
 * A status from 500 on is logged. Requests of other pages: 403. Beyond the {@linkcode SignalLimits} of this process: 429 at once.
 */
export async function answerSignal(
  { req, url }: Context,
  { log, signals }: SignalServices,
): Promise<Response> {
  // Attack: any open page could cause errors here, with the address of an image.
  if (!isOwnPageOrNoBrowser(req.headers)) {
    return refuse(403, "origin_not_allowed", "Only this server's own page may ask for signals.");
  }
  const delay = within(url.searchParams.get("delay_ms") ?? "0", 0, MAX_DELAY_MS);
  const asked = within(url.searchParams.get("status") ?? "200", 200, 599);
  if (delay === undefined) {
    return refuse(
      400,
      "signal_invalid",
      `delay_ms is not a whole number from 0 to ${MAX_DELAY_MS}.`,
    );
  }
  if (asked === undefined) {
    return refuse(400, "signal_invalid", "status is not a whole number from 200 to 599.");
  }

  const throws = url.searchParams.get("throw") === "true";
  const status = throws ? 500 : asked;
  const fails = status >= 500;
  const refusal = signals.refuse({ delay, fails });
  if (refusal) {
    const response = refuse(429, "signal_limited", refusal.detail);
    response.headers.set("Retry-After", `${refusal.retryAfter}`);
    return response;
  }
  await signals.wait(delay);
  if (fails && !signals.makesEvents) {
    return refuse(
      status,
      "signal_not_reported",
      "In production a signal is not reported to Sentry.",
    );
  }
  if (throws) throw new Error("Server error, made on purpose");
  if (fails) {
    log("error", "A signal was answered with a failure", { "http.response.status_code": status });
  }
  return answer(status, { delay_ms: delay, status });
}

/** A whole number in its bounds, both included; undefined for anything else. */
function within(text: string, min: number, max: number): number | undefined {
  const value = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  return value >= min && value <= max ? value : undefined;
}

const refuse = (status: number, error: string, detail: string) => answer(status, { error, detail });

/** Statuses that must not have a body (RFC 9110, section 15). */
const BODILESS = new Set([204, 205, 304]);

function answer(status: number, body: unknown): Response {
  const text = BODILESS.has(status) ? null : JSON.stringify(body);
  return new Response(text, {
    status,
    headers: { "Content-Type": "application/json", "Cache-Control": "no-store" },
  });
}
