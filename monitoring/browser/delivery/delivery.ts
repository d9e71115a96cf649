import { randomHex } from "../random_ids.ts";
import { isConsented } from "./consented.ts";
import type { DeliveryOptions, PartOptions } from "./delivery_options.ts";
import { describeEnvelope, type EnvelopeMeta } from "./envelope.ts";
import { type DiscardedEvents, PAGE_ENDED } from "./journal_writer.ts";
import { createLockedSender } from "./locked_sender.ts";
import { createDiscardCounter, type DiscardCounter, discardedOf } from "./discard_counter.ts";
import { type LimitState, probeAt } from "./rate_limits.ts";
import { createRemoval } from "./removal.ts";
import { STORAGE_QUOTA } from "./retention.ts";
import { createBreaker, recordFailure, retryAt } from "./retry_policy.ts";
import type { SendResult } from "./send_envelope.ts";
import { untilTabLockIsFree } from "./tab_lock.ts";
import {
  createWaitingEnvelope,
  createWaitingQueue,
  isClientReport,
  nextEnvelope,
  type WaitingEnvelope,
  type WaitingQueue,
} from "./waiting_queue.ts";

/** Concurrent requests: a browser allows six to an origin, and the page needs some. */
const MAX_PARALLEL = 4;
/** Concurrent requests when the page has just been hidden and may end at any moment. */
const MAX_PARALLEL_FLUSHING = 15;
/** After this time, a hidden page that still runs sends at the normal rate again. */
const FLUSH_MS = 1_000;
/** Maximum wait for the locks of a page that has just ended: some milliseconds, or seconds on a busy machine. */
const ENDING_PAGE_MS = 10_000;
/** Wait before retrying an envelope that another tab is sending, and before probing a limit that another tab probes. */
const LOCKED_WAIT_MS = 5_000;
/** Minimum difference between the times of two envelopes, so that the store keeps their order. */
const ORDER_MS = 0.001;

/**
 * Delivers envelopes, and stores each until it is accepted or refused.
 *
 * ```
 * deliver ─ store ─ send ─┬─ 2xx or final refusal ─────── delete, receipt
 *             ▲           └─ no response, 5xx, limited ── wait, receipt ─┬─ store full, too old ─ count, delete
 *             └───────────────────── later, also after a reload ◄────────┘
 * ```
 *
 * Dropped envelopes are counted in the store and reported to Sentry once a request succeeds. What consent no longer
 * covers is deleted and not counted.
 */
export class Delivery {
  #sending = 0;
  #isFlushing = false;
  /** Envelopes of earlier pages are sent first, to keep the order of a recording's segments. */
  #isLoaded = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #lastCreatedAt = 0;
  /** Set while a check of all envelopes is due: those of one synchronous burst need only one. */
  #retention: Promise<void> | undefined;
  /** For all envelopes. Their own backoff is not enough: after a long outage all of them would be sent at once. */
  #breaker = createBreaker();
  readonly #queue: WaitingQueue;
  readonly #discarded: DiscardCounter;
  readonly #removal: ReturnType<typeof createRemoval>;
  readonly #sendLocked: ReturnType<typeof createLockedSender>;
  readonly #options: PartOptions;

  constructor(options: DeliveryOptions) {
    this.#options = { now: Date.now, random: Math.random, quota: STORAGE_QUOTA, ...options };
    this.#discarded = createDiscardCounter(this.#options);
    this.#queue = createWaitingQueue(this.#options);
    this.#removal = createRemoval(this.#queue, this.#discarded, this.#options);
    this.#sendLocked = createLockedSender(
      this.#queue,
      this.#options,
      this.#onResult.bind(this),
    );
    void this.#load().then(() => this.#report());
  }

  get limits(): LimitState {
    const { limits, now } = this.#options;
    return limits.read(now());
  }

  /** Takes over an envelope. Returns when, different for each: the time in its receipt. */
  deliver(bytes: Uint8Array): number {
    const { now, onStored, store, journal } = this.#options;
    // If the clock is set back, the order of a recording's segments must not change.
    this.#lastCreatedAt = Math.max(now(), this.#lastCreatedAt + ORDER_MS);
    const meta = describeEnvelope(bytes, randomHex(16), this.#lastCreatedAt);
    const discarded = discardedOf(meta.items, PAGE_ENDED);
    // A client report has no discarded events: the journal saves its bytes.
    journal.add(meta.id, discarded, discarded.length > 0 ? undefined : { meta, bytes });
    const stored = store.then(async (store) => {
      const isStored = await store.put({ meta, bytes }).then(() => true, () => false);
      // On a full disk the envelope is in memory only, and its entry remains until it is delivered.
      if (isStored || !store.isPersistent) journal.remove(meta.id);
      return isStored;
    });
    const envelope = createWaitingEnvelope(meta, stored, bytes);
    void stored.then((isStored) => {
      if (isStored) envelope.storedMs = now() - meta.createdAt;
      onStored(isStored);
    });
    this.#queue.add(envelope);
    this.#queue.publish(envelope);
    this.#retention ??= Promise.resolve().then(() => this.#enforceRetention());
    this.#sendWaiting();
    return meta.createdAt;
  }

  /** Counts events that were discarded before they became an envelope. */
  countDiscarded(discarded: readonly DiscardedEvents[]): void {
    this.#discarded.count(discarded);
  }

  /** Retries at once, except envelopes under a rate limit. For when the page is online or visible again. */
  retryNow(): void {
    this.#isFlushing = false;
    this.#breaker.openUntil = 0;
    for (const envelope of this.#queue.all) envelope.notBefore = 0;
    void this.#load().then(() => this.#report());
  }

  /** Deletes what consent no longer covers: in memory, in the journal and in the store, of all pages. */
  async applyConsent(): Promise<void> {
    await this.#removal.withdraw();
    await this.#sendReport();
  }

  /** Sends what it can before the page may end, without waiting for the store. */
  flush(): void {
    this.#isFlushing = true;
    setTimeout(() => this.#isFlushing = false, FLUSH_MS);
    this.#sendWaiting();
    void this.#report();
  }

  /** Adds the envelopes that other pages have left in the store or in the journal. */
  async #load(): Promise<void> {
    const { journal, allows } = this.#options;
    const store = await this.#options.store;
    const locked = await journal.recover(store);
    if (!this.#isLoaded && locked.length > 0) {
      const free = locked.map((lock) => untilTabLockIsFree(lock, ENDING_PAGE_MS));
      void Promise.all(free).then(() => this.#load());
    }
    // While the store is read, envelopes of this page may be deleted or added.
    const ids = () => this.#queue.all.map(({ meta }) => meta.id);
    const before = ids();
    // A store that cannot be read now may be readable later.
    const listed = await store.list().catch((): EnvelopeMeta[] => []);
    const known = new Set([...before, ...ids()]);
    // An envelope with a journal entry is left to its page, which has yet to delete that entry.
    const found = listed.filter(({ id }) => !known.has(id) && !journal.has(id));
    const isAllowed = (meta: EnvelopeMeta) => isConsented(meta, allows);
    await Promise.all(
      found.filter((meta) => !isAllowed(meta)).map((meta) => this.#removal.withdrawStored(meta)),
    );
    // Consent may have changed, and another call may have added some.
    const present = new Set(ids());
    const added = found.filter((meta) => !present.has(meta.id) && isAllowed(meta));
    const stored = Promise.resolve(true);
    this.#queue.add(...added.map((meta) => createWaitingEnvelope(meta, stored)));
    this.#isLoaded = true;
    const retained = this.#enforceRetention();
    this.#sendWaiting();
    // The discarded events are part of the next report.
    await retained;
  }

  /** Sends what may be sent now, and sets the timer for the rest. */
  #sendWaiting(): void {
    clearTimeout(this.#timer);
    if (!this.#isLoaded && !this.#isFlushing) return;
    const { failures, openUntil } = this.#breaker;
    const parallel = this.#isFlushing ? MAX_PARALLEL_FLUSHING : failures > 0 ? 1 : MAX_PARALLEL;
    const now = this.#options.now();
    const { limits } = this;
    const readyAt = ({ categories, notBefore }: WaitingEnvelope) => {
      const at = probeAt(limits, categories);
      // One probe at a time, and its result decides over all others.
      return Math.max(openUntil, notBefore, at && this.#sending > 0 ? Infinity : at);
    };
    while (this.#sending < parallel) {
      const next = nextEnvelope(this.#queue.all, (envelope) => readyAt(envelope) <= now);
      if (!next) break;
      void this.#attempt(next);
    }
    if (this.#sending > 0) return;
    const earliest = Math.min(...this.#queue.all.map(readyAt));
    // Offline: the `online` event calls retryNow.
    if (earliest === Infinity || globalThis.navigator?.onLine === false) return;
    this.#timer = setTimeout(() => this.#sendWaiting(), Math.max(0, earliest - now));
  }

  async #attempt(envelope: WaitingEnvelope): Promise<void> {
    envelope.isSending = true;
    const { signal } = envelope.request = new AbortController();
    this.#sending++;
    const result = await this.#sendLocked(envelope, () => this.#isFlushing);
    envelope.isSending = false;
    this.#sending--;
    // Withdrawn. Its lock is free now, so that it can be deleted.
    if (signal.aborted) void this.#load();
    else if (result === "locked") {
      const { limits } = this;
      for (const other of this.#queue.all) {
        if (other === envelope || probeAt(limits, other.categories)) {
          other.notBefore = this.#options.now() + LOCKED_WAIT_MS;
        }
      }
    } else if (result === "deleted") this.#queue.handOver(envelope);
    this.#sendWaiting();
  }

  /** Handles a response under the envelope's locks, so that other tabs find it deleted. */
  async #onResult(
    envelope: WaitingEnvelope,
    result: SendResult,
    startedAt: number,
  ): Promise<void> {
    const now = this.#options.now();
    const { status } = result;
    envelope.failures++;
    envelope.sentBytes += result.sentBytes;
    const random = this.#options.random();
    const failedUntil = retryAt(result, envelope.failures, now, random);
    const limitedUntil = failedUntil
      ? 0
      : this.#options.limits.update(result, envelope.categories, startedAt, now, random);

    if (!failedUntil && !limitedUntil) {
      this.#requestSucceeded();
      await this.#removal.delete(envelope, status);
      if (isClientReport(envelope)) void this.#report();
      const outcome = result.outcome ?? (status === 429 ? "rate_limited" : undefined);
      this.#queue.publish(envelope, { ...result, outcome });
      return;
    }
    // Withdrawn meanwhile: not sent again.
    if (envelope.request!.signal.aborted) return;
    if (!failedUntil) {
      this.#requestSucceeded();
      const time = new Date(limitedUntil).toTimeString().slice(0, 8);
      // Without an outcome: it is not final.
      this.#queue.publish(envelope, { status, error: `rate limited, sent again at ${time}` });
    } else {
      envelope.notBefore = failedUntil;
      recordFailure(this.#breaker, startedAt, now, random);
      this.#queue.publish(envelope, { status, error: result.error });
      // Other tabs fail too, and add envelopes to the store, which may be over its quota.
      void this.#load();
    }
    // Frees memory: the store has the bytes.
    if (await envelope.stored) envelope.bytes = undefined;
  }

  /** The relay or the ingest responded: discarded events of an outage can be reported. */
  #requestSucceeded(): void {
    const { failures } = this.#breaker;
    this.#breaker = createBreaker();
    if (failures > 0) void this.#report();
  }

  async #enforceRetention(): Promise<void> {
    this.#retention = undefined;
    // Without an outage there is no later success that would trigger the report.
    if (await this.#removal.enforceRetention()) void this.#report();
  }

  /**
   * Sends a client report of all discarded events, unless requests fail. Only one report waits at a time: if the
   * store is full, each would evict another envelope.
   */
  async #report(): Promise<void> {
    if (this.#breaker.failures > 0 || this.#queue.all.some(isClientReport)) return;
    await this.#sendReport();
  }

  /** Makes a client report of all discarded events, also if requests fail, and loads it from the store. */
  async #sendReport(): Promise<void> {
    const unstored = await this.#discarded.report(this.#options.now());
    if (unstored) this.deliver(unstored);
    await this.#load();
  }
}
