import { HandshakeClosedError, ProxyError } from "./connect.ts";
import { ResponseTimeoutError } from "./http_client.ts";

/** Error code of Deno or `node:tls` → meaning for an operator. */
const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection reset",
  ECONNABORTED: "connection reset",
  EPIPE: "connection reset",
  ETIMEDOUT: "connecting timed out",
  EHOSTUNREACH: "no route to the host",
  ENETUNREACH: "no route to the host",
  EADDRNOTAVAIL: "no route to the host",
  EMFILE: "too many open files",
  ENFILE: "too many open files",
  CERT_HAS_EXPIRED: "certificate has expired",
  CERT_NOT_YET_VALID: "certificate is not valid yet",
  CERT_REVOKED: "certificate is revoked",
  ERR_TLS_CERT_ALTNAME_INVALID: "certificate is for another name",
  HOSTNAME_MISMATCH: "certificate is for another name",
};

/** All other errors of a certificate chain: no trusted authority has signed it. */
const UNTRUSTED = /SELF_SIGNED|ISSUER|UNABLE_TO_VERIFY|UNTRUSTED|CERT_SIGNATURE|CERT_CHAIN/;

/**
 * Why a request got no response, as part of a sentence for logs and health. Contains fixed texts and numbers only, nothing
 * that an upstream sent.
 *
 * @param error the cause of a `RequestFailedError`
 *
 * @example
 * ```ts
 * import { failureReason } from "./failure_reason.ts";
 *
 * failureReason(new Deno.errors.ConnectionRefused()); // "connection refused"
 * ```
 */
export function failureReason(error: unknown): string {
  if (error instanceof ResponseTimeoutError) return `${error.phase} timed out`;
  if (error instanceof ProxyError) {
    if (error.status === 407) return "proxy refused: 407, it wants other credentials";
    if (error.status !== undefined) return `proxy refused: ${error.status}`;
    return `proxy: ${failureReason(error.cause)}`;
  }
  if (error instanceof Deno.errors.NotCapable) return "not permitted to connect";
  if (!(error instanceof Error)) return "unknown failure";
  if (error instanceof Deno.errors.ConnectionRefused) return "connection refused";
  // DNS errors of the system have neither a class nor a code.
  if (/lookup address|resolve/i.test(error.message)) return "name not resolved (DNS)";
  // The second is an error of `node:tls` with the code ECONNRESET.
  if (error instanceof HandshakeClosedError || /before secure TLS/.test(error.message)) {
    return "connection closed during the TLS handshake";
  }
  const code = "code" in error ? String(error.code) : "";
  if (code === "UND_ERR_SOCKET") return "connection closed without an answer";
  if (error.name === "HTTPParserError" || code.startsWith("UND_ERR_")) {
    return "the answer is not HTTP/1.1";
  }
  if (UNTRUSTED.test(code)) return "certificate is not trusted";
  if (/^(ERR_SSL|ERR_TLS|EPROTO)/.test(code)) return REASONS[code] ?? "TLS handshake failed";
  return REASONS[code] ?? "connection failed";
}
