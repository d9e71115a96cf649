import { Buffer } from "node:buffer";
import { joinBytes } from "../../../protocol/join_bytes.ts";

/** The response of an HTTP/1.1 server. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: HeaderReader;
  /** Undefined if it is incomplete or larger than the reader's limit. */
  readonly body: Uint8Array<ArrayBuffer> | undefined;
}

/** The part of `Headers` that reading a response needs. */
export type HeaderReader = Pick<Headers, "get">;

/** The bytes that a server sent are not an HTTP/1.1 response. */
export class ResponseError extends Error {
  override readonly name = "ResponseError";
}

/** Maximum length of a response head, and of the lines around chunks. */
const MAX_HEAD_BYTES = 64 * 1024;

/** What the next byte belongs to. */
type State =
  | "head"
  | "length"
  | "chunk size"
  | "chunk"
  | "chunk end"
  | "trailer"
  | "close"
  | "done";

const LINE_FEED = 10;

/** The blank line, including the end of the line before it. */
const END_OF_HEAD = /\n\r?\n/g;
const STATUS_LINE = /^HTTP\/1\.([01]) (\d{3})(?: [^\n]*|\r)?\n/;
/** A name is a token; a value must not contain NUL, CR or LF (RFC 9110, sections 5.6.2 and 5.5). */
const FIELD_LINE = /([!#$%&'*+.^_`|~\w-]+):([^\0\r\n]*)\r?\n/y;
const BLANK_LINE = /\r?\n$/y;

/**
 * Parses one response from the bytes of a connection, in chunks of any size (RFC 9112).
 *
 * ```
 * response = *( 1xx-head ) head body
 * head     = "HTTP/1." ( "0" | "1" ) SP 3DIGIT … CRLF *( name ":" value CRLF ) CRLF
 * body     = `Content-Length` bytes | *chunk last-chunk trailers CRLF | everything until the connection closes
 * ```
 */
export class ResponseReader {
  readonly #maxBody: number;
  #state: State = "head";
  /** The unfinished head or line, one character for each byte. */
  #text = "";
  #status = 0;
  #headers = new ResponseHeaders();
  #bodyParts: Uint8Array<ArrayBuffer>[] = [];
  #bodyBytes = 0;
  /** Missing bytes of the body or of its current chunk. */
  #remaining = 0;
  #persistent = true;
  #begun = false;

  /** @param maxBody maximum bytes of a body; a larger one is discarded */
  constructor(maxBody: number) {
    this.#maxBody = maxBody;
  }

  /** Whether any byte of the response was received. */
  get hasBegun(): boolean {
    return this.#begun;
  }

  /** Whether the last byte of the response was received. */
  get isComplete(): boolean {
    return this.#state === "done";
  }

  /** Whether the connection can be used for another request. */
  get keepsAlive(): boolean {
    return this.isComplete && this.#persistent;
  }

  /** The response so far; undefined until its head is complete. */
  get response(): HttpResponse | undefined {
    if (this.#state === "head") return undefined;
    const isKept = this.isComplete && this.#bodyBytes <= this.#maxBody;
    const body = isKept ? joinBytes(this.#bodyParts, this.#bodyBytes) : undefined;
    return { status: this.#status, headers: this.#headers, body };
  }

  /**
   * Parses the next chunk. Copies what it keeps.
   *
   * @returns how many of its bytes belong to the response
   * @throws {ResponseError}
   */
  push(chunk: Uint8Array): number {
    let at = 0;
    this.#begun ||= chunk.length > 0;
    while (at < chunk.length && this.#state !== "done") {
      if (this.#state === "length" || this.#state === "chunk" || this.#state === "close") {
        at += this.#payload(chunk.subarray(at));
      } else if (this.#state === "head") {
        at += this.#head(chunk.subarray(at));
      } else {
        at += this.#line(chunk.subarray(at));
      }
    }
    return at;
  }

  /** The connection has ended, and with it a body of unknown length. */
  end(): void {
    if (this.#state === "close") this.#state = "done";
    this.#persistent = false;
  }

  #payload(bytes: Uint8Array): number {
    const untilClose = this.#state === "close";
    const taken = untilClose ? bytes.length : Math.min(bytes.length, this.#remaining);
    this.#bodyBytes += taken;
    // A body over the limit is read, to keep the connection usable, and discarded.
    if (this.#bodyBytes <= this.#maxBody) this.#bodyParts.push(bytes.slice(0, taken));
    else this.#bodyParts = [];
    if (!untilClose) {
      this.#remaining -= taken;
      if (this.#remaining === 0) this.#state = this.#state === "chunk" ? "chunk end" : "done";
    }
    return taken;
  }

  /** Continues a head up to its end or the end of the chunk. Usually it arrives in one chunk. */
  #head(bytes: Uint8Array): number {
    const before = this.#text.length;
    // One byte over the limit, to detect a head that is too long.
    const text = this.#text + latin1(bytes.subarray(0, MAX_HEAD_BYTES + 1 - before));
    END_OF_HEAD.lastIndex = Math.max(0, before - 2);
    const found = END_OF_HEAD.test(text);
    const end = found ? END_OF_HEAD.lastIndex : text.length;
    if (end > MAX_HEAD_BYTES) throw new ResponseError("The head is too long.");
    this.#text = found ? "" : text;
    if (found) this.#parseHead(text.slice(0, end));
    return end - before;
  }

  /** Continues a line between chunks up to its end or the end of the input. */
  #line(bytes: Uint8Array): number {
    const end = bytes.indexOf(LINE_FEED);
    const taken = end === -1 ? bytes.length : end + 1;
    if (this.#text.length + taken > MAX_HEAD_BYTES) {
      throw new ResponseError("The head is too long.");
    }
    this.#text += latin1(bytes.subarray(0, taken));
    if (end === -1) return taken;
    const line = this.#text.trim();
    this.#text = "";
    if (this.#state === "chunk size") this.#parseChunkSize(line);
    else if (this.#state === "chunk end") {
      if (line !== "") throw new ResponseError("A chunk is longer than its size.");
      this.#state = "chunk size";
    } else if (line === "") this.#state = "done";
    return taken;
  }

  #parseHead(head: string): void {
    const [statusLine, minor, status] = STATUS_LINE.exec(head) ?? [];
    if (status === undefined) throw new ResponseError("The status line is missing.");
    const headers = this.#headers;
    let at = statusLine!.length;
    for (;;) {
      FIELD_LINE.lastIndex = at;
      const [line, name, value] = FIELD_LINE.exec(head) ?? [];
      if (line === undefined) break;
      headers.append(name!, value!.trim());
      at += line.length;
    }
    BLANK_LINE.lastIndex = at;
    if (!BLANK_LINE.test(head)) {
      throw new ResponseError("A header is malformed.");
    }
    if (status.startsWith("1")) {
      // Interim response (RFC 9110, section 15.2): the final one follows.
      this.#headers = new ResponseHeaders();
      return;
    }
    this.#status = Number(status);
    this.#persistent = minor === "1" && !/\bclose\b/i.test(headers.get("connection") ?? "");
    this.#state = this.#stateOfBody();
  }

  /** How the end of the body is found (RFC 9112, section 6.3). */
  #stateOfBody(): State {
    if (this.#status === 204 || this.#status === 304) return "done";
    const coding = this.#headers.get("transfer-encoding");
    if (coding !== null) return /(^|[\s,])chunked\s*$/i.test(coding) ? "chunk size" : "close";
    const length = this.#headers.get("content-length");
    if (length === null) return "close";
    // Repeated headers are joined by commas; equal values are allowed.
    const [, value] = /^(\d{1,15})(?:\s*,\s*\1)*$/.exec(length) ?? [];
    if (value === undefined) throw new ResponseError("The Content-Length is invalid.");
    this.#remaining = Number(value);
    return this.#remaining === 0 ? "done" : "length";
  }

  #parseChunkSize(line: string): void {
    const [, size] = /^([\da-f]{1,8})\s*(?:;|$)/i.exec(line) ?? [];
    if (size === undefined) throw new ResponseError("The size of a chunk is invalid.");
    this.#remaining = Number.parseInt(size, 16);
    this.#state = this.#remaining === 0 ? "trailer" : "chunk";
  }
}

class ResponseHeaders implements HeaderReader {
  readonly #values = new Map<string, string>();

  /** Adds a header; values of the same name are joined. */
  append(name: string, value: string): void {
    const key = name.toLowerCase();
    const known = this.#values.get(key);
    this.#values.set(key, known === undefined ? value : `${known}, ${value}`);
  }

  /** @param name in any letter case */
  get(name: string): string | null {
    return this.#values.get(name) ?? this.#values.get(name.toLowerCase()) ?? null;
  }
}

/** One character for each byte (RFC 9110, section 5.5). */
function latin1({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString("latin1");
}
