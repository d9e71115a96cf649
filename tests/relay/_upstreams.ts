/** The other end of the relay's connections: an ingest with TLS, a proxy, host names. */
import { lookup } from "node:dns/promises";
import { fileURLToPath } from "node:url";

const testdata = (name: string) => fileURLToPath(new URL(`testdata/${name}`, import.meta.url));

/** The certificate of an ingest by TLS, for `ingest.test` and `localhost`. */
export const CERTIFICATE = testdata("ingest_cert.pem");

/** An ingest that takes every envelope. */
export interface Ingest extends AsyncDisposable {
  readonly port: number;
  /** Bodies of its requests so far. */
  readonly bodies: readonly string[];
}

export interface IngestOptions {
  readonly hostname?: string;
  /** Whether it speaks TLS. Default: no. */
  readonly tls?: boolean;
}

/** Starts an ingest on a free port of one address. */
export function startIngest({ hostname = "127.0.0.1", tls = false }: IngestOptions = {}): Ingest {
  const bodies: string[] = [];
  const files = tls
    ? {
      cert: Deno.readTextFileSync(CERTIFICATE),
      key: Deno.readTextFileSync(testdata("ingest_key.pem")),
    }
    : {};
  const server = Deno.serve(
    { hostname, port: 0, onListen() {}, ...files },
    async (request) => {
      bodies.push(await request.text());
      return Response.json({ id: "taken" });
    },
  );
  return {
    port: server.addr.port,
    bodies,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** An HTTP proxy that leads every tunnel to one port of the loopback. */
export interface StandInProxy extends AsyncDisposable {
  readonly port: number;
  /** Heads of the requests so far. */
  readonly heads: readonly string[];
  /** From now on it answers so instead of letting anything through. */
  refuse(status: number): void;
}

/** @param target port of the ingest that tunnels lead to */
export function startProxy(target: number): StandInProxy {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const heads: string[] = [];
  const open = new Set<Deno.Conn>();
  let refusal: number | undefined;

  const serve = async (connection: Deno.Conn) => {
    // One request for each connection: the relay must not send another one on it.
    const answer = (status: string, body: string) =>
      send(
        connection,
        `HTTP/1.1 ${status}\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
      );
    const head = await readHead(connection);
    heads.push(head);
    if (refusal !== undefined) {
      await answer(`${refusal} Refused`, "");
    } else if (head.startsWith("CONNECT ")) {
      const ingest = await Deno.connect({ hostname: "127.0.0.1", port: target });
      open.add(ingest);
      await send(connection, "HTTP/1.1 200 Connection established\r\n\r\n");
      await Promise.all([
        connection.readable.pipeTo(ingest.writable),
        ingest.readable.pipeTo(connection.writable),
      ]);
    } else {
      await answer("200 OK", '{"id":"taken"}');
    }
  };
  const serving: Promise<void>[] = [];
  const accepting = (async () => {
    for await (const connection of listener) {
      open.add(connection);
      // Closed by the relay, or by the test's end.
      serving.push(serve(connection).catch(() => {}));
    }
  })();
  return {
    port: (listener.addr as Deno.NetAddr).port,
    heads,
    refuse: (status) => refusal = status,
    async [Symbol.asyncDispose]() {
      listener.close();
      for (const connection of open) {
        try {
          connection.close();
        } catch {
          // Closed with its streams.
        }
      }
      await Promise.all([accepting, ...serving]);
    },
  };
}

async function readHead(connection: Deno.Conn): Promise<string> {
  let head = "";
  const buffer = new Uint8Array(4096);
  while (!head.includes("\r\n\r\n")) {
    const count = await connection.read(buffer);
    if (count === null) throw new Error("The head broke off.");
    head += new TextDecoder().decode(buffer.subarray(0, count));
  }
  return head.slice(0, head.indexOf("\r\n\r\n"));
}

async function send(connection: Deno.Conn, text: string): Promise<void> {
  await connection.write(new TextEncoder().encode(text));
}

/** A name with two addresses, as one process sees it. */
export interface TwoAddresses extends AsyncDisposable {
  readonly name: string;
  readonly addresses: readonly [string, string];
  /** Command that the process must run first: `before` of `startServer`. */
  readonly before?: string;
}

/**
 * `localhost`, where it has two addresses, as on most machines; else, on Linux, in a mount namespace
 * of the server's own with a hosts file of its own.
 *
 * @throws where neither is possible: the test is never skipped silently
 */
export async function twoAddresses(): Promise<TwoAddresses> {
  // By the system's own resolver, as the server asks it.
  const found = (await lookup("localhost", { all: true })).map(({ address }) => address);
  if (found.includes("::1") && found.includes("127.0.0.1")) {
    const addresses = ["::1", "127.0.0.1"] as const;
    return { name: "localhost", addresses, async [Symbol.asyncDispose]() {} };
  }
  const folder = await Deno.makeTempDir({ prefix: "sightglass-hosts-" });
  const hosts = `${folder}/hosts`;
  await Deno.writeTextFile(hosts, "127.0.0.1 localhost\n127.0.0.2 localhost\n");
  const mount = `mount --bind ${hosts} /etc/hosts`;
  const own = ["unshare", "--map-root-user", "--mount", "sh", "-c"];
  const { success } = await new Deno.Command(own[0]!, { args: [...own.slice(1), mount] }).output();
  if (!success) {
    throw new Error(
      "Cannot test a name with several addresses: localhost has one here, and this machine allows " +
        "no mount namespace (unshare --map-root-user --mount).",
    );
  }
  return {
    name: "localhost",
    addresses: ["127.0.0.1", "127.0.0.2"],
    // The server keeps its process id: each of these replaces the one before.
    before: `set -- ${own.join(" ")} '${mount} && exec "$@"' sh "$@"`,
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}
