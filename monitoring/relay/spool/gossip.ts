import { withTimeout } from "../../protocol/with_timeout.ts";
import { MAX_REMEMBERED, REMEMBERED_KEY_BYTES, REMEMBERED_MS } from "../admit/duplicates.ts";
import type { ErrorLog } from "./drain_log.ts";
import type { RelayParts } from "./relay_parts.ts";
import type { ReceivedGossip, Spool } from "./spool.ts";

/** A page resends an envelope after 1.5 s at the earliest: by then the others must have read the report. */
const EXCHANGE_MS = 250;
const FIRST_MS = 1_000;

type GossipOptions = Pick<RelayParts, "clock" | "allowList" | "duplicates" | "limits">;

export type Gossip = ReturnType<typeof createGossip>;

/**
 * Shares taken envelopes and rate limits with the other servers on a spool, once they are delivered or durable. No
 * envelope waits for an exchange: a query for each one would take more CPU time than the rest of the relay.
 */
export function createGossip({ clock, allowList, duplicates, limits: known }: GossipOptions) {
  /** Keys that the others do not know yet. */
  let newKeys: string[] = [];
  let running: Promise<void> | undefined;
  let isStopping = false;
  let endPause = () => {};

  return {
    /** Starts to exchange in the background. Resolves after the first exchange, or after {@linkcode FIRST_MS}. */
    async start(spool: Pick<Spool, "exchange">, errors: ErrorLog): Promise<void> {
      const { promise: hasExchanged, resolve } = Promise.withResolvers<void>();
      running = repeat(spool, errors, resolve);
      await withTimeout(FIRST_MS, hasExchanged);
    },
    /** Reports what is new for the last time, unless the spool fails. */
    async stop(): Promise<void> {
      isStopping = true;
      endPause();
      await running;
    },
    exchange,
  };

  async function repeat(
    spool: Pick<Spool, "exchange">,
    errors: ErrorLog,
    onExchanged: () => void,
  ): Promise<void> {
    for (;;) {
      const isLast = isStopping;
      // After a failure the relay works with what it knows.
      const hasFailed = await exchange(spool).then(() => false, (error) => {
        errors.unexpected("Cannot exchange duplicates and rate limits", error);
        return true;
      });
      onExchanged();
      if (!isStopping) await pause();
      if (isLast || isStopping && hasFailed) return;
    }
  }

  async function pause(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = clock.after(EXCHANGE_MS, resolve);
    endPause = resolve;
    await promise;
    cancel();
  }

  /** @throws what the spool throws; the next call then reports the same again */
  async function exchange(spool: Pick<Spool, "exchange">): Promise<void> {
    // Keys are collected only if there are exchanges: nothing else removes them.
    duplicates.onTaken ??= (key) => void newKeys.push(key);
    const keys = newKeys.splice(0);
    const now = clock.uptime();
    const unshared = known.unshared(now);
    const report = {
      keys: Uint8Array.fromHex(keys.join("")),
      limits: unshared.map(({ dsn, category, until, rest }) => (
        { dsn, category, endsInMs: until - now, rest }
      )),
    };
    const reported = await spool.exchange(report, Date.now()).catch((error) => {
      newKeys = [...keys, ...newKeys].slice(-MAX_REMEMBERED);
      throw error;
    });
    for (const limit of unshared) limit.isShared = true;
    for (const gossip of reported) learn(gossip);
  }

  function learn({ keys, limits, ageMs }: ReceivedGossip): void {
    const now = clock.uptime();
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
