import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { KNOWN_CATEGORIES } from "../../monitoring/protocol/categories.ts";
import { LEASE_MS, MAX_WAIT_MS } from "../../monitoring/spool/spool.ts";
import { openSqliteSpool } from "../../monitoring/spool/sqlite_spool.ts";
import { MAX_CONCURRENT, MAX_LEASED } from "../../monitoring/spool/drain.ts";
import { type ServerProcess, startServer } from "../../tools/run/server_process.ts";
import { mountSmallDisk, type SmallDisk } from "../small_disk.ts";
import { type DeliveryCheck, DeliveryLog, DSN, type ServerRun } from "./_delivery_log.ts";
import { FlakyIngest, LIMITS_CATEGORY, type Mood } from "./_flaky_ingest.ts";
import { Load, pause } from "./_load.ts";
import { seededRandom } from "./_seeded_random.ts";

export interface FaultRunOptions {
  /** Seed of server runs, faults and envelopes. Their timing still differs from run to run. */
  readonly seed: number;
  /** Number of kills, or milliseconds, after which the faults end. */
  readonly until: { readonly kills: number } | { readonly ms: number };
  readonly profile: FaultProfile;
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
  readonly #ingest = new FlakyIngest(this.#log);
  readonly #load: Load;
  readonly #faults: Record<string, number> = {};
  readonly #wrong: string[] = [];
  /** Aborted when the faults end. */
  readonly #over = new AbortController();
  readonly #loops: Promise<void>[] = [];
  #server: ServerProcess | undefined;

  constructor(options: FaultRunOptions, dataDir: string, disk: SmallDisk | undefined) {
    this.#options = options;
    this.#profile = options.profile;
    this.#dataDir = dataDir;
    this.#disk = disk;
    const { senders, recorders, pauseMs, resendMs, poisonShare } = options.profile;
    this.#load = new Load({
      log: this.#log,
      randomOf: (sender) => this.#random(`sender ${sender}`),
      ...{ senders, recorders, pauseMs, resendMs, poisonShare },
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
      await this.#live();
      this.#over.abort();
      await Promise.all(this.#loops);
      return await this.#recover();
    } finally {
      clearInterval(progress);
    }
  }

  /** Starts and ends servers until the faults end. */
  async #live(): Promise<void> {
    const { until } = this.#options;
    const { runMs: [least, most], endings } = this.#profile;
    const random = this.#random("server runs");
    const begin = performance.now();
    const isOver = (runs: number) =>
      "kills" in until ? runs >= until.kills : performance.now() - begin >= until.ms;
    for (let number = 1; !isOver(number - 1); number++) {
      const serverRun: ServerRun = { number };
      this.#ingest.serverRun = serverRun;
      const server = this.#server = await this.#startOnAnyDisk();
      this.#load.sendTo(server);
      await pause(least + random() * (most - least));
      const ending = endings[Math.floor(random() * endings.length)]!;
      this.#load.sendTo(undefined);
      this.#server = undefined;
      serverRun.end = ending;
      this.#count(ending);
      const { code, signal } = await server.stop(ending);
      if (ending === "SIGKILL" ? signal !== "SIGKILL" : code !== 0) {
        this.#wrong.push(`server run ${number}: ${ending} ended the server with ${signal ?? code}`);
      }
      for (const _ of server.output().matchAll(CLOCK_SET)) this.#count("clock set");
      await this.#ingest.quiet();
    }
  }

  /** On a full disk the server may fail to start. Retries, as a process manager does. */
  async #startOnAnyDisk(): Promise<ServerProcess> {
    for (;;) {
      const wasFull = this.#ingest.isDiskFull;
      const filled = this.#faults["disk full"];
      try {
        return await this.#start();
      } catch (error) {
        if (!wasFull && this.#faults["disk full"] === filled) throw error;
        this.#count("start refused on a full disk");
        await pause(this.#profile.resendMs);
      }
    }
  }

  #start(): Promise<ServerProcess> {
    return startServer({
      dataDir: this.#dataDir,
      before: this.#disk?.before,
      preload: this.#profile.mostCalmMs === undefined ? undefined : CLOCK,
      env: {
        SENTRY_DSN: DSN,
        RELAY_UPSTREAM: this.#ingest.origin,
        RELAY_TIMEOUT_MS: `${this.#profile.relayTimeoutMs}`,
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
      await this.#ingest.turn(mood, categories[Math.floor(random() * categories.length)]);
      if (mood !== "takes") this.#count(`ingest ${mood}`);
      await this.#waitWhileFaulty(random() * mostMoodMs);
    }
    this.#ingest.hasPoison = false;
    await this.#ingest.turn("takes");
  }

  async #fillDisk(disk: SmallDisk, mostCalmMs: number): Promise<void> {
    const random = this.#random("disk");
    while (await this.#waitWhileFaulty(random() * mostCalmMs)) {
      disk.fill();
      this.#ingest.isDiskFull = true;
      this.#count("disk full");
      await this.#waitWhileFaulty(random() * MOST_FULL_MS);
      disk.free();
      this.#ingest.isDiskFull = false;
    }
  }

  async #setClock(mostCalmMs: number): Promise<void> {
    const random = this.#random("clock");
    while (await this.#waitWhileFaulty(random() * mostCalmMs)) {
      if (!this.#server) continue;
      try {
        Deno.kill(this.#server.pid, "SIGUSR2");
      } catch (error) {
        // The server has ended by itself; `#live` reports that.
        if (!(error instanceof Deno.errors.NotFound)) throw error;
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
    this.#ingest.serverRun = { number: Infinity };
    const server = this.#server = await this.#start();
    this.#load.sendTo(server);
    const deadline = performance.now() + RECOVERY_MS;
    const isRecovered = async () => this.#load.running === 0 && await pending(server) === 0;
    while (!await isRecovered() && performance.now() < deadline) await pause(POLL_MS);
    this.#server = undefined;
    this.#ingest.serverRun.end = "SIGTERM";
    await server.stop();
    const spooled = await readSpool(this.#disk?.outside ?? this.#dataDir);

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
    this.#load.sendTo(undefined);
    await this.#server?.stop("SIGKILL");
    await Promise.allSettled(this.#loops);
    await this.#ingest[Symbol.asyncDispose]();
  }
}

async function pending({ origin }: ServerProcess): Promise<number> {
  const { spool } = await (await fetch(`${origin}/monitoring`)).json();
  return spool.pending;
}

/** Texts of the envelopes in the spool of a stopped server. */
async function readSpool(dataDir: string): Promise<string[]> {
  // A copy, because SQLite would resolve the `/proc` link of the disk and open another file.
  const copy = await Deno.makeTempDir({ prefix: "spool-" });
  for (const { name } of Deno.readDirSync(dataDir)) {
    if (/^spool\.sqlite(-wal)?$/.test(name)) {
      await Deno.copyFile(join(dataDir, name), join(copy, name));
    }
  }
  const path = join(copy, "spool.sqlite");
  const spool = await openSqliteSpool({ path, maxBytes: 1e12, maxAgeHours: 1e6 });
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
    await Deno.remove(copy, { recursive: true });
  }
}
