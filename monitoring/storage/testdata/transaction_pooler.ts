/** A connection pooler in transaction mode, at its strictest: every transaction gets a new connection to the server. */
interface TransactionPooler extends AsyncDisposable {
  readonly port: number;
  /** Connections to the server that were opened so far. */
  readonly opened: number;
  /** Cuts the next COMMIT's connection: before the server gets it, or after the server has done it. */
  cutCommit(when: "before" | "after"): void;
  /** Whether it passes nothing on: clients wait for an answer. */
  hangs: boolean;
  /** Whether it refuses logins, as PgBouncer does for some seconds after the server has refused one. */
  refusesLogins: boolean;
}

const SSL_REQUEST = 80877103;
const AUTHENTICATED = new Uint8Array([82, 0, 0, 0, 8, 0, 0, 0, 0, 90, 0, 0, 0, 5, 73]);
const REASON = "SFATAL\0C08P01\0Mserver login has been failing, try again later\0\0";
const LOGIN_REFUSED = new Uint8Array([
  ...[69, 0, 0, 0, REASON.length + 4],
  ...new TextEncoder().encode(REASON),
]);
const [QUERY, READY, TERMINATE, IDLE] = ["Q", "Z", "X", "I"].map((letter) => letter.charCodeAt(0));

/**
 * Starts a pooler in plain text.
 *
 * @param serverPort of a server that trusts the user
 */
export function startPooler(serverPort: number): TransactionPooler {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const open = new Set<Deno.Conn>();
  let cut: "before" | "after" | undefined;
  let opened = 0;

  const close = (connection: Deno.Conn | undefined) => {
    if (connection && open.delete(connection)) connection.close();
  };

  const connectServer = async (startup: Uint8Array): Promise<[Deno.Conn, Reader]> => {
    const server = await Deno.connect({ hostname: "127.0.0.1", port: serverPort });
    open.add(server);
    opened++;
    await write(server, startup);
    const reader = new Reader(server);
    while ((await reader.message())[0] !== READY);
    return [server, reader];
  };

  const serve = async (client: Deno.Conn) => {
    const requests = new Reader(client);
    let startup = await requests.startup();
    if (int32(startup, 4) === SSL_REQUEST) {
      await write(client, new TextEncoder().encode("N"));
      startup = await requests.startup();
    }
    if (pooler.refusesLogins) {
      await write(client, LOGIN_REFUSED);
      return close(client);
    }
    await write(client, AUTHENTICATED);
    let server: Deno.Conn | undefined;
    let isCut = false;
    const answer = async (own: Deno.Conn, answers: Reader) => {
      for (;;) {
        const message = await answers.message();
        const isOver = message[0] === READY && message[5] === IDLE;
        if (isOver) {
          server = undefined;
          close(own);
        }
        if (isCut && isOver) return close(client);
        if (!isCut) await write(client, message);
        if (isOver) return;
      }
    };
    for (;;) {
      const message = await requests.message();
      if (message[0] === TERMINATE) return close(server);
      if (pooler.hangs) continue;
      const text = new TextDecoder().decode(message.subarray(5, -1));
      if (cut !== undefined && message[0] === QUERY && text === "COMMIT") {
        const when = cut;
        cut = undefined;
        if (when === "before") return close(server);
        isCut = true;
      }
      if (!server) {
        const [own, answers] = await connectServer(startup);
        server = own;
        answer(own, answers).catch(() => close(client)).finally(() => close(own));
      }
      await write(server, message);
    }
  };

  const accepting = (async () => {
    for await (const client of listener) {
      open.add(client);
      // Either side closes its connection when it likes to.
      serve(client).catch(() => {}).finally(() => close(client));
    }
  })();

  const pooler: TransactionPooler = {
    port: listener.addr.port,
    hangs: false,
    refusesLogins: false,
    get opened() {
      return opened;
    },
    cutCommit: (when) => void (cut = when),
    async [Symbol.asyncDispose]() {
      listener.close();
      for (const connection of open) close(connection);
      await accepting;
    },
  };
  return pooler;
}

/** Reads messages: a letter, then the length of the rest in 4 bytes, which count themselves. */
class Reader {
  #bytes = new Uint8Array();

  constructor(readonly connection: Deno.Conn) {}

  /** The first message has no letter. */
  startup(): Promise<Uint8Array> {
    return this.#take(0);
  }

  message(): Promise<Uint8Array> {
    return this.#take(1);
  }

  async #take(letters: number): Promise<Uint8Array> {
    await this.#fill(letters + 4);
    const end = letters + int32(this.#bytes, letters);
    await this.#fill(end);
    const message = this.#bytes.slice(0, end);
    this.#bytes = this.#bytes.subarray(end);
    return message;
  }

  async #fill(count: number): Promise<void> {
    const chunk = new Uint8Array(65_536);
    while (this.#bytes.length < count) {
      const read = await this.connection.read(chunk);
      if (read === null) throw new Error("The connection was closed.");
      const joined = new Uint8Array(this.#bytes.length + read);
      joined.set(this.#bytes);
      joined.set(chunk.subarray(0, read), this.#bytes.length);
      this.#bytes = joined;
    }
  }
}

function int32(bytes: Uint8Array, at: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset).getInt32(at);
}

async function write(connection: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
}
