import type { WriteAccessOptions } from "../access/write_access.ts";
import type { Dsn } from "../protocol/dsn.ts";
import type { Refusal } from "../protocol/relay_api.ts";
import type { AdmittedEnvelope } from "./admit/incoming_envelope.ts";
import type { IngestClientOptions } from "./send/ingest_client.ts";
import type { SenderOptions } from "./send/sender.ts";
import type { SendingOptions } from "./send/sending.ts";
import type { StatusOptions } from "./status.ts";

/** Options of `createRelay`. */
export interface RelayOptions
  extends
    SenderOptions,
    Omit<WriteAccessOptions, "inbox">,
    Pick<SendingOptions, "store" | "spool" | "onStoreError">,
    Pick<StatusOptions, "refusedReports" | "exchange">,
    Pick<
      IngestClientOptions,
      "relayTimeoutMs" | "upstream" | "proxies" | "onIngestState"
    > {
  /** Every DSN that may be relayed. */
  readonly allowedDsns: readonly Dsn[];
  /** Default: none. */
  readonly copies?: EnvelopeCopies;
  /** Bytes of one body on the wire; decompressed: 10 times that. */
  readonly maxEnvelopeBytes: number;
  /** Bytes of all bodies held at once. */
  readonly maxInFlightBytes: number;
  /** Inbox mode: bearers of this token may send any DSN from anywhere. Default: none may. */
  readonly inboxToken?: string;
  /** Whether the server runs on Deno Deploy, behind the platform's proxy. Default: no. */
  readonly onDeploy?: boolean;
  /** Milliseconds in which an upload must make progress. Default: 30 seconds. */
  readonly bodyProgressMs?: number;
  /** Brotli bodies that may be corrupt before brotli is refused. Default: 2,000. */
  readonly maxCorruptBrotli?: number;
  /** Milliseconds since 1970. Default: the clock. */
  readonly now?: () => number;
  /** Milliseconds of a monotonic clock. Default: the process's own. */
  readonly uptime?: () => number;
  /** Called for each refused POST or preflight, unless its connection broke. Default: not reported. */
  readonly onRefusal?: (refusal: Refusal) => void;
  /** Called with the `Origin` of each envelope that the store has taken. */
  readonly onStoredFrom?: (origin: string) => void;
}

/** Gets a copy of each envelope that was delivered, spooled or stored, once. Must not throw. */
export interface EnvelopeCopies {
  /**
   * Copies an envelope before it is delivered: the spool takes its bytes over.
   *
   * @returns called once it was delivered, spooled or stored; undefined: the envelope is not wanted
   */
  copy(envelope: AdmittedEnvelope): (() => void) | undefined;
  /** Spans and logs so far, for the metrics. */
  readonly exported: number;
  readonly dropped: number;
}
