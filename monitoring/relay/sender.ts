import { isIP } from "node:net";

/** The sender of an envelope, as far as the ingest may know it. Stored in the spool with the envelope. */
export interface Sender {
  readonly userAgent: string | null;
  /** Only if the operator wants it forwarded, as the following. */
  readonly address?: string;
  /** Values by header name, see {@linkcode CLIENT_HINTS}; none is an absent property. */
  readonly clientHints?: Readonly<Record<string, string>>;
}

/** Configuration of {@linkcode senderOf}. */
export interface SenderOptions {
  readonly forwardClientIp?: boolean;
  /** In lower case. Set only behind a proxy that writes this header itself. */
  readonly trustedProxyHeader?: string;
}

/** Sentry reads browser and system from these where `User-Agent` is frozen (https://wicg.github.io/ua-client-hints/). */
const CLIENT_HINTS = ["sec-ch-ua", "sec-ch-ua-mobile", "sec-ch-ua-platform"] as const;

/** A structured field is printable ASCII (RFC 8941); browsers send some 150 characters. */
const CLIENT_HINT = /^[\x20-\x7e]{1,512}$/;

/** Longer than any browser's. The spool keeps it beside each envelope, outside its limit of bytes. */
const MAX_USER_AGENT_LENGTH = 1_024;

/**
 * Reads who sent a request. Address and client hints are personal data: they are left out unless the
 * operator wants them forwarded.
 *
 * @param peer the other end of the connection
 */
export function senderOf(
  headers: Headers,
  peer: string | undefined,
  options: SenderOptions,
): Sender {
  const userAgent = headers.get("user-agent")?.slice(0, MAX_USER_AGENT_LENGTH) ?? null;
  if (!options.forwardClientIp) return { userAgent };
  const address = addressOf(headers, peer, options.trustedProxyHeader);
  const hints = CLIENT_HINTS.flatMap((name) => {
    const value = headers.get(name);
    return value !== null && CLIENT_HINT.test(value) ? [[name, value]] : [];
  });
  return {
    userAgent,
    ...(address !== undefined && { address }),
    ...(hints.length > 0 && { clientHints: Object.fromEntries(hints) }),
  };
}

/**
 * The headers that name the sender to an ingest. Checks every value again: it may come from the spool's
 * file, and a line end in it would be a header of its own.
 */
export function senderHeaders({ userAgent, address, clientHints }: Sender): Record<string, string> {
  const headers: Record<string, string> = {
    "user-agent": userAgent !== null && /^[\t\x20-\x7e\x80-\xff]+$/.test(userAgent)
      ? userAgent
      : "sightglass",
  };
  if (address !== undefined && isAddress(address)) {
    headers["x-forwarded-for"] = address;
    // Sentry's own header, in case a proxy on the way overwrites the other one.
    headers["x-sentry-forwarded-for"] = address;
  }
  for (const name of CLIENT_HINTS) {
    const value = clientHints?.[name];
    if (typeof value === "string" && CLIENT_HINT.test(value)) headers[name] = value;
  }
  return headers;
}

function addressOf(
  headers: Headers,
  peer: string | undefined,
  trustedProxyHeader: string | undefined,
): string | undefined {
  const named = trustedProxyHeader === undefined ? null : headers.get(trustedProxyHeader);
  // A proxy appends the address that it saw; a client can forge everything before it.
  const address = named === null ? peer : named.slice(named.lastIndexOf(",") + 1).trim();
  return address !== undefined && isAddress(address) ? address : undefined;
}

/** Without a zone id: it names an interface of the sender's link (RFC 4007, section 11). */
function isAddress(text: string): boolean {
  return isIP(text) !== 0 && !text.includes("%");
}
