import { Buffer } from "node:buffer";
import { isIP } from "node:net";
import { Duplex } from "node:stream";
import { connect, type TLSSocket } from "node:tls";

/** The server closed the connection during the TLS handshake. */
export class HandshakeClosedError extends Error {
  override readonly name = "HandshakeClosedError";
}

/** The part of `Deno.Conn` that an HTTP connection needs. */
export type ByteStream = Pick<Deno.Conn, "read" | "write" | "close">;

/** Size of the read buffer for encrypted bytes. */
const READ_BYTES = 4 * 1024;

/**
 * Starts TLS on an open connection, as the client. Uses `node:tls` because closing a `Deno.TlsConn` during its handshake
 * leaves the socket open until the server closes it.
 *
 * @param hostname name or address that the server's certificate must be valid for
 * @param signal aborts the handshake; has no effect after it
 * @throws the error of the handshake or the signal's reason, after closing the connection
 */
export async function startTls(
  connection: ByteStream,
  hostname: string,
  signal: AbortSignal,
): Promise<ByteStream> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const socket = connect({
    socket: duplexOf(connection),
    host: hostname,
    // SNI allows no addresses (RFC 6066, section 3).
    ...(isIP(hostname) === 0 && { servername: hostname }),
    ALPNProtocols: ["http/1.1"],
  });
  const abort = () => reject(signal.reason);
  signal.addEventListener("abort", abort);
  if (signal.aborted) abort();
  socket.once("secureConnect", resolve);
  socket.once("error", reject);
  socket.once("close", () => reject(new HandshakeClosedError()));
  try {
    await promise;
    return new TlsStream(socket);
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

class TlsStream implements ByteStream {
  readonly #socket: TLSSocket;
  readonly #chunks: AsyncIterator<Uint8Array, undefined>;
  /** What did not fit into the last read. */
  #rest: Uint8Array | undefined;

  constructor(socket: TLSSocket) {
    this.#socket = socket;
    this.#chunks = socket[Symbol.asyncIterator]();
  }

  async read(into: Uint8Array): Promise<number | null> {
    const chunk = this.#rest ?? (await this.#chunks.next()).value;
    if (chunk === undefined) return null;
    const taken = chunk.subarray(0, into.length);
    into.set(taken);
    this.#rest = taken.length < chunk.length ? chunk.subarray(taken.length) : undefined;
    return taken.length;
  }

  write(bytes: Uint8Array): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#socket.write(bytes, (error) => error ? reject(error) : resolve(bytes.length));
    });
  }

  close(): void {
    this.#socket.destroy();
  }
}

/** Wraps a connection as the stream that `node:tls` needs. */
export function duplexOf(connection: ByteStream): Duplex {
  const received = new Uint8Array(READ_BYTES);
  const writeAll = async (bytes: Uint8Array) => {
    for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
  };
  return new Duplex({
    read() {
      connection.read(received).then(
        (count) => this.push(count === null ? null : received.slice(0, count)),
        (error) => this.destroy(error),
      );
    },
    write: (bytes: Uint8Array, _encoding, done) => void writeAll(bytes).then(() => done(), done),
    writev: (records, done) =>
      void writeAll(Buffer.concat(records.map(({ chunk }) => chunk))).then(() => done(), done),
    destroy(error, done) {
      closeQuietly(connection);
      done(error);
    },
  });
}

/** Closes a connection that may already be closed. */
export function closeQuietly(connection: Pick<ByteStream, "close">): void {
  try {
    connection.close();
  } catch (error) {
    if (!(error instanceof Deno.errors.BadResource)) throw error;
  }
}
