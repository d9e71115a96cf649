import { Destinations } from "./destinations.ts";
import type { Drain, DrainOptions, End, Verdict } from "./drain.ts";
import { type DrainClock, SYSTEM_CLOCK } from "./drain_clock.ts";
import { DrainChanges, messageOf } from "./drain_changes.ts";
import { LEASE_MS, type LeasedEnvelope } from "./spool.ts";
import { Tasks } from "./tasks.ts";
import type { UpstreamState } from "./upstream_state.ts";

export { MIN_PAUSE_MS } from "./destinations.ts";

/** When to look for what other processes left, and for what was put without a word. */
export const POLL_MS = 5_000;
/** Envelopes live for hours: there is no hurry to give them up. */
export const EXPIRE_EVERY_MS = 60_000;
/** Often enough that a lease outlives two renewals that fail. */
export const RENEW_EVERY_MS = LEASE_MS / 3;
/** Bodies held in memory, with one more of any size. */
export const HAND_BYTES = 16 * 1024 * 1024;
/** Stopping: what is under way may end by itself, then it is aborted, then nobody waits for it any more. */
export const STOP_GRACE_MS = 600;
export const STOP_ABORT_MS = 200;

/** An envelope that is leased to this drain. */
interface Held {
  readonly envelope: LeasedEnvelope;
  readonly upstream: UpstreamState;
  /** Its present lease. */
  lease: string;
  /** `ended`: delivered or refused, and being deleted. `owed`: that failed. */
  state: "queued" | "active" | "ended" | "owed";
  /** Ends the delivery without a verdict. */
  readonly abort: AbortController;
}

/** The drain of a spool: looks what waits, leases it, and has it delivered. */
export class SpoolDrain implements Drain {
  readonly #options: DrainOptions;
  readonly #clock: DrainClock;
  readonly #destinations: Destinations;
  readonly #changes: DrainChanges;
  readonly #hand = new Map<number, Held>();
  readonly #tasks: Tasks;
  #passing = false;
  #again = false;
  #stopping: Promise<void> | undefined;
  #cancelTimer = () => {};
  #lookAt = 0;
  #expireAt = 0;
  #renewAt = 0;

  constructor(options: DrainOptions) {
    this.#options = options;
    this.#clock = options.clock ?? SYSTEM_CLOCK;
    this.#tasks = new Tasks(this.#clock);
    this.#destinations = new Destinations((dsn) => options.originOf(dsn));
    this.#changes = new DrainChanges((state) => options.onState?.(state));
    this.#run();
  }

  wake(dsn: string): void {
    const upstream = this.#destinations.known(dsn);
    if (upstream && (this.#isPaused(dsn) || this.#wants(upstream) === 0)) return;
    this.#run();
  }

  stop(): Promise<void> {
    return this.#stopping ??= this.#stop();
  }

  async #stop(): Promise<void> {
    // From the next turn on all that runs sees that it is stopping.
    await Promise.resolve();
    this.#cancelTimer();
    this.#releaseQueued(() => true);
    if (await this.#tasks.endWithin(STOP_GRACE_MS)) return;
    for (const { abort } of this.#hand.values()) abort.abort();
    await this.#tasks.endWithin(STOP_ABORT_MS);
  }

  /** Makes a pass, or another one after the one that is being made. */
  #run(): void {
    this.#again = true;
    if (this.#passing || this.#stopping) return;
    this.#passing = true;
    this.#cancelTimer();
    this.#tasks.track(this.#passes());
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
    const { spool, onDropped } = this.#options;
    const clock = this.#clock;
    for (const held of this.#hand.values()) if (held.state === "owed") await this.#delete(held);
    if (this.#hand.size > 0 && clock.elapsed() >= this.#renewAt) await this.#renew();
    if (clock.elapsed() >= this.#expireAt) {
      for (const dropped of await spool.expire(clock.now())) onDropped?.(dropped);
      this.#expireAt = clock.elapsed() + EXPIRE_EVERY_MS;
    }
    const probed = this.#destinations.upstreams.filter((of) => of.isProbed && this.#wants(of) > 0);
    if (probed.length > 0) await this.#lease((upstream) => probed.includes(upstream));
    await this.#lease((upstream) => !upstream.isProbed);
    if (clock.elapsed() >= this.#lookAt || this.#changes.isDraining) await this.#look();
  }

  /** Takes all that can be taken now for these ingests, and for those that are not known yet. */
  async #lease(isMeant: (upstream: UpstreamState) => boolean): Promise<void> {
    while (!this.#stopping) {
      const held = [...this.#hand.values()].reduce(
        (sum, { envelope }) => sum + envelope.bytes.byteLength,
        0,
      );
      if (held >= HAND_BYTES) return;
      const wanting = this.#destinations.upstreams.filter(isMeant)
        .filter((upstream) => this.#wants(upstream) > 0);
      const exclude = this.#destinations.excluded(wanting, this.#clock.elapsed());
      // As much as the one that wants least. Of a DSN that was never seen, one envelope tells where it goes.
      const limit = wanting.length > 0 ? Math.min(...wanting.map((of) => this.#wants(of))) : 1;
      const maxBytes = HAND_BYTES - held;
      const leased = await this.#options.spool.lease({
        now: this.#clock.now(),
        limit,
        maxBytes,
        exclude,
      });
      if (leased.length === 0) return;
      for (const envelope of leased) this.#take(envelope);
    }
  }

  #take(envelope: LeasedEnvelope): void {
    const { id, dsn, lease } = envelope;
    const mine = this.#hand.get(id);
    if (mine) {
      // The clock was set forward, so the lease seemed to be over.
      mine.lease = lease;
      return;
    }
    const upstream = this.#destinations.upstreamOf(dsn);
    const isWanted = !this.#stopping && !this.#isPaused(dsn) && this.#wants(upstream) > 0;
    if (this.#hand.size === 0) this.#renewAt = this.#clock.elapsed() + RENEW_EVERY_MS;
    const held: Held = { envelope, upstream, lease, state: "queued", abort: new AbortController() };
    this.#hand.set(id, held);
    if (isWanted) this.#begin(upstream);
    else this.#release(held, 0);
  }

  /** Begins what may begin. */
  #begin(upstream: UpstreamState): void {
    for (const held of this.#hand.values()) {
      if (held.upstream !== upstream || held.state !== "queued") continue;
      if (this.#stopping || !upstream.mayBegin(this.#clock.elapsed())) return;
      held.state = "active";
      this.#tasks.track(this.#deliver(held));
    }
  }

  async #deliver(held: Held): Promise<void> {
    const { upstream } = held;
    const { era } = upstream;
    upstream.active++;
    const verdict = await this.#attempt(held);
    upstream.active--;
    switch (verdict.kind) {
      case "aborted":
        this.#release(held, 0);
        break;
      case "unreachable":
        this.#failed(held, era, verdict.reason);
        break;
      case "rate_limited":
        this.#answered(upstream);
        this.#limited(held, verdict.until);
        break;
      default:
        this.#answered(upstream);
        await this.#end(held, verdict);
    }
    this.#begin(upstream);
    if (this.#wants(upstream) > 0) this.#run();
  }

  async #attempt({ envelope, abort: { signal } }: Held): Promise<Verdict | { kind: "aborted" }> {
    const aborted = new Promise<{ kind: "aborted" }>((resolve) =>
      signal.addEventListener("abort", () => resolve({ kind: "aborted" }), { once: true })
    );
    try {
      return await Promise.race([this.#options.deliver(envelope, signal), aborted]);
    } catch (error) {
      return { kind: "unreachable", reason: messageOf(error) };
    }
  }

  #answered(upstream: UpstreamState): void {
    upstream.answered();
    this.#changes.answered(upstream);
  }

  #failed(held: Held, era: number, reason: string): void {
    const { upstream } = held;
    const clock = this.#clock;
    upstream.failed(era, clock.elapsed(), clock.random());
    // Behind those that were never tried: if it is this envelope that the ingest breaks at, another one shows it.
    this.#release(held, clock.now());
    this.#releaseQueued((other) => other.upstream === upstream);
    // Sets the timer to the next attempt.
    this.#run();
    this.#changes.failed(upstream, reason, clock.elapsed());
  }

  #limited(held: Held, until: number): void {
    const { dsn } = held.envelope;
    const clock = this.#clock;
    this.#destinations.pause(dsn, until - clock.now(), clock.elapsed());
    this.#release(held, 0);
    this.#releaseQueued(({ envelope }) => envelope.dsn === dsn);
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

  async #delete({ envelope: { id }, lease }: Held): Promise<void> {
    await this.#options.spool.done({ id, lease });
    this.#hand.delete(id);
  }

  #releaseQueued(isMeant: (held: Held) => boolean): void {
    for (const held of this.#hand.values()) {
      if (held.state === "queued" && isMeant(held)) this.#release(held, 0);
    }
  }

  /** Gives an envelope back to the spool. If that fails, its lease runs out by itself. */
  #release({ envelope: { id }, lease }: Held, notBefore: number): void {
    this.#hand.delete(id);
    this.#tasks.track(
      this.#options.spool.giveBack({ id, lease }, notBefore).then(
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

  /** Looks at the spool as a whole, for what is to be told of it. */
  async #look(): Promise<void> {
    const stats = await this.#options.spool.stats();
    this.#lookAt = this.#clock.elapsed() + POLL_MS;
    const waiting = Object.keys(stats.byDsn).map((dsn) => this.#destinations.upstreamOf(dsn));
    this.#changes.looked(stats, new Set(waiting));
  }

  #wants(upstream: UpstreamState): number {
    let held = 0;
    for (const { upstream: of, state } of this.#hand.values()) {
      if (of === upstream && (state === "queued" || state === "active")) held++;
    }
    return upstream.wants(held, this.#clock.elapsed());
  }

  #isPaused(dsn: string): boolean {
    return this.#destinations.isPaused(dsn, this.#clock.elapsed());
  }

  /** Milliseconds until something is due. */
  #untilNext(): number {
    const now = this.#clock.elapsed();
    const due = [...this.#destinations.due];
    if (this.#hand.size > 0) due.push(this.#renewAt);
    const ahead = due.map((at) => at - now).filter((ms) => ms > 0);
    return Math.ceil(Math.min(POLL_MS, ...ahead));
  }
}
