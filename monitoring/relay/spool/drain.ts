import { ALL_CATEGORIES } from "../../protocol/categories.ts";
import type { Deliveries, DeliveryResult } from "./deliveries.ts";
import type { CircuitBreaker, Fault } from "../send/circuit_breaker.ts";
import { type DrainClock, SYSTEM_CLOCK } from "./drain_clock.ts";
import { DrainLog, type SpoolLog } from "./drain_log.ts";
import { LEASE_MS, type LeasedEnvelope, type Spool } from "./spool.ts";

/** Interval of passes while the spool is empty: finds envelopes that other processes put. */
export const POLL_MS = 5_000;
/** Interval of passes while envelopes wait: the end of a backoff or a rate limit is noticed this late at most. */
export const BUSY_POLL_MS = 500;
/** Envelopes live for hours, so expiry need not be exact. */
const EXPIRE_EVERY_MS = 60_000;
/** A lease survives two renewals that fail. */
export const RENEW_EVERY_MS = LEASE_MS / 3;
/** Maximum concurrent deliveries to one ingest. Leaves most of the 256 connections to live envelopes. */
export const MAX_CONCURRENT = 32;
/** Most bytes of leased bodies in memory, plus one body of any size. */
const MAX_LEASED_BYTES = 16 * 1024 * 1024;
/** Exponential backoff bounds of an envelope that keeps failing by its own fault. */
export const FIRST_BACKOFF_MS = 1_000;
export const MAX_BACKOFF_MS = 15 * 60_000;
/** Stopping: time for deliveries to finish, then time for them to abort. The server closes the spool after 3.5 s. */
export const STOP_GRACE_MS = 2_800;
export const STOP_ABORT_MS = 300;

interface DrainOptions extends Deliveries {
  readonly spool: Spool;
  /** Called when the drain's state changes, not for each envelope. */
  readonly log: SpoolLog;
  /** Default: the system's clock. */
  readonly clock?: DrainClock;
}

/** An envelope that is leased to this drain: it is being delivered, or being deleted. */
interface HeldEnvelope {
  /** With its current lease. */
  envelope: LeasedEnvelope;
  readonly ingest: CircuitBreaker;
  /** Whether the ingest has decided. It stays held until it is deleted, so that it is not delivered again. */
  isDecided: boolean;
  /** Aborts its delivery. */
  readonly abort: AbortController;
}

/**
 * Delivers the envelopes of a spool, from its construction on. Works in passes: each renews leases, expires old
 * envelopes, leases new ones and starts to deliver them. Passes run one after another, on a timer and on events: a
 * wake-up, a finished delivery, an ingest that is up again.
 */
export class Drain {
  readonly #options: DrainOptions;
  readonly #clock: DrainClock;
  readonly #log: DrainLog;
  readonly #held = new Map<number, HeldEnvelope>();
  /** Promises that `stop` waits for. */
  readonly #running = new Set<Promise<void>>();
  /** DSNs with envelopes in the spool at the last pass, by ingest. */
  #waiting: ReadonlyMap<CircuitBreaker, readonly string[]> = new Map();
  #isPassing = false;
  #needsPass = false;
  #stopping: Promise<void> | undefined;
  #cancelTimer = () => {};
  #expireAt = 0;
  #renewAt = 0;

  constructor(options: DrainOptions) {
    this.#options = options;
    this.#clock = options.clock ?? SYSTEM_CLOCK;
    this.#log = new DrainLog(options.log);
    this.#requestPass();
  }

  /** Reports that an envelope of this DSN was put; without it, the next poll finds the envelope. */
  wake(dsn: string): void {
    if (this.#freeSlots(this.#options.breakerOf(dsn)) > 0) this.#requestPass();
  }

  /**
   * Lets running deliveries finish for {@linkcode STOP_GRACE_MS}, then aborts them for {@linkcode STOP_ABORT_MS}.
   * Results that arrive by then are recorded; all other envelopes return to the spool.
   */
  stop(): Promise<void> {
    return this.#stopping ??= this.#stop();
  }

  async #stop(): Promise<void> {
    this.#cancelTimer();
    if (await this.#endsWithin(STOP_GRACE_MS)) return;
    for (const { abort } of this.#held.values()) abort.abort();
    await this.#endsWithin(STOP_ABORT_MS);
  }

  /** Starts a pass, or another one after the current pass. */
  #requestPass(): void {
    this.#needsPass = true;
    if (this.#isPassing || this.#stopping) return;
    this.#isPassing = true;
    this.#cancelTimer();
    this.#track(this.#passes());
  }

  async #passes(): Promise<void> {
    while (this.#needsPass && !this.#stopping) {
      this.#needsPass = false;
      try {
        await this.#pass();
        this.#log.spoolWorked();
      } catch (error) {
        // The timer tries again.
        this.#log.spoolFailed(error);
        break;
      }
    }
    this.#isPassing = false;
    if (this.#stopping) return;
    const isBusy = this.#waiting.size + this.#held.size > 0;
    this.#cancelTimer = this.#clock.after(
      isBusy ? BUSY_POLL_MS : POLL_MS,
      () => this.#requestPass(),
    );
  }

  async #pass(): Promise<void> {
    const { spool, breakerOf, onDropped } = this.#options;
    const clock = this.#clock;
    for (const held of this.#held.values()) {
      if (held.isDecided) await this.#delete(held, true);
    }
    if (this.#held.size > 0 && clock.uptime() >= this.#renewAt) await this.#renew();
    if (clock.uptime() >= this.#expireAt) {
      const expired = await spool.expire(clock.now());
      for (const dropped of expired) onDropped(dropped);
      this.#log.expired(expired.reduce((sum, { envelopes }) => sum + envelopes, 0));
      this.#expireAt = clock.uptime() + EXPIRE_EVERY_MS;
    }
    const stats = await spool.stats();
    this.#waiting = Map.groupBy(Object.keys(stats.byDsn), (dsn) => breakerOf(dsn));
    const ingests = new Set(this.#waiting.keys());
    this.#log.spoolRead(stats, ingests);
    this.#options.onWaiting(ingests);
    for (const ingest of ingests) ingest.onUp ??= () => this.#requestPass();
    // Probes first: envelopes of other ingests may take all the memory.
    const probedFirst = [...ingests].sort((a, b) => Number(b.isProbed) - Number(a.isProbed));
    for (const ingest of probedFirst) await this.#lease(ingest);
  }

  /** Leases envelopes that may be delivered to an ingest now, and starts to deliver them. */
  async #lease(ingest: CircuitBreaker): Promise<void> {
    const { spool, limitsOf } = this.#options;
    while (!this.#stopping) {
      const limit = this.#freeSlots(ingest);
      const maxBytes = MAX_LEASED_BYTES - this.#heldBytes();
      const dsns = (this.#waiting.get(ingest) ?? [])
        .map((dsn) => ({ dsn, limited: limitsOf(dsn) }))
        .filter(({ limited }) => limited !== ALL_CATEGORIES);
      if (limit === 0 || maxBytes <= 0 || dsns.length === 0) return;
      const newest = ingest.isProbed && ingest.probesNewest;
      const leased = await spool.lease({ now: this.#clock.now(), limit, maxBytes, dsns, newest });
      if (leased.length === 0) return;
      for (const envelope of leased) this.#hold(envelope, ingest);
    }
  }

  #hold(envelope: LeasedEnvelope, ingest: CircuitBreaker): void {
    const known = this.#held.get(envelope.id);
    // Leased again: the clock was set forward, so the spool took its lease for expired.
    if (known) return void (known.envelope = envelope);
    if (this.#held.size === 0) this.#renewAt = this.#clock.uptime() + RENEW_EVERY_MS;
    // Meanwhile the drain may have been stopped, or the ingest may have failed.
    const mayStart = !this.#stopping && (!ingest.isProbed || this.#freeSlots(ingest) > 0);
    const abort = new AbortController();
    const held: HeldEnvelope = { envelope, ingest, isDecided: false, abort };
    this.#held.set(envelope.id, held);
    if (mayStart) this.#track(this.#deliver(held));
    else this.#release(held, 0);
  }

  async #deliver(held: HeldEnvelope): Promise<void> {
    const { envelope, ingest, abort: { signal } } = held;
    const result = await this.#options.deliver(envelope, signal)
      .catch((): DeliveryResult => ({ kind: "undecided", fault: "envelope" }));
    switch (result.kind) {
      case "aborted":
        this.#release(held, 0);
        break;
      case "undecided":
        this.#backOff(held, result.fault);
        break;
      case "rate_limited":
        this.#waitForLimit(held, result.waitMs);
        break;
      case "decided":
        held.isDecided = true;
        // If this fails, the next pass deletes it.
        await this.#delete(held, false).catch((error) => this.#log.spoolFailed(error));
    }
    if (this.#freeSlots(ingest) > 0) this.#requestPass();
  }

  /** An outage of the ingest counts as one failure, however long it is: it causes no long backoff. */
  #backOff(held: HeldEnvelope, fault: Fault): void {
    const { envelope: { failures } } = held;
    const isOwnFault = fault === "envelope";
    const backoff = isOwnFault ? Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** failures) : 0;
    const half = Math.max(FIRST_BACKOFF_MS, backoff) / 2;
    const waitMs = Math.ceil(half + this.#clock.random() * half);
    const failuresNow = isOwnFault ? failures + 1 : Math.max(1, failures);
    this.#release(held, this.#clock.now() + waitMs, failuresNow);
  }

  #waitForLimit(held: HeldEnvelope, waitMs: number): void {
    const { dsn, categories } = held.envelope;
    const isLimited = (categories & ~this.#options.limitsOf(dsn)) === 0;
    // No wait where the limit covers the envelope: it is not leased before the limit ends.
    this.#release(held, isLimited ? 0 : this.#clock.now() + waitMs);
  }

  /** @param isInPass called at the start of a pass, before envelopes are leased */
  async #delete(held: HeldEnvelope, isInPass: boolean): Promise<void> {
    const isDeleted = await this.#options.spool.complete(held.envelope);
    // Not deleted: the clock was set forward, so the lease ran out. A running `lease` call may return the envelope, and
    // `#hold` must find it. The next pass tries again.
    if (isDeleted || isInPass) this.#held.delete(held.envelope.id);
  }

  /** Returns an envelope to the spool. If that fails, its lease runs out. */
  #release(held: HeldEnvelope, notBefore: number, failures?: number): void {
    const { envelope } = held;
    if (this.#held.get(envelope.id) === held) this.#held.delete(envelope.id);
    const work = this.#options.spool.release(envelope, notBefore, failures);
    this.#track(work.then(() => {}, (error) => this.#log.spoolFailed(error)));
  }

  async #renew(): Promise<void> {
    const held = [...this.#held.values()];
    const leases = held.map(({ envelope }) => envelope);
    const kept = new Set(await this.#options.spool.renew(leases, this.#clock.now()));
    this.#renewAt = this.#clock.uptime() + RENEW_EVERY_MS;
    for (const { envelope: { id }, abort } of held) {
      if (kept.has(id)) continue;
      // Another process leased it.
      this.#held.delete(id);
      abort.abort();
    }
  }

  /** How many envelopes to lease for an ingest. 0 until half of its slots are free, so that each call leases many. */
  #freeSlots(ingest: CircuitBreaker): number {
    let active = 0;
    for (const held of this.#held.values()) {
      if (held.ingest === ingest && !held.isDecided) active++;
    }
    if (ingest.isProbed) return active === 0 && ingest.probeInMs <= 0 ? 1 : 0;
    return active > MAX_CONCURRENT / 2 ? 0 : MAX_CONCURRENT - active;
  }

  #heldBytes(): number {
    return [...this.#held.values()].reduce((sum, held) => sum + held.envelope.bytes.byteLength, 0);
  }

  /** @param work must not reject; `stop` waits for it */
  #track(work: Promise<void>): void {
    const task = work.finally(() => this.#running.delete(task));
    this.#running.add(task);
  }

  /** Whether all tracked work, including work that it starts, ends within `ms`. */
  async #endsWithin(ms: number): Promise<boolean> {
    const { promise: late, resolve } = Promise.withResolvers<boolean>();
    const cancel = this.#clock.after(ms, () => resolve(false));
    const allEnded = async () => {
      while (this.#running.size > 0) await Promise.all(this.#running);
      return true;
    };
    const inTime = await Promise.race([allEnded(), late]);
    cancel();
    return inTime;
  }
}
