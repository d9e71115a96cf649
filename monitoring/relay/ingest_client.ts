import { type Dsn, ingestUrl } from "../envelope/dsn.ts";
import type { AdmittedEnvelope } from "./admission.ts";
import { ConnectionPool } from "./http/connection_pool.ts";
import { failureReason } from "./http/failure_reason.ts";
import type { Proxies } from "./http/proxies.ts";
import type { HttpAnswer } from "./http/response_reader.ts";
import type { RelayMetrics } from "./metrics.ts";
import type { HeldBack, RateLimits } from "./rate_limits.ts";
import { type Sender, senderHeaders } from "./sender.ts";
import { isPassing } from "./verdict.ts";

/** What of an envelope goes over the wire, and where to. */
export type Sendable = Pick<AdmittedEnvelope, "bytes" | "contentEncoding" | "dsn">;

/** How one attempt ended: the ingest took or refused it, or nobody knows. */
export type Attempt =
  | { readonly kind: "decided"; readonly answer: HttpAnswer }
  /** It was not asked: a limit was announced while the envelope waited for a connection. */
  | { readonly kind: "held"; readonly limits: HeldBack }
  /** `reason` is a part of a sentence: "it answered 503". */
  | { readonly kind: "undecided"; readonly reason: string };

/** An ingest whose attempts end otherwise than before. */
export type IngestState =
  | { readonly state: "down"; readonly origin: string; readonly reason: string }
  | { readonly state: "answers again"; readonly origin: string };

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
  /** Told of changes; an ingest that fails now and then, at most once in {@linkcode TELL_EVERY_MS}. */
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

/** An ingest that fails now and then is told of no more often than this. */
export const TELL_EVERY_MS = 60_000;

/** Sends envelopes to ingests, and knows which of these did not answer the last time. */
export class IngestClient {
  readonly #options: IngestClientOptions;
  readonly #pool: Pick<ConnectionPool, "post" | "abort">;
  /** Of the DSNs of the allow-list: parsing one for each envelope takes time. */
  readonly #urls = new WeakMap<Dsn, URL>();
  /** Origins whose last attempt was undecided, with the reason. */
  readonly #down = new Map<string, string>();
  /** Origins that were told to be down and not yet to answer again. */
  readonly #toldDown = new Set<string>();
  /** When each was told to be down the last time, by the clock that never goes back. */
  readonly #toldAt = new Map<string, number>();

  constructor(options: IngestClientOptions) {
    this.#options = options;
    this.#pool = options.connections ?? new ConnectionPool({
      maxBodyBytes: MAX_ANSWER_BYTES,
      maxConnections: MAX_CONNECTIONS,
      maxIdleMs: MAX_IDLE_MS,
      proxies: options.proxies,
    });
  }

  /** The ingest that takes a DSN's envelopes, as an origin. */
  originOf(dsn: Dsn): string {
    return this.#urlOf(dsn).origin;
  }

  /** Whether the last attempt at any of them was undecided. */
  get isAnyDown(): boolean {
    return this.#down.size > 0;
  }

  /** Each ingest whose last attempt was undecided, and why. */
  get down(): { readonly origin: string; readonly reason: string }[] {
    // The health is public, and the address of one's own upstream may not be.
    const named = this.#options.upstream === undefined;
    return Array.from(this.#down, ([origin, reason]) => ({
      origin: named ? origin : "RELAY_UPSTREAM",
      reason,
    }));
  }

  /** Whether the last attempt at the DSN's ingest was undecided. */
  isDown(dsn: Dsn): boolean {
    return this.#down.size > 0 && this.#down.has(this.originOf(dsn));
  }

  /**
   * Sends an envelope to the ingest that its DSN names, once, as it was received. Of the request
   * that brought it nothing goes along but its encoding and what is in `sender`.
   *
   * @param held the limits that hold for all of it, if they do; asked when there is a connection
   */
  async attempt(
    { bytes, contentEncoding, dsn }: Sendable,
    sender: Sender,
    held: () => HeldBack | undefined,
  ): Promise<Attempt> {
    const headers: Record<string, string> = {
      "content-type": "application/x-sentry-envelope",
      ...senderHeaders(sender),
      "x-sentry-auth": `Sentry sentry_version=7, sentry_key=${dsn.publicKey}`,
    };
    if (contentEncoding !== null) headers["content-encoding"] = contentEncoding;

    const { relayTimeoutMs: timeoutMs, limits, metrics, now, uptime } = this.#options;
    const begun = performance.now();
    const url = this.#urlOf(dsn);
    const beforeSending = () => {
      const limits = held();
      if (limits) throw new HeldError(limits);
    };
    let answer: HttpAnswer;
    try {
      answer = await this.#pool.post({ url, headers, body: bytes, timeoutMs, beforeSending });
    } catch (error) {
      if (error instanceof HeldError) return { kind: "held", limits: error.limits };
      // Whatever it was, the ingest has not decided.
      return this.#undecided(url.origin, begun, failureReason(error));
    }
    limits.learn(dsn.text, answer, uptime(), now());
    if (isPassing(answer.status)) {
      return this.#undecided(url.origin, begun, `it answered ${answer.status}`);
    }
    metrics.attempted("decided", (performance.now() - begun) / 1000);
    if (this.#down.size > 0) this.#answered(url.origin);
    return { kind: "decided", answer };
  }

  #undecided(origin: string, begun: number, reason: string): Attempt {
    const { metrics, onIngestState, uptime } = this.#options;
    metrics.attempted("undecided", (performance.now() - begun) / 1000);
    this.#down.set(origin, reason);
    const toldAt = this.#toldAt.get(origin) ?? -Infinity;
    if (!this.#toldDown.has(origin) && uptime() - toldAt >= TELL_EVERY_MS) {
      this.#toldDown.add(origin);
      this.#toldAt.set(origin, uptime());
      onIngestState?.({ state: "down", origin, reason });
    }
    return { kind: "undecided", reason };
  }

  #answered(origin: string): void {
    this.#down.delete(origin);
    if (!this.#toldDown.delete(origin)) return;
    this.#options.onIngestState?.({ state: "answers again", origin });
  }

  /** Ends every attempt that has no answer yet. */
  abort(): void {
    this.#pool.abort();
  }

  #urlOf(dsn: Dsn): URL {
    let url = this.#urls.get(dsn);
    if (url === undefined) {
      url = new URL(ingestUrl(dsn, this.#options.upstream));
      this.#urls.set(dsn, url);
    }
    return url;
  }
}

/** Limits hold for all of an envelope that was about to be sent. */
class HeldError extends Error {
  override readonly name = "HeldError";
  constructor(readonly limits: HeldBack) {
    super("Limits hold for all of the envelope.");
  }
}
