import type { AdmittedEnvelope } from "./admission.ts";
import { type Answer, heldAnswer, takenAnswer } from "./answer.ts";
import { RelayError } from "./errors.ts";
import type { IngestClient } from "./ingest_client.ts";
import type { HeldBack } from "./rate_limits.ts";
import type { Sender } from "./sender.ts";
import type { Spooling } from "./spooling.ts";
import { verdict } from "./verdict.ts";

/**
 * The last step of an envelope's way: where it goes, and what its sender is told.
 *
 * @param held the limits that hold for all of it now, if they do
 */
export type Delivery = (
  envelope: AdmittedEnvelope,
  sender: Sender,
  held: () => HeldBack | undefined,
) => Promise<Answer>;

/** Where envelopes end that go to no ingest. */
export interface EnvelopeStore {
  /** Resolves once the envelope is stored. Whatever it throws, the envelope counts as not stored. */
  store(envelope: AdmittedEnvelope): Promise<void> | void;
  /** Whether anything can be stored now. Default: yes. */
  canStore?(): boolean;
}

/**
 * Relay mode: to the ingest, which decides; what it does not decide is kept in the spool. While it
 * is down ({@linkcode IngestHealth}) it is not asked: the spool's drain finds out when it is back.
 *
 * @param spooling none: what the ingest does not decide stays with the sender
 * @param now milliseconds since 1970
 */
export function toIngest(
  client: IngestClient,
  spooling: Spooling | undefined,
  now: () => number,
): Delivery {
  return async (envelope, sender, held) => {
    const { dsn, header } = envelope;
    if (spooling !== undefined) {
      const isDown = () => !client.healthOf(dsn).mayForward(spooling.isFailing);
      const looked = isDown() ? undefined : spooling.place(envelope);
      const place = looked && await looked;
      if (place === "duplicate") return takenAnswer(header, "duplicate");
      if (place === "behind") {
        return await spooling.keep(envelope, sender, "the recording before it waits");
      }
      // Asked again: meanwhile, another one may have been sent as the only one.
      if (isDown()) return await spooling.keep(envelope, sender, "it is down");
    }
    const attempt = await client.attempt(envelope, sender, held);
    if (attempt.kind === "held") return heldAnswer(attempt.limits);
    if (attempt.kind === "decided") return verdict(attempt.answer, header, now());
    const reason = attempt.kind === "aborted" ? "this server is stopping" : attempt.reason;
    if (spooling !== undefined) return await spooling.keep(envelope, sender, reason);
    throw new RelayError(
      "spool_unavailable",
      `The ingest has not taken the envelope (${reason}) and nothing here keeps it; send it again later.`,
    );
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
