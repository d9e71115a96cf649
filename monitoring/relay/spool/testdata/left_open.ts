/** A program that uses a spool and a drain and closes neither. Its argument is the file. */
import { CircuitBreaker } from "../../send/circuit_breaker.ts";
import { Drain } from "../drain.ts";
import { openSqliteSpool } from "../sqlite_spool.ts";
import { envelope } from "./envelopes.ts";

const spool = await openSqliteSpool({ path: Deno.args[0]!, maxBytes: 1e9, maxAgeHours: 1 });
const clock = { now: Date.now, uptime: () => performance.now(), random: Math.random };
const breaker = new CircuitBreaker("", clock);
new Drain({
  spool,
  log: () => {},
  breakerOf: () => breaker,
  limitsOf: () => 0,
  deliver: () => Promise.resolve({ kind: "undecided", fault: "ingest" }),
  onDropped: () => {},
  onWaiting: () => {},
});
console.log(await spool.put(envelope(1)));
