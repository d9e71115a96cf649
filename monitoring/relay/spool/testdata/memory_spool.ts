import { setImmediate } from "node:timers/promises";
import { openDatabase } from "../../../storage/open_database.ts";
import { type Spool, SpoolUnavailableError } from "../spool.ts";
import { SpoolFile, type SpoolLimits } from "../spool_file.ts";
import { SPOOL_SCHEMA } from "../sql.ts";

/** The SQLite spool in memory, without its thread: each call takes one turn of the event loop. */
export function openMemorySpool(limits: SpoolLimits): Spool {
  const db = openDatabase({
    store: "spool",
    path: undefined,
    schema: SPOOL_SCHEMA,
    onNotice: console.warn,
  });
  const file = new SpoolFile(db, limits);
  let leaseCount = 0;
  const call = async <T>(work: () => T): Promise<T> => {
    await setImmediate();
    if (!db.isOpen) throw new SpoolUnavailableError("it is closed");
    return file.transaction(work);
  };
  return {
    put: (envelope) => call(() => file.put(envelope)),
    has: (key) => call(() => file.has(key)),
    hasSequence: (dsn, sequence) => call(() => file.hasSequence(dsn, sequence)),
    lease: (request) => call(() => file.lease(request, `lease ${++leaseCount}`)),
    renew: (leases, now) => call(() => file.renew(leases, now)),
    complete: (lease) => call(() => file.complete(lease)),
    release: (lease, notBefore, failures) => call(() => file.release(lease, notBefore, failures)),
    expire: (now) => call(() => [...file.expire(now).dropped]),
    stats: () => call(() => file.stats()),
    exchange: (report, now) => call(() => file.exchange(report, now)),
    close: () => setImmediate().then(() => db.close()),
  };
}
