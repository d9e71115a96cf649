import type { ServerProcess } from "../harness/server_process.ts";
import { bodyText, type Delivery, type DeliveryLog, eventIdOf } from "./_delivery_log.ts";

export interface LoadOptions extends LoadProfile {
  readonly log: DeliveryLog;
  /** A random generator (0 to below 1) for each sender. */
  readonly randomOf: (sender: number) => () => number;
}

/** How many senders there are, and how often they send. Times in milliseconds. */
export interface LoadProfile {
  /** Number of senders of single envelopes, and of recordings, whose segments are ordered. */
  readonly senders: number;
  readonly recorders: number;
  /** Maximum time between two envelopes of a sender. */
  readonly maxPauseMs: number;
  /** Minimum time between two segments of a recording. Default: 0. */
  readonly minSegmentMs?: number;
  /** Time before a sender sends an unacknowledged envelope again. */
  readonly resendMs: number;
  /** Share of the envelopes that the ingest always answers with 500, until the faults end. */
  readonly poisonShare: number;
}

/** Types of single envelopes, and of OTLP's spans, with cumulative shares. */
const TYPES = [["event", 0.4], ["transaction", 0.6], ["span", 0.85], ["log", 1]] as const;
/** Maximum wait for a response. */
const RESPONSE_MS = 30_000;
/** Event ids reserved for each sender. */
const IDS_EACH = 1e6;

/** Senders that post each envelope to the running server until it is acknowledged. */
export class Load {
  /** Number of senders that still send. */
  running = 0;
  /** Responses that were no acknowledgement, by status and error code. */
  readonly refusals: Record<string, number> = {};
  readonly #options: LoadOptions;
  #servers: readonly ServerProcess[] = [];
  #isUp = Promise.withResolvers<void>();
  #isEnding = false;

  constructor(options: LoadOptions) {
    this.#options = options;
    const { senders, recorders } = options;
    for (let sender = 0; sender < senders + recorders; sender++) this.#run(sender);
  }

  /** Sends to these servers from now on, in turns; none: senders wait for the next one. */
  sendTo(servers: readonly ServerProcess[]): void {
    this.#servers = servers;
    if (servers.length > 0) this.#isUp.resolve();
    else this.#isUp = Promise.withResolvers();
  }

  /** Stops making new envelopes. Unacknowledged ones are still sent. */
  end(): void {
    this.#isEnding = true;
  }

  async #run(sender: number): Promise<void> {
    const { log, randomOf, senders, maxPauseMs, minSegmentMs = 0, poisonShare } = this.#options;
    const random = randomOf(sender);
    const isRecorder = sender >= senders;
    this.running++;
    for (let n = 0; !this.#isEnding; n++) {
      const drawn = random();
      const type = TYPES.find(([, share]) => drawn < share)?.[0] ?? "event";
      await this.#send(log.post({
        eventId: eventIdOf(sender * IDS_EACH + (isRecorder ? 0 : n)),
        n,
        type: isRecorder ? "replay_recording" : type,
        bytes: Math.floor(random() < 0.9 ? 200 + random() * 2_000 : 20_000 + random() * 80_000),
        isPoisoned: random() < poisonShare,
      }));
      const minMs = isRecorder ? minSegmentMs : 0;
      if (minMs + maxPauseMs > 0) await pause(minMs + random() * maxPauseMs);
    }
    this.running--;
  }

  async #send(delivery: Delivery): Promise<void> {
    while (!delivery.acknowledged && delivery.refused === undefined) {
      if (this.#servers.length === 0) await this.#isUp.promise;
      delivery.attempts++;
      try {
        await this.#post(delivery);
      } catch {
        // The server has ended: the envelope is sent again.
      }
      if (!delivery.acknowledged) await pause(this.#options.resendMs);
    }
  }

  async #post(delivery: Delivery): Promise<void> {
    const server = this.#servers[(delivery.n + delivery.attempts) % this.#servers.length];
    const path = delivery.type === "span" ? "/v1/traces" : "/monitoring";
    const response = await fetch(`${server?.origin}${path}`, {
      method: "POST",
      body: bodyText(delivery),
      headers: { "content-type": "application/json" },
      signal: AbortSignal.timeout(RESPONSE_MS),
    });
    const { ok, status, headers } = response;
    if (ok) {
      this.#options.log.acknowledge(delivery, headers.get("x-relay-outcome") ?? "none");
      return await response.body?.cancel();
    }
    if (status < 500 && status !== 429) delivery.refused = status;
    const code = /^\{"error":"(\w+)"/.exec(await response.text())?.[1] ?? "";
    const refusal = `${status} ${code}`.trim();
    this.refusals[refusal] = (this.refusals[refusal] ?? 0) + 1;
  }
}

/** Resolves after so many milliseconds. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
