import { ingestUrl } from "../envelope/dsn.ts";
import type { AdmittedEnvelope } from "./admission.ts";
import { ConnectionPool } from "./http/connection_pool.ts";
import type { HttpAnswer } from "./http/response_reader.ts";

/** Who sent an envelope, as far as the ingest may know. */
export interface Sender {
  readonly userAgent: string | null;
  /** Only if the operator wants it forwarded. */
  readonly address?: string;
}

/** The ingest said nothing: refused, reset, or silent for too long. */
export class UpstreamSilentError extends Error {
  override readonly name = "UpstreamSilentError";
}

/** An ingest answers with an id, or a sentence. More is not passed on, and not held either. */
export const MAX_ANSWER_BYTES = 64 * 1024;

/**
 * Connections to one ingest at once: each takes a descriptor, and beyond this an ingest gains
 * nothing from more. Further envelopes wait, within their time.
 */
const MAX_INGEST_CONNECTIONS = 256;

/** Less than any load balancer or address translation in common use remembers a silent connection. */
const MAX_IDLE_MS = 60_000;

/** The connections to ingests of one relay. */
export function ingestConnections(): ConnectionPool {
  return new ConnectionPool({
    maxBodyBytes: MAX_ANSWER_BYTES,
    maxConnections: MAX_INGEST_CONNECTIONS,
    maxIdleMs: MAX_IDLE_MS,
  });
}

/**
 * Sends an envelope to the ingest that its DSN names, once, as it was received. Of the request
 * that brought it nothing goes along but its encoding and what is in `sender`.
 *
 * @param origin to send to in place of the DSN's own
 * @param timeoutMs for the whole of the attempt
 * @throws {UpstreamSilentError}
 */
export async function sendUpstream(
  pool: ConnectionPool,
  { bytes, contentEncoding, dsn }: AdmittedEnvelope,
  sender: Sender,
  { origin, timeoutMs }: { origin?: string; timeoutMs: number },
): Promise<HttpAnswer> {
  const headers: Record<string, string> = {
    "content-type": "application/x-sentry-envelope",
    "user-agent": sender.userAgent ?? "sightglass",
    "x-sentry-auth": `Sentry sentry_version=7, sentry_key=${dsn.publicKey}`,
  };
  if (contentEncoding !== null) headers["content-encoding"] = contentEncoding;
  if (sender.address !== undefined) headers["x-forwarded-for"] = sender.address;

  try {
    const url = new URL(ingestUrl(dsn, origin));
    return await pool.post({ url, headers, body: bytes, timeoutMs });
  } catch (cause) {
    throw new UpstreamSilentError("The ingest did not answer.", { cause });
  }
}
