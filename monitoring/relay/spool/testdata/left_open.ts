/** A program that uses a spool and a drain and closes neither. Its argument is the file. */
import { parseDsn } from "../../../protocol/dsn.ts";
import { AllowList } from "../../admit/allow_list.ts";
import { Duplicates } from "../../admit/duplicates.ts";
import { RelayMetrics } from "../../metrics.ts";
import { CircuitBreaker } from "../../send/circuit_breaker.ts";
import { RateLimits } from "../../send/rate_limits.ts";
import { startDrain } from "../drain.ts";
import { SYSTEM_CLOCK } from "../../send/clock.ts";
import { openSqliteSpool } from "../sqlite_spool.ts";
import { DSN, envelope } from "./envelopes.ts";

const spool = await openSqliteSpool({ path: Deno.args[0]!, maxBytes: 1e9, maxAgeHours: 1 });
const breaker = new CircuitBreaker("", SYSTEM_CLOCK);
startDrain({
  spool,
  log: () => {},
  clock: SYSTEM_CLOCK,
  client: {
    breakers: [],
    ingests: [],
    breakerOf: () => breaker,
    attempt: () => Promise.resolve({ kind: "undecided", fault: "ingest", reason: "" }),
  },
  allowList: new AllowList([parseDsn(DSN)!]),
  duplicates: new Duplicates(),
  limits: new RateLimits(),
  metrics: new RelayMetrics(),
  report: () => {},
});
console.log(await spool.put(envelope(1)));
