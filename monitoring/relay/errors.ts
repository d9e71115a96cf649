import { DecodeError } from "../protocol/encoding.ts";
import { EnvelopeError } from "../protocol/envelope.ts";

/** Why an envelope is refused, and the status of the answer. */
export const RELAY_ERRORS = {
  encoding_not_supported: 415,
  content_length_invalid: 400,
  envelope_malformed: 400,
  envelope_too_large: 413,
  origin_not_allowed: 403,
  dsn_missing: 403,
  dsn_not_allowed: 403,
  // No `Retry-After` for these: SDKs drop all envelopes until it expires.
  overloaded: 503,
  spool_full: 503,
  // Also without a spool, if the inbox cannot store, and if earlier copies of the envelope failed.
  spool_unavailable: 503,
} as const;

export type RelayErrorCode = keyof typeof RELAY_ERRORS;

export class RelayError extends Error {
  override readonly name = "RelayError";
  /** @param detail one ASCII sentence for the client */
  constructor(readonly code: RelayErrorCode, readonly detail: string) {
    super(`${code}: ${detail}`);
  }
}

/** The connection broke while the body arrived. */
export class DisconnectedError extends RelayError {
  constructor() {
    super("envelope_malformed", "The connection broke before the end of the body.");
  }
}

/** @throws the error itself if no request can cause it: a bug of the server */
export function toRelayError(error: unknown): RelayError {
  if (error instanceof RelayError) return error;
  if (error instanceof EnvelopeError || error instanceof DecodeError) {
    return new RelayError(error.code, error.message);
  }
  throw error;
}
