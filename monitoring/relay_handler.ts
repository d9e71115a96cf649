/**
 * The relay for other servers: mounted in an application of Hono, `Deno.serve` or anything else that handles a
 * `Request`. See docs/embedding.md.
 *
 * @module
 */
import { join } from "node:path";
import * as values from "../config/values.ts";
import { discardBody, routeError } from "../server/endpoint.ts";
import { toResponse } from "../server/headers.ts";
import { createOtlpEndpoint } from "./otlp/otlp_endpoint.ts";
import { errorAnswer } from "./protocol/error_answer.ts";
import type { Signal } from "./protocol/format.ts";
import { pathOf } from "./protocol/request_url.ts";
import { Relay as RelayCore } from "./relay/relay.ts";
import { RelaySpool } from "./relay/spool/relay_spool.ts";

const METHODS = "GET, HEAD, POST, OPTIONS";
const OTLP_PATH = /(?:\/api\/([^/]+)\/integration\/otlp)?\/v1\/(traces|logs|metrics)\/?$/;

export interface Relay {
  /**
   * Handles a request, whatever its path: POST relays an envelope, OPTIONS answers a preflight, GET reports the health.
   * Paths that end as OTLP's (`/v1/traces`) take that. Other methods: 405. docs/contract.md lists every answer.
   *
   * @param info the second argument of a handler of `Deno.serve`
   */
  readonly handler: (request: Request, info?: ConnectionInfo) => Promise<Response>;
  /**
   * Stops: health is 503 from now on, and what the ingest has not answered within 1.5 s goes to the spool. Resolves once
   * the requests under way are answered, and spool and connections are closed. Later envelopes are refused with 503.
   */
  close(): Promise<void>;
}

/** The part of `Deno.ServeHandlerInfo` that the relay reads. */
export interface ConnectionInfo {
  /** The other end of the connection. Without it, the client counts as not on this machine, and its address is unknown. */
  readonly remoteAddr?: Deno.Addr | { readonly hostname: string };
}

/** Receives a line for the log: an ingest goes down or up, the spool is nearly full or fails. Never one for each envelope. */
export type Log = (
  level: "info" | "warn" | "error",
  message: string,
  attributes?: Readonly<Record<string, unknown>>,
) => void;

/** Options of {@linkcode createRelay}. */
export interface RelayOptions {
  /** The only DSNs that are relayed: `https://KEY@o1.ingest.sentry.io/1`. At least one. */
  readonly dsns: readonly string[];
  /**
   * Folder for the spool, which keeps envelopes while an ingest is down and delivers them later. Created if missing;
   * several processes may share it. Default: no spool. Envelopes are then refused with 503, and the sender keeps them.
   */
  readonly dataDir?: string;
  /** Most bytes of envelopes in the spool; when it is full they are refused with 503. Default: 500 MiB. */
  readonly spoolMaxBytes?: number;
  /** Hours after which the spool drops an envelope. Default: 24. */
  readonly spoolMaxAgeHours?: number;
  /** Most bytes of one body as sent; decompressed 10 times as many. Default: 20 MiB. */
  readonly maxEnvelopeBytes?: number;
  /** Most bytes of all bodies in memory. Default: 256 MiB. */
  readonly maxInFlightBytes?: number;
  /** Milliseconds for one attempt at the ingest. Default: 10 seconds. */
  readonly relayTimeoutMs?: number;
  /** Origin to send to instead of a DSN's own, such as a Sentry Relay. Default: the DSN's own. */
  readonly upstream?: string;
  /** Origin of the page as browsers see it, if a proxy changes `Host`. Default: the request's own host. */
  readonly publicOrigin?: string;
  /** Further origins whose pages may post; they are answered with CORS headers. Default: none. */
  readonly allowedOrigins?: readonly string[];
  /** Whether to send the client's IP address and client hints to the ingest: personal data. Default: no. */
  readonly forwardClientIp?: boolean;
  /** Header that the proxy in front of the server sets to the client's address. Default: the address of `remoteAddr`. */
  readonly trustedProxyHeader?: string;
  /** Default: `console`. */
  readonly log?: Log;
}

/**
 * Creates a relay: opens its spool, if it has one, and starts to deliver what is in it.
 *
 * @throws {TypeError} an option is not valid
 * @throws {Error} the spool cannot be opened
 *
 * @example
 * ```ts
 * import { createRelay } from "@sightglass/server/relay";
 *
 * const relay = await createRelay({ dsns: ["https://key@o1.ingest.sentry.io/1"] });
 * const server = Deno.serve({ hostname: "127.0.0.1", port: 0 }, relay.handler);
 *
 * const health = await fetch(`http://127.0.0.1:${server.addr.port}/`);
 * console.log(await health.json());
 *
 * await Promise.all([relay.close(), server.shutdown()]);
 * ```
 */
export async function createRelay(options: RelayOptions): Promise<Relay> {
  const { dataDir, forwardClientIp, log = (level, ...line) => console[level](...line) } = options;
  const limit = (name: keyof typeof values.RELAY_LIMITS) =>
    parsed(name, options[name] ?? values.RELAY_LIMITS[name].byDefault, values.RELAY_LIMITS[name]);
  const text = (name: "upstream" | "publicOrigin" | "trustedProxyHeader", parser = values.origin) =>
    options[name] === undefined ? undefined : parsed(name, options[name], parser);
  const texts = <T>(name: "dsns" | "allowedOrigins", parser: values.Parser<T>) =>
    (options[name] ?? []).map((value, at) => parsed(`${name}[${at}]`, value, parser));
  const spoolOptions = {
    maxBytes: limit("spoolMaxBytes"),
    maxAgeHours: limit("spoolMaxAgeHours"),
    onNotice: (notice: string) => log("warn", notice),
  };
  if (!Array.isArray(options.dsns) || options.dsns.length === 0) {
    throw invalid("dsns", options.dsns, "a list with at least one DSN");
  }
  const relayOptions = {
    allowedDsns: texts("dsns", values.dsn),
    maxEnvelopeBytes: limit("maxEnvelopeBytes"),
    maxInFlightBytes: limit("maxInFlightBytes"),
    relayTimeoutMs: limit("relayTimeoutMs"),
    upstream: text("upstream"),
    publicOrigin: text("publicOrigin"),
    allowedOrigins: texts("allowedOrigins", values.origin),
    forwardClientIp,
    trustedProxyHeader: text("trustedProxyHeader", values.headerName)?.toLowerCase(),
  };

  const spool = dataDir === undefined
    ? undefined
    : await RelaySpool.open({ path: join(dataDir, "spool.sqlite"), ...spoolOptions }, log);
  const relay = new RelayCore({ ...relayOptions, spool, log });
  await relay.start();
  const otlp = createOtlpEndpoint(relay);

  const respond = (request: Request, peer: string | undefined) => {
    switch (request.method) {
      case "POST": {
        const [, project, signal] = OTLP_PATH.exec(pathOf(request.url)) ?? [];
        if (signal) return otlp(request, peer, signal as Signal, project);
        return relay.answer(request, peer);
      }
      case "OPTIONS":
        return relay.preflight(request, peer);
      case "GET":
      case "HEAD":
        return relay.status.health();
      default:
        return errorAnswer(routeError(METHODS), { allow: METHODS, "cache-control": "no-store" });
    }
  };
  const answer = async (request: Request, { remoteAddr }: ConnectionInfo) => {
    const peer = remoteAddr && "hostname" in remoteAddr ? remoteAddr.hostname : undefined;
    return discardBody(request, toResponse(await respond(request, peer)));
  };

  const underWay = new Set<Promise<Response>>();
  const close = async () => {
    const stopped = relay.stop();
    relay.shedLoad();
    await Promise.allSettled([...underWay, stopped]);
    await relay.close();
  };
  let closed: Promise<void> | undefined;
  return {
    async handler(request, info = {}) {
      const response = answer(request, info);
      underWay.add(response);
      return await response.finally(() => underWay.delete(response));
    },
    close: () => closed ??= close(),
  };
}

/** @throws {TypeError} */
function parsed<T>(name: string, value: string | number, parser: values.Parser<T>): T {
  const result = parser.parse(String(value));
  if (result === undefined) throw invalid(name, value, parser.allowed);
  return result;
}

function invalid(name: string, value: unknown, allowed: string): TypeError {
  const text = typeof value === "number" ? value : JSON.stringify(value);
  return new TypeError(`Cannot create the relay: ${name} is ${text}. It must be ${allowed}.`);
}
