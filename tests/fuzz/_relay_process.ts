import { HTTP_CLIENT_VARIABLES } from "../../tools/run/permissions.ts";
import { fileURLToPath } from "node:url";
import { fresh } from "../relay/_start_relay.ts";
import { closeQuietly, writeAll } from "../harness/stand_in_ingest.ts";
import { type ClientResponse, parseStrictly } from "./_strict_response.ts";

/** Far longer than any response takes: a longer wait is a hang. */
const RESPONSE_MS = 20_000;
/** Maximum time between the loss of a process's connections and its exit status. */
const EXIT_STATUS_MS = 500;

/** A relay in a separate process, which runs _relay_child.ts. */
export class RelayProcess {
  readonly #process: Deno.ChildProcess;
  readonly #stderr: Promise<string>;
  readonly #relay: { readonly hostname: string; readonly port: number };
  readonly #controls: string;
  hasEnded = false;

  private constructor(process: Deno.ChildProcess, relay: string, controls: string) {
    this.#process = process;
    this.#stderr = new Response(process.stderr).text();
    const [hostname = "", port] = relay.split(":");
    this.#relay = { hostname, port: Number(port) };
    this.#controls = `http://${controls}/`;
    void process.status.then(() => this.hasEnded = true);
  }

  /** @param upstream origin of the ingest */
  static async start(upstream: string): Promise<RelayProcess> {
    const module = fileURLToPath(new URL("_relay_child.ts", import.meta.url));
    const process = new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "--no-prompt",
        "--allow-net=127.0.0.1",
        `--allow-env=${HTTP_CLIENT_VARIABLES.join(",")}`,
        "--v8-flags=--expose-gc",
        module,
        upstream,
      ],
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
      env: { NO_COLOR: "1" },
    }).spawn();
    let printed = "";
    for await (const chunk of process.stdout.values({ preventCancel: true })) {
      printed += new TextDecoder().decode(chunk);
      if (printed.includes("\n")) break;
    }
    // Drains the pipe: a full one would block the process.
    void process.stdout.pipeTo(new WritableStream());
    const [relay = "", controls = ""] = printed.trim().split(" ");
    return new RelayProcess(process, relay, controls);
  }

  /** Posts a new envelope of one event and reads the response to its last byte. */
  async post(): Promise<ClientResponse> {
    const body = fresh();
    const connection = await this.#whileAlive(Deno.connect(this.#relay));
    try {
      const head = new TextEncoder().encode(
        `POST /monitoring HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: ${body.length}\r\n\r\n`,
      );
      await writeAll(connection, head);
      await writeAll(connection, body);
      const bytes = within(new Response(connection.readable).bytes(), RESPONSE_MS);
      return parseStrictly(await this.#whileAlive(bytes));
    } finally {
      closeQuietly(connection);
    }
  }

  /** Advances both clocks of the relay. */
  async advanceClock(ms: number): Promise<void> {
    const response = await this.#whileAlive(
      fetch(`${this.#controls}?ms=${ms}`, { method: "POST" }),
    );
    await response.body?.cancel();
  }

  /** Bytes of memory in use after garbage collection, or of bodies in flight. */
  async bytesOf(what: "memory" | "in-flight"): Promise<number> {
    return await (await this.#whileAlive(fetch(this.#controls + what))).json();
  }

  async stop(): Promise<void> {
    if (this.hasEnded) await this.#process.stdin.close().catch(() => {});
    else await this.#process.stdin.close();
    await this.#process.status;
    await this.#stderr;
  }

  /** Waits for `work`. If it fails because the process has ended, throws an error with the exit status. */
  async #whileAlive<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      // The exit status is available shortly after the connections break.
      const end = await within(this.#process.status, EXIT_STATUS_MS).catch(() => undefined);
      if (end === undefined) throw error;
      this.hasEnded = true;
      throw new Error(
        `The relay's process has ended (${end.signal ?? end.code}): ${await this.#stderr}`,
      );
    }
  }
}

async function within<T>(work: Promise<T>, ms: number): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`No response in ${ms} ms.`)), ms);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
