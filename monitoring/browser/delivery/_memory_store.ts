import type { Loss } from "../journal_entry.ts";
import type { EnvelopeStore, StoredEnvelope } from "./envelope_store.ts";
import { sumOfLosses } from "./losses.ts";

/** A store in memory, as tests without a browser share it between their pages. */
export function createMemoryStore(): EnvelopeStore {
  const kept = new Map<string, StoredEnvelope>();
  const counted = new Map<string, readonly Loss[]>();
  // Promises as a database gives them: what throws here rejects there.
  return {
    lasts: true,
    put(meta, bytes) {
      kept.set(meta.id, { meta, bytes });
      return Promise.resolve();
    },
    list: () => Promise.resolve([...kept.values()].map(({ meta }) => meta)),
    read: (id) => Promise.resolve(kept.get(id)?.bytes),
    delete(id) {
      kept.delete(id);
      return Promise.resolve();
    },
    giveUp(id, losses) {
      const was = kept.delete(id);
      if (was) counted.set(id, losses);
      return Promise.resolve(was);
    },
    count(id, losses) {
      counted.set(id, losses);
      return Promise.resolve();
    },
    recover(entries) {
      for (const { id, losses, sent } of entries) {
        if (kept.has(id)) continue;
        if (sent) kept.set(id, sent);
        else counted.set(id, losses);
      }
      return Promise.resolve();
    },
    report(make, isListed) {
      const free = [...counted].filter(([id]) => !isListed(id));
      if (free.length > 0) {
        const envelope = make(sumOfLosses(free.flatMap(([, losses]) => losses)));
        kept.set(envelope.meta.id, envelope);
        for (const [id] of free) counted.delete(id);
      }
      return Promise.resolve();
    },
  };
}
