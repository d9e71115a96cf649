import type { WrongTokens } from "../access/token.ts";
import type { WriteAccessOptions } from "../access/write_access.ts";
import type { Dsn } from "../protocol/dsn.ts";
import type { Refusal } from "../protocol/relay_api.ts";
import type { AdmittedEnvelope } from "../protocol/admitted_envelope.ts";
import type { BodyReaderOptions } from "./body_reader.ts";
import type { SharedCounts } from "./shared_counts.ts";
import type { IngestClientOptions } from "./send/ingest_client.ts";
import type { SenderOptions } from "./send/sender.ts";
import type { RelaySpool } from "./spool/relay_spool.ts";

/** Options of `Relay`. */
export interface RelayOptions
  extends
    Omit<WriteAccessOptions, "inbox">,
    SenderOptions,
    Pick<BodyReaderOptions, "maxInFlightBytes" | "bodyProgressMs" | "maxCorruptBrotli">,
    Pick<IngestClientOptions, "upstream" | "proxies" | "relayTimeoutMs" | "log"> {
  /** Every DSN that may be relayed. */
  readonly allowedDsns: readonly Dsn[];
  /** Inbox mode: envelopes end here. Default: relay mode, they are sent to their ingest. */
  readonly store?: EnvelopeStore;
  /** Keeps what an ingest does not decide about. Default: none; such envelopes are refused with 503. */
  readonly spool?: RelaySpool;
  /** Default: none. */
  readonly exporter?: EnvelopeExporter;
  /** Bytes of one body on the wire; decompressed: 10 times that. */
  readonly maxEnvelopeBytes: number;

  /** Inbox mode: bearers of this token may send any DSN from anywhere. Default: none may. */
  readonly inboxToken?: string;
  /** Counts and delays refusals of posts with a wrong one. */
  readonly wrongTokens?: WrongTokens;
  /** Whether the server runs on Deno Deploy, behind the platform's proxy. Default: no. */
  readonly onDeploy?: boolean;

  /** Other processes of the same server, for health and metrics. Default: there are none. */
  readonly sharedCounts?: SharedCounts;
  /** Reports of browsers that were not taken so far, by reason, for the metrics. Default: none. */
  readonly refusedReports?: () => Readonly<Record<string, number>>;
  /** Called for each refused POST or preflight, unless its connection broke. Default: not reported. */
  readonly onRefusal?: (refusal: Refusal) => void;
  /** Called with the `Origin` of each envelope that the store has taken; null: it had none. */
  readonly onStoredFrom?: (origin: string | null) => void;
  /** Called if the store fails. Default: prints to standard error. */
  readonly onStoreError?: (error: unknown) => void;

  /** Milliseconds since 1970. Default: the clock. */
  readonly now?: () => number;
  /** Milliseconds of a monotonic clock. Default: the process's own. */
  readonly uptime?: () => number;
}

/** Stores envelopes instead of sending them to an ingest: the inbox. */
export interface EnvelopeStore {
  /** Resolves once the envelope is stored. After any error it counts as not stored. */
  store(envelope: AdmittedEnvelope): Promise<void> | void;
  /** Whether anything can be stored now. Default: yes. */
  canStore?(): boolean;
}

/** Gets a copy of each envelope that was delivered, spooled or stored, once. Must not throw. */
interface EnvelopeExporter {
  /**
   * Copies an envelope before it is delivered, because the spool then owns its bytes.
   *
   * @returns function to call once it was delivered, spooled or stored; undefined: this exporter ignores the envelope
   */
  copy(envelope: AdmittedEnvelope): (() => void) | undefined;
  /** Spans and logs so far, for the metrics. */
  readonly exported: number;
  readonly dropped: number;
}
