import { closeQuietly, writeAll } from "../harness/stand_in_ingest.ts";
import type { HostileAnswer } from "./hostile_answer.ts";

export const GOOD_BODY = '{"id":"of a good answer"}';
const GOOD_ANSWER = {
  wire: new TextEncoder().encode(
    `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${GOOD_BODY.length}\r\n\r\n${GOOD_BODY}`,
  ),
  isEarly: false,
  afterwards: "keep",
} as const;

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
    // So small that bytes of the request stay in the socket.
    const buffer = new Uint8Array(64);
    /** Bytes that were read and belong to no request before, as Latin-1. */
    let unread = "";
    /** Returns false if the client has closed the connection. */
    const readMore = async () => {
      const count = await connection.read(buffer);
      unread += String.fromCharCode(...buffer.subarray(0, count ?? 0));
      return count !== null;
    };
    /** Reads to the end of the request. Returns false as above. */
    const skip = async () => {
      for (;;) {
        const end = unread.indexOf("\r\n\r\n") + 4;
        const length = Number(/content-length: (\d+)/i.exec(unread.slice(0, end))?.[1] ?? 0);
        if (end >= 4 && unread.length >= end + length) {
          unread = unread.slice(end + length);
          return true;
        }
        if (!await readMore()) return false;
      }
    };
    while (unread !== "" || await readMore()) {
      this.requests++;
      const { wire, isEarly, afterwards } = this.answer ?? GOOD_ANSWER;
      // Closing with unread bytes makes the system send a reset.
      const answersFirst = isEarly || afterwards === "reset";
      if (!answersFirst && !await skip()) return;
      await writeAll(connection, wire);
      if (afterwards !== "keep") return;
      if (answersFirst && !await skip()) return;
    }
  }

  close(): void {
    closeQuietly(this.#listener);
    for (const connection of this.#open) closeQuietly(connection);
  }
}
