import { ALL_CATEGORIES } from "../../protocol/categories.ts";
import {
  type DeliveryResult,
  type DrainClock,
  type DrainOptions,
  type FinalResult,
  SYSTEM_CLOCK,
  type Upstream,
} from "./drain_options.ts";
import { DrainStateReporter } from "./drain_state_reporter.ts";
import { LEASE_MS, type LeasedEnvelope, MAX_WAIT_MS } from "./spool.ts";

/** Interval of passes without a wake-up: finds envelopes that other processes put. */
export const POLL_MS = 5_000;
/** Envelopes live for hours, so expiry need not be exact. */
export const EXPIRE_EVERY_MS = 60_000;
/** A lease survives two renewals that fail. */
export const RENEW_EVERY_MS = LEASE_MS / 3;
/**
 * Concurrent deliveries to one ingest: one more after each that is decided, the first number again after a failure or a
 * rate limit. Hides its latency, and leaves most of its 256 connections to live envelopes.
 */
export const FIRST_CONCURRENT = 16;
export const MAX_CONCURRENT = 64;
/** Most envelopes leased for one ingest, so that a free delivery slot never waits for the spool. */
export const MAX_LEASED = 2 * MAX_CONCURRENT;
/** Most bytes of leased bodies in memory, plus one body of any size. */
const MAX_LEASED_BYTES = 16 * 1024 * 1024;
/** Exponential backoff bounds of an envelope that keeps failing by its own fault. */
export const FIRST_BACKOFF_MS = 1_000;
export const MAX_BACKOFF_MS = 15 * 60_000;
/** Shortest wait after a 429 whose limit does not cover the envelope or has already ended. */
export const MIN_LIMIT_WAIT_MS = 1_000;
/** Stopping: time for deliveries to finish, then time for them to abort. The server closes the spool after 3.5 s. */
export const STOP_GRACE_MS = 2_800;
export const STOP_ABORT_MS = 300;

/** An envelope that is leased to this drain. */
interface HeldEnvelope {
  readonly envelope: LeasedEnvelope;
  readonly upstream: Upstream;
  /** Its current lease. */
  lease: string;
  /** `ended`: delivered or refused, and being deleted. `undeleted`: deleting failed and is tried again. */
  state: "queued" | "active" | "ended" | "undeleted";
  /** Aborts its delivery. */
  readonly abort: AbortController;
}

/**
 * Delivers the envelopes of a spool, from its construction on. Works in passes: each renews leases, expires old
 * envelopes and leases new ones. Passes run one after another, on a timer and on events: a wake-up, a finished
 * delivery, an ingest that is up again.
 */
export class Drain {
  readonly #options: DrainOptions;
  readonly #clock: DrainClock;
  readonly #state: DrainStateReporter;
  readonly #held = new Map<number, HeldEnvelope>();
  /** Promises that `stop` waits for. */
  readonly #running = new Set<Promise<void>>();
  /** DSNs with envelopes in the spool at the last pass, by ingest. */
  #waiting: ReadonlyMap<Upstream, readonly string[]> = new Map();
  /** Concurrent deliveries by ingest. Default: {@linkcode FIRST_CONCURRENT}. */
  readonly #concurrent = new Map<Upstream, number>();
  #isPassing = false;
  #needsPass = false;
  #stopping: Promise<void> | undefined;
  #cancelTimer = () => {};
  #expireAt = 0;
  #renewAt = 0;
  /** When the first delayed envelope may be tried again. */
  #retryAt = Infinity;
  /** When the first wait ends of those that ran when the last pass began to lease. */
  #dueAt = Infinity;

  constructor(options: DrainOptions) {
    this.#options = options;
    this.#clock = options.clock ?? SYSTEM_CLOCK;
    this.#state = new DrainStateReporter((state) => options.onState?.(state));
    this.#requestPass();
  }

  /** Reports that an envelope of this DSN was put; without it, the next poll finds the envelope. */
  wake(dsn: string): void {
    if (this.#freePlaces(this.#options.upstreamOf(dsn)) > 0) this.#requestPass();
  }

  /**
   * Lets running deliveries finish for {@linkcode STOP_GRACE_MS}, then aborts them for {@linkcode STOP_ABORT_MS}.
   * Results that arrive by then are recorded; all other envelopes return to the spool.
   */
  stop(): Promise<void> {
    return this.#stopping ??= this.#stop();
  }

  async #stop(): Promise<void> {
    // `#stopping` is set after this line: the code below must see it.
    await Promise.resolve();
    this.#cancelTimer();
    this.#releaseQueued(() => true);
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
        this.#state.spoolWorked();
      } catch (error) {
        // The timer tries again.
        this.#state.spoolFailed(error);
        break;
      }
    }
    this.#isPassing = false;
    if (!this.#stopping) {
      // A wait that ended during the pass may have ended after its lease.
      const dueInMs = Math.max(0, this.#dueAt - this.#clock.elapsed());
      const ms = Math.ceil(Math.min(POLL_MS, dueInMs, this.#msUntilWaitEnds()));
      this.#cancelTimer = this.#clock.after(ms, () => this.#requestPass());
    }
  }

  async #pass(): Promise<void> {
    const { spool, upstreamOf, onDropped } = this.#options;
    const clock = this.#clock;
    this.#dueAt = Infinity;
    for (const held of this.#held.values()) {
      if (held.state === "undeleted") await this.#delete(held);
    }
    if (this.#held.size > 0 && clock.elapsed() >= this.#renewAt) await this.#renew();
    if (clock.elapsed() >= this.#expireAt) {
      const expired = await spool.expire(clock.now());
      for (const dropped of expired) onDropped?.(dropped);
      this.#state.expired(expired.reduce((sum, { envelopes }) => sum + envelopes, 0));
      this.#expireAt = clock.elapsed() + EXPIRE_EVERY_MS;
    }
    const stats = await spool.stats();
    this.#waiting = Map.groupBy(Object.keys(stats.byDsn), (dsn) => upstreamOf(dsn));
    const upstreams = new Set(this.#waiting.keys());
    this.#state.update(stats, upstreams);
    this.#options.onWaiting?.(upstreams);
    for (const upstream of upstreams) upstream.onUp ??= () => this.#requestPass();
    if (clock.elapsed() >= this.#retryAt) this.#retryAt = Infinity;
    this.#dueAt = clock.elapsed() + this.#msUntilWaitEnds();
    // Probes first: envelopes of other ingests may take all the memory.
    const probedFirst = [...upstreams].sort((a, b) => Number(b.isProbed) - Number(a.isProbed));
    for (const upstream of probedFirst) await this.#lease(upstream);
  }

  /** Leases all envelopes that may be delivered to an ingest now. */
  async #lease(upstream: Upstream): Promise<void> {
    const { spool, limitsOf } = this.#options;
    while (!this.#stopping) {
      const limit = this.#freePlaces(upstream);
      const maxBytes = MAX_LEASED_BYTES - this.#heldBytes();
      const dsns = (this.#waiting.get(upstream) ?? [])
        .map((dsn) => ({ dsn, limited: limitsOf(dsn).categories }))
        .filter(({ limited }) => limited !== ALL_CATEGORIES);
      if (limit === 0 || maxBytes <= 0 || dsns.length === 0) return;
      const newest = upstream.isProbed && upstream.probesNewest;
      const leased = await spool.lease({ now: this.#clock.now(), limit, maxBytes, dsns, newest });
      if (leased.length === 0) return;
      for (const envelope of leased) this.#hold(envelope, upstream);
    }
  }

  #hold(envelope: LeasedEnvelope, upstream: Upstream): void {
    const { id, lease } = envelope;
    const known = this.#held.get(id);
    // The clock was set forward, so its lease seemed to have run out.
    if (known) return void (known.lease = lease);
    if (this.#held.size === 0) this.#renewAt = this.#clock.elapsed() + RENEW_EVERY_MS;
    const isWanted = !this.#stopping && this.#freePlaces(upstream) > 0;
    const abort = new AbortController();
    const held: HeldEnvelope = { envelope, upstream, lease, state: "queued", abort };
    this.#held.set(id, held);
    if (isWanted) this.#startDeliveries(upstream);
    else this.#release(held, 0);
  }

  /** Starts queued deliveries up to the limit of concurrent ones. */
  #startDeliveries(upstream: Upstream): void {
    let active = this.#count(upstream, "active");
    for (const held of this.#held.values()) {
      if (held.upstream !== upstream || held.state !== "queued") continue;
      const mayStart = upstream.isProbed ? active === 0 : active < this.#maxActive(upstream);
      if (this.#stopping || !mayStart) return;
      if (this.#isLimited(held)) {
        this.#release(held, 0);
        continue;
      }
      active++;
      held.state = "active";
      this.#track(this.#deliver(held));
    }
  }

  async #deliver(held: HeldEnvelope): Promise<void> {
    const { envelope, upstream, abort: { signal } } = held;
    const { isProbed } = upstream;
    let result: DeliveryResult;
    try {
      result = await this.#options.deliver(envelope, signal);
    } catch (error) {
      result = { kind: "undecided", reason: String(error), fault: "envelope" };
    }
    switch (result.kind) {
      case "aborted":
        this.#release(held, 0);
        break;
      case "undecided":
        if (result.fault === "ingest") this.#concurrent.delete(upstream);
        this.#backOff(held, result.fault);
        break;
      case "rate_limited":
        this.#concurrent.delete(upstream);
        this.#limit(held, result.waitMs);
        break;
      default:
        if (!isProbed) {
          this.#concurrent.set(upstream, Math.min(MAX_CONCURRENT, this.#maxActive(upstream) + 1));
        }
        await this.#end(held, result);
    }
    this.#startDeliveries(upstream);
    if (this.#freePlaces(upstream) > 0) this.#requestPass();
  }

  /** Only failures by the envelope's own fault add up: an outage of the ingest causes no long backoff. */
  #backOff(held: HeldEnvelope, fault: "ingest" | "envelope"): void {
    const { envelope: { failures }, upstream } = held;
    const clock = this.#clock;
    const isOwnFault = fault === "envelope";
    const backoff = isOwnFault ? Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** failures) : 0;
    const half = Math.max(FIRST_BACKOFF_MS, backoff) / 2;
    const waitMs = Math.ceil(half + clock.random() * half);
    this.#retryAt = Math.min(this.#retryAt, clock.elapsed() + waitMs);
    this.#release(held, clock.now() + waitMs, isOwnFault ? failures + 1 : Math.max(1, failures));
    if (upstream.isProbed) this.#releaseQueued((other) => other.upstream === upstream);
    // Sets the timer to the next attempt.
    this.#requestPass();
  }

  #limit(held: HeldEnvelope, waitMs: number): void {
    const wait = Math.min(MAX_WAIT_MS, Math.max(MIN_LIMIT_WAIT_MS, waitMs || 0));
    // No wait where the limit covers the envelope: it is not leased before the limit ends.
    this.#release(held, this.#isLimited(held) ? 0 : this.#clock.now() + wait);
    this.#releaseQueued((other) => this.#isLimited(other));
    // Sets the timer to the end of the limit.
    this.#requestPass();
  }

  async #end(held: HeldEnvelope, result: FinalResult): Promise<void> {
    held.state = "ended";
    this.#options.onEnded?.(held.envelope, result);
    try {
      await this.#delete(held);
    } catch (error) {
      // Stays held so that it is not delivered again; the next pass deletes it.
      held.state = "undeleted";
      this.#state.spoolFailed(error);
    }
  }

  async #delete(held: HeldEnvelope): Promise<void> {
    const { envelope: { id }, lease, state } = held;
    if (!await this.#options.spool.complete({ id, lease }) && state === "ended") {
      // The clock was set forward and the lease ran out. This drain may be leasing the envelope again right now, and
      // `#hold` must find it here. The next pass tries once more.
      held.state = "undeleted";
      return this.#requestPass();
    }
    this.#held.delete(id);
  }

  #releaseQueued(matches: (held: HeldEnvelope) => boolean): void {
    for (const held of this.#held.values()) {
      if (held.state === "queued" && matches(held)) this.#release(held, 0);
    }
  }

  /** Returns an envelope to the spool. If that fails, its lease runs out. */
  #release(held: HeldEnvelope, notBefore: number, failures?: number): void {
    const { envelope: { id }, lease } = held;
    if (this.#held.get(id) === held) this.#held.delete(id);
    const work = this.#options.spool.release({ id, lease }, notBefore, failures);
    this.#track(work.then(() => {}, (error) => this.#state.spoolFailed(error)));
  }

  async #renew(): Promise<void> {
    const held = [...this.#held.values()];
    const leases = held.map(({ envelope: { id }, lease }) => ({ id, lease }));
    const kept = new Set(await this.#options.spool.renew(leases, this.#clock.now()));
    this.#renewAt = this.#clock.elapsed() + RENEW_EVERY_MS;
    for (const { envelope: { id }, abort } of held) {
      if (kept.has(id)) continue;
      // Another process leased it.
      this.#held.delete(id);
      abort.abort();
    }
  }

  /** How many envelopes to lease for an ingest; 0 while more than half of the places are taken. */
  #freePlaces(upstream: Upstream): number {
    const held = this.#count(upstream, "queued", "active");
    if (upstream.isProbed) return held === 0 && upstream.probeInMs <= 0 ? 1 : 0;
    return held > MAX_LEASED / 2 ? 0 : MAX_LEASED - held;
  }

  #maxActive(upstream: Upstream): number {
    return this.#concurrent.get(upstream) ?? FIRST_CONCURRENT;
  }

  #count(upstream: Upstream, ...states: HeldEnvelope["state"][]): number {
    let count = 0;
    for (const held of this.#held.values()) {
      if (held.upstream === upstream && states.includes(held.state)) count++;
    }
    return count;
  }

  #heldBytes(): number {
    return [...this.#held.values()].reduce((sum, held) => sum + held.envelope.bytes.byteLength, 0);
  }

  /** Whether rate limits cover all categories of an envelope. */
  #isLimited({ envelope: { dsn, categories } }: HeldEnvelope): boolean {
    return (categories & ~this.#options.limitsOf(dsn).categories) === 0;
  }

  #msUntilWaitEnds(): number {
    const { limitsOf } = this.#options;
    const now = this.#clock.elapsed();
    const due = [this.#retryAt - now];
    if (this.#held.size > 0) due.push(this.#renewAt - now);
    for (const [upstream, dsns] of this.#waiting) {
      if (upstream.isProbed) due.push(upstream.probeInMs);
      due.push(...dsns.map((dsn) => limitsOf(dsn).endsInMs));
    }
    return Math.min(...due.filter((ms) => ms > 0));
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
