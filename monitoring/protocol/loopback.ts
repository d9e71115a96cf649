/** Which hosts are this machine: access to the inbox, posting, source maps, TLS and proxies depend on it. */

/** Whether a host name is `localhost` or below it: never resolved by DNS (RFC 6761, section 6.3). */
export function isLocalhostName(hostname: string): boolean {
  return hostname === "localhost" || hostname.endsWith(".localhost");
}

/** 127.0.0.0/8, ::1, or the former mapped into IPv6, as a socket reports it that listens on `::`. */
export function isLoopbackAddress(address: string): boolean {
  return /^(?:::1|(?:::ffff:)?127(?:\.\d{1,3}){3}|::ffff:7f[\da-f]{2}:[\da-f]{1,4})$/i
    .test(address);
}

/** Whether the host name of a URL is this machine's, in lower case as `URL` writes it. */
export function isLoopbackHost(hostname: string): boolean {
  return isLocalhostName(hostname) || isLoopbackAddress(withoutBrackets(hostname));
}

/** The addresses to connect to for a host name that {@linkcode isLoopbackHost} has accepted. */
export function loopbackAddresses(hostname: string): readonly string[] {
  return isLocalhostName(hostname) ? ["127.0.0.1", "::1"] : [withoutBrackets(hostname)];
}

/** As in a URL. */
export function hostPort(hostname: string, port: number): string {
  return hostname.includes(":") ? `[${hostname}]:${port}` : `${hostname}:${port}`;
}

/** Without the brackets that an IPv6 address has in a URL. */
export function withoutBrackets(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, "");
}
