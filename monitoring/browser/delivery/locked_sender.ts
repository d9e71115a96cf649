import type { PartOptions } from "./delivery_options.ts";
import { LIMITS_KEY, probeAt } from "./rate_limits.ts";
import { KEEPALIVE_BYTES, type SendResult } from "./send_envelope.ts";
import { withTabLocks } from "./tab_lock.ts";
import { lockNames, type WaitingEnvelope, type WaitingQueue } from "./waiting_queue.ts";

/**
 * Sends envelopes under their Web Locks, so that no two tabs send the same one.
 *
 * @param onResult called while the locks are held
 */
export function createLockedSender(
  queue: WaitingQueue,
  { store, journal, limits, send, now }: PartOptions,
  onResult: (envelope: WaitingEnvelope, result: SendResult, startedAt: number) => Promise<void>,
) {
  async function attempt(envelope: WaitingEnvelope, bytes: Uint8Array, compress: boolean) {
    const startedAt = now();
    envelope.sentMs = startedAt - envelope.meta.createdAt;
    envelope.meta = { ...envelope.meta, attempts: envelope.meta.attempts + 1 };
    // During a retry the receipt keeps the result of the attempt before.
    if (envelope.meta.attempts === 1) queue.publish(envelope);
    const result = await send(bytes, compress, envelope.request!.signal);
    await onResult(envelope, result, startedAt);
    return "sent" as const;
  }

  /**
   * Sends an envelope once.
   *
   * @param isEnding whether the page may end at any moment: then nothing asynchronous may come before the request
   * @returns "locked": another tab is sending it, or probes; "deleted": another tab has delivered it
   */
  return async (envelope: WaitingEnvelope, isEnding: () => boolean) => {
    const { meta, bytes, categories } = envelope;
    const isProbe = probeAt(limits.read(now()), categories) > 0;
    const names = isProbe ? [LIMITS_KEY, ...lockNames(envelope)] : lockNames(envelope);
    // A request without keepalive ends with the page.
    const canSendNow = isEnding() && !isProbe && bytes && bytes.length <= KEEPALIVE_BYTES &&
      journal.setEnvelope({ meta, bytes });
    if (canSendNow) {
      const sent = attempt(envelope, bytes, false);
      // The locks are requested meanwhile.
      void withTabLocks(names, () => sent);
      return await sent;
    }
    const isStored = await envelope.stored;
    return await withTabLocks(names, async () => {
      // Another tab may have been refused meanwhile.
      if (probeAt(limits.read(now()), categories) > now()) return "locked";
      const bytes = isStored
        ? await (await store).read(meta.id).catch(() => envelope.bytes)
        : envelope.bytes;
      if (!bytes || envelope.request!.signal.aborted) return "deleted";
      if (!isStored) journal.setEnvelope({ meta: envelope.meta, bytes });
      // Compression is asynchronous; the recorder compresses its segments itself.
      return await attempt(envelope, bytes, meta.sequence === undefined && !isEnding());
    });
  };
}
