/** What {@linkcode clientAddress} goes by. */
export interface ClientAddressOptions {
  readonly forwardClientIp?: boolean;
  /** In lower case. Set only behind a proxy that writes this header itself. */
  readonly trustedProxyHeader?: string;
}

/** No address is longer (RFC 4291, section 2.2, with an IPv4 part); zone ids are not forwarded. */
const ADDRESS = /^[\da-fA-F.:]{2,45}$/;

/**
 * The sender's address, if it may be forwarded: personal data that is kept back unless the
 * operator wants it.
 *
 * @param peer the other end of the connection
 */
export function clientAddress(
  headers: Headers,
  peer: string | undefined,
  { forwardClientIp = false, trustedProxyHeader }: ClientAddressOptions,
): string | undefined {
  if (!forwardClientIp) return undefined;
  const named = trustedProxyHeader === undefined ? null : headers.get(trustedProxyHeader);
  // A proxy adds what it saw itself at the end; what stands before that, anyone can have sent.
  const address = named === null ? peer : named.slice(named.lastIndexOf(",") + 1).trim();
  return address !== undefined && ADDRESS.test(address) ? address : undefined;
}
