import { ProxyError } from "./connect.ts";
import { ResponseTimeoutError } from "./http_client.ts";

/** Meanings of error codes of Deno, `node:tls` and undici for an operator. */
const REASONS: readonly (readonly [code: RegExp, meaning: string])[] = [
  [/^ECONNREFUSED$/, "connection refused"],
  [/^(ECONNRESET|ECONNABORTED|EPIPE)$/, "connection reset"],
  [/^ETIMEDOUT$/, "connecting timed out"],
  [/^(EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/, "no route to the host"],
  [/^E[MN]FILE$/, "too many open files"],
  [/^UND_ERR_SOCKET$/, "connection closed without an answer"],
  [/^UND_ERR_/, "the answer is not HTTP/1.1"],
  [/^CERT_HAS_EXPIRED$/, "certificate has expired"],
  [/^CERT_NOT_YET_VALID$/, "certificate is not valid yet"],
  [/^CERT_REVOKED$/, "certificate is revoked"],
  [/ALTNAME_INVALID$|^HOSTNAME_MISMATCH$/, "certificate is for another name"],
  [
    /SELF_SIGNED|ISSUER|UNABLE_TO_VERIFY|UNTRUSTED|CERT_SIGNATURE|CERT_CHAIN/,
    "certificate is not trusted",
  ],
  [/^(ERR_SSL|ERR_TLS|EPROTO)/, "TLS handshake failed"],
];

/** Why a request got no response, part of a sentence. Fixed texts and numbers only, nothing that an upstream sent. */
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
  if (/before secure TLS/.test(error.message)) return "connection closed during the TLS handshake";
  if (error.name === "HTTPParserError") return "the answer is not HTTP/1.1";
  const code = "code" in error ? String(error.code) : "";
  return REASONS.find(([pattern]) => pattern.test(code))?.[1] ?? "connection failed";
}
