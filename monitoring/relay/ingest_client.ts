import { type Dsn, ingestUrl } from "../envelope/dsn.ts";
import type { AdmittedEnvelope } from "./admission.ts";
import { ConnectionPool } from "./http/connection_pool.ts";
import type { HttpAnswer } from "./http/response_reader.ts";
import type { RateLimits } from "./rate_limits.ts";
import { isPassing } from "./verdict.ts";

/** Who sent an envelope, as far as the ingest may know. */
export interface Sender {
  readonly userAgent: string | null;
  /** Only if the operator wants it forwarded. */
  readonly address?: string;
}

/** What of an envelope goes over the wire, and where to. */
export type Sendable = Pick<AdmittedEnvelope, "bytes" | "contentEncoding" | "dsn">;

/** How one attempt ended: the ingest took or refused it, or nobody knows. */
export type Attempt =
  | { readonly kind: "decided"; readonly answer: HttpAnswer }
  /** `reason` is a part of a sentence: "it answered 503". */
  | { readonly kind: "undecided"; readonly reason: string };

export interface IngestClientOptions {
  /** Origin to send to in place of a DSN's own. */
  readonly upstream?: string;
  /** Milliseconds for one attempt. */
  readonly relayTimeoutMs: number;
  /** Learns from every answer. */
  readonly limits: RateLimits;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds of a clock that never goes back. */
  readonly uptime: () => number;
}

/** An ingest answers with an id, or a sentence. More is not passed on, and not held either. */
export const MAX_ANSWER_BYTES = 64 * 1024;

/**
 * Connections to one ingest at once: each takes a descriptor, and beyond this an ingest gains
 * nothing from more. Further envelopes wait, within their time.
 */
const MAX_CONNECTIONS = 256;

/** Less than any load balancer or address translation in common use remembers a silent connection. */
const MAX_IDLE_MS = 60_000;

/** Sends envelopes to ingests, and knows which of these did not answer the last time. */
export class IngestClient {
  readonly #options: IngestClientOptions;
  readonly #pool = new ConnectionPool({
    maxBodyBytes: MAX_ANSWER_BYTES,
    maxConnections: MAX_CONNECTIONS,
    maxIdleMs: MAX_IDLE_MS,
  });
  /** Origins whose last attempt was undecided. */
  readonly #down = new Set<string>();

  constructor(options: IngestClientOptions) {
    this.#options = options;
  }

  /** The ingest that takes a DSN's envelopes, as an origin. */
  originOf(dsn: Dsn): string {
    return this.#urlOf(dsn).origin;
  }

  /** Whether the last attempt at any of them was undecided. */
  get isAnyDown(): boolean {
    return this.#down.size > 0;
  }

  /** Whether the last attempt at the DSN's ingest was undecided. */
  isDown(dsn: Dsn): boolean {
    return this.#down.size > 0 && this.#down.has(this.originOf(dsn));
  }

  /**
   * Sends an envelope to the ingest that its DSN names, once, as it was received. Of the request
   * that brought it nothing goes along but its encoding and what is in `sender`.
   */
  async attempt({ bytes, contentEncoding, dsn }: Sendable, sender: Sender): Promise<Attempt> {
    const headers: Record<string, string> = {
      "content-type": "application/x-sentry-envelope",
      "user-agent": sender.userAgent ?? "sightglass",
      "x-sentry-auth": `Sentry sentry_version=7, sentry_key=${dsn.publicKey}`,
    };
    if (contentEncoding !== null) headers["content-encoding"] = contentEncoding;
    if (sender.address !== undefined) headers["x-forwarded-for"] = sender.address;

    const { relayTimeoutMs: timeoutMs, limits, now, uptime } = this.#options;
    const url = this.#urlOf(dsn);
    let answer: HttpAnswer;
    try {
      answer = await this.#pool.post({ url, headers, body: bytes, timeoutMs });
    } catch {
      // Refused, reset, silent for too long: whatever it was, the ingest has not decided.
      this.#down.add(url.origin);
      return { kind: "undecided", reason: "it did not answer" };
    }
    limits.learn(dsn.text, answer, uptime(), now());
    if (isPassing(answer.status)) {
      this.#down.add(url.origin);
      return { kind: "undecided", reason: `it answered ${answer.status}` };
    }
    this.#down.delete(url.origin);
    return { kind: "decided", answer };
  }

  /** Ends every attempt that has no answer yet. */
  abort(): void {
    this.#pool.abort();
  }

  #urlOf(dsn: Dsn): URL {
    return new URL(ingestUrl(dsn, this.#options.upstream));
  }
}
