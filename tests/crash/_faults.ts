import { setTimeout } from "node:timers/promises";
import { KNOWN_CATEGORIES } from "../../monitoring/protocol/categories.ts";
import type { PrivatePostgres } from "../../monitoring/storage/testdata/private_postgres.ts";
import type { ServerProcess } from "../harness/server_process.ts";
import type { SmallDisk } from "../harness/small_disk.ts";
import type { SpoolState } from "./_delivery_log.ts";
import type { BehaviourName, FlakyIngest } from "./_flaky_ingest.ts";
import { pause } from "./_load.ts";
import type { FaultProfile } from "./fault_profiles.ts";

export interface FaultsOptions {
  readonly profile: FaultProfile;
  /** A random generator (0 to below 1) for each loop, so that its numbers do not depend on the timing of the others. */
  readonly randomOf: (loop: string) => () => number;
  readonly ingests: readonly FlakyIngest[];
  /** The disk to fill. Default: none, where the system lets no user mount one. */
  readonly disk?: SmallDisk;
  /** The database to crash. Default: none. */
  readonly postgres?: PrivatePostgres;
  /** The servers that are running. */
  readonly servers: () => readonly ServerProcess[];
}

const MAX_FULL_MS = 3_000;
/** Server runs that end for each crash of the database. */
const ENDS_PER_CRASH = 10;
/** Maximum time until a database that crashed is started again. */
const MAX_DOWN_MS = 500;
const POLL_MS = 50;

/** Faults of ingest, disk, clock and database, each in a loop of its own. */
export class Faults {
  /** Number of each fault. */
  readonly counts: Record<string, number> = {};
  /** Why they ended too early: the database was not started again, for example. */
  error: unknown;
  readonly #options: FaultsOptions;
  readonly #end = new AbortController();
  readonly #ended: Promise<unknown>;

  /** Starts all loops. */
  constructor(options: FaultsOptions) {
    this.#options = options;
    const { disk, postgres, profile: { maxDiskAndClockMs: maxMs } } = options;
    if (maxMs !== undefined && !disk) this.count("disk full: not possible on this system");
    this.#ended = Promise.all([
      this.#changeBehaviour(),
      ...maxMs === undefined ? [] : [this.#setClock(maxMs)],
      ...maxMs === undefined || !disk ? [] : [this.#fillDisk(disk, maxMs)],
      ...postgres ? [this.#crashDatabase(postgres)] : [],
    ]);
    this.#ended.catch((error) => this.error = error);
  }

  count(fault: string): void {
    this.counts[fault] = (this.counts[fault] ?? 0) + 1;
  }

  /** Faults so far that make a server unable to open its spool. */
  get ofSpool(): number {
    return (this.counts["disk full"] ?? 0) + (this.counts["database crash"] ?? 0);
  }

  /** Number of ended server runs, which {@linkcode count} counts by signal. */
  get ends(): number {
    return (this.counts.SIGKILL ?? 0) + (this.counts.SIGTERM ?? 0);
  }

  /** Ends all faults. Resolves when everything works again. */
  async end(): Promise<void> {
    this.#end.abort();
    await this.#ended;
  }

  async #changeBehaviour(): Promise<void> {
    const { ingests, profile: { ingestBehaviours: names, maxBehaviourMs } } = this.#options;
    const random = this.#options.randomOf("ingest");
    const categories = [...KNOWN_CATEGORIES].filter((name) =>
      ["error", "transaction", "span", "log_item", "replay"].includes(name)
    );
    const setAll = (name: BehaviourName, category?: string) =>
      Promise.all(ingests.map((ingest) => ingest.setBehaviour(name, category)));
    for (let change = 0; !this.#end.signal.aborted; change++) {
      // Every second behaviour accepts envelopes, so that some are delivered.
      const name = change % 2 === 0 ? "takes" : names[Math.floor(random() * names.length)]!;
      const category = categories[Math.floor(random() * categories.length)];
      await setAll(name, category);
      if (name !== "takes") this.count(`ingest ${name}`);
      await this.#pauseUnlessEnded(random() * maxBehaviourMs);
    }
    for (const ingest of ingests) ingest.hasPoison = false;
    await setAll("takes");
  }

  async #crashDatabase(postgres: PrivatePostgres): Promise<void> {
    const random = this.#options.randomOf("database");
    for (let crash = 0.5; !this.#end.signal.aborted; crash++) {
      while (this.ends < crash * ENDS_PER_CRASH) {
        if (!await this.#pauseUnlessEnded(POLL_MS)) return;
      }
      this.#setSpool("down");
      this.count("database crash");
      await postgres.stop("immediate");
      await pause(random() * MAX_DOWN_MS);
      await postgres.start();
      this.#setSpool("usable");
    }
  }

  async #fillDisk(disk: SmallDisk, maxMs: number): Promise<void> {
    const random = this.#options.randomOf("disk");
    while (await this.#pauseUnlessEnded(random() * maxMs)) {
      disk.fill();
      this.#setSpool("full");
      this.count("disk full");
      await this.#pauseUnlessEnded(random() * MAX_FULL_MS);
      disk.free();
      this.#setSpool("usable");
    }
  }

  async #setClock(maxMs: number): Promise<void> {
    const random = this.#options.randomOf("clock");
    while (await this.#pauseUnlessEnded(random() * maxMs)) {
      for (const { pid } of this.#options.servers()) {
        try {
          Deno.kill(pid, "SIGUSR2");
        } catch (error) {
          // The server has ended by itself; the fault run reports that.
          if (!(error instanceof Deno.errors.NotFound)) throw error;
        }
      }
    }
  }

  #setSpool(state: SpoolState): void {
    for (const ingest of this.#options.ingests) ingest.spool = state;
  }

  /** Waits, at most until the faults end. Returns whether they continue. */
  async #pauseUnlessEnded(ms: number): Promise<boolean> {
    const { signal } = this.#end;
    // Aborted: the faults end.
    await setTimeout(ms, undefined, { signal }).catch(() => {});
    return !signal.aborted;
  }
}
