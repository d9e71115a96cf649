import { type EventDropReason, type RateLimits, updateRateLimits } from "@sentry/core/browser";
import { type Loss, PAGE_ENDED } from "../journal_entry.ts";
import { randomHex } from "../random_hex.ts";
import type { Receipt } from "../receipt.ts";
import { describeEnvelope, type EnvelopeMeta } from "./describe_envelope.ts";
import type { EnvelopeStore } from "./envelope_store.ts";
import { Hold } from "./hold.ts";
import { Journal } from "./journal.ts";
import { LossLedger } from "./loss_ledger.ts";
import { lossesOf } from "./losses.ts";
import { nextEnvelope } from "./next_envelope.ts";
import { chooseVictims, MAX_AGE_MS, ROOM, type Room } from "./retention.ts";
import { type Answer, KEEPALIVE_BYTES, type SendEnvelope } from "./send_envelope.ts";
import { underTabLock, underTabLocks } from "./tab_lock.ts";
import { heldUntil, judge } from "./verdict.ts";
import {
  createWaitingEnvelope,
  isReport,
  lockNames,
  receiptOf,
  type SdkAnswer,
  type WaitingEnvelope,
} from "./waiting_envelope.ts";

/** Requests at once: leaves room for the page's own, of which a browser allows six to an origin. */
const PARALLEL = 4;
/** Requests at once when the page has just been hidden and there may be no later. */
const PARALLEL_HIDDEN = 15;
/** Milliseconds after which a hidden page that is still alive sends in its normal way again. */
const RUSH_MS = 1_000;
/** Milliseconds to leave an envelope alone that another tab is sending. */
const TAKEN_WAIT_MS = 5_000;
/** Milliseconds between two envelopes of one page, so that their order is in the store too. */
const ORDER_MS = 0.001;

export interface DeliveryOptions {
  readonly store: Promise<EnvelopeStore>;
  /** Lists what the store has not confirmed; not given: nothing is listed. */
  readonly journal?: Journal;
  readonly send: SendEnvelope;
  readonly onReceipt: (receipt: Receipt) => void;
  /** Told how many envelopes nobody has acknowledged or refused. */
  readonly onWaiting: (count: number) => void;
  /** Told whether what waits would survive the page. */
  readonly onLasting?: (lasts: boolean) => void;
  /** Told of each envelope that was given up. */
  readonly onGivenUp?: () => void;
  /** What a report of what was given up names in its header; not given: nothing. */
  readonly dsn?: string;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
  readonly room?: Room;
  /** From 0 to 1: spreads the times of coming back. */
  readonly random?: () => number;
}

/**
 * Brings envelopes to where they go, and keeps each until it is acknowledged or refused.
 *
 * ```
 * deliver ─ store ─ send ─┬─ 2xx or definite refusal ─ delete, receipt
 *             ▲           └─ no answer, 5xx, limited ─ wait, receipt ─┬─ no room, too old ─ count, delete
 *             └───────────────────── later, also after a reload ◄─────┘
 * ```
 *
 * What was given up is counted in the store, and reported once something gets through.
 */
export class Delivery {
  /** Oldest first. */
  #waiting: WaitingEnvelope[] = [];
  #sending = 0;
  #rush = false;
  /** What an earlier page left goes first: a recording's segments are sent in order. */
  #adopted = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #limits: RateLimits = {};
  #lastMade = 0;
  readonly #hold = new Hold();
  readonly #ledger: LossLedger;
  readonly #options: Required<DeliveryOptions>;

  constructor(options: DeliveryOptions) {
    this.#options = {
      now: Date.now,
      random: Math.random,
      journal: new Journal(undefined),
      room: ROOM,
      onLasting: () => {},
      onGivenUp: () => {},
      dsn: "",
      ...options,
    };
    this.#ledger = new LossLedger(this.#options);
    void this.#adopt().then(() => this.#report());
  }

  /** The limits that were announced and still hold. */
  get limits(): RateLimits {
    return this.#limits;
  }

  /**
   * Takes an envelope over. Resolves at the first answer, or as soon as it is clear that it waits:
   * then with 202, since from here on it is ours. (The recorder stops for good at a status of 300
   * or more, and sends what it has buffered only after a 2xx for the error.)
   */
  deliver(bytes: Uint8Array): Promise<SdkAnswer> {
    const { now, onLasting, store, journal } = this.#options;
    // A clock that is set back must not turn a recording's order around.
    this.#lastMade = Math.max(now(), this.#lastMade + ORDER_MS);
    const meta = describeEnvelope(bytes, randomHex(16), this.#lastMade);
    const losses = lossesOf(meta.items, PAGE_ENDED);
    // A report counts for nothing: it is listed itself.
    journal.add(meta.id, losses, losses.length > 0 ? undefined : { meta, bytes });
    const stored = store.then(async (store) => {
      const isStored = await store.put(meta, bytes).then(() => true, () => false);
      // Refused by a full disk it is in memory alone, and stays listed until it ends.
      if (isStored || !store.lasts) journal.remove(meta.id);
      return isStored;
    });
    void stored.then(onLasting);
    return new Promise((settle) => {
      const envelope = createWaitingEnvelope(meta, { bytes, stored, settle });
      this.#waiting.push(envelope);
      this.#publish(envelope, {});
      void this.#makeRoom();
      this.#pump();
      if (this.#hold.feeling || this.#waiting.some(({ failures }) => failures > 0)) {
        this.#acceptWaiting();
      }
    });
  }

  /** Things look better (online again, visible again): tries everything that is not limited. */
  wake(): void {
    this.#rush = false;
    this.#hold.lift();
    const now = this.#options.now();
    for (const envelope of this.#waiting) {
      if (!heldUntil(envelope.categories, this.#limits, now)) envelope.notBefore = 0;
    }
    void this.#adopt().then(() => this.#report());
  }

  /** Counts what was given up elsewhere, before it became an envelope. */
  countLosses(losses: readonly Loss[]): void {
    this.#ledger.count(losses);
  }

  /** The page is hidden, maybe for good: sends at once what it has, without waiting for the store. */
  hide(): void {
    this.#rush = true;
    setTimeout(() => this.#rush = false, RUSH_MS);
    this.#pump();
    void this.#report();
  }

  /** Takes over what earlier pages, closed tabs and other tabs have left in the store. */
  async #adopt(): Promise<void> {
    const { journal } = this.#options;
    const store = await this.#options.store;
    await journal.recover(store);
    // While the store is read some end, which it may still list, and some are new here as there.
    const known = new Set(this.#waiting);
    // A store that cannot be read now may be later; what is in it stays.
    const left = await store.list().catch((): EnvelopeMeta[] => []);
    for (const envelope of this.#waiting) known.add(envelope);
    const ids = new Set(Array.from(known, ({ meta }) => meta.id));
    // While another tab lists an envelope, that tab confirms it first; then it is delivered and deleted.
    const fresh = left.filter(({ id }) => !ids.has(id) && !journal.has(id));
    const kept = { stored: Promise.resolve(true), settle: () => {} };
    this.#waiting.push(...fresh.map((meta) => createWaitingEnvelope(meta, kept)));
    this.#waiting.sort((one, other) => one.meta.createdAt - other.meta.createdAt);
    this.#adopted = true;
    const givenUp = [this.#giveUpOld(), this.#makeRoom()];
    this.#count();
    this.#pump();
    // They are part of what is reported next.
    await Promise.all(givenUp);
  }

  /**
   * Reports what was given up, by this page or an earlier one, unless nothing gets through anyway. While
   * a report waits the next one does too: where there is no room each would be the end of an envelope.
   */
  async #report(): Promise<void> {
    if (this.#hold.feeling || this.#waiting.some(isReport)) return;
    const unstored = await this.#ledger.report(this.#options.now());
    if (unstored) void this.deliver(unstored);
    await this.#adopt();
  }

  /** Starts what may start now, and sets the one timer for what may start later. */
  #pump(): void {
    clearTimeout(this.#timer);
    if (!this.#adopted && !this.#rush) return;
    const parallel = this.#rush ? PARALLEL_HIDDEN : this.#hold.feeling ? 1 : PARALLEL;
    const now = this.#options.now();
    while (this.#hold.until <= now && this.#sending < parallel) {
      const next = nextEnvelope(this.#waiting, now);
      if (!next) break;
      void this.#attempt(next);
    }
    if (this.#sending > 0) return;
    const earliest = this.#waiting.reduce(
      (earliest, { notBefore }) => Math.min(earliest, Math.max(notBefore, this.#hold.until)),
      Infinity,
    );
    // Offline, the `online` event wakes us: a timer would only find out the same.
    if (earliest === Infinity || globalThis.navigator?.onLine === false) return;
    this.#timer = setTimeout(() => this.#pump(), Math.max(0, earliest - now));
  }

  async #attempt(envelope: WaitingEnvelope): Promise<void> {
    envelope.sending = true;
    this.#sending++;
    const { meta, bytes } = envelope;
    // What is too large for keepalive ends with the page anyway.
    const atOnce = this.#rush && bytes && bytes.length <= KEEPALIVE_BYTES &&
      this.#options.journal.keep({ meta, bytes });
    const came = await (atOnce ? this.#sendAtOnce(envelope, bytes) : this.#sendStored(envelope));
    envelope.sending = false;
    this.#sending--;
    if (came === "taken") envelope.notBefore = this.#options.now() + TAKEN_WAIT_MS;
    else if (came === "gone") this.#forget(envelope);
    else if (this.#waiting.includes(envelope)) this.#acceptWaiting();
    this.#pump();
  }

  /**
   * In a rush it must leave before anything is awaited: there may be no next task. The locks, asked for
   * meanwhile, keep the tab that is now shown from sending the same.
   */
  async #sendAtOnce(envelope: WaitingEnvelope, bytes: Uint8Array): Promise<"answered"> {
    const answered = this.#send(envelope, bytes);
    void underTabLocks(lockNames(envelope), () => answered);
    await answered;
    return "answered";
  }

  /** Sends what the store has, so that no two tabs send the same. */
  async #sendStored(envelope: WaitingEnvelope): Promise<"answered" | "taken" | "gone"> {
    const { id } = envelope.meta;
    const stored = await envelope.stored;
    return await underTabLocks(lockNames(envelope), async () => {
      const bytes = stored
        ? await (await this.#options.store).read(id).catch(() => envelope.bytes)
        : envelope.bytes;
      if (!bytes) return "gone";
      if (!stored) this.#options.journal.keep({ meta: envelope.meta, bytes });
      await this.#send(envelope, bytes);
      return "answered";
    });
  }

  /** Sends once, and deletes what was acknowledged, all under the lock: a tab after us finds nothing. */
  async #send(envelope: WaitingEnvelope, bytes: Uint8Array): Promise<void> {
    const startedAt = this.#options.now();
    envelope.meta = { ...envelope.meta, attempts: envelope.meta.attempts + 1 };
    // Later ones keep showing how the last one went, until they have gone.
    if (envelope.meta.attempts === 1) this.#publish(envelope, {});
    await this.#settle(envelope, await this.#options.send(bytes), startedAt);
  }

  async #settle(envelope: WaitingEnvelope, answer: Answer, startedAt: number): Promise<void> {
    const now = this.#options.now();
    const { status } = answer;
    const headers = {
      "x-sentry-rate-limits": answer.rateLimits,
      // On a 503 it speaks of the relay; the SDK would read it as a limit, and drop what is new.
      "retry-after": status === 429 ? answer.retryAfter : null,
    };
    if (status === 429 || answer.rateLimits) {
      this.#limits = updateRateLimits(this.#limits, { statusCode: status, headers }, now);
    }
    envelope.failures++;
    const random = this.#options.random();
    const { categories, failures } = envelope;
    const verdict = judge({ answer, categories, limits: this.#limits, failures, now, random });

    if (verdict.kind === "ended") {
      this.#passed();
      await this.#delete(envelope, status);
      const outcome = answer.outcome ?? (status === 429 ? "rate_limited" : undefined);
      this.#publish(envelope, { ...answer, outcome });
      envelope.settle({ statusCode: status, headers });
      return;
    }
    envelope.notBefore = verdict.notBefore;
    if (verdict.limited) {
      this.#passed();
      const seconds = Math.ceil((verdict.notBefore - now) / 1000);
      // Without the status, which would say that it ended: it waits.
      this.#publish(envelope, { error: `limited, sent again in ${seconds} s` });
      envelope.settle({ statusCode: status, headers });
    } else {
      this.#hold.failed(startedAt, now, random);
      this.#publish(envelope, { status, error: answer.error });
      // Other tabs fail too, and add to what must find room.
      void this.#adopt();
    }
    // What waits in the store need not wait here too.
    if (await envelope.stored) envelope.bytes = undefined;
  }

  /** Somebody answered: what was given up meanwhile can be reported. */
  #passed(): void {
    const wasFeeling = this.#hold.feeling;
    this.#hold.passed();
    if (wasFeeling) void this.#report();
  }

  /** Tells the SDK of everything that waits that it is in our hands, once it is. */
  #acceptWaiting(): void {
    for (const { sending, stored, settle } of this.#waiting) {
      if (!sending) void stored.then(() => settle({ statusCode: 202 }));
    }
  }

  /** Another tab has taken it from the store and seen to it. */
  #forget(envelope: WaitingEnvelope): void {
    this.#remove(envelope);
    if (envelope.bytes || envelope.meta.attempts > 0) {
      this.#publish(envelope, { outcome: "handed_over" });
    }
    envelope.settle({ statusCode: 202 });
  }

  async #makeRoom(): Promise<void> {
    const kept = this.#waiting.map(({ meta }) => meta);
    const victims = new Set(chooseVictims(kept, this.#options.room));
    if (victims.size === 0) return;
    await this.#giveUpAll(({ meta }) => victims.has(meta), "queue_overflow", "no room left");
  }

  async #giveUpOld(): Promise<void> {
    const oldest = this.#options.now() - MAX_AGE_MS;
    await this.#giveUpAll(({ meta }) => meta.createdAt < oldest, "network_error", "too old");
  }

  async #giveUpAll(
    matches: (envelope: WaitingEnvelope) => boolean,
    reason: EventDropReason,
    why: string,
  ): Promise<void> {
    const all = this.#waiting.filter((envelope) => !envelope.sending && matches(envelope));
    const given = await Promise.all(all.map((envelope) => this.#giveUp(envelope, reason, why)));
    // Where something gets through all the while, no end of an outage comes to report it.
    if (given.includes(true)) void this.#report();
  }

  /** Gives an envelope up, unless another tab is sending it or has seen to it. Returns whether it did. */
  async #giveUp(envelope: WaitingEnvelope, reason: EventDropReason, why: string): Promise<boolean> {
    this.#remove(envelope);
    const { id, items } = envelope.meta;
    const losses = lossesOf(items, reason);
    const given = await underTabLock(id, async () => {
      if (await envelope.stored) return (await this.#options.store).giveUp(id, losses);
      this.#countUnstored(id, losses);
      return true;
      // What cannot be deleted stays, and a later page finds it.
    }).catch(() => false);
    if (given !== true) {
      this.#forget(envelope);
      return false;
    }
    this.#publish(envelope, { outcome: "dropped", error: `given up: ${why}` });
    this.#options.onGivenUp();
    envelope.settle({});
    return true;
  }

  /** Deletes what has ended. What was refused is lost; of a 429 the ingest keeps count itself. */
  async #delete(envelope: WaitingEnvelope, status = 0): Promise<void> {
    const refused = status >= 300 && status !== 429;
    const losses = refused ? lossesOf(envelope.meta.items, "send_error") : [];
    const { id } = envelope.meta;
    const store = await this.#options.store;
    if (!await envelope.stored) this.#countUnstored(id, losses);
    else {
      await (losses.length > 0 ? store.giveUp(id, losses) : store.delete(id)).catch(() => {
        // It stays in the store and a later page sends it once more: twice is better than never.
      });
    }
    // Only now: the next segment of its recording must not ask for a lock that is still held.
    this.#remove(envelope);
    if (isReport(envelope)) void this.#report();
  }

  /** An envelope that the store has refused has ended: its losses take the place of its entry. */
  #countUnstored(id: string, losses: readonly Loss[]): void {
    this.#ledger.count(losses);
    this.#options.journal.remove(id);
  }

  #remove(envelope: WaitingEnvelope): void {
    this.#waiting = this.#waiting.filter((other) => other !== envelope);
    this.#count();
  }

  #publish(envelope: WaitingEnvelope, answer: Pick<Answer, "status" | "outcome" | "error">): void {
    this.#options.onReceipt(receiptOf(envelope, answer, this.#options.now()));
    this.#count();
  }

  #count(): void {
    this.#options.onWaiting(this.#waiting.length);
  }
}
