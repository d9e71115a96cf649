/**
 * `deno task faults [--kills=N | --minutes=N] [--seed=S] [--servers=N] [--database]`: runs the real server under load while a stand-in ingest often
 * fails, and compares what the server acknowledged with what arrived. Exits with 1 if an acknowledged envelope is lost or
 * was delivered twice without a known reason.
 *
 * `--servers=N` runs N servers on one spool, and `--database` keeps it in a PostgreSQL of its own, which crashes once
 * for ten ends of servers.
 *
 * `--kills=N` (default 200) ends N short runs of the server by SIGKILL. `--minutes=N` also rate-limits categories,
 * answers some envelopes with 5xx, resets and delays responses, fills the disk, sets the clock back, and stops the
 * server by SIGTERM.
 */
import { startPostgres } from "../monitoring/storage/testdata/private_postgres.ts";
import type { DoubleReason } from "../tests/crash/_delivery_log.ts";
import {
  ALL_FAULTS,
  type FaultReport,
  type FaultRunOptions,
  FLEET_KILLS,
  KILLS,
  runFaults,
} from "../tests/crash/_fault_run.ts";

const DEFAULT_KILLS = 200;
/** Most lines printed for one kind of failure. */
const MAX_LINES = 50;

const REASONS: Record<DoubleReason, string> = {
  "killed": "SIGKILL before the ingest's response was recorded or acknowledged",
  "answer lost": "the response was cut off, or the relay had stopped waiting",
  "disk full": "stopped while the disk was too full to record the response",
  "not shared yet": "two servers got copies of it within a second",
  "database down": "no server could know that another had spooled or delivered it",
  "unexplained": "NOT EXPLAINED",
};

/** @throws {RangeError} an option is not valid; its message is ready to be printed */
export function readFaultOptions(
  args: readonly string[],
  seed: number,
): Omit<FaultRunOptions, "postgres" | "onProgress"> & { readonly isInDatabase: boolean } {
  const given = new Map<string, number>();
  const isInDatabase = args.includes("--database");
  for (const arg of args) {
    if (arg === "--database") continue;
    const [, name, value] = /^--(kills|minutes|seed|servers)=(\d{1,9})$/.exec(arg) ?? [];
    if (name === undefined) {
      const known = "--kills=N, --minutes=N, --servers=N, --database and --seed=S";
      throw new RangeError(`Cannot run: unknown option ${arg}. Known are ${known}.`);
    }
    given.set(name, Number(value));
  }
  const minutes = given.get("minutes");
  const kills = given.get("kills");
  if (minutes !== undefined && kills !== undefined) {
    throw new RangeError("Cannot run: --kills and --minutes are given. Give one of them.");
  }
  const servers = given.get("servers") ?? 1;
  return {
    servers,
    isInDatabase,
    seed: given.get("seed") ?? seed,
    ...minutes === undefined
      ? {
        until: { kills: kills ?? DEFAULT_KILLS },
        profile: servers > 1 ? FLEET_KILLS : KILLS,
      }
      : { until: { ms: minutes * 60_000 }, profile: ALL_FAULTS },
  };
}

/** The report as lines; the last one is the result. */
export function describeReport(report: FaultReport): string[] {
  const { posted, outcomes, resent, refusals, faults, doubles, lost, wrong, spooled } = report;
  const lines = Object.entries(faults).sort().map(([fault, count]) => counted(count, fault));
  lines.push(counted(posted, "envelopes posted"), counted(resent, "of them more than once"));
  for (const [outcome, count] of Object.entries(outcomes).sort()) {
    lines.push(counted(count, `acknowledged as ${outcome}`));
  }
  for (const [refusal, count] of Object.entries(refusals).sort()) {
    lines.push(counted(count, `not acknowledged: ${refusal}`));
  }
  lines.push(counted(spooled, "envelopes in the spool at the end"));
  lines.push(counted(doubles.length, "double deliveries"));
  for (const [reason, text] of Object.entries(REASONS)) {
    const of = doubles.filter((double) => double.reason === reason);
    lines.push(counted(of.length, `${reason}: ${text}`));
    if (reason === "unexplained") lines.push(...some(of.map(({ id }) => `twice: ${id}`)));
  }
  lines.push(...some(wrong.map((sentence) => `wrong: ${sentence}`)));
  lines.push(...some(lost.map((id) => `lost: ${id}`)));
  const unexplained = doubles.filter(({ reason }) => reason === "unexplained").length;
  const result = `acknowledged and lost ${lost.length}, doubles without a reason ${unexplained}`;
  return [...lines, `${result}, otherwise wrong ${wrong.length}`];
}

/** Whether nothing was lost, doubled without a reason, or otherwise wrong. */
export function hasPassed({ lost, wrong, doubles }: FaultReport): boolean {
  return lost.length === 0 && wrong.length === 0 &&
    doubles.every(({ reason }) => reason !== "unexplained");
}

function counted(count: number, what: string): string {
  return `${String(count).padStart(8)}  ${what}`;
}

function some(lines: readonly string[]): string[] {
  const more = lines.length - MAX_LINES;
  return more > 0 ? [...lines.slice(0, MAX_LINES), `and ${more} more`] : [...lines];
}

if (import.meta.main) {
  try {
    const { isInDatabase, ...options } = readFaultOptions(Deno.args, Date.now() % 1_000_000_000);
    await using postgres = isInDatabase ? await startPostgres() : undefined;
    console.log(`Seed ${options.seed}`);
    const begin = performance.now();
    const report = await runFaults({
      ...options,
      postgres,
      onProgress: (line) => console.log(line),
    });
    for (const line of describeReport(report)) console.log(line);
    console.log(`Seed ${options.seed}, ${((performance.now() - begin) / 60_000).toFixed(1)} min`);
    if (!hasPassed(report)) Deno.exitCode = 1;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    console.error(error.message);
    Deno.exitCode = 2;
  }
}
