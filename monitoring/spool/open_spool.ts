import { Drain } from "./drain.ts";
import type { DrainOptions, DrainState } from "./drain_options.ts";
import { NewsExchange, type Sharing } from "./news.ts";
import type { PostgresSpoolOptions } from "./postgres_spool.ts";
import type { Spool } from "./spool.ts";
import { openSqliteSpool, type SqliteSpoolOptions } from "./sqlite_spool.ts";

/** The spool as the server uses it: a backend and, once started, its drain. */
export interface ServerSpool
  extends Pick<Spool, "put" | "has" | "hasSequence" | "stats" | "close"> {
  /** Starts to deliver what is in the spool and what is put later. */
  startDraining(options: Omit<DrainOptions, "spool" | "onState" | "clock">): void;
  /** Starts to exchange news with the other servers on this spool, until it is closed. Resolves once theirs are known. */
  startSharing(sharing: Sharing): Promise<void>;
  /** Ends the deliveries; what is put later stays for the next start. */
  stopDraining(): Promise<void>;
}

/** Receives a line for the server's log. */
export type SpoolLog = (
  level: "info" | "warn" | "error",
  message: string,
  attributes?: Readonly<Record<string, string | number>>,
) => void;

/** Minimum milliseconds between two log lines about envelopes that cannot be stored. */
const FAILED_PUT_LOG_MS = 60_000;

/**
 * Opens the server's spool: in a PostgreSQL if an address is given, else in SQLite.
 *
 * @param log called when the drain's state changes or puts fail, not for each envelope
 * @throws {DatabaseOpenError} one line for the operator
 */
export async function openSpool(
  options: SqliteSpoolOptions | PostgresSpoolOptions,
  log: SpoolLog,
): Promise<ServerSpool> {
  const spool = await openBackend(options);
  let drain: Drain | undefined;
  let news: NewsExchange | undefined;
  let failureLoggedAt = -Infinity;
  return {
    async put(envelope) {
      const { dsn } = envelope;
      try {
        const result = await spool.put(envelope);
        drain?.wake(dsn);
        return result;
      } catch (error) {
        // On a full disk the drain works, so it reports nothing.
        if (performance.now() - failureLoggedAt >= FAILED_PUT_LOG_MS) {
          failureLoggedAt = performance.now();
          const reason = error instanceof Error ? error.message : String(error);
          log("error", "The spool cannot store envelopes", { reason });
        }
        throw error;
      }
    },
    has: (key) => spool.has(key),
    hasSequence: (dsn, sequence) => spool.hasSequence(dsn, sequence),
    stats: () => spool.stats(),
    async close() {
      await news?.stop();
      await spool.close();
    },
    async startSharing(sharing) {
      news = new NewsExchange(spool, sharing);
      await news.started();
    },
    startDraining(deliveries) {
      drain = new Drain({ ...deliveries, spool, onState: (state) => logState(log, state) });
    },
    async stopDraining() {
      await drain?.stop();
    },
  };
}

async function openBackend(options: SqliteSpoolOptions | PostgresSpoolOptions): Promise<Spool> {
  if (!("address" in options)) return await openSqliteSpool(options);
  // Loaded here, because most servers have no PostgreSQL.
  const { openPostgresSpool } = await import("./postgres_spool.ts");
  return await openPostgresSpool(options);
}

function logState(log: SpoolLog, state: DrainState): void {
  switch (state.state) {
    case "recovered":
      return log("info", "The spool has drained after an outage", { origin: state.origin });
    case "nearly full": {
      const { bytes, maxBytes } = state;
      return log("warn", "The spool is nearly full", { bytes, maxBytes });
    }
    case "expired":
      return log("error", "Envelopes were dropped: they were too old before an ingest took them", {
        envelopes: state.envelopes,
      });
    case "spool available":
      return log("info", "The spool works again");
    case "spool unavailable":
      return log("error", "The spool fails: none of its envelopes is delivered", {
        reason: state.reason,
      });
  }
}
