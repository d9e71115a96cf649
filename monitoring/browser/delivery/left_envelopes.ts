import type { EnvelopeMeta } from "./describe_envelope.ts";
import type { EnvelopeStore } from "./envelope_store.ts";
import { createWaitingEnvelope, type WaitingEnvelope } from "./waiting_envelope.ts";

/** What is in the store: this page, earlier pages, closed tabs and tabs beside this one have put it there. */
export async function leftEnvelopes(store: EnvelopeStore): Promise<WaitingEnvelope[]> {
  // A store that cannot be read now may be later; what is in it stays.
  const metas = await store.list().catch((): EnvelopeMeta[] => []);
  return metas.map((meta) =>
    createWaitingEnvelope(meta, { stored: Promise.resolve(true), settle: () => {} })
  );
}
