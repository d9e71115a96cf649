import type { DataCategory } from "@sentry/core";
import { isRetryable } from "../protocol/retry.ts";

/** A quantity of one category of telemetry. */
export interface Amount {
  readonly category: DataCategory;
  readonly quantity: number;
}

/** The relay's answer to an envelope. */
export type RelayResponse = Pick<Response, "status" | "headers">;

export interface OutboxEnvelope {
  /** Serialized once: every attempt sends the same bytes. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** What it contains, for reports of loss. */
  readonly amounts: readonly Amount[];
}

interface OutboxOptions {
  /** Sends an envelope. An error counts as no answer. */
  readonly send: (bytes: Uint8Array<ArrayBuffer>) => Promise<RelayResponse>;
  /** Called for each final answer: a success, a refusal, a rate limit. */
  readonly onResponse: (response: RelayResponse, envelope: OutboxEnvelope) => void;
  /** Called for envelopes that were dropped because the outbox was full. */
  readonly onOverflow: (envelope: OutboxEnvelope) => void;
  /** Whether rate limits cover the envelope now; it is removed without being sent. */
  readonly isLimited: (envelope: OutboxEnvelope) => boolean;
  /** Starts a timer; returns a function that cancels it. Default: a timer that does not keep the process running. */
  readonly after?: (ms: number, work: () => void) => () => void;
  /** From 0 to below 1. */
  readonly random?: () => number;
}

/** Most envelopes and bytes, queued and being sent. An ingest may be down for days. */
export const MAX_ENVELOPES = 1_000;
export const MAX_BYTES = 8 * 1024 * 1024;

/** Concurrent attempts: at 100 ms each, 320 in a second, more than the server makes. */
const MAX_CONCURRENT = 32;

/** Exponential backoff bounds. */
const FIRST_BACKOFF_MS = 1_000;
const MAX_BACKOFF_MS = 60_000;

/**
 * A bounded queue in memory that keeps each envelope until it is accepted or refused. When it is full, it drops the
 * oldest envelope of spans alone, or else the oldest.
 */
export class Outbox {
  readonly #options: OutboxOptions;
  #queue: OutboxEnvelope[] = [];
  readonly #sending = new Set<OutboxEnvelope>();
  #bytes = 0;
  /** Failed attempts since the last final answer. */
  #failures = 0;
  #cancelBackoff: (() => void) | undefined;
  #onEmpty: (() => void)[] = [];

  constructor(options: OutboxOptions) {
    this.#options = options;
  }

  /** Envelopes that are queued or being sent. */
  get size(): number {
    return this.#queue.length + this.#sending.size;
  }

  put(envelope: OutboxEnvelope): void {
    this.#queue.push(envelope);
    this.#bytes += envelope.bytes.length;
    while (this.#queue.length > 0 && (this.size > MAX_ENVELOPES || this.#bytes > MAX_BYTES)) {
      const [dropped] = this.#queue.splice(Math.max(0, this.#queue.findIndex(isSpansOnly)), 1);
      this.#bytes -= dropped!.bytes.length;
      this.#options.onOverflow(dropped!);
    }
    this.#send();
  }

  /** Sends what is queued, ending a backoff early. Resolves to true when nothing is left, to false after `ms`. */
  flush(ms: number): Promise<boolean> {
    if (this.size === 0) return Promise.resolve(true);
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const cancel = this.#after(ms, () => resolve(false));
    this.#onEmpty.push(() => resolve(true));
    this.#cancelBackoff?.();
    this.#cancelBackoff = undefined;
    this.#failures = 0;
    this.#send();
    return promise.finally(cancel);
  }

  /** Drops everything, at the end of the process. */
  abandon(): void {
    this.#cancelBackoff?.();
    this.#queue = [];
    this.#sending.clear();
    this.#bytes = 0;
  }

  #send(): void {
    // After a failure, one envelope probes before the others follow.
    const mostConcurrent = this.#failures > 0 ? 1 : MAX_CONCURRENT;
    while (this.#cancelBackoff === undefined && this.#sending.size < mostConcurrent) {
      const envelope = this.#queue.shift();
      if (envelope === undefined) break;
      this.#sending.add(envelope);
      if (this.#options.isLimited(envelope)) this.#done(envelope);
      else void this.#attempt(envelope);
    }
    if (this.size === 0) {
      for (const resolve of this.#onEmpty.splice(0)) resolve();
    }
  }

  async #attempt(envelope: OutboxEnvelope): Promise<void> {
    const response = await this.#options.send(envelope.bytes).catch(() => undefined);
    // Abandoned while it was sent.
    if (!this.#sending.has(envelope)) return;
    if (response === undefined || isRetryable(response.status)) {
      this.#sending.delete(envelope);
      // To the end of the queue: an envelope that always fails must not block the others.
      this.#queue.push(envelope);
      this.#backOff();
    } else {
      this.#failures = 0;
      this.#done(envelope);
      this.#options.onResponse(response, envelope);
    }
    this.#send();
  }

  #done(envelope: OutboxEnvelope): void {
    this.#sending.delete(envelope);
    this.#bytes -= envelope.bytes.length;
  }

  #backOff(): void {
    if (this.#cancelBackoff !== undefined) return;
    const longest = Math.min(FIRST_BACKOFF_MS * 2 ** this.#failures, MAX_BACKOFF_MS);
    this.#failures++;
    // Jitter: servers that lost the same ingest must not all retry at the same moment.
    const random = this.#options.random ?? Math.random;
    const ms = longest * (0.5 + random() / 2);
    this.#cancelBackoff = this.#after(ms, () => {
      this.#cancelBackoff = undefined;
      this.#send();
    });
  }

  #after(ms: number, work: () => void): () => void {
    if (this.#options.after) return this.#options.after(ms, work);
    const timer = setTimeout(work, ms);
    Deno.unrefTimer(timer);
    return () => clearTimeout(timer);
  }
}

function isSpansOnly({ amounts }: OutboxEnvelope): boolean {
  return amounts.every(({ category }) => category === "span");
}
