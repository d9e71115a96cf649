import { DecodeError } from "../protocol/encoding.ts";
import { EnvelopeError } from "../protocol/envelope_error.ts";
import type { Answer } from "./answer.ts";

/** Why the relay does not take an envelope → the status that says so: the one place where errors become HTTP. */
const STATUS = {
  encoding_not_supported: 415,
  envelope_malformed: 400,
  envelope_too_large: 413,
  origin_not_allowed: 403,
  dsn_missing: 403,
  dsn_not_allowed: 403,
  // The three that pass: no `Retry-After`, for with it an SDK drops what follows until it expires.
  overloaded: 503,
  spool_full: 503,
  spool_unavailable: 503,
} as const;

export type RelayErrorCode = keyof typeof STATUS;

export const RELAY_ERROR_CODES = Object.keys(STATUS) as readonly RelayErrorCode[];

/** The relay does not take an envelope. The detail is one ASCII sentence that may be shown to the sender. */
export class RelayError extends Error {
  override readonly name = "RelayError";
  constructor(readonly code: RelayErrorCode, readonly detail: string) {
    super(`${code}: ${detail}`);
  }
}

/**
 * The answer to whoever sent what caused the error.
 *
 * @throws the error itself, if it is none that a request can cause: a fault of the server's own
 */
export function errorAnswer(error: unknown): Answer {
  const { code, detail } = asRelayError(error);
  return {
    status: STATUS[code],
    headers: { "content-type": "application/json", "x-sentry-error": detail },
    body: JSON.stringify({ error: code, detail }),
    outcome: "rejected",
    reason: code,
  };
}

function asRelayError(error: unknown): { code: RelayErrorCode; detail: string } {
  if (error instanceof RelayError) return error;
  if (error instanceof EnvelopeError || error instanceof DecodeError) {
    return { code: error.code, detail: error.message };
  }
  throw error;
}
