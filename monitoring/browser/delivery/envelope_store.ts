import type { EnvelopeMeta } from "./describe_envelope.ts";
import { type Loss, sumOfLosses } from "./losses.ts";

/** An envelope as a store takes it. */
export interface StoredEnvelope {
  readonly meta: EnvelopeMeta;
  readonly bytes: Uint8Array;
}

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
  /**
   * Deletes an envelope and counts what is lost with it, both or neither.
   *
   * @returns false: it was no longer there, and nothing is counted
   */
  giveUp(id: string, losses: readonly Loss[]): Promise<boolean>;
  /** Counts what is lost and was never here. */
  count(losses: readonly Loss[]): Promise<void>;
  /**
   * Puts an envelope that reports all that was counted, and counts from nothing again, both or neither.
   *
   * @param make called if anything was counted
   */
  report(make: (losses: readonly Loss[]) => StoredEnvelope): Promise<void>;
}

/** A store that is gone with the page: for browsers that refuse to keep anything. */
export function createMemoryStore(): EnvelopeStore {
  const kept = new Map<string, StoredEnvelope>();
  let counted: Loss[] = [];
  const count = (losses: readonly Loss[]) => counted = sumOfLosses([...counted, ...losses]);
  // Promises as a database gives them: what throws here rejects there.
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
    giveUp(id, losses) {
      const was = kept.delete(id);
      if (was) count(losses);
      return Promise.resolve(was);
    },
    count(losses) {
      count(losses);
      return Promise.resolve();
    },
    report(make) {
      if (counted.length > 0) {
        const envelope = make(counted);
        kept.set(envelope.meta.id, envelope);
        counted = [];
      }
      return Promise.resolve();
    },
  };
}

/** Oldest first. */
export function byAge(metas: readonly EnvelopeMeta[]): EnvelopeMeta[] {
  return metas.toSorted((one, other) => one.createdAt - other.createdAt);
}
