import { ALL_CATEGORIES, categoriesIn } from "../../protocol/categories.ts";
import { decodeBody } from "../../protocol/encoding.ts";
import { isOwnTelemetry } from "../../protocol/own_telemetry.ts";
import { tryReadEnvelope } from "../../protocol/scanner.ts";
import { STOP } from "../../protocol/stop_times.ts";
import { CircuitBreaker, type Fault, type RelayLog } from "../send/circuit_breaker.ts";
import { type RateLimitHeaders, rateLimitHeaders } from "../send/rate_limit_headers.ts";
import { DrainLog } from "./drain_log.ts";
import type { RelayParts } from "./relay_parts.ts";
import { type Dropped, LEASE_MS, type LeasedEnvelope, type Spool } from "./spool.ts";

/** While the spool is empty: finds envelopes that other processes put. */
export const POLL_MS = 5_000;
/** While envelopes wait: the end of a backoff or a rate limit is noticed this late at most. */
export const BUSY_POLL_MS = 500;
/** Envelopes live for hours, so expiry need not be exact. */
const EXPIRE_EVERY_MS = 60_000;
/** A lease survives two renewals that fail. */
export const RENEW_EVERY_MS = LEASE_MS / 3;
/** Deliveries to one ingest. Leaves most of the 256 connections to live envelopes. */
export const MAX_CONCURRENT = 32;
/** Plus one body of any size. */
const MAX_LEASED_BYTES = 16 * 1024 * 1024;
/** Results that are remembered: pages ask for theirs within seconds. */
const MAX_RESULTS = 10_000;
/** Exponential backoff bounds of an envelope that keeps failing by its own fault. */
export const FIRST_BACKOFF_MS = 1_000;
export const MAX_BACKOFF_MS = 15 * 60_000;

export interface DrainOptions extends RelayParts {
  readonly spool: Spool;
  /** Sends an envelope of the relay itself, like one that was received. */
  readonly report: (envelope: string) => void;
  readonly log: RelayLog;
}

/** Whether an envelope is marked as Sightglass's own. The spool does not keep who sent it. */
async function isMarkedAsOwn({ bytes, contentEncoding }: LeasedEnvelope): Promise<boolean> {
  const decoded = await decodeBody(bytes, contentEncoding, MAX_LEASED_BYTES).catch(() => undefined);
  return isOwnTelemetry(decoded && tryReadEnvelope(decoded)?.header || {});
}

type SpoolResult = "delivered" | "rejected";

/** An envelope that is leased to this drain: it is being delivered, or being deleted. */
interface HeldEnvelope {
  envelope: LeasedEnvelope;
  readonly ingest: CircuitBreaker;
  /** Whether the ingest has decided. It stays held until it is deleted, so that it is not delivered again. */
  isDecided: boolean;
  readonly abort: AbortController;
}

export type Drain = ReturnType<typeof startDrain>;

/**
 * Delivers the envelopes of a spool. Works in passes: each renews leases, expires old envelopes, leases new ones and
 * starts to deliver them. Passes run one after another, on a timer and on events: a wake-up, a finished delivery, an
 * ingest that is up again.
 */
export function startDrain(options: DrainOptions) {
  const { spool, report, log, clock, allowList, client, duplicates, limits, metrics } = options;
  const drainLog = new DrainLog(log);
  /** For DSNs that are no longer allowed: their envelopes are refused without a request. */
  const noIngest = new CircuitBreaker("no ingest", clock);
  const allHeld = new Map<number, HeldEnvelope>();
  /** Decisions of ingests by the envelope's key, oldest first. */
  const results = new Map<string, SpoolResult>();
  const running = new Set<Promise<void>>();
  /** DSNs with envelopes in the spool at the last pass, by ingest. */
  let waiting: ReadonlyMap<CircuitBreaker, readonly string[]> = new Map();
  let isPassing = false;
  let needsPass = false;
  let stopping: Promise<void> | undefined;
  let cancelTimer = () => {};
  let expireAt = 0;
  let renewAt = 0;

  noIngest.decided(clock.now());
  requestPass();

  return {
    resultOf: (key: string): SpoolResult | undefined => results.get(key),
    get isFailing(): boolean {
      return drainLog.isFailing;
    },
    /** Reports that an envelope of this DSN was put; without it, the next poll finds the envelope. */
    wake(dsn: string): void {
      if (freeSlots(breakerOf(dsn)) > 0) requestPass();
    },
    /** Lets running deliveries finish, then aborts them. Envelopes without a result return to the spool. */
    stop: (): Promise<void> => stopping ??= endDeliveries(),
  };

  async function endDeliveries(): Promise<void> {
    cancelTimer();
    if (await endsWithin(STOP.spoolDeliveries)) return;
    for (const { abort } of allHeld.values()) abort.abort();
    await endsWithin(STOP.spoolAborts);
  }

  function requestPass(): void {
    needsPass = true;
    if (isPassing || stopping) return;
    isPassing = true;
    cancelTimer();
    track(passes());
  }

  async function passes(): Promise<void> {
    while (needsPass && !stopping) {
      needsPass = false;
      try {
        await pass();
        drainLog.spoolWorked();
      } catch (error) {
        // The timer tries again.
        drainLog.spoolFailed(error);
        break;
      }
    }
    isPassing = false;
    if (stopping) return;
    const isBusy = waiting.size + allHeld.size > 0;
    cancelTimer = clock.after(isBusy ? BUSY_POLL_MS : POLL_MS, requestPass);
  }

  async function pass(): Promise<void> {
    for (const held of allHeld.values()) {
      if (held.isDecided) await deleteHeld(held, true);
    }
    if (allHeld.size > 0 && clock.uptime() >= renewAt) await renew();
    if (clock.uptime() >= expireAt) {
      const expired = await spool.expire(clock.now());
      for (const dropped of expired) reportDropped(dropped);
      if (expired.length > 0) {
        const envelopes = expired.reduce((sum, { envelopes }) => sum + envelopes, 0);
        log("error", "Envelopes were dropped: they were too old before an ingest took them", {
          envelopes,
        });
        needsPass = true;
      } else expireAt = clock.uptime() + EXPIRE_EVERY_MS;
    }
    const stats = await spool.stats();
    waiting = Map.groupBy(Object.keys(stats.byDsn), breakerOf);
    const ingests = new Set(waiting.keys());
    drainLog.spoolRead(stats);
    for (const breaker of client.breakers) if (!ingests.has(breaker)) breaker.noneWaits();
    for (const ingest of ingests) ingest.onUp ??= requestPass;
    // Probes first: envelopes of other ingests may take all the memory.
    const probedFirst = [...ingests].sort((a, b) => Number(b.isProbed) - Number(a.isProbed));
    for (const ingest of probedFirst) await lease(ingest);
  }

  async function lease(ingest: CircuitBreaker): Promise<void> {
    while (!stopping) {
      const limit = freeSlots(ingest);
      const held = [...allHeld.values()];
      const maxBytes = MAX_LEASED_BYTES -
        held.reduce((sum, { envelope }) => sum + envelope.bytes.byteLength, 0);
      const dsns = (waiting.get(ingest) ?? [])
        .map((dsn) => ({ dsn, limited: limitsOf(dsn) }))
        .filter(({ limited }) => limited !== ALL_CATEGORIES);
      if (limit === 0 || maxBytes <= 0 || dsns.length === 0) return;
      const newest = ingest.isProbed && ingest.probesNewest;
      const leased = await spool.lease({ now: clock.now(), limit, maxBytes, dsns, newest });
      if (leased.length === 0) return;
      for (const envelope of leased) hold(envelope, ingest);
    }
  }

  function hold(envelope: LeasedEnvelope, ingest: CircuitBreaker): void {
    const known = allHeld.get(envelope.id);
    // Leased again: the clock was set forward, so the spool took its lease for expired.
    if (known) return void (known.envelope = envelope);
    if (allHeld.size === 0) renewAt = clock.uptime() + RENEW_EVERY_MS;
    // Meanwhile the drain may have been stopped, or the ingest may have failed.
    const mayStart = !stopping && (!ingest.isProbed || freeSlots(ingest) > 0);
    const abort = new AbortController();
    const held: HeldEnvelope = { envelope, ingest, isDecided: false, abort };
    allHeld.set(envelope.id, held);
    if (mayStart) track(deliver(held));
    else release(held, 0);
  }

  async function deliver(held: HeldEnvelope): Promise<void> {
    try {
      await send(held);
    } catch (error) {
      // A bug. The envelope must not keep others from being delivered.
      drainLog.unexpected("Cannot deliver an envelope of the spool", error);
      backOff(held, "envelope");
    }
    if (freeSlots(held.ingest) > 0) requestPass();
  }

  async function send(held: HeldEnvelope): Promise<void> {
    const { now, uptime } = clock;
    const { envelope, abort: { signal } } = held;
    const dsn = allowList.find(envelope.dsn);
    if (dsn === undefined) return await ended(held, "rejected", "dsn_not_allowed");
    const categories = categoriesIn(envelope.categories);
    const limitsNow = () => limits.check(dsn.text, categories, uptime());
    const drained = { isRetry: envelope.failures > 0, signal };
    const attempt = await client.attempt({ ...envelope, dsn }, envelope, limitsNow, drained);
    if (attempt.kind === "aborted") return release(held, 0);
    if (attempt.kind === "undecided") return backOff(held, attempt.fault);
    if (attempt.kind === "rate_limited") return waitForLimit(held, attempt.limits);
    const { status, headers } = attempt.response;
    if (status === 429) return waitForLimit(held, rateLimitHeaders(headers, now()));
    if (status >= 400) return await ended(held, "rejected", "ingest");
    // A process may end after it spooled an envelope and before it answered: its client sends the envelope again.
    duplicates.remember(envelope.key, uptime());
    await ended(held, "delivered");
  }

  async function ended(
    held: HeldEnvelope,
    outcome: SpoolResult,
    reason?: "dsn_not_allowed" | "ingest",
  ): Promise<void> {
    metrics.ended(outcome, reason, 1, reason && await isMarkedAsOwn(held.envelope));
    metrics.quantitiesEnded(outcome, held.envelope.quantities);
    held.isDecided = true;
    results.set(held.envelope.key, outcome);
    const [oldest = ""] = results.keys();
    if (results.size > MAX_RESULTS) results.delete(oldest);
    // If this fails, the next pass deletes it.
    await deleteHeld(held, false).catch((error) => drainLog.spoolFailed(error));
  }

  /** An outage of the ingest counts as one failure, however long it is: it causes no long backoff. */
  function backOff(held: HeldEnvelope, fault: Fault): void {
    const { envelope: { failures } } = held;
    const isOwnFault = fault === "envelope";
    const backoff = isOwnFault ? Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** failures) : 0;
    const half = Math.max(FIRST_BACKOFF_MS, backoff) / 2;
    const waitMs = Math.ceil(half + clock.random() * half);
    const failuresNow = isOwnFault ? failures + 1 : Math.max(1, failures);
    release(held, clock.now() + waitMs, failuresNow);
  }

  function waitForLimit(held: HeldEnvelope, limits: RateLimitHeaders): void {
    const { dsn, categories } = held.envelope;
    const isLimited = (categories & ~limitsOf(dsn)) === 0;
    const waitMs = 1000 * Number(limits["retry-after"]);
    // No wait where the limit covers the envelope: it is not leased before the limit ends.
    release(held, isLimited ? 0 : clock.now() + waitMs);
  }

  /** @param isInPass called at the start of a pass, before envelopes are leased */
  async function deleteHeld(held: HeldEnvelope, isInPass: boolean): Promise<void> {
    const isDeleted = await spool.complete(held.envelope);
    // Not deleted: the clock was set forward, so the lease ran out. A running `lease` call may return the envelope, and
    // `hold` must find it. The next pass tries again.
    if (isDeleted || isInPass) allHeld.delete(held.envelope.id);
  }

  /** Returns an envelope to the spool. If that fails, its lease runs out. */
  function release(held: HeldEnvelope, notBefore: number, failures?: number): void {
    const { envelope } = held;
    if (allHeld.get(envelope.id) === held) allHeld.delete(envelope.id);
    const work = spool.release(envelope, notBefore, failures);
    track(work.then(() => {}, (error) => drainLog.spoolFailed(error)));
  }

  async function renew(): Promise<void> {
    const held = [...allHeld.values()];
    const leases = held.map(({ envelope }) => envelope);
    const kept = new Set(await spool.renew(leases, clock.now()));
    renewAt = clock.uptime() + RENEW_EVERY_MS;
    for (const { envelope: { id }, abort } of held) {
      if (kept.has(id)) continue;
      // Another process leased it.
      allHeld.delete(id);
      abort.abort();
    }
  }

  function reportDropped(dropped: Dropped): void {
    metrics.ended("dropped", "expired", dropped.envelopes);
    metrics.quantitiesEnded("dropped", dropped.quantities);
    const discarded = Object.entries(dropped.quantities)
      .filter(([category]) => category !== "internal")
      .map(([category, quantity]) => ({ reason: "network_error", category, quantity }));
    if (discarded.length === 0) return;
    // https://develop.sentry.dev/sdk/telemetry/client-reports/
    const now = clock.now();
    const lines = [
      { dsn: dropped.dsn, sent_at: new Date(now).toISOString() },
      { type: "client_report" },
      { timestamp: now / 1000, discarded_events: discarded },
    ];
    report(lines.map((line) => JSON.stringify(line)).join("\n"));
  }

  /** The same object for the same ingest. */
  function breakerOf(text: string): CircuitBreaker {
    const dsn = allowList.find(text);
    return dsn === undefined ? noIngest : client.breakerOf(dsn);
  }

  function limitsOf(dsn: string): number {
    return limits.limitedCategories(dsn, clock.uptime());
  }

  /** How many envelopes to lease for an ingest. 0 until half of its slots are free, so that each call leases many. */
  function freeSlots(ingest: CircuitBreaker): number {
    let active = 0;
    for (const held of allHeld.values()) {
      if (held.ingest === ingest && !held.isDecided) active++;
    }
    if (ingest.isProbed) return active === 0 && ingest.probeInMs <= 0 ? 1 : 0;
    return active > MAX_CONCURRENT / 2 ? 0 : MAX_CONCURRENT - active;
  }

  /** @param work must not reject; `stop` waits for it */
  function track(work: Promise<void>): void {
    const task = work.finally(() => running.delete(task));
    running.add(task);
  }

  /** With work that is started meanwhile. */
  async function endsWithin(ms: number): Promise<boolean> {
    const { promise: late, resolve } = Promise.withResolvers<boolean>();
    const cancel = clock.after(ms, () => resolve(false));
    const allEnded = async () => {
      while (running.size > 0) await Promise.all(running);
      return true;
    };
    const inTime = await Promise.race([allEnded(), late]);
    cancel();
    return inTime;
  }
}
