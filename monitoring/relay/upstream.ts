import { ingestUrl } from "../envelope/dsn.ts";
import { joinBytes } from "../envelope/join_bytes.ts";
import type { AdmittedEnvelope } from "./admission.ts";

/** Who sent an envelope, as far as the ingest may know. */
export interface Sender {
  readonly userAgent: string | null;
  /** Only if the operator wants it forwarded. */
  readonly address?: string;
}

/** What the ingest said. */
export interface UpstreamAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Undefined if it did not come whole, or was larger than {@linkcode MAX_ANSWER_BYTES}. */
  readonly body: Uint8Array<ArrayBuffer> | undefined;
}

/** The ingest said nothing: refused, reset, or silent for too long. */
export class UpstreamSilentError extends Error {
  override readonly name = "UpstreamSilentError";
}

/** An ingest answers with an id, or a sentence. More is not passed on, and not held either. */
export const MAX_ANSWER_BYTES = 64 * 1024;

/**
 * Sends an envelope to the ingest that its DSN names, once, as it was received. Of the request
 * that brought it nothing goes along but its encoding and what is in `sender`.
 *
 * @param origin to send to in place of the DSN's own
 * @param timeoutMs for the whole of the attempt
 * @throws {UpstreamSilentError}
 */
export async function sendUpstream(
  { bytes, contentEncoding, dsn }: AdmittedEnvelope,
  sender: Sender,
  { origin, timeoutMs }: { origin?: string; timeoutMs: number },
): Promise<UpstreamAnswer> {
  const headers: Record<string, string> = {
    "content-type": "application/x-sentry-envelope",
    "user-agent": sender.userAgent ?? "sightglass",
    "x-sentry-auth": `Sentry sentry_version=7, sentry_key=${dsn.publicKey}`,
  };
  if (contentEncoding !== null) headers["content-encoding"] = contentEncoding;
  if (sender.address !== undefined) headers["x-forwarded-for"] = sender.address;

  // Not `AbortSignal.timeout`, whose timer would run on for each envelope that is long delivered.
  const giveUp = new AbortController();
  const timer = setTimeout(() => giveUp.abort(), timeoutMs);
  try {
    const response = await fetch(ingestUrl(dsn, origin), {
      method: "POST",
      headers,
      body: bytes,
      // A redirect names a host that no allow-list names.
      redirect: "manual",
      signal: giveUp.signal,
    });
    return {
      status: response.status,
      headers: response.headers,
      body: await readAnswer(response),
    };
  } catch (cause) {
    throw new UpstreamSilentError("The ingest did not answer.", { cause });
  } finally {
    clearTimeout(timer);
  }
}

/** What breaks here takes nothing back: the status has come, and with it the ingest's decision. */
async function readAnswer(response: Response): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (!response.body) return new Uint8Array(0);
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let total = 0;
  try {
    for await (const piece of response.body) {
      pieces.push(piece);
      total += piece.length;
      if (total > MAX_ANSWER_BYTES) return undefined;
    }
  } catch {
    // Cut off, or the time is over.
    return undefined;
  }
  return joinBytes(pieces, total);
}
