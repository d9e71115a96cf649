import { categoryOf } from "../../protocol/categories.ts";
import type { SpoolReport } from "../../protocol/relay_api.ts";
import type { AllowList } from "../admit/allow_list.ts";
import type { Duplicates } from "../admit/duplicates.ts";
import type { AdmittedEnvelope } from "../admit/incoming_envelope.ts";
import { type Answer, heldAnswer, takenAnswer } from "../answer.ts";
import { RelayError } from "../errors.ts";
import type { OutcomeCounter } from "../outcomes.ts";
import type { IngestReport } from "../process_report.ts";
import { createDeliveries, type Deliveries } from "../spool/deliveries.ts";
import { Gossip } from "../spool/gossip.ts";
import type { RelaySpool } from "../spool/relay_spool.ts";
import { IngestClient, type IngestClientOptions } from "./ingest_client.ts";
import { toAnswer } from "./ingest_response.ts";
import type { RateLimitHeaders } from "./rate_limit_headers.ts";
import { RateLimits } from "./rate_limits.ts";
import type { Sender } from "./sender.ts";

/** Stores envelopes instead of sending them to an ingest: the inbox. */
export interface EnvelopeStore {
  /** Resolves once the envelope is stored. After any error it counts as not stored. */
  store(envelope: AdmittedEnvelope): Promise<void> | void;
  /** Whether anything can be stored now. Default: yes. */
  canStore?(): boolean;
}

export interface SendingOptions extends Omit<IngestClientOptions, "limits"> {
  readonly allowList: AllowList;
  readonly duplicates: Duplicates;
  readonly outcomes: OutcomeCounter;
  /** Inbox mode: envelopes end here. Default: relay mode, they are sent to their ingest. */
  readonly store?: EnvelopeStore;
  /** Keeps what an ingest does not decide about. Default: none; such envelopes are refused with 503. */
  readonly spool?: RelaySpool;
  /** Called if the store fails. Default: prints to standard error. */
  readonly onStoreError?: (error: unknown) => void;
  /** Sends an envelope of the relay itself, like one that was received. */
  readonly report: (envelope: string) => void;
}

/** The sending half of the relay: where an admitted envelope goes, and what its client is answered. */
export interface Sending {
  /** The headers of a 429, if rate limits cover every item of the envelope. */
  limitsOn(envelope: AdmittedEnvelope): RateLimitHeaders | undefined;
  /**
   * Sends, spools or stores an envelope.
   *
   * @throws {RelayError} `spool_full`, `spool_unavailable`
   */
  deliver(envelope: AdmittedEnvelope, sender: Sender): Promise<Answer>;
  health(): Promise<SendingHealth>;
  /** What the newest envelope for each ingest has shown. */
  readonly ingests: readonly IngestReport[];
  /** What the drain of the spool needs. */
  readonly deliveries: Deliveries;
  /** What is shared with other relays on the same spool. */
  readonly gossip: Gossip;
  /** Aborts live attempts: their envelopes go to the spool. */
  abort(): void;
}

export interface SendingHealth {
  /** Undefined: there is no spool, or it cannot be read. */
  readonly spool?: SpoolReport;
  /** Whether envelopes can be delivered, spooled or stored now. */
  readonly canDeliver: boolean;
}

/** Makes the sending half of a relay. */
export function createSending(options: SendingOptions): Sending {
  const { allowList, duplicates, outcomes, store, spool, now, uptime, report } = options;
  const onStoreError = options.onStoreError ?? printStoreError;
  const limits = new RateLimits();
  const client = new IngestClient({ ...options, limits });

  const limitsOn = ({ dsn, items }: AdmittedEnvelope) =>
    limits.isEmpty
      ? undefined
      : limits.check(dsn.text, items.map(({ type }) => categoryOf(type)), uptime());

  /** Inbox mode. */
  const storeIn = async (store: EnvelopeStore, envelope: AdmittedEnvelope): Promise<Answer> => {
    try {
      await store.store(envelope);
    } catch (error) {
      onStoreError(error);
      throw new RelayError(
        "spool_unavailable",
        "The inbox could not store the envelope; send it again later.",
      );
    }
    return takenAnswer(envelope.header, "stored");
  };

  /** Relay mode. */
  const forward = async (envelope: AdmittedEnvelope, sender: Sender): Promise<Answer> => {
    const { dsn, header } = envelope;
    if (spool !== undefined) {
      const mayForward = () => client.breakerOf(dsn).mayForward(spool.isFailing);
      const match = mayForward() ? await spool.find(envelope) : undefined;
      // Meanwhile the drain may have delivered a copy, which is no longer in the spool.
      if (match === "duplicate" || duplicates.isTaken(envelope.key, uptime())) {
        return takenAnswer(header, "duplicate");
      }
      if (match === "earlier segment") {
        return await spool.put(envelope, sender, "an earlier segment of its recording waits");
      }
      // Checked again: meanwhile another envelope may have become the only one in a half-open circuit.
      if (!mayForward()) return await spool.put(envelope, sender, "it is down");
    }
    const attempt = await client.attempt(envelope, sender, () => limitsOn(envelope));
    if (attempt.kind === "rate_limited") return heldAnswer(attempt.limits);
    if (attempt.kind === "decided") return toAnswer(attempt.response, header, now());
    const reason = attempt.kind === "aborted" ? "this server is stopping" : attempt.reason;
    if (spool !== undefined) return await spool.put(envelope, sender, reason);
    throw new RelayError(
      "spool_unavailable",
      `The ingest has not taken the envelope (${reason}) and there is no spool; send it again later.`,
    );
  };

  return {
    limitsOn,
    deliver: (envelope, sender) => store ? storeIn(store, envelope) : forward(envelope, sender),

    async health() {
      const report = await spool?.report(now());
      const spoolFails = spool !== undefined && (report === undefined || spool.isFailing);
      const ingestFails = client.ingests.some(({ reason }) => reason !== undefined);
      const canDeliver = store?.canStore?.() !== false && !(spoolFails && ingestFails);
      return { spool: report, canDeliver };
    },

    get ingests() {
      return client.ingests;
    },

    deliveries: createDeliveries({
      client,
      allowList,
      duplicates,
      limits,
      outcomes,
      now,
      uptime,
      report,
    }),

    gossip: new Gossip({ allowList, duplicates, limits, uptime }),

    abort: () => client.abort(),
  };
}

function printStoreError(error: unknown): void {
  console.error("Cannot store an envelope:", error);
}
