/**
 * Another process on the same spool. Arguments: the task, the file or `DATABASE_URL`. Prints one line for each result.
 */
import { Drain } from "../../monitoring/relay/spool/drain.ts";
import { openPostgresSpool } from "../../monitoring/relay/spool/postgres_spool.ts";
import type { Spool } from "../../monitoring/relay/spool/spool.ts";
import { openSqliteSpool } from "../../monitoring/relay/spool/sqlite_spool.ts";
import {
  envelope,
  noLimits,
  numberOf,
  upstreamsThatAreUp,
} from "../../monitoring/relay/spool/testdata/envelopes.ts";
import { parsePostgresUrl } from "../../monitoring/storage/postgres_address.ts";

const TASKS: Record<string, (spool: Spool) => Promise<void>> = {
  /** When its input ends, delivers until the spool is empty. Prints what it delivered, and when. */
  async drain(spool) {
    print("ready");
    await Deno.stdin.read(new Uint8Array(1));
    const drain = new Drain({
      spool,
      log: () => {},
      upstreamOf: upstreamsThatAreUp(),
      limitsOf: noLimits,
      deliver(leased) {
        print(`${numberOf(leased)} ${performance.timeOrigin + performance.now()}`);
        return Promise.resolve({ kind: "decided" });
      },
    });
    while ((await spool.stats()).pending > 0) await nextTask();
    await drain.stop();
    await spool.close();
  },

  /** Opens a spool and a drain, uses both, closes nothing. */
  async leave(spool) {
    new Drain({
      spool,
      log: () => {},
      upstreamOf: upstreamsThatAreUp(),
      limitsOf: noLimits,
      deliver: () => Promise.resolve({ kind: "undecided", fault: "ingest" }),
    });
    print(await spool.put(envelope(1)));
  },
};

function print(line: unknown): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}

function nextTask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

const [task = "", path = ""] = Deno.args;
const limits = { maxBytes: 1e9, maxAgeHours: 1 };
const address = parsePostgresUrl(path);
const spool = address
  ? await openPostgresSpool({ address, ...limits })
  : await openSqliteSpool({ path, ...limits });
await TASKS[task]?.(spool);
