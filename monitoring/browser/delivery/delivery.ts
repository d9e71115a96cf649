import { type RateLimits, updateRateLimits } from "@sentry/core/browser";
import { randomHex } from "../random_hex.ts";
import type { Receipt } from "../receipt.ts";
import { describeEnvelope } from "./describe_envelope.ts";
import type { EnvelopeStore } from "./envelope_store.ts";
import { Hold } from "./hold.ts";
import { leftEnvelopes } from "./left_envelopes.ts";
import { nextEnvelope } from "./next_envelope.ts";
import { chooseVictims, ROOM, type Room } from "./retention.ts";
import type { Answer, SendEnvelope } from "./send_envelope.ts";
import { underTabLock } from "./tab_lock.ts";
import { heldUntil, judge } from "./verdict.ts";
import {
  createWaitingEnvelope,
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

export interface DeliveryOptions {
  readonly store: Promise<EnvelopeStore>;
  readonly send: SendEnvelope;
  readonly onReceipt: (receipt: Receipt) => void;
  /** Told how many envelopes nobody has acknowledged or refused. */
  readonly onWaiting: (count: number) => void;
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
 *             ▲           └─ no answer, 5xx, limited ─ wait, receipt ─┐
 *             └───────────────────── later, also after a reload ◄─────┘
 * ```
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
  readonly #hold = new Hold();
  readonly #options: Required<DeliveryOptions>;

  constructor(options: DeliveryOptions) {
    this.#options = { now: Date.now, random: Math.random, room: ROOM, ...options };
    void this.#adopt();
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
    const { now, store } = this.#options;
    const meta = describeEnvelope(bytes, randomHex(16), now());
    const stored = store
      .then((store) => store.put(meta, bytes).then(() => store.lasts))
      // No room on the disk: it stays in memory, as long as the page does.
      .catch(() => false);
    return new Promise((settle) => {
      const envelope = createWaitingEnvelope(meta, { bytes, stored, settle });
      this.#waiting.push(envelope);
      this.#publish(envelope, {});
      this.#makeRoom();
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
    void this.#adopt();
  }

  /** The page is hidden, maybe for good: sends at once what it has, without waiting for the store. */
  hide(): void {
    this.#rush = true;
    setTimeout(() => this.#rush = false, RUSH_MS);
    this.#pump();
  }

  /** Takes over what earlier pages and closed tabs have left in the store. */
  async #adopt(): Promise<void> {
    const { now, onReceipt, store } = this.#options;
    const isKnown = (id: string) => this.#waiting.some(({ meta }) => meta.id === id);
    const left = await leftEnvelopes(await store, isKnown, now(), onReceipt);
    // Asked once more: what is delivered while the store is read may be in both.
    this.#waiting.push(...left.filter(({ meta }) => !isKnown(meta.id)));
    this.#waiting.sort((one, other) => one.meta.createdAt - other.meta.createdAt);
    this.#adopted = true;
    this.#count();
    this.#pump();
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
    const startedAt = this.#options.now();
    const came =
      await (this.#rush && envelope.bytes
        ? this.#sendAtOnce(envelope, envelope.bytes)
        : this.#sendStored(envelope));
    envelope.sending = false;
    this.#sending--;
    if (came === "taken") envelope.notBefore = this.#options.now() + TAKEN_WAIT_MS;
    else if (came === "gone") this.#forget(envelope);
    else await this.#settle(envelope, came, startedAt);
    this.#pump();
  }

  /**
   * In a rush it must leave before anything is awaited: there may be no next task. The lock, asked for
   * meanwhile, keeps the tab that is now shown from sending the same.
   */
  #sendAtOnce(envelope: WaitingEnvelope, bytes: Uint8Array): Promise<Answer> {
    const answer = this.#send(envelope, bytes);
    void underTabLock(lockName(envelope), () => answer);
    return answer;
  }

  /** Sends what the store has, so that no two tabs send the same. */
  async #sendStored(envelope: WaitingEnvelope): Promise<Answer | "taken" | "gone"> {
    const { id } = envelope.meta;
    const lasts = await envelope.stored;
    const locked = await underTabLock(lockName(envelope), async () => {
      const bytes = lasts
        ? await (await this.#options.store).read(id).catch(() => envelope.bytes)
        : envelope.bytes;
      return bytes ? await this.#send(envelope, bytes) : "gone";
    });
    return locked === "taken" ? "taken" : locked.result;
  }

  #send(envelope: WaitingEnvelope, bytes: Uint8Array): Promise<Answer> {
    envelope.meta = { ...envelope.meta, attempts: envelope.meta.attempts + 1 };
    // Later ones keep showing how the last one went, until they have gone.
    if (envelope.meta.attempts === 1) this.#publish(envelope, {});
    return this.#options.send(bytes);
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
      this.#hold.passed();
      await this.#delete(envelope);
      const outcome = answer.outcome ?? (status === 429 ? "rate_limited" : undefined);
      this.#publish(envelope, { ...answer, outcome });
      envelope.settle({ statusCode: status, headers });
      return;
    }
    envelope.notBefore = verdict.notBefore;
    if (verdict.limited) {
      this.#hold.passed();
      const seconds = Math.ceil((verdict.notBefore - now) / 1000);
      // Without the status, which would say that it ended: it waits.
      this.#publish(envelope, { error: `limited by the ingest, sent again in ${seconds} s` });
      envelope.settle({ statusCode: status, headers });
    } else {
      this.#hold.failed(startedAt, now, random);
      this.#publish(envelope, { status, error: answer.error });
    }
    this.#acceptWaiting();
    // What waits on the disk need not wait in memory too.
    if (await envelope.stored) envelope.bytes = undefined;
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
      this.#publish(envelope, { error: "taken over by another tab" });
    }
    envelope.settle({ statusCode: 202 });
  }

  #makeRoom(): void {
    const victims = new Set(
      chooseVictims(this.#waiting.map(({ meta }) => meta), this.#options.room),
    );
    if (victims.size === 0) return;
    for (const envelope of this.#waiting.filter(({ meta }) => victims.has(meta))) {
      if (envelope.sending) continue;
      void this.#delete(envelope);
      this.#publish(envelope, { outcome: "dropped", error: "given up: no room left" });
      envelope.settle({});
    }
  }

  async #delete(envelope: WaitingEnvelope): Promise<void> {
    this.#remove(envelope);
    await envelope.stored;
    await (await this.#options.store).delete(envelope.meta.id).catch(() => {
      // It stays on the disk and a later page sends it once more: twice is better than never.
    });
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

/** Of a recording no two segments are under way at once, of all else no envelope twice. */
const lockName = ({ meta: { id, lane } }: WaitingEnvelope) => lane ?? id;
