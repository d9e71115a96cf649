import { categoryBits, categoryOf, quantitiesOf } from "../../protocol/categories.ts";
import { eventId } from "../../protocol/envelope.ts";
import type { FollowedEnvelopes, SpoolReport } from "../../protocol/relay_api.ts";
import { withTimeout } from "../../protocol/with_timeout.ts";
import type { AdmittedEnvelope } from "../../protocol/admitted_envelope.ts";
import { type Answer, takenAnswer } from "../answer.ts";
import { RelayError } from "../errors.ts";
import type { RelayLog } from "../send/circuit_breaker.ts";
import type { Sender } from "../send/sender.ts";
import { type Drain, type DrainOptions, startDrain } from "./drain.ts";
import { ErrorLog } from "./drain_log.ts";
import type { Gossip } from "./gossip.ts";
import type { PostgresSpoolOptions } from "./postgres_spool.ts";
import { type PutResult, type Spool, type SpoolStats, SpoolUnavailableError } from "./spool.ts";
import { openSqliteSpool, type SqliteSpoolOptions } from "./sqlite_spool.ts";

/** A spool that was read as empty counts as empty so long: pages resend an envelope after 1.5 s at the earliest. */
export const EMPTY_CACHE_MS = 1_000;
/** Longest wait for an answer that envelopes and health can do without. PostgreSQL may hang for 20 seconds. */
const ASK_MS = 5_000;

/** The spool as the relay uses it: a backend and, once started, its drain and the gossip with other servers on it. */
export class RelaySpool {
  readonly #spool: Spool;
  readonly #log: RelayLog;
  readonly #errors: ErrorLog;
  readonly #uptime: () => number;
  #drain: Drain | undefined;
  #gossip: Gossip | undefined;
  #isEmpty = false;
  #puts = 0;
  /** While an answer is late, no other is waited for. */
  #isLate = false;
  /** When the read that set `#isEmpty` began. */
  #readAt = -Infinity;
  #lastPut: PutResult | "failed" = "kept";

  constructor(spool: Spool, log: RelayLog, uptime: () => number = () => performance.now()) {
    this.#spool = spool;
    this.#log = log;
    this.#errors = new ErrorLog(log);
    this.#uptime = uptime;
  }

  /** @throws {DatabaseOpenError} one line for the operator */
  static async open(
    options: SqliteSpoolOptions | PostgresSpoolOptions,
    log: RelayLog,
  ): Promise<RelaySpool> {
    if (!("address" in options)) return new RelaySpool(await openSqliteSpool(options), log);
    // Loaded here, because most servers have no PostgreSQL.
    const { openPostgresSpool } = await import("./postgres_spool.ts");
    return new RelaySpool(await openPostgresSpool(options), log);
  }

  /** Starts to drain once the gossip of the other servers on this spool is known, or after a second. */
  async start(gossip: Gossip, options: Omit<DrainOptions, "spool" | "log">): Promise<void> {
    this.#gossip = gossip;
    await gossip.start(this.#spool, this.#errors);
    this.#drain = startDrain({ ...options, spool: this.#spool, log: this.#log });
  }

  /** Ends the deliveries; what is put later stays for the next start. */
  async stopDraining(): Promise<void> {
    await this.#drain?.stop();
  }

  async close(): Promise<void> {
    await this.#gossip?.stop();
    await this.#spool.close();
  }

  /** Whether the last envelope could not be stored, or the stored ones cannot be delivered. */
  get isFailing(): boolean {
    return ["full", "failed"].includes(this.#lastPut) || this.#drain?.isFailing === true;
  }

  /** Whether the spool has this envelope, or an earlier segment of its recording, which is delivered before. */
  async find(envelope: AdmittedEnvelope): Promise<"duplicate" | "earlier segment" | undefined> {
    const isCached = this.#uptime() - this.#readAt < EMPTY_CACHE_MS;
    if (isCached && this.#isEmpty) return undefined;
    try {
      if (!isCached) await this.stats();
      if (this.#isEmpty) return undefined;
      if (await this.#ask(() => this.#spool.has(envelope.key))) return "duplicate";
      const sequence = sequenceOf(envelope);
      if (sequence === undefined) return undefined;
      const isWaiting = await this.#spool.hasSequence(envelope.dsn.text, sequence);
      return isWaiting ? "earlier segment" : undefined;
    } catch (error) {
      // This envelope can still be sent.
      this.#errors.unexpected("Cannot look for an envelope in the spool", error);
      return undefined;
    }
  }

  /** Stores an envelope: 202, or 200 if it is a duplicate. `reason`: why it was not sent. @throws {RelayError} */
  async put(envelope: AdmittedEnvelope, sender: Sender, reason: string): Promise<Answer> {
    const { bytes, format, contentEncoding, header, items, dsn, key, receivedAt } = envelope;
    this.#markPut();
    let result: PutResult | "failed" = "failed";
    try {
      result = await this.#spool.put({
        dsn: dsn.text,
        bytes,
        format,
        contentEncoding,
        ...sender,
        receivedAt,
        key,
        sequence: sequenceOf(envelope),
        quantities: quantitiesOf(items),
        categories: categoryBits(items.map(({ type }) => categoryOf(type))),
      });
      this.#drain?.wake(dsn.text);
      this.#putEnded(result);
    } catch (error) {
      this.#putEnded("failed", error);
    }
    this.#markPut();
    if (result === "duplicate") return takenAnswer(header, "duplicate");
    if (result === "kept") return { ...takenAnswer(header, "spooled"), status: 202 };
    const problem = result === "full" ? "is full" : "cannot store it";
    throw new RelayError(
      result === "full" ? "spool_full" : "spool_unavailable",
      `The ingest has not taken the envelope (${reason}) and the spool ${problem}; send it again later.`,
    );
  }

  /** What became of spooled envelopes, null if this process does not know; undefined if the spool cannot be read. */
  async follow(keys: readonly string[]): Promise<FollowedEnvelopes | undefined> {
    try {
      const results = keys.map(async (key) => {
        const isWaiting = this.#drain?.resultOf(key) === undefined &&
          await this.#ask(() => this.#spool.has(key));
        // Asked again: it may have been delivered meanwhile.
        return [key, isWaiting ? "spooled" : this.#drain?.resultOf(key) ?? null] as const;
      });
      return Object.fromEntries(await Promise.all(results));
    } catch (error) {
      this.#errors.unexpected("Cannot look for envelopes in the spool", error);
      return undefined;
    }
  }

  /** The spool's part of the health report; undefined if the spool cannot be read. */
  async report(now: number): Promise<SpoolReport | undefined> {
    try {
      const { pending, bytes, oldestAt = now } = await this.stats();
      if (this.#lastPut === "failed") await this.#checkRoom();
      return { pending, bytes, oldest_age_s: Math.max(0, Math.floor((now - oldestAt) / 1000)) };
    } catch (error) {
      this.#errors.unexpected("Cannot read the state of the spool", error);
      return undefined;
    }
  }

  async stats(): Promise<SpoolStats> {
    const askedAt = this.#uptime();
    const putsBefore = this.#puts;
    const stats = await this.#ask(() => this.#spool.stats());
    // If a put began or ended meanwhile, the count may lack its envelope.
    this.#isEmpty = stats.pending === 0 && this.#puts === putsBefore;
    this.#readAt = askedAt;
    return stats;
  }

  async #ask<T>(call: () => Promise<T>): Promise<T> {
    let isLate = true;
    if (!this.#isLate) {
      const asked = call().finally(() => this.#isLate = isLate = false);
      await withTimeout(ASK_MS, asked);
      if (!isLate) return asked;
      this.#isLate = true;
    }
    throw new SpoolUnavailableError("it does not answer");
  }

  /** Without it, a server that gets no envelopes because it is unhealthy would remain so. */
  async #checkRoom(): Promise<void> {
    try {
      await this.#spool.checkRoom();
      this.#putEnded("kept");
    } catch {
      // Still full: logged when it began.
    }
  }

  /** Logs each change once. The drain works on a full disk, so it does not log this. */
  #putEnded(result: PutResult | "failed", error?: unknown): void {
    const [before, now] = [this.#lastPut, result].map((each) => each === "failed");
    this.#lastPut = result;
    if (before && !now) this.#log("info", "The spool stores envelopes again");
    if (before || !now) return;
    const reason = error instanceof Error ? error.message : String(error);
    this.#log("error", "The spool cannot store envelopes", { reason });
  }

  /** A put begins or ends: what was read before may lack its envelope. */
  #markPut(): void {
    this.#isEmpty = false;
    this.#puts++;
  }
}

/** The recording of a segment. No UUID: a database may refuse it, and the ingest refuses its envelope. */
function sequenceOf({ header, items }: AdmittedEnvelope): string | undefined {
  if (!items.some(({ type }) => type === "replay_recording")) return undefined;
  const id = eventId(header);
  return id !== undefined && /^[\da-f-]{32,36}$/i.test(id) ? id : undefined;
}
