import { addressOf, proxyAuthorization } from "./proxies.ts";
import { ResponseReader } from "./response_reader.ts";
import { type ByteStream, closeQuietly, startTls } from "./tls_stream.ts";

export interface ConnectOptions {
  readonly url: URL;
  /** Default: a direct connection. */
  readonly proxy?: URL;
  /** Aborts connecting. Must not be aborted later: that would close the connection. */
  readonly signal: AbortSignal;
}

/** The proxy could not be reached, or refused to connect to the ingest. */
export class ProxyError extends Error {
  override readonly name = "ProxyError";
  /** @param status of its response to `CONNECT`; undefined if there is none, with the error as `cause` */
  constructor(readonly status: number | undefined, options?: ErrorOptions) {
    super(`The proxy did not connect${status === undefined ? "" : `: ${status}`}.`, options);
  }
}

/**
 * Connects to the server of a URL, with TLS for `https:`. `Deno.connect` tries all addresses of a name (RFC 8305) under
 * the permission for that name; `node:net` needs a permission for each address, and throws outside of any promise
 * without it.
 *
 * @throws {ProxyError}, errors of connecting and of the TLS handshake, and the signal's reason
 */
export async function connect({ url, proxy, signal }: ConnectOptions): Promise<ByteStream> {
  const isTls = url.protocol === "https:";
  let stream: ByteStream;
  if (proxy === undefined) stream = await connectTcp(url, signal);
  else {
    try {
      stream = await connectTcp(proxy, signal);
      if (proxy.protocol === "https:") {
        stream = await startTls(stream, addressOf(proxy).hostname, signal);
      }
    } catch (error) {
      throw signal.aborted ? error : new ProxyError(undefined, { cause: error });
    }
    if (isTls) await openTunnel(stream, url, proxy, signal);
  }
  return isTls ? await startTls(stream, addressOf(url).hostname, signal) : stream;
}

async function connectTcp(url: URL, signal: AbortSignal): Promise<ByteStream> {
  const connection = await Deno.connect({ ...addressOf(url), signal });
  // Large requests are written in two parts: the second must not wait for the acknowledgement of the first.
  connection.setNoDelay(true);
  return connection;
}

/** Opens a tunnel through a proxy to the server of a URL (RFC 9110, section 9.3.6). */
async function openTunnel(
  stream: ByteStream,
  url: URL,
  proxy: URL,
  signal: AbortSignal,
): Promise<void> {
  const authority = `${url.hostname}:${addressOf(url).port}`;
  const authorization = proxyAuthorization(proxy);
  const lines = [`CONNECT ${authority} HTTP/1.1`, `host: ${authority}`];
  if (authorization !== undefined) lines.push(`proxy-authorization: ${authorization}`);
  const request = new TextEncoder().encode(`${lines.join("\r\n")}\r\n\r\n`);
  const abort = () => closeQuietly(stream);
  signal.addEventListener("abort", abort);
  try {
    for (let at = 0; at < request.length;) at += await stream.write(request.subarray(at));
    const reader = new ResponseReader(0);
    const buffer = new Uint8Array(4 * 1024);
    while (reader.response === undefined) {
      const count = await stream.read(buffer);
      if (count === null) throw new Error("The proxy closed the connection.");
      // In TLS the client sends first, so all bytes up to here belong to the proxy's response.
      reader.push(buffer.subarray(0, count));
    }
    const { status } = reader.response;
    if (status < 200 || status > 299) throw new ProxyError(status);
  } catch (error) {
    closeQuietly(stream);
    if (signal.aborted) throw signal.reason;
    throw error instanceof ProxyError ? error : new ProxyError(undefined, { cause: error });
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
