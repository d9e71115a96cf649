import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { KNOWN_CATEGORIES } from "../../monitoring/protocol/categories.ts";
import { openPostgresSpool } from "../../monitoring/spool/postgres_spool.ts";
import { LEASE_MS, MAX_WAIT_MS, type Spool } from "../../monitoring/spool/spool.ts";
import { openSqliteSpool } from "../../monitoring/spool/sqlite_spool.ts";
import { MAX_CONCURRENT, MAX_LEASED } from "../../monitoring/spool/drain.ts";
import { parsePostgresUrl } from "../../monitoring/storage/postgres_address.ts";
import type { PrivatePostgres } from "../../monitoring/storage/testdata/private_postgres.ts";
import { type ServerProcess, startServer } from "../../tools/run/server_process.ts";
import { mountSmallDisk, type SmallDisk } from "../small_disk.ts";
import {
  type DeliveryCheck,
  DeliveryLog,
  DSN,
  type ServerRun,
  type SpoolState,
} from "./_delivery_log.ts";
import { FlakyIngest, LIMITS_CATEGORY, type Mood } from "./_flaky_ingest.ts";
import { Load, pause } from "./_load.ts";
import { seededRandom } from "./_seeded_random.ts";

export interface FaultRunOptions {
  /** Seed of server runs, faults and envelopes. Their timing still differs from run to run. */
  readonly seed: number;
  /** Number of kills, or milliseconds, after which the faults end. */
  readonly until: { readonly kills: number } | { readonly ms: number };
  readonly profile: FaultProfile;
  /** Number of server processes on one spool. Default: 1. */
  readonly servers?: number;
  /** The spool is in this PostgreSQL, which is crashed as well. Default: in SQLite. */
  readonly postgres?: PrivatePostgres;
  /** Receives a line of progress every 30 seconds. */
  readonly onProgress?: (line: string) => void;
}

/** Which faults, how long and how often. Times in milliseconds. */
export interface FaultProfile {
  /** Length of a server run, from the first response of the server. */
  readonly runMs: readonly [least: number, most: number];
  /** Signals that end a server run; one is drawn. */
  readonly endings: readonly ("SIGKILL" | "SIGTERM")[];
  readonly moods: readonly Mood[];
  readonly mostMoodMs: number;
  readonly relayTimeoutMs: number;
  readonly senders: number;
  readonly recorders: number;
  readonly pauseMs: number;
  readonly segmentMs?: number;
  readonly resendMs: number;
  /** Share of the envelopes that the ingest always answers with 500, until the faults end. */
  readonly poisonShare: number;
  /**
   * Most time between two changes of the disk (full, free) and of the clock. Default: no such
   * changes.
   */
  readonly mostCalmMs?: number;
}

/** Many short server runs under full load, so that SIGKILL hits every state of the server. */
export const KILLS: FaultProfile = {
  runMs: [0, 350],
  endings: ["SIGKILL"],
  moods: [
    "takes",
    "refused",
    "hangs",
    "answers 500",
    "answers 503",
    "answers 429",
    "is slow",
    "answers half",
  ],
  mostMoodMs: 500,
  relayTimeoutMs: 150,
  senders: 6,
  recorders: 2,
  pauseMs: 0,
  // Browsers wait longer.
  resendMs: 30,
  poisonShare: 0,
};

/**
 * As {@linkcode KILLS}, for several servers: one knows what another has taken a second later, so a sender does not resend
 * sooner, as pages do not, and its segments are not closer together.
 */
export const FLEET_KILLS: FaultProfile = {
  ...KILLS,
  // A server takes a second to start, and is to be up for most of the time.
  runMs: [0, 2_500],
  senders: 30,
  recorders: 10,
  segmentMs: 1_100,
  resendMs: 1_500,
};

/** All faults, at a rate that two shared cores can sustain. */
export const ALL_FAULTS: FaultProfile = {
  runMs: [500, 15_000],
  endings: ["SIGKILL", "SIGTERM"],
  moods: [...KILLS.moods, "resets", "is very slow", LIMITS_CATEGORY, LIMITS_CATEGORY],
  mostMoodMs: 4_000,
  relayTimeoutMs: 2_000,
  senders: 8,
  recorders: 3,
  pauseMs: 400,
  resendMs: 200,
  poisonShare: 0.02,
  mostCalmMs: 10_000,
};

/** Twice the spool's reserve, plus a minute of load. */
const DISK_MIB = 64;
/** Most milliseconds that the disk is full. */
const MOST_FULL_MS = 3_000;
/** Most milliseconds for a server without faults to deliver everything, backoff included. */
const RECOVERY_MS = 180_000;
const POLL_MS = 50;
/** Server runs that end for each crash of the database. */
const ENDS_PER_CRASH = 10;
/** Most milliseconds until a database that crashed is started again. */
const MOST_DOWN_MS = 500;
const PROGRESS_MS = 30_000;
/** Output of _clock_set_back.ts. */
const CLOCK_SET = /^The clock is \d h behind$/gm;
const CLOCK = fileURLToPath(new URL("_clock_set_back.ts", import.meta.url));

export interface FaultReport extends DeliveryCheck {
  readonly posted: number;
  /** Number of envelopes by acknowledged outcome. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** Envelopes that were sent more than once. */
  readonly resent: number;
  /** Acknowledged envelopes that are in the spool at the end. */
  readonly spooled: number;
  /** Responses that were no acknowledgement, by status and error code. */
  readonly refusals: Readonly<Record<string, number>>;
  /** Number of each fault. */
  readonly faults: Readonly<Record<string, number>>;
}

/** Runs the real server under faults, lets it recover, and checks every envelope. */
export async function runFaults(options: FaultRunOptions): Promise<FaultReport> {
  await using disk = options.profile.mostCalmMs === undefined
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
  readonly #faults: Record<string, number> = {};
  readonly #wrong: string[] = [];
  /** Aborted when the faults end. */
  readonly #over = new AbortController();
  readonly #loops: Promise<void>[] = [];
  /** By the number of their ingest. */
  readonly #servers: (ServerProcess | undefined)[] = [];
  /** Server runs so far. */
  #runs = 0;

  constructor(options: FaultRunOptions, dataDir: string, disk: SmallDisk | undefined) {
    this.#options = options;
    this.#profile = options.profile;
    this.#dataDir = dataDir;
    this.#disk = disk;
    const { servers = 1 } = options;
    this.#ingests = Array.from({ length: servers }, () => new FlakyIngest(this.#log));
    const { senders, recorders, pauseMs, segmentMs, resendMs, poisonShare } = options.profile;
    this.#load = new Load({
      log: this.#log,
      randomOf: (sender) => this.#random(`sender ${sender}`),
      ...{ senders, recorders, pauseMs, segmentMs, resendMs, poisonShare },
    });
  }

  async run(): Promise<FaultReport> {
    const { mostCalmMs } = this.#profile;
    const progress = setInterval(() => this.#reportProgress(), PROGRESS_MS);
    try {
      this.#loops.push(this.#changeMoods());
      if (mostCalmMs !== undefined) {
        this.#loops.push(this.#setClock(mostCalmMs));
        if (this.#disk) this.#loops.push(this.#fillDisk(this.#disk, mostCalmMs));
        else this.#count("disk full: not possible on this system");
      }
      const { postgres } = this.#options;
      if (postgres) this.#loops.push(this.#crashDatabase(postgres));
      await Promise.all(this.#ingests.map((_, at) => this.#live(at)));
      this.#over.abort();
      await Promise.all(this.#loops);
      return await this.#recover();
    } finally {
      clearInterval(progress);
    }
  }

  /** Starts and ends servers at one of the ingests until the faults end. */
  async #live(at: number): Promise<void> {
    const { until } = this.#options;
    const { runMs: [least, most], endings } = this.#profile;
    const ingest = this.#ingests[at]!;
    const random = this.#random(`server runs ${at || ""}`.trim());
    const begin = performance.now();
    const isOver = () =>
      "kills" in until ? this.#runs >= until.kills : performance.now() - begin >= until.ms;
    while (!isOver()) {
      const number = ++this.#runs;
      const serverRun: ServerRun = { number };
      ingest.serverRun = serverRun;
      const server = await this.#startAnyway(at);
      this.#use(at, server);
      await pause(least + random() * (most - least));
      const ending = endings[Math.floor(random() * endings.length)]!;
      this.#use(at, undefined);
      serverRun.end = ending;
      this.#count(ending);
      const { code, signal } = await server.stop(ending);
      if (ending === "SIGKILL" ? signal !== "SIGKILL" : code !== 0) {
        this.#wrong.push(`server run ${number}: ${ending} ended the server with ${signal ?? code}`);
      }
      for (const _ of server.output().matchAll(CLOCK_SET)) this.#count("clock set");
      await ingest.quiet();
    }
  }

  #use(at: number, server: ServerProcess | undefined): void {
    this.#servers[at] = server;
    this.#load.sendTo(this.#running());
  }

  #running(): ServerProcess[] {
    return this.#servers.filter((server) => server !== undefined);
  }

  /** Without its spool the server fails to start. Retries, as a process manager does. */
  async #startAnyway(at: number): Promise<ServerProcess> {
    const faults = () => (this.#faults["disk full"] ?? 0) + (this.#faults["database crash"] ?? 0);
    for (;;) {
      const wasDown = this.#ingests[at]!.spool !== "usable";
      const before = faults();
      try {
        return await this.#start(at);
      } catch (error) {
        if (!wasDown && faults() === before) throw error;
        this.#count("start refused without a spool");
        await pause(this.#profile.resendMs);
      }
    }
  }

  #start(at: number): Promise<ServerProcess> {
    const { postgres } = this.#options;
    return startServer({
      dataDir: this.#dataDir,
      before: this.#disk?.before,
      preload: this.#profile.mostCalmMs === undefined ? undefined : CLOCK,
      env: {
        SENTRY_DSN: DSN,
        RELAY_UPSTREAM: this.#ingests[at]!.origin,
        RELAY_TIMEOUT_MS: `${this.#profile.relayTimeoutMs}`,
        ...postgres && { DATABASE_URL: postgres.url() },
      },
    });
  }

  async #changeMoods(): Promise<void> {
    const { moods, mostMoodMs } = this.#profile;
    const random = this.#random("moods");
    const categories = [...KNOWN_CATEGORIES].filter((name) =>
      ["error", "transaction", "log_item", "replay"].includes(name)
    );
    for (let turn = 0; !this.#over.signal.aborted; turn++) {
      // Every second mood accepts envelopes, so that some are delivered.
      const mood = turn % 2 === 0 ? "takes" : moods[Math.floor(random() * moods.length)]!;
      const category = categories[Math.floor(random() * categories.length)];
      await this.#turn(mood, category);
      if (mood !== "takes") this.#count(`ingest ${mood}`);
      await this.#waitWhileFaulty(random() * mostMoodMs);
    }
    for (const ingest of this.#ingests) ingest.hasPoison = false;
    await this.#turn("takes");
  }

  async #turn(mood: Mood, category?: string): Promise<void> {
    await Promise.all(this.#ingests.map((ingest) => ingest.turn(mood, category)));
  }

  async #crashDatabase(postgres: PrivatePostgres): Promise<void> {
    const random = this.#random("database");
    const ends = () => (this.#faults.SIGKILL ?? 0) + (this.#faults.SIGTERM ?? 0);
    for (let crash = 0.5; !this.#over.signal.aborted; crash++) {
      while (ends() < crash * ENDS_PER_CRASH) {
        if (!await this.#waitWhileFaulty(POLL_MS)) return;
      }
      this.#setSpool("down");
      this.#count("database crash");
      await postgres.stop("immediate");
      await pause(random() * MOST_DOWN_MS);
      await postgres.start();
      this.#setSpool("usable");
    }
  }

  #setSpool(state: SpoolState): void {
    for (const ingest of this.#ingests) ingest.spool = state;
  }

  async #fillDisk(disk: SmallDisk, mostCalmMs: number): Promise<void> {
    const random = this.#random("disk");
    while (await this.#waitWhileFaulty(random() * mostCalmMs)) {
      disk.fill();
      this.#setSpool("full");
      this.#count("disk full");
      await this.#waitWhileFaulty(random() * MOST_FULL_MS);
      disk.free();
      this.#setSpool("usable");
    }
  }

  async #setClock(mostCalmMs: number): Promise<void> {
    const random = this.#random("clock");
    while (await this.#waitWhileFaulty(random() * mostCalmMs)) {
      for (const { pid } of this.#running()) {
        try {
          Deno.kill(pid, "SIGUSR2");
        } catch (error) {
          // The server has ended by itself; `#live` reports that.
          if (!(error instanceof Deno.errors.NotFound)) throw error;
        }
      }
    }
  }

  /** Waits, at most until the faults end. Returns whether they continue. */
  async #waitWhileFaulty(ms: number): Promise<boolean> {
    const { signal } = this.#over;
    if (!signal.aborted) {
      await new Promise<void>((resolve) => {
        const end = () => {
          clearTimeout(timer);
          signal.removeEventListener("abort", end);
          resolve();
        };
        const timer = setTimeout(end, ms);
        signal.addEventListener("abort", end);
      });
    }
    return !signal.aborted;
  }

  /** Starts a last server without faults, which delivers what is left; then checks everything. */
  async #recover(): Promise<FaultReport> {
    this.#load.end();
    const serverRun: ServerRun = this.#ingests[0]!.serverRun = { number: Infinity };
    const server = await this.#start(0);
    this.#use(0, server);
    const deadline = performance.now() + RECOVERY_MS;
    const isRecovered = async () => this.#load.running === 0 && await pending(server) === 0;
    while (!await isRecovered() && performance.now() < deadline) await pause(POLL_MS);
    this.#use(0, undefined);
    serverRun.end = "SIGTERM";
    await server.stop();
    const { postgres } = this.#options;
    const spooled =
      await (postgres ? readDatabase(postgres) : readFile(this.#disk?.outside ?? this.#dataDir));

    const { senders, recorders } = this.#profile;
    const check = this.#log.check(spooled, MAX_CONCURRENT + MAX_LEASED + senders + recorders);
    const { all } = this.#log;
    const outcomes: Record<string, number> = {};
    for (const { acknowledged } of all) {
      if (!acknowledged) continue;
      outcomes[acknowledged.outcome] = (outcomes[acknowledged.outcome] ?? 0) + 1;
    }
    return {
      ...check,
      wrong: [...this.#wrong, ...check.wrong],
      posted: all.length,
      outcomes,
      resent: all.filter(({ attempts }) => attempts > 1).length,
      spooled: spooled.filter((text) => this.#log.find(text)).length,
      refusals: this.#load.refusals,
      faults: this.#faults,
    };
  }

  #reportProgress(): void {
    const { SIGKILL = 0, SIGTERM = 0 } = this.#faults;
    this.#options.onProgress?.(`${this.#log.size} posted, ${SIGKILL + SIGTERM} server runs`);
  }

  #count(fault: string): void {
    this.#faults[fault] = (this.#faults[fault] ?? 0) + 1;
  }

  /** A generator for each loop, so that its numbers do not depend on the timing of the others. */
  #random(name: string): () => number {
    let seed = this.#options.seed;
    for (const letter of name) seed = Math.imul(seed ^ letter.charCodeAt(0), 0x9e3779b1);
    return seededRandom(seed);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    this.#load.end();
    this.#load.sendTo([]);
    await Promise.all(this.#running().map((server) => server.stop("SIGKILL")));
    await Promise.allSettled(this.#loops);
    await Promise.all(this.#ingests.map((ingest) => ingest[Symbol.asyncDispose]()));
  }
}

async function pending({ origin }: ServerProcess): Promise<number> {
  const { spool } = await (await fetch(`${origin}/monitoring`)).json();
  return spool.pending;
}

/** Texts of the envelopes in the spool of a stopped server. */
async function readFile(dataDir: string): Promise<string[]> {
  // A copy, because SQLite would resolve the `/proc` link of the disk and open another file.
  const copy = await Deno.makeTempDir({ prefix: "spool-" });
  try {
    for (const { name } of Deno.readDirSync(dataDir)) {
      if (/^spool\.sqlite(-wal)?$/.test(name)) {
        await Deno.copyFile(join(dataDir, name), join(copy, name));
      }
    }
    const path = join(copy, "spool.sqlite");
    return await readSpool(await openSqliteSpool({ path, maxBytes: 1e12, maxAgeHours: 1e6 }));
  } finally {
    await Deno.remove(copy, { recursive: true });
  }
}

async function readDatabase(postgres: PrivatePostgres): Promise<string[]> {
  const address = parsePostgresUrl(postgres.url())!;
  return await readSpool(await openPostgresSpool({ address, maxBytes: 1e12, maxAgeHours: 1e6 }));
}

async function readSpool(spool: Spool): Promise<string[]> {
  const texts: string[] = [];
  try {
    for (;;) {
      // After every lease and wait of the server.
      const now = Date.now() + LEASE_MS + MAX_WAIT_MS;
      // Repeated, because segments of a recording are leased one at a time.
      const leased = await spool.lease({
        now,
        limit: 100,
        maxBytes: 1e9,
        dsns: [{ dsn: DSN, limited: 0 }],
      });
      if (leased.length === 0) return texts;
      texts.push(...leased.map(({ bytes }) => new TextDecoder().decode(bytes)));
      for (const envelope of leased) await spool.complete(envelope);
    }
  } finally {
    await spool.close();
  }
}
