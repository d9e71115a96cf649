import { categoryOf } from "../protocol/categories.ts";
import type { AdmittedEnvelope } from "../protocol/admitted_envelope.ts";
import { type Answer, limitedAnswer, takenAnswer } from "./answer.ts";
import { RelayError } from "./errors.ts";
import type { EnvelopeStore, RelayOptions } from "./relay_options.ts";
import { toAnswer } from "./send/ingest_response.ts";
import type { RateLimitHeaders } from "./send/rate_limit_headers.ts";
import type { Sender } from "./send/sender.ts";
import type { RelayParts } from "./spool/relay_parts.ts";

type SendingOptions =
  & Pick<RelayOptions, "store" | "spool" | "onStoreError">
  & Pick<RelayParts, "clock" | "client" | "limits" | "duplicates">;

/** Forwards admitted envelopes, or puts them into the spool or the inbox, and makes the answers. */
export class Sending {
  readonly #options: SendingOptions;

  constructor(options: SendingOptions) {
    this.#options = options;
  }

  limitsOn({ dsn, items }: AdmittedEnvelope): RateLimitHeaders | undefined {
    const categories = items.map(({ type }) => categoryOf(type));
    const { limits, clock } = this.#options;
    return limits.check(dsn.text, categories, clock.uptime());
  }

  /** @throws {RelayError} `spool_full`, `spool_unavailable` */
  deliver(envelope: AdmittedEnvelope, sender: Sender): Promise<Answer> {
    const { store } = this.#options;
    return store ? this.#store(store, envelope) : this.#forward(envelope, sender);
  }

  async #store(store: EnvelopeStore, envelope: AdmittedEnvelope): Promise<Answer> {
    try {
      await store.store(envelope);
    } catch (error) {
      this.#options.onStoreError?.(error);
      throw new RelayError(
        "spool_unavailable",
        "The inbox could not store the envelope; send it again later.",
      );
    }
    return takenAnswer(envelope.header, "stored");
  }

  async #forward(envelope: AdmittedEnvelope, sender: Sender): Promise<Answer> {
    const { spool, client, duplicates, clock } = this.#options;
    const { dsn, header } = envelope;
    if (spool !== undefined) {
      const mayForward = () => client.breakerOf(dsn).mayForward(spool.isFailing);
      const match = mayForward() ? await spool.find(envelope) : undefined;
      // Meanwhile the drain may have delivered a copy, which is no longer in the spool.
      if (match === "duplicate" || duplicates.isTaken(envelope.key, clock.uptime())) {
        return takenAnswer(header, "duplicate");
      }
      if (match === "earlier segment") {
        return await spool.put(envelope, sender, "an earlier segment of its recording waits");
      }
      // Checked again: meanwhile another envelope may have become the only one in a half-open circuit.
      if (!mayForward()) return await spool.put(envelope, sender, "it is down");
    }
    const attempt = await client.attempt(envelope, sender, () => this.limitsOn(envelope));
    if (attempt.kind === "rate_limited") return limitedAnswer(attempt.limits);
    if (attempt.kind === "decided") return toAnswer(attempt.response, header, clock.now());
    const reason = attempt.kind === "aborted" ? "this server is stopping" : attempt.reason;
    if (spool !== undefined) return await spool.put(envelope, sender, reason);
    throw new RelayError(
      "spool_unavailable",
      `The ingest has not taken the envelope (${reason}) and there is no spool; send it again later.`,
    );
  }
}
