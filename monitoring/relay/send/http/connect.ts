import { Buffer } from "node:buffer";
import { isIP } from "node:net";
import { Duplex } from "node:stream";
import * as tls from "node:tls";
import type { buildConnector } from "undici";
import { addressOf, proxyAuthorization } from "./proxies.ts";

/** The proxy could not be reached, or refused to connect to the ingest. */
export class ProxyError extends Error {
  override readonly name = "ProxyError";
  /** @param status of its response; undefined if there is none, with the error as `cause` */
  constructor(readonly status: number | undefined, options?: ErrorOptions) {
    super(`The proxy did not connect${status === undefined ? "" : `: ${status}`}.`, options);
  }
}

/** The server closed the connection during the TLS handshake. */
export class HandshakeClosedError extends Error {
  override readonly name = "HandshakeClosedError";
}

/** Size of the read buffer of each connection. An ingest's response has a few hundred bytes. */
const READ_BYTES = 16 * 1024;
/** Maximum bytes of a proxy's response to `CONNECT`. */
const MAX_HEAD_BYTES = 64 * 1024;

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

/** @throws {ProxyError}, errors of connecting and of the TLS handshake, and the signal's reason */
async function connect(url: URL, proxy: URL | undefined, signal: AbortSignal): Promise<Duplex> {
  const isTls = url.protocol === "https:";
  let stream: Duplex;
  if (proxy === undefined) stream = await connectTcp(url, signal);
  else {
    try {
      stream = await connectTcp(proxy, signal);
      if (proxy.protocol === "https:") {
        stream = await startTls(stream, addressOf(proxy).hostname, signal);
      }
      if (isTls) await openTunnel(stream, url, proxy, signal);
    } catch (cause) {
      throw cause instanceof ProxyError ? cause : new ProxyError(undefined, { cause });
    }
  }
  return isTls ? await startTls(stream, addressOf(url).hostname, signal) : stream;
}

async function connectTcp(url: URL, signal: AbortSignal): Promise<Duplex> {
  const connection = await Deno.connect({ ...addressOf(url), signal });
  // Large requests are written in two parts: the second must not wait for the acknowledgement of the first.
  connection.setNoDelay(true);
  return duplexOf(connection);
}

/** Opens a tunnel through a proxy to the server of a URL (RFC 9110, section 9.3.6). */
async function openTunnel(
  stream: Duplex,
  url: URL,
  proxy: URL,
  signal: AbortSignal,
): Promise<void> {
  const authority = `${url.hostname}:${addressOf(url).port}`;
  const authorization = proxyAuthorization(proxy);
  const lines = [`CONNECT ${authority} HTTP/1.1`, `host: ${authority}`];
  if (authorization !== undefined) lines.push(`proxy-authorization: ${authorization}`);
  stream.write(`${lines.join("\r\n")}\r\n\r\n`);
  // In TLS the client sends first, so all bytes up to there belong to the proxy's response.
  let head = "";
  await settled(
    stream,
    signal,
    new Error("The proxy closed the connection."),
    (resolve, reject) => {
      stream.on("data", (chunk: Buffer) => {
        head += chunk.toString("latin1");
        if (/\n\r?\n/.test(head)) resolve();
        else if (head.length > MAX_HEAD_BYTES) reject(new Error("The proxy's answer is too long."));
      });
    },
  );
  stream.pause();
  stream.removeAllListeners("data");
  const status = Number(/^HTTP\/1\.[01] (\d{3})\b/.exec(head)?.[1] ?? 0);
  if (status >= 200 && status <= 299) return;
  stream.destroy();
  throw new ProxyError(status || undefined, {
    cause: status ? undefined : new Error("The proxy's answer is not HTTP/1.1."),
  });
}

/**
 * Starts TLS on an open connection, as the client.
 *
 * @param hostname name or address that the server's certificate must be valid for
 */
async function startTls(stream: Duplex, hostname: string, signal: AbortSignal): Promise<Duplex> {
  const socket = tls.connect({
    socket: stream,
    host: hostname,
    // SNI allows no addresses (RFC 6066, section 3).
    ...(isIP(hostname) === 0 && { servername: hostname }),
    ALPNProtocols: ["http/1.1"],
  });
  await settled(socket, signal, new HandshakeClosedError(), (resolve) => {
    socket.once("secureConnect", resolve);
  });
  return socket;
}

/**
 * Waits for an event of a stream, which is destroyed if it fails first.
 *
 * @param closed the error if it closes
 */
async function settled(
  stream: Duplex,
  signal: AbortSignal,
  closed: Error,
  listen: (resolve: () => void, reject: (error: Error) => void) => void,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const onAbort = () => reject(signal.reason);
  const onClose = () => reject(closed);
  signal.addEventListener("abort", onAbort);
  stream.once("error", reject);
  stream.once("close", onClose);
  listen(resolve, reject);
  try {
    await promise;
  } catch (error) {
    stream.destroy();
    throw error;
  } finally {
    signal.removeEventListener("abort", onAbort);
    stream.off("error", reject);
    stream.off("close", onClose);
  }
}

/** Wraps a connection as a stream of Node. */
function duplexOf(connection: Deno.Conn): Duplex {
  const received = new Uint8Array(READ_BYTES);
  const writeAll = async (bytes: Uint8Array) => {
    for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
  };
  return new Duplex({
    read() {
      connection.read(received).then(
        (count) => this.push(count === null ? null : Buffer.from(received.slice(0, count))),
        (error) => this.destroy(error),
      );
    },
    write: (bytes: Uint8Array, _encoding, done) => void writeAll(bytes).then(() => done(), done),
    writev: (records, done) =>
      void writeAll(Buffer.concat(records.map(({ chunk }) => chunk))).then(() => done(), done),
    destroy(error, done) {
      try {
        connection.close();
      } catch {
        // It is closed already.
      }
      done(error);
    },
  });
}
