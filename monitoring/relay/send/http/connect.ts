import { Buffer } from "node:buffer";
import { once } from "node:events";
import { isIP } from "node:net";
import { Duplex } from "node:stream";
import * as tls from "node:tls";
import { type buildConnector, Client } from "undici";
import { addressOf, proxyAuthorization } from "./proxies.ts";

/** The proxy could not be reached, or refused to connect to the ingest. */
export class ProxyError extends Error {
  override readonly name = "ProxyError";
  /** @param status of its response; undefined if there is none, with the error as `cause` */
  constructor(readonly status: number | undefined, options?: ErrorOptions) {
    super(`The proxy did not connect${status === undefined ? "" : `: ${status}`}.`, options);
  }
}

/** Of each connection's buffer: an ingest's response has a few hundred bytes. */
const READ_BYTES = 16 * 1024;
/** Chunks up to this size are written together: to copy them is cheaper than a second call of the system. */
const JOINED_BYTES = 16 * 1024;

/**
 * Connects to the server of a URL, with TLS for `https:`. `Deno.connect` tries all addresses of a name (RFC 8305) under
 * the permission for that name; `node:net` needs a permission for each address, and throws outside of any promise
 * without it.
 *
 * @param proxy undefined: a direct connection
 */
export function connectorFor(
  url: URL,
  proxy: URL | undefined,
  timeoutMs: number,
): buildConnector.connector {
  return (_options, done) => {
    connect(url, proxy, AbortSignal.timeout(timeoutMs)).then(
      // The type requires a `Socket`; only what every `Duplex` has is used.
      (stream) => done(null, stream as tls.TLSSocket),
      (error) => done(error, null),
    );
  };
}

async function connect(url: URL, proxy: URL | undefined, signal: AbortSignal): Promise<Duplex> {
  if (proxy === undefined) return await connectDirectly(url, signal);
  let stream: Duplex | undefined;
  try {
    stream = await connectDirectly(proxy, signal);
    if (url.protocol === "http:") return stream;
    stream = await openTunnel(stream, url, proxy, signal);
  } catch (cause) {
    stream?.destroy();
    throw cause instanceof ProxyError ? cause : new ProxyError(undefined, { cause });
  }
  return await startTls(stream, addressOf(url).hostname, signal);
}

async function connectDirectly(url: URL, signal: AbortSignal): Promise<Duplex> {
  const connection = await Deno.connect({ ...addressOf(url), signal });
  // Large requests are written in two parts: the second must not wait for the acknowledgement of the first.
  connection.setNoDelay(true);
  const stream = duplexOf(connection);
  return url.protocol === "https:"
    ? await startTls(stream, addressOf(url).hostname, signal)
    : stream;
}

/** Opens a tunnel through a proxy to the server of a URL (RFC 9110, section 9.3.6). */
async function openTunnel(
  stream: Duplex,
  url: URL,
  proxy: URL,
  signal: AbortSignal,
): Promise<Duplex> {
  const client = new Client(proxy.origin, {
    // Not at once: the client does not expect that.
    connect: (_options, done) => queueMicrotask(() => done(null, stream as tls.TLSSocket)),
  });
  const host = `${url.hostname}:${addressOf(url).port}`;
  const authorization = proxyAuthorization(proxy);
  const { statusCode, socket } = await client.connect({
    path: host,
    headers: { host, ...(authorization && { "proxy-authorization": authorization }) },
    signal,
  });
  if (statusCode < 200 || statusCode > 299) throw new ProxyError(statusCode);
  return socket;
}

/** @param hostname name or address that the server's certificate must be valid for */
async function startTls(stream: Duplex, hostname: string, signal: AbortSignal): Promise<Duplex> {
  const socket = tls.connect({
    socket: stream,
    host: hostname,
    // SNI allows no addresses (RFC 6066, section 3).
    ...(isIP(hostname) === 0 && { servername: hostname }),
    ALPNProtocols: ["http/1.1"],
  });
  const closed = once(socket, "close").then(() => {
    throw new Error("The server disconnected before secure TLS was established.");
  });
  try {
    await Promise.race([once(socket, "secureConnect", { signal }), closed]);
  } catch (error) {
    socket.destroy();
    throw error;
  }
  return socket;
}

function duplexOf(connection: Deno.Conn): Duplex {
  const received = new Uint8Array(READ_BYTES);
  const writeAll = async (chunks: readonly Uint8Array[]) => {
    for (const bytes of chunks) {
      for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
    }
  };
  return new Duplex({
    read() {
      connection.read(received).then(
        (count) => this.push(count === null ? null : Buffer.from(received.slice(0, count).buffer)),
        (error) => this.destroy(error),
      );
    },
    write: (bytes: Uint8Array, _encoding, done) => void writeAll([bytes]).then(() => done(), done),
    writev(records, done) {
      const chunks: Buffer[] = records.map(({ chunk }) => chunk);
      const isSmall = chunks.every(({ length }) => length <= JOINED_BYTES);
      void writeAll(isSmall ? [Buffer.concat(chunks)] : chunks).then(() => done(), done);
    },
    destroy(error, done) {
      // Unlike `close`, also if it is closed already.
      connection[Symbol.dispose]();
      done(error);
    },
  });
}
