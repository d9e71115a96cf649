import { type DrainOptions, type DrainState, startDrain } from "./drain.ts";
import type { Spool } from "./spool.ts";
import { openSqliteSpool, type SqliteSpoolOptions } from "./sqlite_spool.ts";

/** What happened, in words for the server's log. */
export interface DrainNews {
  readonly level: "info" | "warn" | "error";
  readonly message: string;
  readonly attributes: Readonly<Record<string, string | number>>;
}

/** An open spool, and from {@linkcode RunningSpool.drain} on what empties it. */
export interface RunningSpool extends Pick<Spool, "put" | "has" | "hasSequence" | "stats"> {
  /** Begins to deliver what waits, and what will be put. */
  drain(options: Omit<DrainOptions, "spool" | "onState" | "clock">): void;
  /** Ends the deliveries; what is put later waits for the next start. */
  stopDraining(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens the SQLite spool of a server.
 *
 * @param onNews told when something changes, never for each envelope
 * @throws as {@linkcode openSqliteSpool}
 */
export async function openSpool(
  options: SqliteSpoolOptions,
  onNews: (news: DrainNews) => void,
): Promise<RunningSpool> {
  const spool = await openSqliteSpool(options);
  let drain: ReturnType<typeof startDrain> | undefined;
  return {
    async put(envelope) {
      const { dsn } = envelope;
      const kept = await spool.put(envelope);
      drain?.wake(dsn);
      return kept;
    },
    has: (key) => spool.has(key),
    hasSequence: (dsn, sequence) => spool.hasSequence(dsn, sequence),
    stats: () => spool.stats(),
    drain(deliveries) {
      drain = startDrain({ ...deliveries, spool, onState: (state) => onNews(newsOf(state)) });
    },
    async stopDraining() {
      await drain?.stop();
    },
    close: () => spool.close(),
  };
}

function newsOf(state: DrainState): DrainNews {
  switch (state.state) {
    case "recovered":
      return {
        level: "info",
        message: "Nothing waits any more for an ingest that was down",
        attributes: { origin: state.origin },
      };
    case "nearly full": {
      const { bytes, maxBytes } = state;
      return {
        level: "warn",
        message: "The spool is nearly full",
        attributes: { bytes, maxBytes },
      };
    }
    case "spool unavailable":
      return {
        level: "error",
        message: "The spool fails: nothing that waits in it is delivered",
        attributes: { reason: state.reason },
      };
  }
}
