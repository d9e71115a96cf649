import { writeLatin1 } from "./latin1.ts";
import { whileLeaving } from "./leaving.ts";
import { type HttpAnswer, ResponseReader } from "./response_reader.ts";
import { type ByteStream, closeQuietly } from "./tls_stream.ts";

/** The connection ended before the answer's status was certain. */
export class ConnectionLostError extends Error {
  override readonly name = "ConnectionLostError";
  /** @param answerBegun whether any byte of an answer had come */
  constructor(readonly answerBegun: boolean, options?: ErrorOptions) {
    super("The connection ended before its answer.", options);
  }
}

/** What is read at once: an ingest's answer is some hundred bytes, and each connection keeps as much. */
const READ_BYTES = 4 * 1024;

/** Requests up to here are put together and written at once; the memory for it stays with the connection. */
const WRITE_BYTES = 16 * 1024;

/** Milliseconds from an answer to the word that its request is written. */
const WRITTEN_MS = 20;

/** The request under way. */
interface Exchange {
  readonly reader: ResponseReader;
  readonly resolve: (answer: HttpAnswer) => void;
  readonly reject: (error: ConnectionLostError) => void;
  written: boolean;
  /** The answer has come before the word that the request is written. */
  late: boolean;
}

/**
 * One connection to an HTTP/1.1 server, for one request after another. It reads all the time: so a
 * server that closes it while nothing is asked is noticed at once, and not by the next request.
 */
export class HttpConnection {
  readonly #conn: ByteStream;
  readonly #maxBody: number;
  readonly #onClosed: () => void;
  #exchange: Exchange | undefined;
  #closed = false;
  /** The error that ended reading. */
  #failure: unknown;
  #used = false;
  /** Where small requests are put together: nobody reads it any more when the next one comes. */
  #outgoing = new Uint8Array(0);
  #freeSince = performance.now();

  /**
   * @param maxBody bytes of an answer's body that are kept
   * @param onClosed called once, when no further request can be made
   */
  constructor(conn: ByteStream, maxBody: number, onClosed: () => void) {
    this.#conn = conn;
    this.#maxBody = maxBody;
    this.#onClosed = onClosed;
    this.#listen();
  }

  /** Whether a request can be made now. */
  get isFree(): boolean {
    return !this.#closed && this.#exchange === undefined;
  }

  /** Milliseconds since its last answer, or since it was opened. */
  get idleMs(): number {
    return performance.now() - this.#freeSince;
  }

  /** Whether a request has been made before. */
  get isUsed(): boolean {
    return this.#used;
  }

  /**
   * Sends a request and reads its answer. An answer that comes before the request is written to its
   * end counts. Closing the connection ends the wait.
   *
   * @param head request line and headers, with the blank line after them; characters up to U+00FF
   * @throws {ConnectionLostError}
   */
  request(head: string, body: Uint8Array): Promise<HttpAnswer> {
    const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>();
    if (this.#closed) {
      reject(new ConnectionLostError(false));
      return promise;
    }
    const reader = new ResponseReader(this.#maxBody);
    const exchange: Exchange = { reader, resolve, reject, written: false, late: false };
    this.#exchange = exchange;
    this.#used = true;
    this.#write(exchange, head, body);
    return promise;
  }

  /** Ends the connection, and with it the request under way. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    closeQuietly(this.#conn);
    this.#lose();
    this.#onClosed();
  }

  async #write(exchange: Exchange, head: string, body: Uint8Array): Promise<void> {
    try {
      const length = head.length + body.length;
      if (length <= WRITE_BYTES) {
        // Small ones leave in one packet and one call.
        if (this.#outgoing.length < length) this.#outgoing = new Uint8Array(2 * length);
        writeLatin1(head, this.#outgoing);
        this.#outgoing.set(body, head.length);
        await this.#writeAll(this.#outgoing.subarray(0, length));
      } else {
        const bytes = new Uint8Array(head.length);
        writeLatin1(head, bytes);
        await this.#writeAll(bytes);
        await whileLeaving(body, () => this.#writeAll(body));
      }
      exchange.written = true;
      // The answer may have come while the last bytes left.
      this.#settle();
    } catch {
      // The server may have answered before it stopped reading: what comes is read to its end,
      // and then the connection is lost in any case.
    }
  }

  async #writeAll(bytes: Uint8Array): Promise<void> {
    let at = await this.#conn.write(bytes);
    while (at < bytes.length) at += await this.#conn.write(bytes.subarray(at));
  }

  async #listen(): Promise<void> {
    const buffer = new Uint8Array(READ_BYTES);
    try {
      for (;;) {
        const count = await this.#conn.read(buffer);
        if (count === null) break;
        // Bytes that no request asked for: they would be taken for the answer to the next one.
        if (this.#exchange === undefined) break;
        if (this.#exchange.reader.push(buffer.subarray(0, count)) < count) break;
        if (this.#exchange.reader.isComplete) this.#settle();
        if (this.#closed) return;
      }
    } catch (error) {
      // Reset, closed by this side, or no answer of HTTP: each is the end of the connection.
      this.#failure = error;
    }
    this.#exchange?.reader.end();
    this.close();
  }

  /** Hands a complete answer over, and frees the connection, or closes it if it cannot be used again. */
  #settle(): void {
    const exchange = this.#exchange;
    if (exchange === undefined || !exchange.reader.isComplete) return;
    if (!exchange.written && !exchange.late) {
      // Mostly the word that all is written is just late. Else the server has answered before it has
      // read everything, and nobody knows what it makes of the rest.
      exchange.late = true;
      setTimeout(() => this.#exchange === exchange && this.#settle(), WRITTEN_MS);
      return;
    }
    const reusable = exchange.written && exchange.reader.keepsAlive;
    if (!reusable) return this.close();
    this.#exchange = undefined;
    this.#freeSince = performance.now();
    exchange.resolve(exchange.reader.answer!);
  }

  /** The connection has ended: what there is of an answer is the answer. */
  #lose(): void {
    const exchange = this.#exchange;
    if (exchange === undefined) return;
    this.#exchange = undefined;
    const { answer, hasBegun } = exchange.reader;
    if (answer === undefined) {
      exchange.reject(new ConnectionLostError(hasBegun, { cause: this.#failure }));
    } else exchange.resolve(answer);
  }
}
