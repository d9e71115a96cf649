import { type Dsn, ingestUrl } from "../protocol/dsn.ts";
import type { AdmittedEnvelope } from "./admission.ts";
import { ConnectionLostError } from "./http/connection.ts";
import { AnswerTimeoutError, ConnectionPool, PoolAbortedError } from "./http/connection_pool.ts";
import { failureReason } from "./http/failure_reason.ts";
import type { Proxies } from "./http/proxies.ts";
import type { HttpAnswer } from "./http/response_reader.ts";
import {
  type Fault,
  IngestHealth,
  type IngestState,
  type UndecidedAttempt,
} from "./ingest_health.ts";
import type { RelayMetrics } from "./metrics.ts";
import type { HeldBack, RateLimits } from "./rate_limits.ts";
import { type Sender, senderHeaders } from "./sender.ts";
import { isPassing } from "./verdict.ts";

/** The parts of an envelope that an attempt needs: bytes, destination, arrival. */
export type Sendable = Pick<AdmittedEnvelope, "bytes" | "contentEncoding" | "dsn" | "receivedAt">;

/** Additional facts of an attempt from the spool. */
export interface DrainedAttempt {
  /** Whether one failed before. */
  readonly isRetry: boolean;
  /** Ends the attempt. */
  readonly signal: AbortSignal;
}

/** How one attempt ended: the ingest took or refused it, or nobody knows. */
export type Attempt =
  | { readonly kind: "decided"; readonly answer: HttpAnswer }
  /** It was not asked: a limit was announced while the envelope waited for a connection. */
  | { readonly kind: "held"; readonly limits: HeldBack }
  /** `reason` is a part of a sentence: "it answered 503". */
  | { readonly kind: "undecided"; readonly reason: string; readonly fault: Fault }
  /** Its signal, or {@linkcode IngestClient.abort}, ended it before there was an answer. */
  | { readonly kind: "aborted" };

export interface IngestClientOptions {
  /** Origin to send to in place of a DSN's own. */
  readonly upstream?: string;
  /** Default: none. */
  readonly proxies?: Proxies;
  /** Milliseconds for one attempt. */
  readonly relayTimeoutMs: number;
  /** Learns from every answer. */
  readonly limits: RateLimits;
  /** Is told how long each attempt took. */
  readonly metrics: Pick<RelayMetrics, "attempted">;
  /** Called on changes, see {@linkcode IngestHealth}. */
  readonly onIngestState?: (state: IngestState) => void;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds of a clock that never goes back. */
  readonly uptime: () => number;
  /** Sends the requests. Default: a {@linkcode ConnectionPool}. */
  readonly connections?: Pick<ConnectionPool, "post" | "abort">;
}

/** An ingest answers with an id, or a sentence. More is not passed on, and not held either. */
export const MAX_ANSWER_BYTES = 64 * 1024;

/**
 * Connections to one ingest at once: each takes a descriptor, and beyond this an ingest gains
 * nothing from more. Further envelopes wait, within their time.
 */
export const MAX_CONNECTIONS = 256;

/** Less than any load balancer or address translation in common use remembers a silent connection. */
const MAX_IDLE_MS = 60_000;

/** 1 Mbit/s. An unanswered envelope too large for this rate is no evidence that the ingest is down. */
const SLOW_UPLOAD_BYTES_PER_MS = 128;

/** Where a DSN's envelopes go. */
interface Target {
  readonly url: URL;
  readonly health: IngestHealth;
}

/** Sends envelopes to ingests, and keeps the health of each. */
export class IngestClient {
  readonly #options: IngestClientOptions;
  readonly #pool: Pick<ConnectionPool, "post" | "abort">;
  /** Of the DSNs of the allow-list: parsing one for each envelope takes time. */
  readonly #targets = new WeakMap<Dsn, Target>();
  readonly #health = new Map<string, IngestHealth>();

  constructor(options: IngestClientOptions) {
    this.#options = options;
    this.#pool = options.connections ?? new ConnectionPool({
      maxBodyBytes: MAX_ANSWER_BYTES,
      maxConnections: MAX_CONNECTIONS,
      maxIdleMs: MAX_IDLE_MS,
      proxies: options.proxies,
    });
  }

  /** The ingest that takes a DSN's envelopes. */
  healthOf(dsn: Dsn): IngestHealth {
    return this.#targetOf(dsn).health;
  }

  /** Each ingest whose newest envelope is undecided, and why. */
  get failing(): { readonly origin: string; readonly reason: string }[] {
    // The health is public, and the address of one's own upstream may not be.
    const named = this.#options.upstream === undefined;
    return [...this.#health.values()].flatMap(({ origin, failure }) =>
      failure === undefined ? [] : [{ origin: named ? origin : "RELAY_UPSTREAM", reason: failure }]
    );
  }

  /**
   * Sends an envelope to the ingest that its DSN names, once, as it was received. Of the request
   * that brought it nothing goes along but its encoding and what is in `sender`.
   *
   * @param held the limits that hold for all of it, if they do; asked when there is a connection
   * @param drained for one from the spool. Default: it is live
   */
  async attempt(
    { bytes, contentEncoding, dsn, receivedAt }: Sendable,
    sender: Sender,
    held: () => HeldBack | undefined,
    drained?: DrainedAttempt,
  ): Promise<Attempt> {
    const headers: Record<string, string> = {
      "content-type": "application/x-sentry-envelope",
      ...senderHeaders(sender),
      "x-sentry-auth": `Sentry sentry_version=7, sentry_key=${dsn.publicKey}`,
    };
    if (contentEncoding !== null) headers["content-encoding"] = contentEncoding;

    const { relayTimeoutMs: timeoutMs, limits, metrics, now, uptime } = this.#options;
    const begun = performance.now();
    const { url, health } = this.#targetOf(dsn);
    const isProbe = drained !== undefined && health.isProbed;
    const undecided = (progress: UndecidedAttempt["progress"], reason: string): Attempt => {
      metrics.attempted("undecided", (performance.now() - begun) / 1000);
      const fault = health.undecided({
        receivedAt,
        isRetry: drained?.isRetry ?? false,
        isProbe,
        isLarge: bytes.length > timeoutMs * SLOW_UPLOAD_BYTES_PER_MS,
        progress,
        reason,
      });
      return { kind: "undecided", reason, fault };
    };
    const beforeSending = () => {
      const limits = held();
      if (limits) throw new HeldError(limits);
    };
    const signal = drained?.signal;
    let answer: HttpAnswer;
    if (!drained) health.live++;
    try {
      answer = await this.#pool.post({
        url,
        headers,
        body: bytes,
        timeoutMs,
        beforeSending,
        signal,
      });
    } catch (error) {
      if (error instanceof HeldError) return { kind: "held", limits: error.limits };
      if (signal?.aborted || error instanceof PoolAbortedError) return { kind: "aborted" };
      // After any error the ingest has not decided.
      return undecided(mayHaveArrived(error) ? "sent" : "not sent", failureReason(error));
    } finally {
      if (!drained) health.live--;
    }
    limits.learn(dsn.text, answer, uptime(), now());
    if (isPassing(answer.status)) return undecided("answered", `it answered ${answer.status}`);
    metrics.attempted("decided", (performance.now() - begun) / 1000);
    health.decided(receivedAt);
    return { kind: "decided", answer };
  }

  /** Ends every live attempt that has no answer yet. */
  abort(): void {
    this.#pool.abort();
  }

  #targetOf(dsn: Dsn): Target {
    let target = this.#targets.get(dsn);
    if (target === undefined) {
      const url = new URL(ingestUrl(dsn, this.#options.upstream));
      target = { url, health: this.#healthAt(url.origin) };
      this.#targets.set(dsn, target);
    }
    return target;
  }

  #healthAt(origin: string): IngestHealth {
    let health = this.#health.get(origin);
    if (health === undefined) {
      const { now, uptime, onIngestState: onState } = this.#options;
      health = new IngestHealth(origin, { now, uptime, onState, random: Math.random });
      this.#health.set(origin, health);
    }
    return health;
  }
}

/** Whether a request that ended with this error may have reached the ingest, in part at least. */
function mayHaveArrived(error: unknown): boolean {
  return error instanceof ConnectionLostError ||
    (error instanceof AnswerTimeoutError && error.phase === "waiting for the answer");
}

/** Limits hold for all of an envelope that was about to be sent. */
class HeldError extends Error {
  override readonly name = "HeldError";
  constructor(readonly limits: HeldBack) {
    super("Limits hold for all of the envelope.");
  }
}
