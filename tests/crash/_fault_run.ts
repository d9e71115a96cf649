import { fileURLToPath } from "node:url";
import { MAX_CONCURRENT } from "../../monitoring/relay/spool/drain.ts";
import type { PrivatePostgres } from "../../monitoring/storage/testdata/private_postgres.ts";
import { type ServerProcess, startServer } from "../harness/server_process.ts";
import { healthOf } from "../harness/server_health.ts";
import { mountSmallDisk, type SmallDisk } from "../harness/small_disk.ts";
import { type DeliveryCheck, DeliveryLog, DSN, type ServerRun } from "./_delivery_log.ts";
import { Faults } from "./_faults.ts";
import { FlakyIngest } from "./_flaky_ingest.ts";
import { Load, pause } from "./_load.ts";
import { readDatabaseTexts, readFileTexts } from "./_spooled_texts.ts";
import type { FaultProfile } from "./fault_profiles.ts";

export interface FaultRunOptions {
  /** Seed of server runs, faults and envelopes. Their timing still differs from run to run. */
  readonly seed: number;
  /**
   * Number of server runs, or milliseconds, after which the faults end. With `outcomes` the runs go on, up to
   * {@linkcode MAX_REPEATS} times as many, until an envelope was acknowledged with each of them: on a slow machine a
   * short run may end before its first answer.
   */
  readonly until:
    | { readonly runs: number; readonly outcomes?: readonly string[] }
    | { readonly ms: number };
  readonly profile: FaultProfile;
  /** Number of server processes on one spool. Default: 1. */
  readonly servers?: number;
  /** The spool is in this PostgreSQL, which is crashed as well. Default: in SQLite. */
  readonly postgres?: PrivatePostgres;
}

/** Limit of the runs that `outcomes` adds. */
const MAX_REPEATS = 4;
/** Twice the spool's reserve, plus a minute of load. */
const DISK_MIB = 64;
/** Maximum time for a server without faults to deliver everything, backoff included. */
const RECOVERY_MS = 180_000;
const POLL_MS = 50;
/** Output of _clock_set_back.ts. */
const CLOCK_SET = /^The clock is \d h behind$/gm;
const CLOCK = fileURLToPath(new URL("_clock_set_back.ts", import.meta.url));

export interface FaultReport extends DeliveryCheck {
  readonly posted: number;
  /** Number of envelopes by acknowledged outcome. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** OTLP requests that were acknowledged. */
  readonly otlp: number;
  /** Envelopes that were sent more than once. */
  readonly resent: number;
  /** Acknowledged envelopes that are in the spool at the end. */
  readonly spooled: number;
  /** Responses that were no acknowledgement, by status and error code. */
  readonly refusals: Readonly<Record<string, number>>;
  /** Number of each fault. */
  readonly faults: Readonly<Record<string, number>>;
}

/** The report's counts as text, with the number of duplicates for each reason. */
export function countsOf({ lost, wrong, duplicates, ...counts }: FaultReport): string {
  const reasons = Object.groupBy(duplicates, ({ reason }) => reason);
  const byReason = Object.entries(reasons).map(([reason, all]) => [reason, all.length]);
  return JSON.stringify({
    ...counts,
    lost: lost.length,
    wrong: wrong.length,
    duplicates: Object.fromEntries(byReason),
  });
}

/** Runs the real server under faults, lets it recover, and checks every envelope. */
export async function runFaults(options: FaultRunOptions): Promise<FaultReport> {
  await using disk = options.profile.maxDiskAndClockMs === undefined
    ? undefined
    : await mountSmallDisk(DISK_MIB);
  const folder = disk?.path ?? await Deno.makeTempDir({ prefix: "faults-" });
  try {
    await using run = new FaultRun(options, folder, disk);
    return await run.run();
  } finally {
    if (!disk) await Deno.remove(folder, { recursive: true });
  }
}

class FaultRun implements AsyncDisposable {
  readonly #options: FaultRunOptions;
  readonly #profile: FaultProfile;
  readonly #disk: SmallDisk | undefined;
  readonly #dataDir: string;
  readonly #log = new DeliveryLog();
  /** One for each server, so that the sender of an envelope is known. */
  readonly #ingests: readonly FlakyIngest[];
  readonly #load: Load;
  readonly #faults: Faults;
  readonly #wrong: string[] = [];
  /** By the index of their ingest; undefined between two runs. */
  readonly #servers: (ServerProcess | undefined)[] = [];
  /** Server runs so far. */
  #runs = 0;

  constructor(options: FaultRunOptions, dataDir: string, disk: SmallDisk | undefined) {
    this.#options = options;
    this.#profile = options.profile;
    this.#dataDir = dataDir;
    this.#disk = disk;
    const { profile, postgres, servers = 1 } = options;
    this.#ingests = Array.from({ length: servers }, () => new FlakyIngest(this.#log));
    const randomOf = (name: string) => this.#random(name);
    this.#load = new Load({
      ...profile,
      log: this.#log,
      randomOf: (sender) => randomOf(`sender ${sender}`),
    });
    this.#faults = new Faults({
      profile,
      postgres,
      disk,
      randomOf,
      ingests: this.#ingests,
      servers: () => this.#running(),
    });
  }

  async run(): Promise<FaultReport> {
    await Promise.all(this.#ingests.map((_, index) => this.#restartServer(index)));
    await this.#faults.end();
    return await this.#recover();
  }

  /** Starts and ends servers at one of the ingests until the faults end. */
  async #restartServer(index: number): Promise<void> {
    const { runMs: [min, max], endings } = this.#profile;
    const ingest = this.#ingests[index]!;
    const random = this.#random(`server runs ${index || ""}`.trim());
    const start = performance.now();
    while (!this.#isOver(start)) {
      const number = ++this.#runs;
      const serverRun: ServerRun = { number };
      ingest.serverRun = serverRun;
      const server = await this.#startWithRetries(index);
      this.#setServer(index, server);
      await pause(min + random() * (max - min));
      const ending = endings[Math.floor(random() * endings.length)]!;
      this.#setServer(index, undefined);
      serverRun.end = ending;
      this.#faults.count(ending);
      const { code, signal } = await server.stop(ending);
      if (ending === "SIGKILL" ? signal !== "SIGKILL" : code !== 0) {
        this.#wrong.push(`server run ${number}: ${ending} ended the server with ${signal ?? code}`);
      }
      for (const _ of server.output().matchAll(CLOCK_SET)) this.#faults.count("clock set");
      await ingest.untilClosed();
    }
  }

  #isOver(start: number): boolean {
    const { until } = this.#options;
    if ("ms" in until) return performance.now() - start >= until.ms;
    const { runs, outcomes = [] } = until;
    if (this.#runs < runs) return false;
    return this.#runs >= MAX_REPEATS * runs ||
      outcomes.every((outcome) => this.#outcomes()[outcome]);
  }

  /** Number of envelopes by acknowledged outcome. */
  #outcomes(): Readonly<Record<string, number>> {
    const outcomes: Record<string, number> = {};
    for (const { acknowledged } of this.#log.all) {
      if (!acknowledged) continue;
      outcomes[acknowledged.outcome] = (outcomes[acknowledged.outcome] ?? 0) + 1;
    }
    return outcomes;
  }

  #setServer(index: number, server: ServerProcess | undefined): void {
    this.#servers[index] = server;
    this.#load.sendTo(this.#running());
  }

  #running(): ServerProcess[] {
    return this.#servers.filter((server) => server !== undefined);
  }

  /** A server fails to start without its spool. Retries, as a process manager does. */
  async #startWithRetries(index: number): Promise<ServerProcess> {
    for (;;) {
      const wasUnusable = this.#ingests[index]!.spool !== "usable";
      const before = this.#faults.ofSpool;
      try {
        return await this.#start(index);
      } catch (error) {
        if (this.#faults.error) throw this.#faults.error;
        if (!wasUnusable && this.#faults.ofSpool === before) throw error;
        this.#faults.count("start refused without a spool");
        await pause(this.#profile.resendMs);
      }
    }
  }

  #start(index: number): Promise<ServerProcess> {
    const { postgres } = this.#options;
    return startServer({
      dataDir: this.#dataDir,
      before: this.#disk?.before,
      preload: this.#profile.maxDiskAndClockMs === undefined ? undefined : CLOCK,
      env: {
        SENTRY_DSN: DSN,
        RELAY_UPSTREAM: this.#ingests[index]!.origin,
        RELAY_TIMEOUT_MS: `${this.#profile.relayTimeoutMs}`,
        ...postgres && { DATABASE_URL: postgres.url() },
      },
    });
  }

  /** Starts a last server without faults, which delivers what is left; then checks everything. */
  async #recover(): Promise<FaultReport> {
    this.#load.end();
    const serverRun: ServerRun = this.#ingests[0]!.serverRun = { number: Infinity };
    const server = await this.#start(0);
    this.#setServer(0, server);
    const deadline = performance.now() + RECOVERY_MS;
    const isRecovered = async () =>
      this.#load.running === 0 && (await healthOf(server)).spool.pending === 0;
    while (!await isRecovered() && performance.now() < deadline) await pause(POLL_MS);
    this.#setServer(0, undefined);
    serverRun.end = "SIGTERM";
    await server.stop();
    const { postgres } = this.#options;
    const spooled = postgres
      ? await readDatabaseTexts(postgres.url())
      : await readFileTexts(this.#disk?.outside ?? this.#dataDir);

    const { senders, recorders } = this.#profile;
    const check = this.#log.check(spooled, MAX_CONCURRENT + senders + recorders);
    const { all } = this.#log;
    return {
      ...check,
      wrong: [...this.#wrong, ...check.wrong],
      posted: all.length,
      outcomes: this.#outcomes(),
      otlp: all.filter(({ type, acknowledged }) => type === "span" && acknowledged).length,
      resent: all.filter(({ attempts }) => attempts > 1).length,
      spooled: spooled.filter((text) => this.#log.find(text)).length,
      refusals: this.#load.refusals,
      faults: this.#faults.counts,
    };
  }

  #random(name: string): () => number {
    let seed = this.#options.seed;
    for (const letter of name) seed = Math.imul(seed ^ letter.charCodeAt(0), 0x9e3779b1);
    return seededRandom(seed);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#load.end();
    this.#load.sendTo([]);
    await Promise.all(this.#running().map((server) => server.stop("SIGKILL")));
    // An error of a fault has already been thrown by `run`.
    await this.#faults.end().catch(() => {});
    await Promise.all(this.#ingests.map((ingest) => ingest[Symbol.asyncDispose]()));
  }
}

/**
 * A random generator (0 to below 1) that can be seeded, so that a failed run can be repeated. Algorithm: xorshift32
 * (https://www.jstatsoft.org/article/view/v008i14).
 */
function seededRandom(seed: number): () => number {
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
