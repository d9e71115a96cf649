import type { Drain, DrainClock, DrainOptions, End, Upstream, Verdict } from "./drain.ts";
import { DrainChanges } from "./drain_changes.ts";
import { LEASE_MS, type LeasedEnvelope, MAX_WAIT_MS } from "./spool.ts";

/** When to look for what other processes left, and for what was put without a word. */
export const POLL_MS = 5_000;
/** Envelopes live for hours: there is no hurry to give them up. */
export const EXPIRE_EVERY_MS = 60_000;
/** Often enough that a lease outlives two renewals that fail. */
export const RENEW_EVERY_MS = LEASE_MS / 3;
/** Deliveries at once to one ingest: enough to hide its latency, too few to hurt it as it returns. */
export const CONCURRENT = 16;
/** Envelopes leased for one ingest beforehand, so that none of these waits for the spool. */
export const IN_HAND = 2 * CONCURRENT;
/** Bodies held in memory, with one more of any size. */
export const HAND_BYTES = 16 * 1024 * 1024;
/** Bounds of an envelope's own back-off; it doubles with each attempt that is the envelope's fault. */
export const FIRST_BACKOFF_MS = 1_000;
export const MAX_BACKOFF_MS = 15 * 60_000;
/** A limit that holds nothing of the envelope it was announced for, or is over already, still puts it off. */
export const MIN_PAUSE_MS = 1_000;
/** Stopping: deliveries may end by themselves, then they are aborted. A server closes the spool after 3.5 seconds. */
export const STOP_GRACE_MS = 2_800;
export const STOP_ABORT_MS = 300;

/** The real clock. Its timers keep no process alive. */
const SYSTEM_CLOCK: DrainClock = {
  now: Date.now,
  elapsed: () => performance.now(),
  after(ms, work) {
    const timer = setTimeout(work, ms);
    Deno.unrefTimer(timer);
    return () => clearTimeout(timer);
  },
  random: Math.random,
};

/** An envelope that is leased to this drain. */
interface Held {
  readonly envelope: LeasedEnvelope;
  readonly upstream: Upstream;
  /** Its present lease. */
  lease: string;
  /** `ended`: delivered or refused, and being deleted. `owed`: that failed. */
  state: "queued" | "active" | "ended" | "owed";
  /** Ends the delivery without a verdict. */
  readonly abort: AbortController;
}

/** The drain of a spool: leases what waits and has it delivered. */
export class SpoolDrain implements Drain {
  readonly #options: DrainOptions;
  readonly #clock: DrainClock;
  readonly #changes: DrainChanges;
  readonly #hand = new Map<number, Held>();
  readonly #underWay = new Set<Promise<void>>();
  /** DSNs of which something waited at the last look, by ingest. */
  #waiting: ReadonlyMap<Upstream, readonly string[]> = new Map();
  #passing = false;
  #again = false;
  #stopping: Promise<void> | undefined;
  #cancelTimer = () => {};
  #expireAt = 0;
  #renewAt = 0;
  /** When the first of the envelopes that were put off may be tried again. */
  #retryAt = Infinity;

  constructor(options: DrainOptions) {
    this.#options = options;
    this.#clock = options.clock ?? SYSTEM_CLOCK;
    this.#changes = new DrainChanges((state) => options.onState?.(state));
    this.#run();
  }

  wake(dsn: string): void {
    if (this.#wants(this.#options.upstreamOf(dsn)) > 0) this.#run();
  }

  stop(): Promise<void> {
    return this.#stopping ??= this.#stop();
  }

  async #stop(): Promise<void> {
    // From the next turn on all that runs sees that it is stopping.
    await Promise.resolve();
    this.#cancelTimer();
    this.#releaseQueued(() => true);
    if (await this.#endWithin(STOP_GRACE_MS)) return;
    for (const { abort } of this.#hand.values()) abort.abort();
    await this.#endWithin(STOP_ABORT_MS);
  }

  /** Makes a pass, or another one after the one that is being made. */
  #run(): void {
    this.#again = true;
    if (this.#passing || this.#stopping) return;
    this.#passing = true;
    this.#cancelTimer();
    this.#track(this.#passes());
  }

  async #passes(): Promise<void> {
    while (this.#again && !this.#stopping) {
      this.#again = false;
      try {
        await this.#pass();
        this.#changes.spoolWorked();
      } catch (error) {
        // The timer tries again.
        this.#changes.spoolFailed(error);
        break;
      }
    }
    this.#passing = false;
    if (!this.#stopping) {
      this.#cancelTimer = this.#clock.after(this.#untilNext(), () => this.#run());
    }
  }

  async #pass(): Promise<void> {
    const { spool, upstreamOf, onDropped } = this.#options;
    const clock = this.#clock;
    if (clock.elapsed() >= this.#retryAt) this.#retryAt = Infinity;
    for (const held of this.#hand.values()) if (held.state === "owed") await this.#delete(held);
    if (this.#hand.size > 0 && clock.elapsed() >= this.#renewAt) await this.#renew();
    if (clock.elapsed() >= this.#expireAt) {
      for (const dropped of await spool.expire(clock.now())) onDropped?.(dropped);
      this.#expireAt = clock.elapsed() + EXPIRE_EVERY_MS;
    }
    const stats = await spool.stats();
    this.#waiting = Map.groupBy(Object.keys(stats.byDsn), (dsn) => upstreamOf(dsn));
    const upstreams = new Set(this.#waiting.keys());
    this.#changes.looked(stats, upstreams);
    for (const upstream of upstreams) upstream.onUp ??= () => this.#run();
    // Probes first: others may take all the memory.
    const isProbed = (upstream: Upstream) => upstream.isProbed ? 0 : 1;
    for (const upstream of [...upstreams].sort((a, b) => isProbed(a) - isProbed(b))) {
      await this.#lease(upstream);
    }
  }

  /** Takes all that may be delivered now to an ingest. */
  async #lease(upstream: Upstream): Promise<void> {
    const { spool, limitsOf } = this.#options;
    while (!this.#stopping) {
      const limit = this.#wants(upstream);
      const maxBytes = HAND_BYTES - this.#handBytes();
      const dsns = (this.#waiting.get(upstream) ?? [])
        .map((dsn) => ({ dsn, held: limitsOf(dsn).categories }))
        .filter(({ held }) => held !== ALL_BITS);
      if (limit === 0 || maxBytes <= 0 || dsns.length === 0) return;
      const newest = upstream.isProbed && upstream.probesNewest;
      const leased = await spool.lease({ now: this.#clock.now(), limit, maxBytes, dsns, newest });
      if (leased.length === 0) return;
      for (const envelope of leased) this.#take(envelope, upstream);
    }
  }

  #take(envelope: LeasedEnvelope, upstream: Upstream): void {
    const { id, lease } = envelope;
    const mine = this.#hand.get(id);
    if (mine) {
      // The clock was set forward, so the lease seemed to be over.
      mine.lease = lease;
      return;
    }
    if (this.#hand.size === 0) this.#renewAt = this.#clock.elapsed() + RENEW_EVERY_MS;
    const isWanted = !this.#stopping && this.#wants(upstream) > 0;
    const held: Held = { envelope, upstream, lease, state: "queued", abort: new AbortController() };
    this.#hand.set(id, held);
    if (isWanted) this.#begin(upstream);
    else this.#release(held, 0);
  }

  /** Begins what may begin. */
  #begin(upstream: Upstream): void {
    let active = this.#count(upstream, "active");
    for (const held of this.#hand.values()) {
      if (held.upstream !== upstream || held.state !== "queued") continue;
      const mayBegin = upstream.isProbed ? active === 0 : active < CONCURRENT;
      if (this.#stopping || !mayBegin) return;
      if (this.#isLimited(held)) {
        this.#release(held, 0);
        continue;
      }
      active++;
      held.state = "active";
      this.#track(this.#deliver(held));
    }
  }

  async #deliver(held: Held): Promise<void> {
    const { envelope, upstream, abort: { signal } } = held;
    let verdict: Verdict;
    try {
      verdict = await this.#options.deliver(envelope, signal);
    } catch (error) {
      verdict = { kind: "undecided", reason: String(error), fault: "envelope" };
    }
    switch (verdict.kind) {
      case "aborted":
        this.#release(held, 0);
        break;
      case "undecided":
        this.#putOff(held, verdict.fault);
        break;
      case "rate_limited":
        this.#limited(held, verdict.waitMs);
        break;
      default:
        await this.#end(held, verdict);
    }
    this.#begin(upstream);
    if (this.#wants(upstream) > 0) this.#run();
  }

  /** Only an envelope's own faults add up: an outage leaves no long back-off behind. */
  #putOff(held: Held, fault: "ingest" | "envelope"): void {
    const { envelope: { failures }, upstream } = held;
    const clock = this.#clock;
    const isOwn = fault === "envelope";
    const most = isOwn ? Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** failures) : 0;
    const half = Math.max(FIRST_BACKOFF_MS, most) / 2;
    const waitMs = Math.ceil(half + clock.random() * half);
    this.#retryAt = Math.min(this.#retryAt, clock.elapsed() + waitMs);
    this.#release(held, clock.now() + waitMs, isOwn ? failures + 1 : Math.max(1, failures));
    if (upstream.isProbed) this.#releaseQueued((other) => other.upstream === upstream);
    // Sets the timer to the next attempt.
    this.#run();
  }

  #limited(held: Held, waitMs: number): void {
    // Envelopes under a known limit are not leased again before it ends.
    const wait = Math.min(MAX_WAIT_MS, Math.max(MIN_PAUSE_MS, waitMs || 0));
    this.#release(held, this.#isLimited(held) ? 0 : this.#clock.now() + wait);
    this.#releaseQueued((other) => this.#isLimited(other));
    // Sets the timer to the end of the limit.
    this.#run();
  }

  async #end(held: Held, end: End): Promise<void> {
    held.state = "ended";
    this.#options.onEnded?.(held.envelope, end);
    try {
      await this.#delete(held);
    } catch (error) {
      // It stays in hand, so that it is not delivered again, and the next pass deletes it.
      held.state = "owed";
      this.#changes.spoolFailed(error);
    }
  }

  async #delete(held: Held): Promise<void> {
    const { envelope: { id }, lease, state } = held;
    if (!await this.#options.spool.done({ id, lease }) && state === "ended") {
      // The clock was set forward, and the lease ran out. If this drain is leasing the envelope anew, `#take` must find
      // it here; the next pass tries once more.
      held.state = "owed";
      this.#run();
      return;
    }
    this.#hand.delete(id);
  }

  #releaseQueued(isMeant: (held: Held) => boolean): void {
    for (const held of this.#hand.values()) {
      if (held.state === "queued" && isMeant(held)) this.#release(held, 0);
    }
  }

  /** Gives an envelope back to the spool. If that fails, its lease runs out by itself. */
  #release(held: Held, notBefore: number, failures?: number): void {
    const { envelope: { id }, lease } = held;
    if (this.#hand.get(id) === held) this.#hand.delete(id);
    this.#track(
      this.#options.spool.giveBack({ id, lease }, notBefore, failures).then(
        () => {},
        (error) => this.#changes.spoolFailed(error),
      ),
    );
  }

  async #renew(): Promise<void> {
    const clock = this.#clock;
    const held = [...this.#hand.values()];
    const leases = held.map(({ envelope: { id }, lease }) => ({ id, lease }));
    const kept = new Set(await this.#options.spool.renew(leases, clock.now()));
    this.#renewAt = clock.elapsed() + RENEW_EVERY_MS;
    for (const { envelope: { id }, abort } of held) {
      if (kept.has(id)) continue;
      // Another process has it now.
      this.#hand.delete(id);
      abort.abort();
    }
  }

  /** Envelopes to lease for an ingest. A few are not worth a lease. */
  #wants(upstream: Upstream): number {
    const held = this.#count(upstream, "queued", "active");
    if (upstream.isProbed) return held === 0 && upstream.probeInMs <= 0 ? 1 : 0;
    return held > IN_HAND / 2 ? 0 : IN_HAND - held;
  }

  #count(upstream: Upstream, ...states: Held["state"][]): number {
    let count = 0;
    for (const held of this.#hand.values()) {
      if (held.upstream === upstream && states.includes(held.state)) count++;
    }
    return count;
  }

  #handBytes(): number {
    return [...this.#hand.values()].reduce((sum, held) => sum + held.envelope.bytes.byteLength, 0);
  }

  /** Whether limits cover all categories of an envelope. */
  #isLimited({ envelope: { dsn, categories } }: Held): boolean {
    return (categories & ~this.#options.limitsOf(dsn).categories) === 0;
  }

  /** Milliseconds until something is due. */
  #untilNext(): number {
    const { limitsOf } = this.#options;
    const now = this.#clock.elapsed();
    const ahead = [this.#retryAt - now];
    if (this.#hand.size > 0) ahead.push(this.#renewAt - now);
    for (const [upstream, dsns] of this.#waiting) {
      if (upstream.isProbed) ahead.push(upstream.probeInMs);
      ahead.push(...dsns.map((dsn) => limitsOf(dsn).endsInMs));
    }
    return Math.ceil(Math.min(POLL_MS, ...ahead.filter((ms) => ms > 0)));
  }

  /** @param work never rejects; stopping waits for it */
  #track(work: Promise<void>): void {
    const task = work.finally(() => this.#underWay.delete(task));
    this.#underWay.add(task);
  }

  /** Whether all work, and what it begins meanwhile, ends within so many milliseconds. */
  async #endWithin(ms: number): Promise<boolean> {
    const late = Promise.withResolvers<false>();
    const cancel = this.#clock.after(ms, () => late.resolve(false));
    const inTime = await Promise.race([this.#allEnd(), late.promise]);
    cancel();
    return inTime;
  }

  async #allEnd(): Promise<true> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
    return true;
  }
}

/** Every category of a DSN. */
const ALL_BITS = -1;
