/** A program that uses a spool and a drain and closes neither. Its argument is the file. */
import { Drain } from "../drain.ts";
import { openSqliteSpool } from "../sqlite_spool.ts";
import { envelope } from "./envelopes.ts";

const spool = await openSqliteSpool({ path: Deno.args[0]!, maxBytes: 1e9, maxAgeHours: 1 });
const upstream = {
  origin: "",
  isProbed: false,
  probesNewest: true,
  probeInMs: 0,
  isDown: false,
  onUp: undefined,
};
new Drain({
  spool,
  log: () => {},
  upstreamOf: () => upstream,
  limitsOf: () => 0,
  deliver: () => Promise.resolve({ kind: "undecided", fault: "ingest" }),
});
console.log(await spool.put(envelope(1)));
