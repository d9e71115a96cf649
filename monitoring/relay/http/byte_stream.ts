import { connect as connectTls, type TLSSocket } from "node:tls";
import { isIP } from "node:net";

/** The part of `Deno.Conn` that a connection needs. */
export type ByteStream = Pick<Deno.Conn, "read" | "write" | "close">;

/** An address to connect to, and what ends the attempt. */
export interface ConnectOptions {
  readonly url: URL;
  /** Ends connecting, and nothing after that. */
  readonly signal: AbortSignal;
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = { "http:": 80, "https:": 443 };

/**
 * Connects to the server of a URL, by TLS for `https:`.
 *
 * @throws what connecting or the handshake throws, and the signal's reason
 */
export async function connect({ url, signal }: ConnectOptions): Promise<ByteStream> {
  const { protocol, hostname: written, port: named } = url;
  // A URL writes IPv6 in brackets.
  const hostname = written.replace(/^\[|\]$/g, "");
  const port = Number(named) || DEFAULT_PORTS[protocol]!;
  signal.throwIfAborted();
  if (protocol === "https:") return await TlsStream.connect(hostname, port, signal);
  const connecting = new AbortController();
  const abort = () => connecting.abort(signal.reason);
  signal.addEventListener("abort", abort);
  try {
    const connection = await Deno.connect({ hostname, port, signal: connecting.signal });
    // A request is written in one or two pieces: the second must not wait for the first's receipt.
    connection.setNoDelay(true);
    return connection;
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/**
 * TLS by `node:tls`: closing `Deno.TlsConn` during its handshake leaves the socket open until the
 * other side closes it, so that a server which accepts and says nothing takes all descriptors.
 */
class TlsStream implements ByteStream {
  readonly #socket: TLSSocket;
  #failure: Error | undefined;
  #isOver = false;
  #wake = () => {};

  private constructor(socket: TLSSocket) {
    this.#socket = socket;
    const wake = () => this.#wake();
    socket.on("readable", wake);
    for (const event of ["end", "close"] as const) {
      socket.on(event, () => {
        this.#isOver = true;
        wake();
      });
    }
    socket.on("error", (error) => {
      this.#failure = error;
      wake();
    });
  }

  static async connect(host: string, port: number, signal: AbortSignal): Promise<TlsStream> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const socket = connectTls({
      host,
      port,
      // An address is no name to ask for (RFC 6066, section 3).
      ...(isIP(host) === 0 && { servername: host }),
      ALPNProtocols: ["http/1.1"],
    });
    const abort = () => {
      socket.destroy();
      reject(signal.reason);
    };
    signal.addEventListener("abort", abort);
    socket.once("secureConnect", () => resolve());
    socket.once("error", reject);
    socket.once("close", () => reject(new Error("The server closed during the handshake.")));
    try {
      await promise;
    } catch (error) {
      socket.destroy();
      throw error;
    } finally {
      signal.removeEventListener("abort", abort);
    }
    socket.setNoDelay(true);
    return new TlsStream(socket);
  }

  async read(into: Uint8Array): Promise<number | null> {
    for (;;) {
      if (this.#failure) throw this.#failure;
      const chunk: Uint8Array | null = this.#socket.read();
      if (chunk !== null) {
        const taken = chunk.subarray(0, into.length);
        into.set(taken);
        if (taken.length < chunk.length) this.#socket.unshift(chunk.subarray(taken.length));
        return taken.length;
      }
      if (this.#isOver) return null;
      await new Promise<void>((resolve) => this.#wake = resolve);
    }
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
