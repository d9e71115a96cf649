import { isIP } from "node:net";

/** The client that sent an envelope, as reported to the ingest. */
export interface Sender {
  readonly userAgent: string | null;
  /** Only if the operator enabled it, like client hints. */
  readonly address?: string;
  /** Values by header name. */
  readonly clientHints?: Readonly<Record<string, string>>;
}

export interface SenderOptions {
  /** Whether to forward the client's address and client hints. Default: no. */
  readonly forwardClientIp?: boolean;
  /** Header with the client's address, in lower case. Only safe behind a proxy that sets it. Default: the peer. */
  readonly trustedProxyHeader?: string;
}

/** Sentry needs these to detect browser and system if `User-Agent` is frozen (https://wicg.github.io/ua-client-hints/). */
const CLIENT_HINTS = ["sec-ch-ua", "sec-ch-ua-mobile", "sec-ch-ua-platform"] as const;

/** Structured fields are printable ASCII (RFC 8941); browsers send about 150 characters. */
const CLIENT_HINT = /^[\x20-\x7e]{1,512}$/;

/** Longer than any browser's. Bounded because the spool does not count it towards its size. */
const MAX_USER_AGENT_LENGTH = 1_024;

/** Omits address and client hints, which are personal data, unless the operator enabled them. */
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

/** Validates each value again: it may come from the spool's file, and a line break would inject a header. */
export function senderHeaders({ userAgent, address, clientHints }: Sender): Record<string, string> {
  const headers: Record<string, string> = {
    "user-agent": userAgent !== null && /^[\t\x20-\x7e\x80-\xff]+$/.test(userAgent)
      ? userAgent
      : "sightglass",
  };
  if (address !== undefined && isAddress(address)) {
    headers["x-forwarded-for"] = address;
    // Sentry's own header, in case a proxy overwrites the other one.
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
  const value = trustedProxyHeader === undefined ? null : headers.get(trustedProxyHeader);
  // The proxy appends the address; the client can forge everything before it.
  const address = value === null ? peer : value.slice(value.lastIndexOf(",") + 1).trim();
  return address !== undefined && isAddress(address) ? address : undefined;
}

/** Refuses zone ids: they name an interface of the sender (RFC 4007, section 11). */
function isAddress(text: string): boolean {
  return isIP(text) !== 0 && !text.includes("%");
}
