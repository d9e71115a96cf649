/**
 * `deno task faults`: runs the real server under load while a stand-in ingest often fails, and compares what the server
 * acknowledged with what arrived. Exits with 1 if an acknowledged envelope is lost or was delivered twice without a known
 * reason.
 *
 * - `--kills=N` (default 200): ends N short runs of the server by SIGKILL
 * - `--minutes=N`: also rate-limits categories, answers some envelopes with 5xx, resets and delays responses, fills the
 *   disk, sets the clock back, and stops the server by SIGTERM
 * - `--servers=N`: runs N servers on one spool
 * - `--database`: the spool is in a temporary PostgreSQL, which crashes once for ten ends of servers
 * - `--seed=S`: repeats a run
 */
import { startPostgres } from "../../monitoring/storage/testdata/private_postgres.ts";
import { failuresOf } from "./_delivery_log.ts";
import { countsOf, type FaultRunOptions, runFaults } from "./_fault_run.ts";
import { ALL_FAULTS, FLEET_KILLS, KILLS } from "./fault_profiles.ts";
import { readArguments, runTask, UserError } from "../../tools/command_line.ts";
import { readWholeNumber } from "../harness/whole_number.ts";

const DEFAULT_KILLS = 200;
/** @throws {UserError} an option is not valid */
function readFaultOptions(
  args: readonly string[],
  seed: number,
): Omit<FaultRunOptions, "postgres"> & { readonly isInDatabase: boolean } {
  const number = { type: "string" } as const;
  const { values } = readArguments(
    "run",
    "deno task faults [--kills=N | --minutes=N] [--servers=N] [--database] [--seed=S]",
    {
      args: [...args],
      options: {
        kills: number,
        minutes: number,
        servers: number,
        seed: number,
        database: { type: "boolean", default: false },
      },
    },
  );
  const minutes = readWholeNumber("minutes", values.minutes);
  const kills = readWholeNumber("kills", values.kills);
  if (minutes !== undefined && kills !== undefined) {
    throw new UserError("Cannot run: --kills and --minutes are given. Give one of them.");
  }
  const servers = readWholeNumber("servers", values.servers) ?? 1;
  return {
    servers,
    isInDatabase: values.database,
    seed: readWholeNumber("seed", values.seed) ?? seed,
    ...minutes === undefined
      ? {
        until: { runs: kills ?? DEFAULT_KILLS },
        profile: servers > 1 ? FLEET_KILLS : KILLS,
      }
      : { until: { ms: minutes * 60_000 }, profile: ALL_FAULTS },
  };
}

async function main(): Promise<number> {
  const { isInDatabase, ...options } = readFaultOptions(Deno.args, Date.now() % 1_000_000_000);
  await using postgres = isInDatabase ? await startPostgres() : undefined;
  console.log(`Seed ${options.seed}`);
  const begin = performance.now();
  const report = await runFaults({ ...options, postgres });
  console.log(countsOf(report));
  const failures = failuresOf(report);
  for (const line of failures) console.log(line);
  console.log(`Seed ${options.seed}, ${((performance.now() - begin) / 60_000).toFixed(1)} min`);
  console.log(`${failures.length} failures`);
  return failures.length === 0 ? 0 : 1;
}

if (import.meta.main) await runTask(main, 2);
