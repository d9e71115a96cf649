/** The types that the relay and the spool exchange; neither imports the other. */

/** All that is needed to deliver an envelope later, or to report its loss. */
export interface SpooledEnvelope {
  /** The DSN's canonical text. */
  readonly dsn: string;
  /** As received. */
  readonly bytes: Uint8Array;
  readonly contentEncoding: string | null;
  readonly userAgent: string | null;
  /** The sender's address, only if the operator wants it forwarded. */
  readonly address?: string;
  /** The request's client hints (`Sec-CH-UA…`) by header name, on the same condition. */
  readonly clientHints?: Readonly<Record<string, string>>;
  /** Whole milliseconds since 1970. */
  readonly receivedAt: number;
  /** Equal for two envelopes exactly if one is a duplicate of the other; 32 bytes. */
  readonly key: Uint8Array;
  readonly eventId?: string;
  /** Envelopes of one DSN with the same sequence (a replay's id) are delivered in order of arrival. */
  readonly sequence?: string;
  /** What a report of lost envelopes counts, by Sentry's data category. */
  readonly quantities: Readonly<Record<string, number>>;
  /** Rate-limit categories of its items: a bit set (`categories.ts`), at least one bit. */
  readonly categories: number;
}

/** `kept`: synced to disk. `duplicate`: the spool has one with this key. `full`: it does not fit, nothing was kept. */
export type PutResult = "kept" | "duplicate" | "full";

export interface SpoolStats {
  /** Number of envelopes, leased ones included. */
  readonly pending: number;
  /** Bytes of their bodies. */
  readonly bytes: number;
  /** Most bytes that the spool keeps. */
  readonly maxBytes: number;
  /** When the oldest one was received, milliseconds since 1970; undefined: the spool is empty. */
  readonly oldestAt: number | undefined;
  /** Number of envelopes by DSN, without entries of 0. */
  readonly byDsn: Readonly<Record<string, number>>;
}

/** A result after which the envelope is deleted from the spool. */
export type FinalResult =
  | { readonly kind: "delivered" }
  /** The ingest refused it for good. */
  | { readonly kind: "refused"; readonly reason: string };

/** Result of one attempt to deliver an envelope. */
export type DeliveryResult =
  | FinalResult
  /** The ingest announced a rate limit that ends in `waitMs`. */
  | { readonly kind: "rate_limited"; readonly waitMs: number }
  /** No answer, or one that may be different next time. `fault`: what probably caused it. */
  | { readonly kind: "undecided"; readonly reason: string; readonly fault: "ingest" | "envelope" }
  /** The abort signal ended the attempt. */
  | { readonly kind: "aborted" };

/** Envelopes of one DSN that were deleted without delivery. */
export interface Dropped {
  readonly dsn: string;
  readonly envelopes: number;
  /** Sum of {@linkcode SpooledEnvelope.quantities}. */
  readonly quantities: Readonly<Record<string, number>>;
}
