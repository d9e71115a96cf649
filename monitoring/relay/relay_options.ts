import type { WrongTokens } from "../access/token.ts";
import type { WriteAccessOptions } from "../access/write_access.ts";
import type { Dsn } from "../protocol/dsn.ts";
import type { Refusal } from "../protocol/relay_api.ts";
import type { AdmittedEnvelope } from "../protocol/admitted_envelope.ts";
import type { BodyReaderOptions } from "./body_reader.ts";
import type { SharedCounts } from "./shared_counts.ts";
import type { Clock } from "./send/clock.ts";
import type { IngestClientOptions } from "./send/ingest_client.ts";
import type { SenderOptions } from "./send/sender.ts";
import type { RelaySpool } from "./spool/relay_spool.ts";

export interface RelayOptions
  extends
    Omit<WriteAccessOptions, "inbox">,
    SenderOptions,
    Partial<Pick<Clock, "now" | "uptime">>,
    Pick<BodyReaderOptions, "maxInFlightBytes" | "bodyProgressMs" | "maxCorruptBrotli">,
    Pick<IngestClientOptions, "upstream" | "proxies" | "relayTimeoutMs" | "log"> {
  readonly allowedDsns: readonly Dsn[];
  /** Inbox mode: envelopes end here. Default: relay mode. */
  readonly store?: EnvelopeStore;
  /** Keeps what an ingest does not decide about. Default: none; such envelopes are refused with 503. */
  readonly spool?: RelaySpool;
  readonly exporter?: EnvelopeExporter;
  readonly maxEnvelopeBytes: number;

  /** Inbox mode: bearers of this token may send any DSN from anywhere. Default: none may. */
  readonly inboxToken?: string;
  readonly wrongTokens?: WrongTokens;
  /** Behind the platform's proxy. Default: no. */
  readonly onDeploy?: boolean;

  /** Other processes of the same server, for health and metrics. Default: there are none. */
  readonly sharedCounts?: SharedCounts;
  /** Called for each refused POST or preflight, unless its connection broke. Default: not reported. */
  readonly onRefusal?: (refusal: Refusal) => void;
  /** With the `Origin` of each envelope that was stored; null: it had none. */
  readonly onStoredFrom?: (origin: string | null) => void;
  readonly onStoreError?: (error: unknown) => void;
}

export interface EnvelopeStore {
  /** Resolves once the envelope is stored. After any error it counts as not stored. */
  store(envelope: AdmittedEnvelope): Promise<void> | void;
  /** Whether anything can be stored now. Default: yes. */
  canStore?(): boolean;
}

interface EnvelopeExporter {
  /** Gets each envelope once it was delivered, spooled or stored. Must not throw. */
  add(envelope: AdmittedEnvelope): void;
  /** Spans and logs so far, for the metrics. */
  readonly exported: number;
  readonly dropped: number;
}
