import type { EnvelopeMeta } from "./describe_envelope.ts";
import type { EnvelopeStore } from "./envelope_store.ts";
import { createWaitingEnvelope, type WaitingEnvelope } from "./waiting_envelope.ts";

/**
 * What is in the store and not in this tab: earlier pages, closed tabs and tabs beside this one have
 * left it there.
 *
 * @param isKnown says by its local id whether this page has an envelope already
 */
export async function leftEnvelopes(
  store: EnvelopeStore,
  isKnown: (id: string) => boolean,
): Promise<WaitingEnvelope[]> {
  // A store that cannot be read now may be later; what is in it stays.
  const metas = await store.list().catch((): EnvelopeMeta[] => []);
  // Asked once more, after the wait: what is delivered while the store is read may be in both.
  return metas.filter(({ id }) => !isKnown(id)).map((meta) =>
    createWaitingEnvelope(meta, { stored: Promise.resolve(true), settle: () => {} })
  );
}
