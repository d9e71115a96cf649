import { type Dsn, ingestUrl } from "../../protocol/dsn.ts";
import { contentTypeOf, type Signal, signalOf } from "../../protocol/format.ts";
import { isRetryable } from "../../protocol/retry.ts";
import type { AdmittedEnvelope } from "../../protocol/admitted_envelope.ts";
import type { RelayMetrics } from "../metrics.ts";
import type { IngestReport } from "../process_report.ts";
import {
  CircuitBreaker,
  type Fault,
  type RelayLog,
  type UndecidedAttempt,
} from "./circuit_breaker.ts";
import { ProxyError } from "./http/connect.ts";
import {
  ClientAbortedError,
  createHttpClient,
  type HttpResponse,
  RequestFailedError,
  ResponseTimeoutError,
} from "./http/http_client.ts";
import type { Clock } from "./clock.ts";
import type { Proxies } from "./http/proxies.ts";
import type { RateLimitHeaders } from "./rate_limit_headers.ts";
import type { RateLimits } from "./rate_limits.ts";
import { type Sender, senderHeaders } from "./sender.ts";

export type AttemptResult =
  /** 2xx, 429 or a refusal. */
  | { readonly kind: "decided"; readonly response: HttpResponse }
  /** Not sent: a rate limit was announced while the envelope waited for a connection. */
  | { readonly kind: "rate_limited"; readonly limits: RateLimitHeaders }
  /** No response, or a retryable one. `reason` is part of a sentence: "it answered 503". */
  | { readonly kind: "undecided"; readonly reason: string; readonly fault: Fault }
  /** Ended by its signal or `abort` before there was a response. */
  | { readonly kind: "aborted" };

export interface IngestClientOptions {
  readonly clock: Clock;
  readonly relayTimeoutMs: number;
  readonly upstream?: string;
  readonly proxies?: Proxies;
  readonly log?: RelayLog;
  readonly limits: RateLimits;
  readonly metrics: Pick<RelayMetrics, "attempted">;
}

/** Maximum connections to one ingest: each takes a file descriptor, and more do not increase throughput. */
export const MAX_CONNECTIONS = 256;

/** Shorter than the idle timeout of common load balancers and NATs. */
const MAX_IDLE_MS = 60_000;

/** 1 Mbit/s. An unanswered envelope too large for this rate is no evidence that the ingest is down. */
const SLOW_UPLOAD_BYTES_PER_MS = 128;

interface Target {
  /** By the signal of an OTLP request; undefined: envelopes. */
  readonly urls: ReadonlyMap<Signal | undefined, URL>;
  readonly breaker: CircuitBreaker;
}

export type IngestClient = ReturnType<typeof createIngestClient>;

/** Sends envelopes to ingests and keeps a circuit breaker for each. */
export function createIngestClient(options: IngestClientOptions) {
  const { clock, relayTimeoutMs: timeoutMs, upstream, proxies, log, limits, metrics } = options;
  const http = createHttpClient({
    maxConnections: MAX_CONNECTIONS,
    maxIdleMs: MAX_IDLE_MS,
    connectTimeoutMs: timeoutMs,
    proxies,
  });
  /** By DSN object of the allow-list, because parsing URLs for each envelope takes time. */
  const targets = new WeakMap<Dsn, Target>();
  const breakersByOrigin = new Map<string, CircuitBreaker>();

  return {
    breakerOf: (dsn: Dsn): CircuitBreaker => targetOf(dsn).breaker,
    get breakers(): Iterable<CircuitBreaker> {
      return breakersByOrigin.values();
    },
    /** The last failure of each ingest, unless it has decided about an envelope since. */
    get ingests(): IngestReport[] {
      // The health report is public, and the address that the operator set may be secret.
      const isPublic = upstream === undefined;
      return [...breakersByOrigin.values()].map(({ origin, failure, updatedAt }) => ({
        origin: isPublic ? origin : "RELAY_UPSTREAM",
        at: updatedAt,
        reason: failure,
      }));
    },
    attempt,
    /** Aborts all live attempts: their envelopes go to the spool. */
    abort: (): void => http.abort(),
  };

  /** Sends an envelope to its DSN's ingest, once. `limitsNow`: called when connected. `drained`: of the spool. */
  async function attempt(
    { bytes, format = "envelope", contentEncoding, dsn, receivedAt }: Pick<
      AdmittedEnvelope,
      "bytes" | "format" | "contentEncoding" | "dsn" | "receivedAt"
    >,
    sender: Sender,
    limitsNow: () => RateLimitHeaders | undefined,
    drained?: { readonly isRetry: boolean; readonly signal: AbortSignal },
  ): Promise<AttemptResult> {
    const headers: Record<string, string> = {
      "content-type": contentTypeOf(format),
      ...senderHeaders(sender),
      "x-sentry-auth": `Sentry sentry_version=7, sentry_key=${dsn.publicKey}`,
    };
    if (contentEncoding !== null) headers["content-encoding"] = contentEncoding;

    const begun = performance.now();
    const { urls, breaker } = targetOf(dsn);
    const url = urls.get(signalOf(format))!;
    const isProbe = drained !== undefined && breaker.isProbed;
    const undecided = (progress: UndecidedAttempt["progress"], reason: string): AttemptResult => {
      metrics.attempted("undecided", (performance.now() - begun) / 1000);
      const fault = breaker.undecided({
        receivedAt,
        isRetry: drained?.isRetry ?? false,
        isProbe,
        isLarge: bytes.length > timeoutMs * SLOW_UPLOAD_BYTES_PER_MS,
        progress,
        reason,
      });
      return { kind: "undecided", reason, fault };
    };
    let announced: RateLimitHeaders | undefined;
    const beforeSending = () => {
      announced = limitsNow();
      if (announced) throw new Error("Rate limits cover all items of the envelope.");
    };
    const signal = drained?.signal;
    let response: HttpResponse;
    if (!drained) breaker.liveAttemptStarted();
    try {
      const request = { url, headers, body: bytes, timeoutMs, beforeSending, signal };
      response = await http.post(request);
    } catch (error) {
      if (announced) return { kind: "rate_limited", limits: announced };
      if (signal?.aborted || error instanceof ClientAbortedError) return { kind: "aborted" };
      if (!(error instanceof RequestFailedError)) throw error;
      return undecided(error.wasSent ? "sent" : "not sent", failureReason(error.cause));
    } finally {
      if (!drained) breaker.liveAttemptEnded();
    }
    limits.update(dsn.text, response, clock.uptime(), clock.now());
    if (isRetryable(response.status)) {
      return undecided("answered", `it answered ${response.status}`);
    }
    metrics.attempted("decided", (performance.now() - begun) / 1000);
    breaker.decided(receivedAt);
    return { kind: "decided", response };
  }

  function targetOf(dsn: Dsn): Target {
    return targets.getOrInsertComputed(dsn, () => {
      const signals = [undefined, "traces", "logs"] as const;
      const urls = new Map(
        signals.map((signal) => [signal, new URL(ingestUrl(dsn, upstream, signal))]),
      );
      const { origin } = urls.get(undefined)!;
      const breaker = breakersByOrigin.getOrInsertComputed(
        origin,
        () => new CircuitBreaker(origin, { ...clock, log }),
      );
      return { urls, breaker };
    });
  }
}

/** Meanings of error codes of Deno, `node:tls` and undici for an operator. */
const REASONS: readonly (readonly [code: RegExp, meaning: string])[] = [
  [/^ECONNREFUSED$/, "connection refused"],
  [/^(ECONNRESET|ECONNABORTED|EPIPE)$/, "connection reset"],
  [/^ETIMEDOUT$/, "connecting timed out"],
  [/^(EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/, "no route to the host"],
  [/^E[MN]FILE$/, "too many open files"],
  [/^UND_ERR_SOCKET$/, "connection closed without an answer"],
  [/^UND_ERR_/, "the answer is not HTTP/1.1"],
  [/^CERT_HAS_EXPIRED$/, "certificate has expired"],
  [/^CERT_NOT_YET_VALID$/, "certificate is not valid yet"],
  [/^CERT_REVOKED$/, "certificate is revoked"],
  [/ALTNAME_INVALID$|^HOSTNAME_MISMATCH$/, "certificate is for another name"],
  [
    /SELF_SIGNED|ISSUER|UNABLE_TO_VERIFY|UNTRUSTED|CERT_SIGNATURE|CERT_CHAIN/,
    "certificate is not trusted",
  ],
  [/^(ERR_SSL|ERR_TLS|EPROTO)/, "TLS handshake failed"],
];

/** Why a request got no response, part of a sentence. Fixed texts and numbers only, nothing that an upstream sent. */
function failureReason(error: unknown): string {
  if (error instanceof ResponseTimeoutError) return `${error.phase} timed out`;
  if (error instanceof ProxyError) {
    if (error.status === 407) return "proxy refused: 407, it wants other credentials";
    if (error.status !== undefined) return `proxy refused: ${error.status}`;
    return `proxy: ${failureReason(error.cause)}`;
  }
  if (error instanceof Deno.errors.NotCapable) return "not permitted to connect";
  if (!(error instanceof Error)) return "unknown failure";
  if (error instanceof Deno.errors.ConnectionRefused) return "connection refused";
  // DNS errors of the system have neither a class nor a code.
  if (/lookup address|resolve/i.test(error.message)) return "name not resolved (DNS)";
  if (/before secure TLS/.test(error.message)) return "connection closed during the TLS handshake";
  if (error.name === "HTTPParserError") return "the answer is not HTTP/1.1";
  const code = "code" in error ? String(error.code) : "";
  return REASONS.find(([pattern]) => pattern.test(code))?.[1] ?? "connection failed";
}
