/** `GET /signal` answers the page's slow and failing requests. */
import { wholeNumber } from "../config/values.ts";
import { isOwnPageOrNoBrowser } from "../monitoring/access/caller.ts";
import { json, makePrivate, refusal } from "../monitoring/access/private_response.ts";
import type { Log } from "../monitoring/runtime/console_log.ts";
import { perMinute } from "../monitoring/runtime/token_bucket.ts";
import type { Context } from "../server/endpoint.ts";

/** Milliseconds; a longer delay would only hold a connection. */
const MAX_DELAY_MS = 5_000;
/** Signals per minute. The address is public and clients can forge every header, so one limit covers all requests. */
const SIGNALS_PER_MINUTE = 60;
/** Signals per minute that may cost an event or a log record of the project's quota. */
const FAILURES_PER_MINUTE = 10;
/** Delayed answers at once: each holds a connection for up to 5 seconds, out of `MAX_CONNECTIONS`. */
const MAX_DELAYED = 4;

interface SignalsOptions {
  readonly log: Log;
  /** Whether a signal may make an error event or a log record: not where they would spend a production project's quota. */
  readonly makesEvents: boolean;
  /** Server processes that divide the limits. Default: 1. */
  readonly processes?: number;
  /** Milliseconds on a clock that never goes back. Default: the process's own. */
  readonly now?: () => number;
}

/** Answers signals, and bounds what they cost the server: answers, delays, events. */
export function createSignals(
  { log, makesEvents, processes = 1, now = () => performance.now() }: SignalsOptions,
) {
  const maxDelayed = Math.ceil(MAX_DELAYED / processes);
  const takeSignal = perMinute(SIGNALS_PER_MINUTE / processes, now);
  const takeFailure = perMinute(FAILURES_PER_MINUTE / processes, now);
  /** Functions that end the running delays. */
  const delayed = new Set<() => void>();

  const wait = async (delay: number) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, delay);
    delayed.add(resolve);
    await promise;
    clearTimeout(timer);
    delayed.delete(resolve);
  };

  /**
   * Answers after `?delay_ms=` milliseconds with the status `?status=`; one from 500 on is logged. With `?throw=true` it
   * throws an error, which the server answers with 500. Beyond the limits of this process: 429 at once.
   */
  const answer = async ({ req, url }: Context): Promise<Response> => {
    // Attack: any open page could cause errors here, with the address of an image.
    if (!isOwnPageOrNoBrowser(req.headers)) {
      return refusal(403, "origin_not_allowed", "Only this server's own page may ask for signals.");
    }
    const delay = wholeNumber(0, MAX_DELAY_MS).parse(url.searchParams.get("delay_ms") ?? "0");
    if (delay === undefined) {
      return invalid(`delay_ms is not a whole number from 0 to ${MAX_DELAY_MS}`);
    }
    const asked = wholeNumber(200, 599).parse(url.searchParams.get("status") ?? "200");
    if (asked === undefined) return invalid("status is not a whole number from 200 to 599");

    const throws = url.searchParams.get("throw") === "true";
    const status = throws ? 500 : asked;
    const fails = status >= 500;
    if (!takeSignal()) {
      return limited(`Cannot answer more than ${SIGNALS_PER_MINUTE} signals a minute`, 60);
    }
    if (delay > 0 && delayed.size >= maxDelayed) {
      return limited(`Cannot delay: ${maxDelayed} answers are being delayed`, 5);
    }
    if (fails && !takeFailure()) {
      return limited(`Cannot fail more than ${FAILURES_PER_MINUTE} times a minute`, 60);
    }
    if (delay > 0) await wait(delay);
    if (fails && !makesEvents) {
      const detail = "In production a signal is not reported to Sentry.";
      return refusal(status, "signal_not_reported", detail);
    }
    if (throws) throw new Error("Server error, made on purpose");
    if (fails) {
      log("error", "A signal was answered with a failure", { "http.response.status_code": status });
    }
    return BODILESS.has(status)
      ? makePrivate(new Response(null, { status }))
      : json(status, { delay_ms: delay, status });
  };

  /** Ends all running delays, because a new connection waits for a free one. */
  const shedLoad = () => {
    for (const end of delayed) end();
  };

  return { answer, shedLoad };
}

const invalid = (detail: string) => refusal(400, "signal_invalid", `${detail}.`);

function limited(detail: string, seconds: number): Response {
  const response = refusal(429, "signal_limited", `${detail}. Try again in ${seconds} seconds.`);
  response.headers.set("Retry-After", `${seconds}`);
  return response;
}

/** Statuses that must not have a body (RFC 9110, section 15). */
const BODILESS = new Set([204, 205, 304]);
