import { joinBytes } from "../../protocol/join_bytes.ts";
import { AnswerHeaders, type HeaderReader } from "./answer_headers.ts";
import { latin1 } from "./latin1.ts";

/** One whole answer of an HTTP/1.1 server. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: HeaderReader;
  /** Undefined if it did not come whole, or was larger than the reader's limit. */
  readonly body: Uint8Array<ArrayBuffer> | undefined;
}

/** What a server sent is no HTTP/1.1 answer. */
export class ResponseError extends Error {
  override readonly name = "ResponseError";
}

/** The head of an answer: longer ones are no ingest's. */
const MAX_HEAD_BYTES = 64 * 1024;

/** What the next byte belongs to. */
type Place =
  | "head"
  | "length"
  | "chunk size"
  | "chunk"
  | "chunk end"
  | "trailer"
  | "close"
  | "done";

const LINE_FEED = 10;

/** The blank line, with the end of the line before it. */
const END_OF_HEAD = /\n\r?\n/g;
const STATUS_LINE = /^HTTP\/1\.([01]) (\d{3})(?: [^\n]*|\r)?\n/;
/** A name is a token, and three characters may stand in no value (RFC 9110, sections 5.6.2 and 5.5). */
const FIELD_LINE = /([!#$%&'*+.^_`|~\w-]+):([^\0\r\n]*)\r?\n/y;
const BLANK_LINE = /\r?\n$/y;

/**
 * Reads one answer out of the bytes of a connection, in pieces of any size (RFC 9112).
 *
 * ```
 * answer   = *( 1xx-head ) head body
 * head     = "HTTP/1." ( "0" | "1" ) SP 3DIGIT … CRLF *( name ":" value CRLF ) CRLF
 * body     = `Content-Length` bytes | *chunk last-chunk trailers CRLF | everything until the connection closes
 * ```
 */
export class ResponseReader {
  readonly #maxBody: number;
  #place: Place = "head";
  /** The head, or the line under way. Each byte is a character (RFC 9110, section 5.5). */
  #text = "";
  #status = 0;
  #headers = new AnswerHeaders();
  #pieces: Uint8Array<ArrayBuffer>[] = [];
  #bytes = 0;
  /** Bytes still to come of the body, or of its chunk. */
  #remaining = 0;
  #persistent = true;
  #begun = false;

  /** @param maxBody bytes of a body that are kept; of a larger one nothing is */
  constructor(maxBody: number) {
    this.#maxBody = maxBody;
  }

  /** Whether any byte of the answer has come. */
  get hasBegun(): boolean {
    return this.#begun;
  }

  /** Whether the answer is there, to its last byte. */
  get isComplete(): boolean {
    return this.#place === "done";
  }

  /** Whether another request may follow on the connection. */
  get keepsAlive(): boolean {
    return this.isComplete && this.#persistent;
  }

  /** The answer as far as it goes; undefined as long as its status is not certain. */
  get answer(): HttpAnswer | undefined {
    if (this.#place === "head") return undefined;
    const whole = this.isComplete && this.#bytes <= this.#maxBody;
    const body = whole ? joinBytes(this.#pieces, this.#bytes) : undefined;
    return { status: this.#status, headers: this.#headers, body };
  }

  /**
   * Takes the next piece, and keeps nothing of its memory.
   *
   * @returns how many of its bytes belong to the answer
   * @throws {ResponseError}
   */
  push(chunk: Uint8Array): number {
    let at = 0;
    this.#begun ||= chunk.length > 0;
    while (at < chunk.length && this.#place !== "done") {
      if (this.#place === "length" || this.#place === "chunk" || this.#place === "close") {
        at += this.#payload(chunk.subarray(at));
      } else if (this.#place === "head") {
        at += this.#head(chunk.subarray(at));
      } else {
        at += this.#line(chunk.subarray(at));
      }
    }
    return at;
  }

  /** The connection has ended; that is how some bodies do, too. */
  end(): void {
    if (this.#place === "close") this.#place = "done";
    this.#persistent = false;
  }

  #payload(bytes: Uint8Array): number {
    const open = this.#place === "close";
    const taken = open ? bytes.length : Math.min(bytes.length, this.#remaining);
    this.#bytes += taken;
    // What is over the limit is read past, so that the connection can be used again, and not kept.
    if (this.#bytes <= this.#maxBody) this.#pieces.push(bytes.slice(0, taken));
    else this.#pieces = [];
    this.#remaining -= open ? 0 : taken;
    if (!open && this.#remaining === 0) {
      this.#place = this.#place === "chunk" ? "chunk end" : "done";
    }
    return taken;
  }

  /** A head, up to its end or the end of the piece. All of it at once: it mostly comes so. */
  #head(bytes: Uint8Array): number {
    const before = this.#text.length;
    // One more than may be, to find that it is too long.
    const most = bytes.subarray(0, MAX_HEAD_BYTES + 1 - before);
    const text = this.#text + latin1(most);
    END_OF_HEAD.lastIndex = Math.max(0, before - 2);
    const found = END_OF_HEAD.test(text);
    const end = found ? END_OF_HEAD.lastIndex : text.length;
    if (end > MAX_HEAD_BYTES) throw new ResponseError("Its head is too long.");
    this.#text = found ? "" : text;
    if (found) this.#takeHead(text.slice(0, end));
    return end - before;
  }

  /** A line around chunks, up to its end or the end of the piece. */
  #line(bytes: Uint8Array): number {
    const end = bytes.indexOf(LINE_FEED);
    const taken = end === -1 ? bytes.length : end + 1;
    if (this.#text.length + taken > MAX_HEAD_BYTES) {
      throw new ResponseError("Its head is too long.");
    }
    this.#text += latin1(bytes.subarray(0, taken));
    if (end === -1) return taken;
    const line = this.#takeText().trim();
    if (this.#place === "chunk size") this.#takeChunkSize(line);
    else if (this.#place === "chunk end") {
      if (line !== "") throw new ResponseError("A chunk is longer than it says.");
      this.#place = "chunk size";
    } else if (line === "") this.#place = "done";
    return taken;
  }

  #takeText(): string {
    const text = this.#text;
    this.#text = "";
    return text;
  }

  #takeHead(head: string): void {
    const [statusLine, minor, status] = STATUS_LINE.exec(head) ?? [];
    if (status === undefined) throw new ResponseError("It begins with no status line.");
    const headers = new AnswerHeaders();
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
      throw new ResponseError("A header has no name, or a value that is none.");
    }
    // Interim answers (RFC 9110, section 15.2): the one that counts is still to come.
    if (status.startsWith("1")) return;
    this.#status = Number(status);
    this.#headers = headers;
    this.#persistent = minor === "1" && !/\bclose\b/i.test(headers.get("connection") ?? "");
    this.#place = this.#bodyPlace();
  }

  /** How the body's end is known (RFC 9112, section 6.3). */
  #bodyPlace(): Place {
    if (this.#status === 204 || this.#status === 304) return "done";
    const coding = this.#headers.get("transfer-encoding");
    if (coding !== null) return /(^|[\s,])chunked\s*$/i.test(coding) ? "chunk size" : "close";
    const length = this.#headers.get("content-length");
    if (length === null) return "close";
    // Repeated headers are joined by commas: the same value twice is still one.
    const [value, ...others] = new Set(length.split(",").map((part) => part.trim()));
    if (others.length > 0 || !/^\d{1,15}$/.test(value ?? "")) {
      throw new ResponseError("Its Content-Length is no number.");
    }
    this.#remaining = Number(value);
    return this.#remaining === 0 ? "done" : "length";
  }

  #takeChunkSize(line: string): void {
    const [, size] = /^([\da-f]{1,8})\s*(?:;|$)/i.exec(line) ?? [];
    if (size === undefined) throw new ResponseError("A chunk's size is no number.");
    this.#remaining = Number.parseInt(size, 16);
    this.#place = this.#remaining === 0 ? "trailer" : "chunk";
  }
}
