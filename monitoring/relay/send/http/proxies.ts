import { BlockList, isIP } from "node:net";
import { isLoopbackHost, withoutBrackets } from "../../../protocol/loopback.ts";

/** Proxy settings of the environment. Loopback is never proxied. */
export interface Proxies {
  /** URLs of the proxies for `https:` and for `http:` ingests. */
  readonly https?: string;
  readonly http?: string;
  /** Entries of `NO_PROXY`: hosts that are connected to directly. */
  readonly except: readonly string[];
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = { "http:": 80, "https:": 443 };

export interface Address {
  /** IPv6 without brackets. */
  readonly hostname: string;
  readonly port: number;
}

/** Host and port of a URL; the port defaults to that of its scheme. */
export function addressOf({ protocol, hostname, port }: URL): Address {
  return {
    hostname: withoutBrackets(hostname),
    port: Number(port) || DEFAULT_PORTS[protocol]!,
  };
}

/** The proxy for a URL; undefined: connect directly, as always to loopback. */
export function proxyFor(url: URL, { https, http, except }: Proxies): URL | undefined {
  const proxy = url.protocol === "https:" ? https : http;
  const address = addressOf(url);
  if (proxy === undefined || isLoopbackHost(address.hostname.replace(/\.$/, ""))) return undefined;
  return except.some((entry) => matches(entry, address)) ? undefined : new URL(proxy);
}

/**
 * Whether an entry of `NO_PROXY` matches an address: `*`; `NAME[:PORT]`, `.NAME[:PORT]` and `*.NAME[:PORT]` (the name and
 * its subdomains); `IP[:PORT]`; `[IPV6]:PORT`; `IP/BITS`.
 */
function matches(entry: string, { hostname, port }: Address): boolean {
  if (entry === "*") return true;
  const [, network, bits] = /^([\da-f.:]+)\/(\d{1,3})$/i.exec(entry) ?? [];
  if (network !== undefined) return isWithin(hostname, network, Number(bits));
  const [, bracketed, bare, entryPort] = /^(?:\[(.*)\]|([^:]*))(?::(\d+))?$/.exec(entry) ?? [];
  if (entryPort !== undefined && Number(entryPort) !== port) return false;
  // IPv6 without brackets contains colons and has no port.
  const name = (bracketed ?? bare ?? entry).toLowerCase().replace(/^\*?\./, "");
  if (name === "") return false;
  if (isIP(hostname) !== 0) return isIP(name) !== 0 && isWithin(hostname, name);
  return hostname === name || hostname.endsWith(`.${name}`);
}

/** False if address or network is malformed. */
function isWithin(address: string, network: string, bits?: number): boolean {
  const family = isIP(network) === 6 ? "ipv6" : "ipv4";
  const addressBits = family === "ipv6" ? 128 : 32;
  if (isIP(network) === 0 || isIP(address) !== isIP(network) || (bits ?? 0) > addressBits) {
    return false;
  }
  const list = new BlockList();
  list.addSubnet(network, bits ?? addressBits, family);
  return list.check(address, family);
}

/** The value of `Proxy-Authorization` (RFC 7617); undefined if the proxy's URL has no credentials. */
export function proxyAuthorization({ username, password }: URL): string | undefined {
  if (username === "" && password === "") return undefined;
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${new TextEncoder().encode(credentials).toBase64()}`;
}
