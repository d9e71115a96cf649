import { BlockList, isIP } from "node:net";

/** The proxies of the environment, as curl and most tools read them. */
export interface Proxies {
  /** URL of the proxy for `https:` ingests. */
  readonly https?: string;
  /** URL of the proxy for `http:` ingests. */
  readonly http?: string;
  /** Hosts that are reached without a proxy: the entries of `NO_PROXY`. */
  readonly except: readonly string[];
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = { "http:": 80, "https:": 443 };

/** Where a TCP connection for a URL goes. */
export interface Address {
  /** Without the brackets that a URL has around IPv6. */
  readonly hostname: string;
  readonly port: number;
}

/** The address that a URL names, with its scheme's own port where it names none. */
export function addressOf({ protocol, hostname, port }: URL): Address {
  return {
    hostname: hostname.replace(/^\[|\]$/g, ""),
    port: Number(port) || DEFAULT_PORTS[protocol]!,
  };
}

/** The proxy through which a URL is reached; undefined: directly, as always to loopback. */
export function proxyFor(url: URL, { https, http, except }: Proxies): URL | undefined {
  const proxy = url.protocol === "https:" ? https : http;
  const address = addressOf(url);
  if (proxy === undefined || isLoopback(address.hostname)) return undefined;
  return except.some((entry) => matches(entry, address)) ? undefined : new URL(proxy);
}

function isLoopback(hostname: string): boolean {
  return /(^|\.)localhost\.?$/.test(hostname) || isWithin(hostname, "127.0.0.0", 8) ||
    hostname === "::1";
}

/**
 * Whether an entry of `NO_PROXY` covers an address:
 * `*`, `NAME[:PORT]` and `.NAME[:PORT]` (both with all names below), `IP[:PORT]`, `[IPV6]:PORT`,
 * `IP/BITS`.
 */
function matches(entry: string, { hostname, port }: Address): boolean {
  if (entry === "*") return true;
  const [, network, bits] = /^([\da-f.:]+)\/(\d{1,3})$/i.exec(entry) ?? [];
  if (network !== undefined) return isWithin(hostname, network, Number(bits));
  const [, bracketed, bare, entryPort] = /^(?:\[(.*)\]|([^:]*))(?::(\d+))?$/.exec(entry) ?? [];
  if (entryPort !== undefined && Number(entryPort) !== port) return false;
  // IPv6 without brackets has colons of its own, and no port.
  const name = (bracketed ?? bare ?? entry).toLowerCase().replace(/^\*?\./, "");
  if (name === "") return false;
  if (isIP(hostname) !== 0) return isIP(name) !== 0 && isWithin(hostname, name);
  return hostname === name || hostname.endsWith(`.${name}`);
}

/** Whether an address belongs to a network; false where one of the two is none. */
function isWithin(address: string, network: string, bits?: number): boolean {
  const family = isIP(network) === 6 ? "ipv6" : "ipv4";
  const most = family === "ipv6" ? 128 : 32;
  if (isIP(network) === 0 || isIP(address) !== isIP(network) || (bits ?? 0) > most) return false;
  const list = new BlockList();
  list.addSubnet(network, bits ?? most, family);
  return list.check(address, family);
}

/** The value of `Proxy-Authorization` for a proxy whose URL has a user (RFC 7617). */
export function proxyAuthorization({ username, password }: URL): string | undefined {
  if (username === "" && password === "") return undefined;
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${new TextEncoder().encode(credentials).toBase64()}`;
}
