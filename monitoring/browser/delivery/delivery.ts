import {
  type EventDropReason,
  type RateLimits,
  type TransportMakeRequestResponse,
  updateRateLimits,
} from "@sentry/core/browser";
import { randomHex } from "../random_ids.ts";
import type { Receipt } from "../telemetry_state.ts";
import {
  createWaitingEnvelope,
  describeEnvelope,
  type EnvelopeMeta,
  isClientReport,
  lockNames,
  nextEnvelope,
  receiptOf,
  type WaitingEnvelope,
} from "./envelope.ts";
import type { Journal } from "./journal.ts";
import { type Loss, PAGE_ENDED } from "./journal_entry.ts";
import { consentedPart, isConsented } from "./consented.ts";
import { LossCounter, lossesOf } from "./loss_counter.ts";
import { MAX_AGE_MS, selectForEviction, STORAGE_QUOTA, type StorageQuota } from "./retention.ts";
import { DeliveryBreaker, limitedUntil, planRetry } from "./retry_policy.ts";
import {
  KEEPALIVE_BYTES,
  type SendEnvelope,
  type SendResult,
  toTransportResponse,
} from "./send_envelope.ts";
import { untilTabLockIsFree, withTabLock, withTabLocks } from "./tab_lock.ts";
import { Withdrawal, type WithdrawalOptions } from "./withdrawal.ts";

/** Concurrent requests: a browser allows six to an origin, and the page needs some. */
const MAX_PARALLEL = 4;
/** Concurrent requests when the page has just been hidden and may end at any moment. */
const MAX_PARALLEL_FLUSHING = 15;
/** After this time, a hidden page that still runs sends at the normal rate again. */
const FLUSH_MS = 1_000;
/** Maximum wait for the locks of a page that has just ended: some milliseconds, or seconds on a busy machine. */
const ENDING_PAGE_MS = 10_000;
/** Wait before retrying an envelope that another tab is sending. */
const LOCKED_WAIT_MS = 5_000;
/** Minimum difference between the times of two envelopes, so that the store keeps their order. */
const ORDER_MS = 0.001;

export interface DeliveryOptions extends WithdrawalOptions {
  /** Entries for what the store has not confirmed. */
  readonly journal: Journal;
  readonly send: SendEnvelope;
  /** For the header of client reports, which a relay requires; empty for an ingest. */
  readonly dsn: string;
  /** Called when the state of an envelope changes. */
  readonly onReceipt: (receipt: Receipt) => void;
  /** Called with the number of envelopes that are not yet accepted, refused or dropped. */
  readonly onWaiting: (count: number) => void;
  /** Called after each write to the store: false means that the envelope is in memory only. */
  readonly onStored: (isStored: boolean) => void;
  /** Called for each dropped envelope. */
  readonly onDropped: () => void;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  readonly quota?: StorageQuota;
  /** From 0 to 1: jitter of the backoff. */
  readonly random?: () => number;
}

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
  /** Oldest first. */
  #waiting: WaitingEnvelope[] = [];
  #sending = 0;
  #isFlushing = false;
  /** Envelopes of earlier pages are sent first, to keep the order of a recording's segments. */
  #isLoaded = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #limits: RateLimits = {};
  #lastCreatedAt = 0;
  /** Set while a check of all envelopes is due: those of one synchronous burst need only one. */
  #retention: Promise<void> | undefined;
  readonly #breaker = new DeliveryBreaker();
  readonly #losses: LossCounter;
  readonly #withdrawal: Withdrawal;
  readonly #options: Required<DeliveryOptions>;

  constructor(options: DeliveryOptions) {
    this.#options = { now: Date.now, random: Math.random, quota: STORAGE_QUOTA, ...options };
    this.#losses = new LossCounter(this.#options);
    this.#withdrawal = new Withdrawal(this.#options);
    void this.#load().then(() => this.#report());
  }

  /** When the newest envelope was taken over: different for each, and the time in its receipt. */
  get lastCreatedAt(): number {
    return this.#lastCreatedAt;
  }

  get limits(): RateLimits {
    return this.#limits;
  }

  /**
   * Takes over an envelope.
   *
   * @returns the first response; or 202 as soon as the envelope is stored and waits. (The recorder stops
   * for good at a status of 300 or more, and sends its buffer only after a 2xx for the error.)
   */
  deliver(bytes: Uint8Array): Promise<TransportMakeRequestResponse> {
    const { now, onStored, store, journal } = this.#options;
    // If the clock is set back, the order of a recording's segments must not change.
    this.#lastCreatedAt = Math.max(now(), this.#lastCreatedAt + ORDER_MS);
    const meta = describeEnvelope(bytes, randomHex(16), this.#lastCreatedAt);
    const losses = lossesOf(meta.items, PAGE_ENDED);
    // A client report has no losses: the journal saves its bytes.
    journal.add(meta.id, losses, losses.length > 0 ? undefined : { meta, bytes });
    const stored = store.then(async (store) => {
      const isStored = await store.put({ meta, bytes }).then(() => true, () => false);
      // On a full disk the envelope is in memory only, and its entry remains until it is delivered.
      if (isStored || !store.isPersistent) journal.remove(meta.id);
      return isStored;
    });
    return new Promise((settle) => {
      const envelope = createWaitingEnvelope(meta, { bytes, stored, settle });
      void stored.then((isStored) => {
        if (isStored) envelope.storedMs = now() - meta.createdAt;
        onStored(isStored);
      });
      this.#waiting.push(envelope);
      this.#publish(envelope, {});
      this.#retention ??= Promise.resolve().then(() => this.#enforceRetention());
      this.#sendWaiting();
      const isFailing = !this.#breaker.isClosed ||
        this.#waiting.some(({ failures }) => failures > 0);
      if (isFailing && !envelope.isSending) void stored.then(() => settle({ statusCode: 202 }));
    });
  }

  /** Counts losses of events that never became an envelope. */
  countLosses(losses: readonly Loss[]): void {
    this.#losses.count(losses);
  }

  /** Retries at once, except envelopes under a rate limit. For when the page is online or visible again. */
  retryNow(): void {
    this.#isFlushing = false;
    this.#breaker.halfOpen();
    const now = this.#options.now();
    for (const envelope of this.#waiting) {
      if (!limitedUntil(envelope.categories, this.#limits, now)) envelope.notBefore = 0;
    }
    void this.#load().then(() => this.#report());
  }

  /** Deletes what consent no longer covers: in memory, in the journal and in the store, of all pages. */
  async applyConsent(): Promise<void> {
    const { allows, journal, now } = this.#options;
    const withdrawn = this.#waiting.filter(({ meta }) => !isConsented(meta, allows));
    for (const envelope of withdrawn) {
      envelope.request?.abort();
      this.#withdrawal.count(envelope.meta);
      this.#remove(envelope);
      this.#publish(envelope, { outcome: "withdrawn" });
      envelope.settle({});
    }
    journal.withdraw(allows);
    for (const { meta, bytes, stored } of withdrawn) {
      // What is stored is found by `#load`.
      if (await stored || !bytes) continue;
      journal.remove(meta.id);
      const rest = consentedPart({ meta, bytes }, allows);
      if (rest) void this.deliver(rest.bytes);
    }
    const unreported = await this.#losses.report(now());
    if (unreported) void this.deliver(unreported);
    await this.#load();
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
    const known = new Set(this.#waiting);
    // A store that cannot be read now may be readable later.
    const stored = await store.list().catch((): EnvelopeMeta[] => []);
    for (const envelope of this.#waiting) known.add(envelope);
    const ids = new Set(Array.from(known, ({ meta }) => meta.id));
    // An envelope with a journal entry is left to its page, which has yet to delete that entry.
    const found = stored.filter(({ id }) => !ids.has(id) && !journal.has(id));
    const isAllowed = (meta: EnvelopeMeta) => isConsented(meta, allows);
    const rest = found.filter((meta) => !isAllowed(meta)).map((meta) =>
      this.#withdrawal.deleteStored(meta)
    );
    for (const meta of await Promise.all(rest)) if (meta) found.push(meta);
    // Consent may have changed, and another call may have added some.
    const present = new Set(this.#waiting.map(({ meta }) => meta.id));
    const added = found.filter((meta) => !present.has(meta.id) && isAllowed(meta));
    const details = { stored: Promise.resolve(true), settle: () => {} };
    this.#waiting.push(...added.map((meta) => createWaitingEnvelope(meta, details)));
    this.#waiting.sort((one, other) => one.meta.createdAt - other.meta.createdAt);
    this.#isLoaded = true;
    const retained = this.#enforceRetention();
    this.#options.onWaiting(this.#waiting.length);
    this.#sendWaiting();
    // The losses are part of the next report.
    await retained;
  }

  /** Sends what may be sent now, and sets the timer for the rest. */
  #sendWaiting(): void {
    clearTimeout(this.#timer);
    if (!this.#isLoaded && !this.#isFlushing) return;
    const { isClosed, openUntil } = this.#breaker;
    const parallel = this.#isFlushing ? MAX_PARALLEL_FLUSHING : isClosed ? MAX_PARALLEL : 1;
    const now = this.#options.now();
    while (openUntil <= now && this.#sending < parallel) {
      const next = nextEnvelope(this.#waiting, now);
      if (!next) break;
      void this.#attempt(next);
    }
    if (this.#sending > 0) return;
    const earliest = this.#waiting.reduce(
      (earliest, { notBefore }) => Math.min(earliest, Math.max(notBefore, openUntil)),
      Infinity,
    );
    // Offline: the `online` event calls retryNow.
    if (earliest === Infinity || globalThis.navigator?.onLine === false) return;
    this.#timer = setTimeout(() => this.#sendWaiting(), Math.max(0, earliest - now));
  }

  async #attempt(envelope: WaitingEnvelope): Promise<void> {
    envelope.isSending = true;
    const { signal } = envelope.request = new AbortController();
    this.#sending++;
    const { meta, bytes } = envelope;
    // A request without keepalive ends with the page.
    const canFlush = this.#isFlushing && bytes && bytes.length <= KEEPALIVE_BYTES &&
      this.#options.journal.setEnvelope({ meta, bytes });
    const result = await (canFlush ? this.#sendNow(envelope, bytes) : this.#sendLocked(envelope));
    envelope.isSending = false;
    this.#sending--;
    // Withdrawn. Its lock is free now, so that it can be deleted.
    if (signal.aborted) void this.#load();
    else if (result === "locked") {
      envelope.notBefore = this.#options.now() + LOCKED_WAIT_MS;
      this.#settleWaiting();
    } else if (result === "deleted") this.#handOver(envelope);
    else if (this.#waiting.includes(envelope)) this.#settleWaiting();
    this.#sendWaiting();
  }

  /**
   * Sends synchronously: while the page ends, no later task may run. The locks, requested meanwhile, keep
   * other tabs from sending the same envelope.
   */
  #sendNow(envelope: WaitingEnvelope, bytes: Uint8Array): Promise<"sent"> {
    const sent = this.#send(envelope, bytes, false);
    void withTabLocks(lockNames(envelope), () => sent);
    return sent;
  }

  /** Sends under the envelope's locks, if it has not been deleted by another tab. */
  async #sendLocked(envelope: WaitingEnvelope): Promise<"sent" | "locked" | "deleted"> {
    const { id, lane } = envelope.meta;
    const stored = await envelope.stored;
    return await withTabLocks(lockNames(envelope), async () => {
      const bytes = stored
        ? await (await this.#options.store).read(id).catch(() => envelope.bytes)
        : envelope.bytes;
      if (!bytes || envelope.request!.signal.aborted) return "deleted";
      if (!stored) this.#options.journal.setEnvelope({ meta: envelope.meta, bytes });
      // The recorder compresses its segments itself. A hidden page may end at any moment.
      return await this.#send(envelope, bytes, lane === undefined && !this.#isFlushing);
    });
  }

  /** Sends once and handles the response, all under the locks: other tabs find it deleted. */
  async #send(envelope: WaitingEnvelope, bytes: Uint8Array, compress: boolean): Promise<"sent"> {
    const startedAt = this.#options.now();
    envelope.sentMs = startedAt - envelope.meta.createdAt;
    envelope.meta = { ...envelope.meta, attempts: envelope.meta.attempts + 1 };
    // During a retry the receipt keeps the result of the attempt before.
    if (envelope.meta.attempts === 1) this.#publish(envelope, {});
    const { signal } = envelope.request!;
    await this.#onResult(envelope, await this.#options.send(bytes, compress, signal), startedAt);
    return "sent";
  }

  async #onResult(
    envelope: WaitingEnvelope,
    result: SendResult,
    startedAt: number,
  ): Promise<void> {
    const now = this.#options.now();
    const { status } = result;
    const response = toTransportResponse(result);
    if (status === 429 || result.rateLimits) {
      this.#limits = updateRateLimits(this.#limits, response, now);
    }
    envelope.failures++;
    envelope.sentBytes += result.sentBytes;
    const random = this.#options.random();
    const retry = planRetry(result, envelope, { limits: this.#limits, now, random });

    if (!retry) {
      this.#requestSucceeded();
      await this.#delete(envelope, status);
      const outcome = result.outcome ?? (status === 429 ? "rate_limited" : undefined);
      this.#publish(envelope, { ...result, outcome });
      envelope.settle(response);
      return;
    }
    // Withdrawn meanwhile: not sent again.
    if (envelope.request!.signal.aborted) return;
    envelope.notBefore = retry.at;
    if (retry.isRateLimited) {
      this.#requestSucceeded();
      const seconds = Math.ceil((retry.at - now) / 1000);
      // Without an outcome: it is not final.
      this.#publish(envelope, { status, error: `rate limited, sent again in ${seconds} s` });
      envelope.settle(response);
    } else {
      this.#breaker.failed(startedAt, now, random);
      this.#publish(envelope, { status, error: result.error });
      // Other tabs fail too, and add envelopes to the store, which may be over its quota.
      void this.#load();
    }
    // Frees memory: the store has the bytes.
    if (await envelope.stored) envelope.bytes = undefined;
  }

  /** The relay or the ingest responded: losses of an outage can be reported. */
  #requestSucceeded(): void {
    const { isClosed } = this.#breaker;
    this.#breaker.succeeded();
    if (!isClosed) void this.#report();
  }

  /** Resolves the SDK's `send` of all waiting envelopes, once they are stored. */
  #settleWaiting(): void {
    for (const { isSending, stored, settle } of this.#waiting) {
      if (!isSending) void stored.then(() => settle({ statusCode: 202 }));
    }
  }

  /** Forgets an envelope that another tab has delivered or dropped. */
  #handOver(envelope: WaitingEnvelope): void {
    this.#remove(envelope);
    const isShown = envelope.bytes || envelope.meta.attempts > 0;
    if (isShown) this.#publish(envelope, { outcome: "handed_over" });
    envelope.settle({ statusCode: 202 });
  }

  /** Deletes an envelope after a final response. A refused one is lost; the ingest counts a 429 itself. */
  async #delete(envelope: WaitingEnvelope, status = 0): Promise<void> {
    const { id, items } = envelope.meta;
    const losses = status >= 300 && status !== 429 ? lossesOf(items, "send_error") : [];
    const store = await this.#options.store;
    if (!await envelope.stored) this.#countUnstored(id, losses);
    else {
      await (losses.length > 0 ? store.drop(id, losses) : store.delete(id)).catch(() => {
        // A later page sends it again: a duplicate is better than a loss.
      });
    }
    // Only now: a recording's next segment would find the lock still held.
    this.#remove(envelope);
    if (isClientReport(envelope)) void this.#report();
  }

  /** Drops envelopes that are too old or exceed the storage quota. */
  async #enforceRetention(): Promise<void> {
    this.#retention = undefined;
    const oldest = this.#options.now() - MAX_AGE_MS;
    const expired = this.#waiting.filter(({ meta }) => meta.createdAt < oldest);
    const dropped = this.#dropAll(expired, "network_error", "too old");
    const evicted = selectForEviction(this.#waiting, this.#options.quota);
    await this.#dropAll(evicted, "queue_overflow", "storage quota reached");
    await dropped;
  }

  async #dropAll(all: WaitingEnvelope[], reason: EventDropReason, why: string): Promise<void> {
    const idle = all.filter(({ isSending }) => !isSending);
    const dropped = await Promise.all(idle.map((envelope) => this.#drop(envelope, reason, why)));
    // Without an outage there is no later success that would trigger the report.
    if (dropped.includes(true)) void this.#report();
  }

  /** Drops an envelope. Returns false if another tab is sending it or has delivered it. */
  async #drop(envelope: WaitingEnvelope, reason: EventDropReason, why: string): Promise<boolean> {
    this.#remove(envelope);
    const { id, items } = envelope.meta;
    const losses = lossesOf(items, reason);
    const isDropped = await withTabLock(id, async () => {
      if (await envelope.stored) return (await this.#options.store).drop(id, losses);
      this.#countUnstored(id, losses);
      return true;
      // If it cannot be deleted, a later page finds it.
    }).catch(() => false);
    if (isDropped !== true) {
      this.#handOver(envelope);
      return false;
    }
    this.#publish(envelope, { outcome: "dropped", error: `dropped: ${why}` });
    this.#options.onDropped();
    envelope.settle({});
    return true;
  }

  /** Counts the losses of an envelope that the store did not accept, and deletes its journal entry. */
  #countUnstored(id: string, losses: readonly Loss[]): void {
    this.#losses.count(losses);
    this.#options.journal.remove(id);
  }

  /**
   * Sends a client report of all losses, unless requests fail. Only one report waits at a time: if the
   * store is full, each would evict another envelope.
   */
  async #report(): Promise<void> {
    if (!this.#breaker.isClosed || this.#waiting.some(isClientReport)) return;
    const unstored = await this.#losses.report(this.#options.now());
    if (unstored) void this.deliver(unstored);
    await this.#load();
  }

  #remove(envelope: WaitingEnvelope): void {
    this.#waiting = this.#waiting.filter((other) => other !== envelope);
    this.#options.onWaiting(this.#waiting.length);
  }

  #publish(envelope: WaitingEnvelope, result: Partial<SendResult>): void {
    this.#options.onReceipt(receiptOf(envelope, result, this.#options.now()));
    this.#options.onWaiting(this.#waiting.length);
  }
}
