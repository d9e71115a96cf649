import { type DrainClock, SYSTEM_CLOCK } from "./drain_clock.ts";
import { type Dropped, LEASE_MS, type LeasedEnvelope, type Spool } from "./spool.ts";
import { UpstreamState } from "./upstream_state.ts";

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
/** A limit that seems to be over already, by two clocks that differ, pauses for this long nevertheless. */
export const MIN_PAUSE_MS = 1_000;
/** An ingest that fails now and then is told to be down no more often than this. */
export const TELL_DOWN_EVERY_MS = 60_000;
/** Shares of the spool's bytes at which it is nearly full, and at which it no longer is. */
export const NEARLY_FULL = 0.8;
export const ROOM_AGAIN = 0.6;

/** How an envelope left the spool. */
export type End =
  | { readonly kind: "delivered" }
  /** The ingest wants it neither now nor later. */
  | { readonly kind: "refused"; readonly reason: string };

/** How one attempt at a delivery ended. */
export type Verdict =
  | End
  /** It takes nothing of this DSN until then, ms since 1970. */
  | { readonly kind: "rate_limited"; readonly until: number }
  /** No answer, or one that does not decide. */
  | { readonly kind: "unreachable"; readonly reason: string };

/** Told when it changes, not for each envelope. */
export type DrainState =
  /** An ingest takes nothing; it is tried with one envelope at a time. */
  | { readonly state: "down"; readonly origin: string; readonly reason: string }
  /** It answers again, and is sent what waited. */
  | { readonly state: "draining"; readonly origin: string }
  /** Nothing waits for it any more. */
  | { readonly state: "recovered"; readonly origin: string }
  | { readonly state: "nearly full"; readonly bytes: number; readonly maxBytes: number }
  /** The spool itself fails: nothing is delivered. Told again only after it worked. */
  | { readonly state: "spool unavailable"; readonly reason: string };

/** None of the functions may throw, but for `deliver`. */
export interface DrainOptions {
  readonly spool: Pick<Spool, "lease" | "renew" | "done" | "giveBack" | "expire" | "stats">;
  /**
   * Sends an envelope, once. It should end when the signal aborts; what it says then is not heard. What it throws
   * counts as `unreachable`.
   */
  deliver(envelope: LeasedEnvelope, signal: AbortSignal): Promise<Verdict>;
  /** The ingest that takes a DSN's envelopes: those with the same one are down together. */
  originOf(dsn: string): string;
  /** Called once for each envelope that was delivered or refused. */
  onEnded?(envelope: LeasedEnvelope, end: End): void;
  /** What was given up because of its age, added up by DSN. */
  onDropped?(dropped: Dropped): void;
  onState?(state: DrainState): void;
  /** Default: the system's. */
  readonly clock?: DrainClock;
}

/** Takes envelopes out of a spool and delivers them. Starts at once. */
export interface Drain {
  /** An envelope of this DSN was put. Without it, the drain finds out within {@linkcode POLL_MS}. */
  wake(dsn: string): void;
  /** Ends within a second. What is not delivered by then goes back to its place in the spool. */
  stop(): Promise<void>;
}

export function startDrain(options: DrainOptions): Drain {
  return new SpoolDrain(options);
}

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

class SpoolDrain implements Drain {
  readonly #options: DrainOptions;
  readonly #clock: DrainClock;
  /** By origin. */
  readonly #upstreams = new Map<string, UpstreamState>();
  /** By DSN, all that were ever seen. */
  readonly #dsns = new Map<string, UpstreamState>();
  /** DSNs under a limit, and when it ends (elapsed). */
  readonly #paused = new Map<string, number>();
  readonly #reports = new Map<UpstreamState, Report>();
  readonly #hand = new Map<number, Held>();
  /** What runs on its own and is waited for at the end. */
  readonly #tasks = new Set<Promise<void>>();
  #passing = false;
  #again = false;
  #stopping: Promise<void> | undefined;
  #cancelTimer = () => {};
  #lookAt = 0;
  #expireAt = 0;
  #renewAt = 0;
  #nearlyFull = false;
  #unavailable = false;

  constructor(options: DrainOptions) {
    this.#options = options;
    this.#clock = options.clock ?? SYSTEM_CLOCK;
    this.#run();
  }

  wake(dsn: string): void {
    const upstream = this.#dsns.get(dsn);
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
    if (await this.#endsWithin(STOP_GRACE_MS)) return;
    for (const { abort } of this.#hand.values()) abort.abort();
    await this.#endsWithin(STOP_ABORT_MS);
  }

  /** Whether all that is under way ends in time. */
  async #endsWithin(ms: number): Promise<boolean> {
    const late = Promise.withResolvers<false>();
    const cancel = this.#clock.after(ms, () => late.resolve(false));
    const inTime = await Promise.race([this.#underWay(), late.promise]);
    cancel();
    return inTime;
  }

  async #underWay(): Promise<true> {
    while (this.#tasks.size > 0) await Promise.all(this.#tasks);
    return true;
  }

  #track(work: Promise<void>): void {
    const task = work.finally(() => this.#tasks.delete(task));
    this.#tasks.add(task);
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
        this.#unavailable = false;
      } catch (error) {
        // The timer tries again.
        this.#tellUnavailable(error);
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
    const probed = [...this.#upstreams.values()].filter((of) => of.isProbed && this.#wants(of) > 0);
    if (probed.length > 0) await this.#lease((upstream) => probed.includes(upstream));
    await this.#lease((upstream) => !upstream.isProbed);
    if (clock.elapsed() >= this.#lookAt || this.#isDraining()) await this.#look();
  }

  /** Takes all that can be taken now for these ingests, and for those that are not known yet. */
  async #lease(isMeant: (upstream: UpstreamState) => boolean): Promise<void> {
    while (!this.#stopping) {
      const held = [...this.#hand.values()].reduce(
        (sum, { envelope }) => sum + envelope.bytes.byteLength,
        0,
      );
      if (held >= HAND_BYTES) return;
      const exclude = [...this.#dsns].filter(([dsn, upstream]) =>
        !isMeant(upstream) || this.#isPaused(dsn) || this.#wants(upstream) === 0
      ).map(([dsn]) => dsn);
      const wanted = [...this.#upstreams.values()].filter(isMeant)
        .map((upstream) => this.#wants(upstream)).filter((count) => count > 0);
      // As much as the one that wants least. Of a DSN that was never seen, one envelope tells where it goes.
      const limit = wanted.length > 0 ? Math.min(...wanted) : 1;
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
    const upstream = this.#upstreamOf(dsn);
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
      this.#track(this.#deliver(held));
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
    const report = this.#reports.get(upstream);
    if (report?.told !== "down") return;
    report.told = "draining";
    this.#tell({ state: "draining", origin: upstream.origin });
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

    const report = this.#reports.get(upstream) ?? { told: "recovered", quietUntil: 0 };
    this.#reports.set(upstream, report);
    if (!upstream.isProbed || report.told === "down" || clock.elapsed() < report.quietUntil) return;
    report.told = "down";
    report.quietUntil = clock.elapsed() + TELL_DOWN_EVERY_MS;
    this.#tell({ state: "down", origin: upstream.origin, reason });
  }

  #limited(held: Held, until: number): void {
    const { dsn } = held.envelope;
    const clock = this.#clock;
    // Also where `until` is no number: without a pause it would be asked again at once, and again.
    const pause = Math.max(MIN_PAUSE_MS, until - clock.now() || 0);
    this.#paused.set(dsn, clock.elapsed() + pause);
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
      this.#tellUnavailable(error);
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
    this.#track(
      this.#options.spool.giveBack({ id, lease }, notBefore).then(
        () => {},
        (error) => this.#tellUnavailable(error),
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
    const { bytes, maxBytes, byDsn } = await this.#options.spool.stats();
    this.#lookAt = this.#clock.elapsed() + POLL_MS;
    if (bytes >= maxBytes * NEARLY_FULL && !this.#nearlyFull) {
      this.#tell({ state: "nearly full", bytes, maxBytes });
      this.#nearlyFull = true;
    } else if (bytes <= maxBytes * ROOM_AGAIN) {
      this.#nearlyFull = false;
    }
    const waiting = new Set(Object.keys(byDsn).map((dsn) => this.#upstreamOf(dsn)));
    for (const [upstream, report] of this.#reports) {
      if (report.told !== "draining" || waiting.has(upstream)) continue;
      report.told = "recovered";
      this.#tell({ state: "recovered", origin: upstream.origin });
    }
  }

  #isDraining(): boolean {
    return [...this.#reports.values()].some(({ told }) => told === "draining");
  }

  #upstreamOf(dsn: string): UpstreamState {
    const known = this.#dsns.get(dsn);
    if (known) return known;
    const origin = this.#options.originOf(dsn);
    const upstream = this.#upstreams.get(origin) ?? new UpstreamState(origin);
    this.#upstreams.set(origin, upstream);
    this.#dsns.set(dsn, upstream);
    return upstream;
  }

  #wants(upstream: UpstreamState): number {
    let held = 0;
    for (const { upstream: of, state } of this.#hand.values()) {
      if (of === upstream && (state === "queued" || state === "active")) held++;
    }
    return upstream.wants(held, this.#clock.elapsed());
  }

  #isPaused(dsn: string): boolean {
    const until = this.#paused.get(dsn);
    if (until === undefined) return false;
    if (this.#clock.elapsed() < until) return true;
    this.#paused.delete(dsn);
    return false;
  }

  /** Milliseconds until something is due. */
  #untilNext(): number {
    const now = this.#clock.elapsed();
    const due = [
      ...this.#paused.values(),
      ...[...this.#upstreams.values()].map((of) => of.probeAt),
    ];
    if (this.#hand.size > 0) due.push(this.#renewAt);
    const ahead = due.map((at) => at - now).filter((ms) => ms > 0);
    return Math.ceil(Math.min(POLL_MS, ...ahead));
  }

  #tell(state: DrainState): void {
    this.#options.onState?.(state);
  }

  #tellUnavailable(error: unknown): void {
    if (this.#unavailable) return;
    this.#unavailable = true;
    this.#tell({ state: "spool unavailable", reason: messageOf(error) });
  }
}

/** What was told last of an ingest, and until when it is not told to be down again. */
interface Report {
  told: "down" | "draining" | "recovered";
  quietUntil: number;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
