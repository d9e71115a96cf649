import type { EnvelopeMeta } from "./describe_envelope.ts";

/** Where envelopes wait until somebody has acknowledged or refused them. */
export interface EnvelopeStore {
  /** Whether what is put survives the page. */
  readonly lasts: boolean;
  /** Adds or replaces an envelope. Rejects where there is no room. */
  put(meta: EnvelopeMeta, bytes: Uint8Array): Promise<void>;
  /** All envelopes, without their bytes, in the order they were made. */
  list(): Promise<EnvelopeMeta[]>;
  /** An envelope's bytes; undefined when it is no longer there. */
  read(id: string): Promise<Uint8Array | undefined>;
  delete(id: string): Promise<void>;
}

/** A store that is gone with the page: for browsers that refuse to keep anything. */
export function createMemoryStore(): EnvelopeStore {
  const kept = new Map<string, { meta: EnvelopeMeta; bytes: Uint8Array }>();
  return {
    lasts: false,
    put(meta, bytes) {
      kept.set(meta.id, { meta, bytes });
      return Promise.resolve();
    },
    list: () => Promise.resolve(byAge([...kept.values()].map(({ meta }) => meta))),
    read: (id) => Promise.resolve(kept.get(id)?.bytes),
    delete(id) {
      kept.delete(id);
      return Promise.resolve();
    },
  };
}

/** Oldest first. */
export function byAge(metas: readonly EnvelopeMeta[]): EnvelopeMeta[] {
  return metas.toSorted((one, other) => one.createdAt - other.createdAt);
}
