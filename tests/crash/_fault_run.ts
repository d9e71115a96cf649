import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { KNOWN_CATEGORIES } from "../../monitoring/protocol/categories.ts";
import { LEASE_MS, MAX_WAIT_MS } from "../../monitoring/spool/spool.ts";
import { openSqliteSpool } from "../../monitoring/spool/sqlite_spool.ts";
import { CONCURRENT, IN_HAND } from "../../monitoring/spool/spool_drain.ts";
import { type ServerProcess, startServer } from "../../tools/server_process.ts";
import { mountSmallDisk, type SmallDisk } from "../small_disk.ts";
import { type DeliveryCheck, DeliveryLog, DSN, type Life } from "./_delivery_log.ts";
import { FlakyIngest, LIMITS_CATEGORY, type Mood } from "./_flaky_ingest.ts";
import { Load, pause } from "./_load.ts";
import { seededRandom } from "./_seeded_random.ts";

export interface FaultRunOptions {
  /** Draws lives, faults and envelopes; their order in time differs from run to run. */
  readonly seed: number;
  /** When the faults end. */
  readonly until: { readonly kills: number } | { readonly ms: number };
  readonly profile: FaultProfile;
  /** Receives a line now and then. */
  readonly onProgress?: (line: string) => void;
}

/** Which faults, how long and how often. Times are in milliseconds. */
export interface FaultProfile {
  /** A life's length, from the moment the server answers. */
  readonly lifeMs: readonly [least: number, most: number];
  /** One of them is drawn to end a life. */
  readonly endings: readonly ("SIGKILL" | "SIGTERM")[];
  readonly moods: readonly Mood[];
  readonly mostMoodMs: number;
  readonly relayTimeoutMs: number;
  readonly senders: number;
  readonly recorders: number;
  readonly pauseMs: number;
  readonly resendMs: number;
  /** Share of the envelopes that the ingest answers with 500 as long as there are faults. */
  readonly poisonShare: number;
  /** Fills and frees the disk, and sets the clock back and forward; each time after at most so long. */
  readonly mostCalmMs?: number;
}

/** Many short lives under full load: SIGKILL meets every state that the server can be in. */
export const KILLS: FaultProfile = {
  lifeMs: [0, 350],
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
  // A browser waits longer.
  resendMs: 30,
  poisonShare: 0,
};

/** All faults at once, at a rate that two shared cores bear for long. */
export const ALL_FAULTS: FaultProfile = {
  lifeMs: [500, 15_000],
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

/** Twice the spool's reserve and what a minute of the load takes. */
const DISK_MIB = 64;
/** The disk is full for at most so long. */
const MOST_FULL_MS = 3_000;
/** Until a server without faults has delivered all: some pauses of its back-off. */
const RECOVERY_MS = 180_000;
const POLL_MS = 50;
const PROGRESS_MS = 30_000;
/** Output of the module that sets the clock, each time. */
const CLOCK_SET = /^The clock is \d h behind$/gm;
const CLOCK = fileURLToPath(new URL("_clock_set_back.ts", import.meta.url));

export interface FaultReport extends DeliveryCheck {
  readonly posted: number;
  /** Envelopes by the outcome with which they were acknowledged. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** Envelopes that were sent more than once. */
  readonly resent: number;
  /** Acknowledged envelopes that are in the spool at the end. */
  readonly spooled: number;
  /** Answers that were no acknowledgement, counted by status and error code. */
  readonly refusals: Readonly<Record<string, number>>;
  /** How often each fault was made. */
  readonly faults: Readonly<Record<string, number>>;
}

/** Runs the real server under faults, lets it recover, and checks how each envelope ended. */
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
    const { lifeMs: [least, most], endings } = this.#profile;
    const random = this.#random("lives");
    const begin = performance.now();
    const isOver = (lives: number) =>
      "kills" in until ? lives >= until.kills : performance.now() - begin >= until.ms;
    for (let number = 1; !isOver(number - 1); number++) {
      const life: Life = { number };
      this.#ingest.life = life;
      const server = this.#server = await this.#startOnAnyDisk();
      this.#load.sendTo(server);
      await pause(least + random() * (most - least));
      const ending = endings[Math.floor(random() * endings.length)]!;
      this.#load.sendTo(undefined);
      this.#server = undefined;
      life.end = ending;
      this.#count(ending);
      const { code, signal } = await server.stop(ending);
      if (ending === "SIGKILL" ? signal !== "SIGKILL" : code !== 0) {
        this.#wrong.push(`life ${number}: ${ending} ended it with ${signal ?? code}`);
      }
      for (const _ of server.output().matchAll(CLOCK_SET)) this.#count("clock set");
      await this.#ingest.quiet();
    }
  }

  /** On a full disk a server may refuse to start; its process manager starts it again. */
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
      // Half of the time it takes envelopes, or nothing would ever be delivered.
      const mood = turn % 2 === 0 ? "takes" : moods[Math.floor(random() * moods.length)]!;
      await this.#ingest.turn(mood, categories[Math.floor(random() * categories.length)]);
      if (mood !== "takes") this.#count(`ingest ${mood}`);
      await this.#calm(random() * mostMoodMs);
    }
    this.#ingest.hasPoison = false;
    await this.#ingest.turn("takes");
  }

  async #fillDisk(disk: SmallDisk, mostCalmMs: number): Promise<void> {
    const random = this.#random("disk");
    while (await this.#calm(random() * mostCalmMs)) {
      disk.fill();
      this.#ingest.isDiskFull = true;
      this.#count("disk full");
      await this.#calm(random() * MOST_FULL_MS);
      disk.free();
      this.#ingest.isDiskFull = false;
    }
  }

  async #setClock(mostCalmMs: number): Promise<void> {
    const random = this.#random("clock");
    while (await this.#calm(random() * mostCalmMs)) {
      if (!this.#server) continue;
      try {
        Deno.kill(this.#server.pid, "SIGUSR2");
      } catch (error) {
        // It has ended by itself, which the end of its life reports.
        if (!(error instanceof Deno.errors.NotFound)) throw error;
      }
    }
  }

  /** Waits, at most until the faults end. Returns whether they continue. */
  async #calm(ms: number): Promise<boolean> {
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

  /** A last server without faults: delivers what is left, then what it kept is read. */
  async #recover(): Promise<FaultReport> {
    this.#load.end();
    this.#ingest.life = { number: Infinity };
    const server = this.#server = await this.#start();
    this.#load.sendTo(server);
    const deadline = performance.now() + RECOVERY_MS;
    const isRecovered = async () => this.#load.running === 0 && await pending(server) === 0;
    while (!await isRecovered() && performance.now() < deadline) await pause(POLL_MS);
    this.#server = undefined;
    this.#ingest.life.end = "SIGTERM";
    await server.stop();
    const spooled = await readSpool(this.#disk?.outside ?? this.#dataDir);

    const { senders, recorders } = this.#profile;
    const check = this.#log.check(spooled, CONCURRENT + IN_HAND + senders + recorders);
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
    this.#options.onProgress?.(`${this.#log.size} posted, ${SIGKILL + SIGTERM} lives`);
  }

  #count(fault: string): void {
    this.#faults[fault] = (this.#faults[fault] ?? 0) + 1;
  }

  /** Each loop draws its own numbers, so that they do not depend on how the loops alternate. */
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

/** Texts of the envelopes in the spool of a server that has ended. */
async function readSpool(dataDir: string): Promise<string[]> {
  // SQLite resolves the link in `/proc` through which the disk is seen, and would open another file.
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
      // No lease and no wait of the server's outlasts this.
      const now = Date.now() + LEASE_MS + MAX_WAIT_MS;
      // A recording's segments come one after the other.
      const leased = await spool.lease({
        now,
        limit: 100,
        maxBytes: 1e9,
        dsns: [{ dsn: DSN, held: 0 }],
      });
      if (leased.length === 0) return texts;
      texts.push(...leased.map(({ bytes }) => new TextDecoder().decode(bytes)));
      for (const envelope of leased) await spool.done(envelope);
    }
  } finally {
    await spool.close();
    await Deno.remove(copy, { recursive: true });
  }
}
