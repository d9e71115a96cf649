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
import type { DuplicateReason } from "./_delivery_log.ts";
import { type FaultReport, type FaultRunOptions, runFaults } from "./_fault_run.ts";
import { ALL_FAULTS, FLEET_KILLS, KILLS } from "./fault_profiles.ts";
import { readArguments, readWholeNumber, runTask, UserError } from "../../tools/command_line.ts";

const DEFAULT_KILLS = 200;
/** Maximum number of lines for one kind of failure. */
const MAX_LINES = 50;

const REASONS: Record<DuplicateReason, string> = {
  "killed": "SIGKILL before the ingest's response was recorded or acknowledged",
  "answer lost": "the response was cut off, or the relay had stopped waiting",
  "disk full": "stopped while the disk was too full to record the response",
  "not shared yet": "two servers got copies of it within a second",
  "database down": "no server could know that another had spooled or delivered it",
  "unexplained": "NOT EXPLAINED",
};

/** @throws {UserError} an option is not valid */
export function readFaultOptions(
  args: readonly string[],
  seed: number,
): Omit<FaultRunOptions, "postgres" | "onProgress"> & { readonly isInDatabase: boolean } {
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

/** The report as lines; the last one is the result. */
export function describeReport(report: FaultReport): string[] {
  const { posted, outcomes, resent, refusals, faults, duplicates, lost, wrong, spooled } = report;
  const lines = Object.entries(faults).sort().map(([fault, count]) => counted(count, fault));
  lines.push(counted(posted, "envelopes posted"), counted(resent, "of them more than once"));
  for (const [outcome, count] of Object.entries(outcomes).sort()) {
    lines.push(counted(count, `acknowledged as ${outcome}`));
  }
  for (const [refusal, count] of Object.entries(refusals).sort()) {
    lines.push(counted(count, `not acknowledged: ${refusal}`));
  }
  lines.push(counted(spooled, "envelopes in the spool at the end"));
  lines.push(counted(duplicates.length, "duplicates"));
  for (const [reason, text] of Object.entries(REASONS)) {
    const ids = duplicates.filter((one) => one.reason === reason).map(({ id }) => id);
    lines.push(counted(ids.length, `${reason}: ${text}`));
    if (reason === "unexplained") lines.push(...shortened(ids.map((id) => `twice: ${id}`)));
  }
  lines.push(...shortened(wrong.map((sentence) => `wrong: ${sentence}`)));
  lines.push(...shortened(lost.map((id) => `lost: ${id}`)));
  const unexplained = duplicates.filter(({ reason }) => reason === "unexplained").length;
  const result = `acknowledged and lost ${lost.length}, duplicates without a reason ${unexplained}`;
  return [...lines, `${result}, otherwise wrong ${wrong.length}`];
}

/** Whether nothing was lost, doubled without a reason, or otherwise wrong. */
export function hasPassed({ lost, wrong, duplicates }: FaultReport): boolean {
  return lost.length === 0 && wrong.length === 0 &&
    duplicates.every(({ reason }) => reason !== "unexplained");
}

function counted(count: number, what: string): string {
  return `${String(count).padStart(8)}  ${what}`;
}

function shortened(lines: readonly string[]): string[] {
  const more = lines.length - MAX_LINES;
  return more > 0 ? [...lines.slice(0, MAX_LINES), `and ${more} more`] : [...lines];
}

async function main(): Promise<number> {
  const { isInDatabase, ...options } = readFaultOptions(Deno.args, Date.now() % 1_000_000_000);
  await using postgres = isInDatabase ? await startPostgres() : undefined;
  console.log(`Seed ${options.seed}`);
  const begin = performance.now();
  const report = await runFaults({ ...options, postgres, onProgress: (line) => console.log(line) });
  for (const line of describeReport(report)) console.log(line);
  console.log(`Seed ${options.seed}, ${((performance.now() - begin) / 60_000).toFixed(1)} min`);
  return hasPassed(report) ? 0 : 1;
}

if (import.meta.main) await runTask(main, 2);
