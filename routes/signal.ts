import type { Handlers } from "../server/mod.ts";
import type { State } from "./_state.ts";

/** Milliseconds; an answer held longer would only hold a connection. */
const MAX_DELAY_MS = 5000;

/**
 * Something for the page's slow and failing requests to ask for: an answer after `?delay_ms=` (0 to 5,000)
 * milliseconds with the status `?status=` (200 to 599), or with `?throw=true` an error that the handler
 * throws and the server answers 500. A status from 500 on is also said in the server's log.
 */
export const handlers: Handlers<Pick<State, "log">> = {
  async GET({ url, state }) {
    const delay = within(url.searchParams.get("delay_ms") ?? "0", 0, MAX_DELAY_MS);
    const status = within(url.searchParams.get("status") ?? "200", 200, 599);
    if (delay === undefined) {
      return refuse(`delay_ms is not a whole number from 0 to ${MAX_DELAY_MS}.`);
    }
    if (status === undefined) return refuse("status is not a whole number from 200 to 599.");

    await new Promise((resolve) => setTimeout(resolve, delay));
    if (url.searchParams.get("throw") === "true") throw new Error("Server error, made on purpose");
    if (status >= 500) {
      state.log("error", "A signal was answered with a failure", {
        "http.response.status_code": status,
      });
    }
    return answer(status, { delay_ms: delay, status });
  },
};

/** A whole number in its bounds, both included; undefined for anything else. */
function within(text: string, min: number, max: number): number | undefined {
  const value = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  return value >= min && value <= max ? value : undefined;
}

const refuse = (sentence: string) => answer(400, { error: "signal_invalid", detail: sentence });

/** Statuses that must not have a body (RFC 9110, section 15). */
const BODILESS = new Set([204, 205, 304]);

function answer(status: number, body: unknown): Response {
  const text = BODILESS.has(status) ? null : JSON.stringify(body);
  return new Response(text, {
    status,
    headers: { "Content-Type": "application/json", "Cache-Control": "no-store" },
  });
}
