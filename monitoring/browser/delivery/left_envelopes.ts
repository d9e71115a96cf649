import type { Receipt } from "../receipt.ts";
import type { EnvelopeMeta } from "./describe_envelope.ts";
import type { EnvelopeStore } from "./envelope_store.ts";
import { MAX_AGE_MS } from "./retention.ts";
import { createWaitingEnvelope, receiptOf, type WaitingEnvelope } from "./waiting_envelope.ts";

/**
 * What earlier pages and closed tabs have left in the store. What is too old is given up.
 *
 * @param isKnown says by its local id whether this page has an envelope already
 * @param now milliseconds since the epoch
 * @param onReceipt told what was given up
 */
export async function leftEnvelopes(
  store: EnvelopeStore,
  isKnown: (id: string) => boolean,
  now: number,
  onReceipt: (receipt: Receipt) => void,
): Promise<WaitingEnvelope[]> {
  // A store that cannot be read now may be later; what is in it stays.
  const metas = await store.list().catch((): EnvelopeMeta[] => []);
  const left: WaitingEnvelope[] = [];
  for (const meta of metas.filter(({ id }) => !isKnown(id))) {
    const stored = Promise.resolve(store.lasts);
    const envelope = createWaitingEnvelope(meta, { stored, settle: () => {} });
    if (now - meta.createdAt <= MAX_AGE_MS) {
      left.push(envelope);
    } else {
      await store.delete(meta.id).catch(() => {
        // It stays on the disk and is given up once more: what is not too old must not wait for it.
      });
      onReceipt(receiptOf(envelope, { outcome: "dropped", error: "given up: too old" }, now));
    }
  }
  return left;
}
