import { withTimeout } from "../../protocol/with_timeout.ts";
import type { AllowList } from "../admit/allow_list.ts";
import {
  type Duplicates,
  MAX_REMEMBERED,
  REMEMBERED_KEY_BYTES,
  REMEMBERED_MS,
} from "../admit/duplicates.ts";
import type { RateLimits } from "../send/rate_limits.ts";
import type { ErrorLog } from "./drain_log.ts";
import type { ReceivedGossip, Spool } from "./spool.ts";

/**
 * Milliseconds between two exchanges. A page resends an envelope after 1.5 s at the earliest. By then its server must
 * have reported it and the others must have read the report, also on a busy machine.
 */
const EXCHANGE_MS = 250;
/** Maximum milliseconds that the start of a server waits for the others' gossip. */
const FIRST_MS = 1_000;

interface GossipOptions {
  readonly allowList: AllowList;
  readonly duplicates: Duplicates;
  readonly limits: RateLimits;
  /** Milliseconds of a monotonic clock. */
  readonly uptime: () => number;
}

/**
 * Shares taken envelopes and rate limits with the other servers on a spool. An envelope is reported when it is delivered
 * or durable: if its server crashes before, copies of it are no duplicates.
 *
 * No envelope waits for an exchange: a query for each one would take more CPU time than the rest of the relay.
 */
export class Gossip {
  readonly #options: GossipOptions;
  /** Keys that the others do not know yet. */
  #keys: string[] = [];
  #spool: Pick<Spool, "exchange"> | undefined;
  #errors: ErrorLog | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #running: Promise<boolean> | undefined;

  constructor(options: GossipOptions) {
    this.#options = options;
  }

  /** Starts to exchange in the background. Resolves after the first exchange, or after {@linkcode FIRST_MS}. */
  async start(spool: Pick<Spool, "exchange">, errors: ErrorLog): Promise<void> {
    this.#spool = spool;
    this.#errors = errors;
    this.#running = this.#exchangeAndRepeat();
    await withTimeout(FIRST_MS, this.#running);
  }

  /** Reports what is new for the last time, unless the spool fails. */
  async stop(): Promise<void> {
    const spool = this.#spool;
    this.#spool = undefined;
    clearTimeout(this.#timer);
    if (spool && await this.#running) await this.#tryExchange(spool);
  }

  /**
   * Reports what is new to the others, and learns what they have reported.
   *
   * @throws what the spool throws; the next call then reports the same again
   */
  async exchange(spool: Pick<Spool, "exchange">): Promise<void> {
    const { duplicates, limits, uptime } = this.#options;
    // Keys are collected only if there are exchanges: nothing else removes them.
    duplicates.onTaken ??= (key) => void this.#keys.push(key);
    const keys = this.#keys.splice(0);
    const now = uptime();
    const unshared = limits.unshared(now);
    const report = {
      keys: Uint8Array.fromHex(keys.join("")),
      limits: unshared.map(({ dsn, category, limit: { until, rest } }) => (
        { dsn, category, endsInMs: until - now, rest }
      )),
    };
    const reported = await spool.exchange(report, Date.now()).catch((error) => {
      this.#keys = [...keys, ...this.#keys].slice(-MAX_REMEMBERED);
      throw error;
    });
    for (const { limit } of unshared) limit.isShared = true;
    for (const gossip of reported) this.#learn(gossip);
  }

  /** Returns whether it succeeded. The next exchange follows later. */
  async #exchangeAndRepeat(): Promise<boolean> {
    const hasSucceeded = await this.#tryExchange(this.#spool!);
    if (this.#spool) {
      const repeat = () => this.#running = this.#exchangeAndRepeat();
      this.#timer = setTimeout(repeat, EXCHANGE_MS);
      Deno.unrefTimer(this.#timer);
    }
    return hasSucceeded;
  }

  /** After a failure the relay works with what it knows. */
  async #tryExchange(spool: Pick<Spool, "exchange">): Promise<boolean> {
    try {
      await this.exchange(spool);
      return true;
    } catch (error) {
      this.#errors?.unexpected("Cannot exchange duplicates and rate limits", error);
      return false;
    }
  }

  #learn({ keys, limits, ageMs }: ReceivedGossip): void {
    const { allowList, duplicates, limits: known, uptime } = this.#options;
    const now = uptime();
    const at = now - ageMs;
    if (ageMs < REMEMBERED_MS) {
      for (let start = 0; start < keys.length; start += REMEMBERED_KEY_BYTES) {
        duplicates.learn(keys.subarray(start, start + REMEMBERED_KEY_BYTES).toHex(), at);
      }
    }
    for (const limit of limits) {
      const until = at + limit.endsInMs;
      // Other servers may be allowed other DSNs.
      if (until > now && allowList.find(limit.dsn)) known.learn(limit, until, now);
    }
  }
}
