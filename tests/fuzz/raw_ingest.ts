import { closeQuietly, writeAll } from "../harness/stand_in_ingest.ts";
import type { HostileAnswer } from "./hostile_answer.ts";

export const GOOD_BODY = '{"id":"of a good answer"}';
const GOOD_ANSWER = new TextEncoder().encode(
  `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${GOOD_BODY.length}\r\n\r\n${GOOD_BODY}`,
);

/** An ingest on TCP sockets, so that its answers can violate HTTP. */
export class RawIngest {
  readonly #listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  readonly #open = new Set<Deno.Conn>();
  /** The answer to the next requests; undefined: a good one. */
  answer: HostileAnswer | undefined;
  /** Number of requests received. */
  requests = 0;

  constructor() {
    void this.#acceptAll();
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#listener.addr as Deno.NetAddr).port}`;
  }

  async #acceptAll(): Promise<void> {
    for await (const connection of this.#listener) {
      this.#open.add(connection);
      // Fails when the relay or the end of the test closes the connection.
      this.#serve(connection).catch(() => {}).finally(() => {
        this.#open.delete(connection);
        closeQuietly(connection);
      });
    }
  }

  async #serve(connection: Deno.Conn): Promise<void> {
    const skipper = new RequestSkipper(connection);
    while (await skipper.hasRequest()) {
      this.requests++;
      const { answer } = this;
      if (answer === undefined) {
        if (!await skipper.skip()) return;
        await writeAll(connection, GOOD_ANSWER);
        continue;
      }
      // Closing with unread bytes makes the system send a reset.
      const answersFirst = answer.isEarly || answer.afterwards === "reset";
      if (!answersFirst && !await skipper.skip()) return;
      await writeAll(connection, answer.wire);
      if (answer.afterwards === "close" || answer.afterwards === "reset") return;
      if (answersFirst && !await skipper.skip()) return;
    }
  }

  close(): void {
    closeQuietly(this.#listener);
    for (const connection of this.#open) closeQuietly(connection);
  }
}

/** Finds where each request of a connection starts and ends. */
class RequestSkipper {
  /** Bytes that were read and not skipped, as Latin-1. */
  #unread = "";
  // So small that bytes of the request stay in the socket.
  readonly #buffer = new Uint8Array(64);

  constructor(readonly connection: Deno.Conn) {}

  /** Waits for the first byte of a request; false: the client has closed the connection. */
  async hasRequest(): Promise<boolean> {
    return this.#unread !== "" || await this.#readMore();
  }

  /** Reads to the end of the request; false: the client has closed the connection. */
  async skip(): Promise<boolean> {
    for (;;) {
      const end = this.#unread.indexOf("\r\n\r\n") + 4;
      const length = Number(/content-length: (\d+)/i.exec(this.#unread.slice(0, end))?.[1] ?? 0);
      if (end >= 4 && this.#unread.length >= end + length) {
        this.#unread = this.#unread.slice(end + length);
        return true;
      }
      if (!await this.#readMore()) return false;
    }
  }

  async #readMore(): Promise<boolean> {
    const count = await this.connection.read(this.#buffer);
    if (count === null) return false;
    this.#unread += String.fromCharCode(...this.#buffer.subarray(0, count));
    return true;
  }
}
