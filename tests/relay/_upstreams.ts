/** What the relay connects to: a certificate of an ingest, a proxy, a host name with two addresses. */
import { lookup } from "node:dns/promises";
import { fileURLToPath } from "node:url";
import { closeQuietly, writeAll } from "../harness/stand_in_ingest.ts";

const testdata = (name: string) => fileURLToPath(new URL(`testdata/${name}`, import.meta.url));

/** Certificate of an ingest with TLS, for `ingest.test` and `localhost`. */
export const CERTIFICATE = testdata("ingest_cert.pem");

/** For an ingest with TLS. */
export const TLS = {
  cert: Deno.readTextFileSync(CERTIFICATE),
  key: Deno.readTextFileSync(testdata("ingest_key.pem")),
};

/** Starts an HTTP proxy whose tunnels all lead to one port of the loopback. */
export function startProxy(target: number) {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const heads: string[] = [];
  const clients = new Set<Deno.Conn>();
  let refusal: number | undefined;

  const serve = async (client: Deno.Conn) => {
    // One request for each connection: the relay must not send another one on it.
    const respond = (status: string, body: string) =>
      send(
        client,
        `HTTP/1.1 ${status}\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
      );
    const head = await readHead(client);
    heads.push(head);
    if (refusal !== undefined) {
      await respond(`${refusal} Refused`, "");
    } else if (head.startsWith("CONNECT ")) {
      const ingest = await Deno.connect({ hostname: "127.0.0.1", port: target });
      try {
        await send(client, "HTTP/1.1 200 Connection established\r\n\r\n");
        await Promise.all([
          client.readable.pipeTo(ingest.writable),
          ingest.readable.pipeTo(client.writable),
        ]);
      } finally {
        closeQuietly(ingest);
      }
    } else {
      await respond("200 OK", '{"id":"taken"}');
    }
  };
  const serving: Promise<void>[] = [];
  const accepting = (async () => {
    for await (const client of listener) {
      clients.add(client);
      // Fails when the relay, the ingest or the end of the test closes a connection.
      serving.push(serve(client).catch(() => {}).finally(() => closeQuietly(client)));
    }
  })();
  return {
    port: (listener.addr as Deno.NetAddr).port,
    /** Heads of the requests so far. */
    heads: heads as readonly string[],
    /** Answers all further requests with this status. */
    refuse: (status: number) => void (refusal = status),
    async [Symbol.asyncDispose]() {
      listener.close();
      for (const client of clients) closeQuietly(client);
      await Promise.all([accepting, ...serving]);
    },
  };
}

async function readHead(connection: Deno.Conn): Promise<string> {
  let head = "";
  const buffer = new Uint8Array(4096);
  while (!head.includes("\r\n\r\n")) {
    const count = await connection.read(buffer);
    if (count === null) throw new Error("The head is incomplete.");
    head += new TextDecoder().decode(buffer.subarray(0, count));
  }
  return head.slice(0, head.indexOf("\r\n\r\n"));
}

function send(connection: Deno.Conn, text: string): Promise<void> {
  return writeAll(connection, new TextEncoder().encode(text));
}

/** A host name with two addresses, in one server process. */
export interface TwoAddresses extends AsyncDisposable {
  readonly name: string;
  readonly addresses: readonly [string, string];
  /** Shell command for `before` of `startServer`. */
  readonly before?: string;
}

/**
 * `localhost`, which has two addresses on most machines. Elsewhere, on Linux, the server gets a hosts file of its own in
 * a mount namespace.
 *
 * @throws where neither is possible: the test is never skipped silently
 */
export async function twoAddresses(): Promise<TwoAddresses> {
  // The system's resolver, which the server uses too.
  const found = (await lookup("localhost", { all: true })).map(({ address }) => address);
  if (found.includes("::1") && found.includes("127.0.0.1")) {
    const addresses = ["::1", "127.0.0.1"] as const;
    return { name: "localhost", addresses, async [Symbol.asyncDispose]() {} };
  }
  const folder = await Deno.makeTempDir({ prefix: "sightglass-hosts-" });
  const hosts = `${folder}/hosts`;
  await Deno.writeTextFile(hosts, "127.0.0.1 localhost\n127.0.0.2 localhost\n");
  const mount = `mount --bind ${hosts} /etc/hosts`;
  const args = ["--map-root-user", "--mount", "sh", "-c"];
  const { success } = await new Deno.Command("unshare", { args: [...args, mount] }).output();
  if (!success) {
    throw new Error(
      "Cannot test a name with several addresses: localhost has one here, and this machine allows " +
        "no mount namespace (unshare --map-root-user --mount).",
    );
  }
  return {
    name: "localhost",
    addresses: ["127.0.0.1", "127.0.0.2"],
    // Each command replaces the one before, so that the server keeps its process id.
    before: `set -- unshare ${args.join(" ")} '${mount} && exec "$@"' sh "$@"`,
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}
