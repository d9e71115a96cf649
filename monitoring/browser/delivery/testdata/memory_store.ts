import type { StoredEnvelope } from "../envelope.ts";
import type { EnvelopeStore } from "../envelope_store.ts";
import type { DiscardedEvents } from "../journal_writer.ts";

/** Creates a store in memory, for tests without a browser. Several pages of one test may share it. */
export function createMemoryStore(): EnvelopeStore {
  const envelopes = new Map<string, StoredEnvelope>();
  const counted = new Map<string, readonly DiscardedEvents[]>();
  return {
    isPersistent: true,
    put(envelope) {
      envelopes.set(envelope.meta.id, envelope);
      return Promise.resolve();
    },
    list: () => Promise.resolve([...envelopes.values()].map(({ meta }) => meta)),
    read: (id) => Promise.resolve(envelopes.get(id)?.bytes),
    delete(id) {
      envelopes.delete(id);
      return Promise.resolve();
    },
    drop(id, discarded) {
      const wasStored = envelopes.delete(id);
      if (wasStored) counted.set(id, discarded);
      return Promise.resolve(wasStored);
    },
    count(id, discarded) {
      counted.set(id, discarded);
      return Promise.resolve();
    },
    recover(entries) {
      for (const { id, discarded, sent } of entries) {
        if (envelopes.has(id)) continue;
        if (sent) envelopes.set(id, sent);
        else counted.set(id, discarded);
      }
      return Promise.resolve();
    },
    report(make, isPending) {
      const confirmed = [...counted].filter(([id]) => !isPending(id));
      if (confirmed.length > 0) {
        const report = make(confirmed.flatMap(([, discarded]) => discarded));
        if (report) envelopes.set(report.meta.id, report);
        for (const [id] of confirmed) counted.delete(id);
      }
      return Promise.resolve();
    },
  };
}
