import { setTimeout as delay } from "node:timers/promises";
// @ts-types="./pg.d.ts"
import pg, { type ConnectionOptions } from "pg";

/** Minimum milliseconds between two hints, sent or received: any number of servers may send them. */
const GAP_MS = 100;
/** Exponential backoff bounds of connecting again. */
const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 60_000;

/**
 * Notifies other processes that a store has changed, and is notified by them, over a connection of its own. Only hints:
 * any may be lost, so changes are polled for as well, and failures are not reported.
 */
export class PostgresHints {
  readonly #closing = new AbortController();
  #client: InstanceType<typeof pg.Client> | undefined;
  /**
   * Notifies the others soon, once for several calls. In the transaction of a change NOTIFY would make it wait for all
   * others that commit.
   */
  readonly send: () => void;
  readonly #received: () => void;

  /**
   * @param channel an identifier
   * @param onHint called soon after another process has called `send`, once for several calls and not before it is done
   *   with the last; must not reject
   */
  constructor(options: ConnectionOptions, channel: string, onHint: () => Promise<void>) {
    this.send = this.#spaced(() =>
      // A connection that does not work is replaced.
      this.#client?.query(`NOTIFY ${channel}`).catch(() => void this.#client?.end())
    );
    this.#received = this.#spaced(onHint);
    void this.#listen(options, channel);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#client?.end();
  }

  /** Listens until it is closed, with one connection after another. */
  async #listen(options: ConnectionOptions, channel: string): Promise<void> {
    for (let retryMs = FIRST_RETRY_MS; !this.#closing.signal.aborted;) {
      const client = new pg.Client(options);
      const lost = new Promise<"lost">((resolve) => {
        client.on("error", () => resolve("lost"));
        client.on("end", () => resolve("lost"));
      });
      client.on("notification", ({ processId }) => {
        if (processId !== client.processID) this.#received();
      });
      this.#client = client;
      const result = await Promise.race([
        lost,
        startListening(client, channel).catch(() => "lost"),
      ]);
      if (result === "listening") {
        retryMs = FIRST_RETRY_MS;
        await lost;
      }
      this.#client = undefined;
      client.end().catch(() => {});
      if (result === "pooled") return;
      await this.#wait(retryMs);
      retryMs = Math.min(MAX_RETRY_MS, 2 * retryMs);
    }
  }

  /** Returns a function that does the work soon, but not again before it is done and {@linkcode GAP_MS} have passed. */
  #spaced(work: () => Promise<unknown> | undefined): () => void {
    let [isDue, isRunning] = [false, false];
    const run = async () => {
      isRunning = true;
      while (isDue && !this.#closing.signal.aborted) {
        isDue = false;
        await work();
        await this.#wait(GAP_MS);
      }
      isRunning = false;
    };
    return () => {
      isDue = true;
      if (!isRunning) void run();
    };
  }

  /** Ends early when this is closed, and does not keep the process running. */
  async #wait(ms: number): Promise<void> {
    await delay(ms, undefined, { ref: false, signal: this.#closing.signal }).catch(() => {});
  }
}

async function startListening(
  client: InstanceType<typeof pg.Client>,
  channel: string,
): Promise<"listening" | "pooled"> {
  await client.connect();
  client.unref();
  const { rows: [row] } = await client.query("SELECT pg_backend_pid() AS id");
  // A pooler, which made up an id for this client, passes notifications to any client or to none.
  if (row?.id !== client.processID) return "pooled";
  await client.query(`LISTEN ${channel}`);
  return "listening";
}
