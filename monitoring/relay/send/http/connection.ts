import { type HttpResponse, ResponseReader } from "./response_reader.ts";
import { type ByteStream, closeQuietly } from "./tls_stream.ts";

/** The connection ended before the status of the response was certain. */
export class ConnectionLostError extends Error {
  override readonly name = "ConnectionLostError";
  /** @param responseBegun whether any byte of the response was received */
  constructor(readonly responseBegun: boolean, options?: ErrorOptions) {
    super("The connection ended before its answer.", options);
  }
}

/** Size of the read buffer of each connection. An ingest's response has a few hundred bytes. */
const READ_BYTES = 4 * 1024;

/** Requests up to this size are copied into one buffer and written by one call. */
const SMALL_REQUEST_BYTES = 16 * 1024;

/** Maximum milliseconds to wait for the confirmation of a write whose response is already complete. */
const WRITE_CONFIRM_MS = 20;

/** The current request. */
interface Exchange {
  readonly reader: ResponseReader;
  readonly resolve: (response: HttpResponse) => void;
  readonly reject: (error: ConnectionLostError) => void;
  isWritten: boolean;
  /** The response was complete before the write was confirmed. */
  awaitsWrite: boolean;
}

/**
 * A connection to an HTTP/1.1 server, for one request at a time. It reads even while idle, to notice at once that the
 * server closes it.
 */
export class HttpConnection {
  readonly #stream: ByteStream;
  readonly #maxBody: number;
  readonly #onClosed: () => void;
  #exchange: Exchange | undefined;
  #closed = false;
  /** The error that ended reading. */
  #readError: unknown;
  #isUsed = false;
  /** Reused for each small request. */
  #writeBuffer = new Uint8Array(0);
  #idleSince = performance.now();

  /**
   * @param maxBody maximum bytes of a response body; a larger one is discarded
   * @param onClosed called once, when no further request can be made
   */
  constructor(stream: ByteStream, maxBody: number, onClosed: () => void) {
    this.#stream = stream;
    this.#maxBody = maxBody;
    this.#onClosed = onClosed;
    this.#read();
  }

  /** Whether it is open and has no request. */
  get isIdle(): boolean {
    return !this.#closed && this.#exchange === undefined;
  }

  /** Milliseconds since the last response, or since it was opened. */
  get idleMs(): number {
    return performance.now() - this.#idleSince;
  }

  /** Whether there was a request before. */
  get isUsed(): boolean {
    return this.#isUsed;
  }

  /**
   * Sends a request and resolves with its response, even if that comes before the request is completely written.
   * {@linkcode HttpConnection.close} ends it.
   *
   * @param head request line and headers, including the blank line; characters up to U+00FF
   * @throws {ConnectionLostError}
   */
  request(head: string, body: Uint8Array): Promise<HttpResponse> {
    const { promise, resolve, reject } = Promise.withResolvers<HttpResponse>();
    if (this.#closed) {
      reject(new ConnectionLostError(false));
      return promise;
    }
    const reader = new ResponseReader(this.#maxBody);
    this.#exchange = { reader, resolve, reject, isWritten: false, awaitsWrite: false };
    this.#isUsed = true;
    this.#write(this.#exchange, head, body);
    return promise;
  }

  /** Closes the connection and ends the current request. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    closeQuietly(this.#stream);
    this.#endExchange();
    this.#onClosed();
  }

  async #write(exchange: Exchange, head: string, body: Uint8Array): Promise<void> {
    try {
      const length = head.length + body.length;
      if (length <= SMALL_REQUEST_BYTES) {
        if (this.#writeBuffer.length < length) this.#writeBuffer = new Uint8Array(2 * length);
        writeLatin1(head, this.#writeBuffer);
        this.#writeBuffer.set(body, head.length);
        await this.#writeAll(this.#writeBuffer.subarray(0, length));
      } else {
        const bytes = new Uint8Array(head.length);
        writeLatin1(head, bytes);
        await this.#writeAll(bytes);
        await this.#writeAll(body);
      }
      exchange.isWritten = true;
      // The response may have arrived during the last write.
      this.#finishExchange();
    } catch {
      // The server may have responded before it stopped reading: `#read` continues to the end of the connection.
    }
  }

  async #writeAll(bytes: Uint8Array): Promise<void> {
    let at = await this.#stream.write(bytes);
    while (at < bytes.length) at += await this.#stream.write(bytes.subarray(at));
  }

  async #read(): Promise<void> {
    const buffer = new Uint8Array(READ_BYTES);
    try {
      for (;;) {
        const count = await this.#stream.read(buffer);
        if (count === null) break;
        // Surplus bytes would be taken for the response to the next request.
        if (this.#exchange === undefined) break;
        if (this.#exchange.reader.push(buffer.subarray(0, count)) < count) break;
        if (this.#exchange.reader.isComplete) this.#finishExchange();
        if (this.#closed) return;
      }
    } catch (error) {
      // Connection reset, closed by `close`, or not an HTTP response.
      this.#readError = error;
    }
    this.#exchange?.reader.end();
    this.close();
  }

  /** Resolves a complete exchange; closes the connection if it cannot be reused. */
  #finishExchange(): void {
    const exchange = this.#exchange;
    if (exchange === undefined || !exchange.reader.isComplete) return;
    if (!exchange.isWritten && !exchange.awaitsWrite) {
      // Usually the write is done and only its confirmation is late. Otherwise the server responded without reading
      // everything, and may take the rest for another request.
      exchange.awaitsWrite = true;
      setTimeout(() => this.#exchange === exchange && this.#finishExchange(), WRITE_CONFIRM_MS);
      return;
    }
    if (!exchange.isWritten || !exchange.reader.keepsAlive) return this.close();
    this.#exchange = undefined;
    this.#idleSince = performance.now();
    exchange.resolve(exchange.reader.response!);
  }

  /** The connection has ended: a response whose status is known counts. */
  #endExchange(): void {
    const exchange = this.#exchange;
    if (exchange === undefined) return;
    this.#exchange = undefined;
    const { response, hasBegun } = exchange.reader;
    if (response !== undefined) exchange.resolve(response);
    else exchange.reject(new ConnectionLostError(hasBegun, { cause: this.#readError }));
  }
}

const ascii = new TextEncoder();

/** Writes each character (below U+0100) as one byte to the start of `bytes` (RFC 9110, section 5.5). */
function writeLatin1(text: string, bytes: Uint8Array<ArrayBuffer>): void {
  // Many times as fast as the loop, and the same result if all characters are ASCII.
  const { read, written } = ascii.encodeInto(text, bytes);
  if (read === text.length && written === read) return;
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
}
