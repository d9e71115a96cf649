import type { AdmittedEnvelope } from "./admission.ts";
import { type Answer, takenAnswer } from "./answer.ts";
import { RelayError } from "./errors.ts";
import type { RateLimits } from "./rate_limits.ts";
import { ingestConnections, type Sender, sendUpstream, UpstreamSilentError } from "./upstream.ts";
import { verdict } from "./verdict.ts";

/** The last step of an envelope's way: where it goes, and what its sender is told. */
export type Delivery = (envelope: AdmittedEnvelope, sender: Sender) => Promise<Answer>;

/** Where envelopes end that go to no ingest. */
export interface EnvelopeStore {
  /** Resolves once the envelope is stored. Whatever it throws, the envelope counts as not stored. */
  store(envelope: AdmittedEnvelope): Promise<void> | void;
}

export interface IngestOptions {
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

/** Relay mode: to the ingest, which decides. */
export function toIngest(options: IngestOptions): Delivery {
  const { upstream, relayTimeoutMs, limits, now, uptime } = options;
  const attempt = { origin: upstream, timeoutMs: relayTimeoutMs };
  const pool = ingestConnections();
  return async (envelope, sender) => {
    try {
      const answer = await sendUpstream(pool, envelope, sender, attempt);
      limits.learn(envelope.dsn.text, answer, uptime(), now());
      return verdict(answer, envelope.header, now());
    } catch (error) {
      if (!(error instanceof UpstreamSilentError)) throw error;
      throw new RelayError(
        "spool_unavailable",
        "The ingest did not answer and nothing here keeps the envelope; send it again later.",
      );
    }
  };
}

/**
 * Inbox mode: to the store, and nowhere else.
 *
 * @param onError is told why the store failed
 */
export function toStore(
  store: EnvelopeStore,
  onError: (error: unknown) => void = (error) => console.error("Cannot store an envelope:", error),
): Delivery {
  return async (envelope) => {
    try {
      await store.store(envelope);
    } catch (error) {
      onError(error);
      throw new RelayError(
        "spool_unavailable",
        "The inbox could not store the envelope; send it again later.",
      );
    }
    return takenAnswer(envelope.header, "stored");
  };
}
