import type { EnvelopeIndexer } from "./envelope_indexer.ts";
import type { InboxFile } from "./inbox_file.ts";
import type { StoredEnvelope } from "./inbox_types.ts";

/** The file of an inbox. Its functions throw `InboxClosedError`. */
interface FileAccess {
  readonly isClosed: boolean;
  run<T>(work: (file: InboxFile) => T): T;
  grow<T>(work: (file: InboxFile) => T): T;
  shrink<T>(work: (file: InboxFile) => T): T;
}

/**
 * Changes of the index that take long. Each step is one transaction, and other requests are answered between two.
 *
 * @param onRegrouped called when errors have been moved to other groups, or deleted
 */
export function createIndexUpkeep(
  inbox: FileAccess,
  indexer: EnvelopeIndexer,
  onRegrouped: () => void,
) {
  const readAll = (stored: readonly StoredEnvelope[]) =>
    Array.fromAsync(stored, async (envelope) => ({
      id: envelope.id,
      ...await indexer.read(envelope),
    }));

  /** Indexes the envelopes of a file whose index was of an earlier version. */
  const indexStored = async (): Promise<void> => {
    for (;;) {
      const stored = inbox.run((file) => file.envelopes.unindexed());
      if (stored.length === 0) return;
      const found = await readAll(stored);
      inbox.grow((file) => file.indexStored(found));
      await nextTurn();
    }
  };

  /** Moves envelopes whose application has become known. */
  const moveEnvelopes = async (): Promise<void> => {
    while (!inbox.isClosed && inbox.run((file) => file.index.senders.hasMoves())) {
      inbox.shrink((file) => file.index.senders.moveSome());
      await nextTurn();
    }
  };

  /** Groups errors again whose source map has arrived. */
  const groupAgain = async (debugId: string): Promise<void> => {
    for (let after = 0; !inbox.isClosed;) {
      const stored = inbox.run((file) => file.envelopes.unmapped(debugId, after));
      const last = stored.at(-1);
      if (last === undefined) return;
      const found = await readAll(stored);
      if (inbox.isClosed) return;
      inbox.grow(({ index }) => {
        for (const { id, resources } of found) index.regroup(id, resources, debugId);
      });
      onRegrouped();
      after = last.id;
      await nextTurn();
    }
  };

  const deleteErrors = async (group: string): Promise<void> => {
    while (inbox.shrink((file) => file.groups.deleteErrors(group))) await nextTurn();
    onRegrouped();
  };

  /** Continues what the last stop has interrupted. */
  const resume = async (): Promise<void> => {
    await moveEnvelopes();
    for (const debugId of inbox.run((file) => file.halfMapped())) await groupAgain(debugId);
    for (const group of inbox.run((file) => file.groups.halfDeleted())) await deleteErrors(group);
  };

  return { indexStored, moveEnvelopes, groupAgain, deleteErrors, resume };
}

const nextTurn = () => new Promise((resolve) => setTimeout(resolve));
