import type { Attributes, TestItem } from "./envelopes.ts";
import { indexEnvelope } from "../../models/index/index_entries.ts";
import { MemoryIndex } from "./memory_index.ts";
import { parseEnvelope } from "../../models/parsed_envelope.ts";
import type { ListQuery, Lists, Page, SourceList } from "../../models/rows.ts";
import type { InboxRow } from "../../protocol/inbox_row.ts";

/** An implementation of the lists. */
export interface IndexUnderTest {
  /** Stores and indexes an envelope; over the limit the oldest is evicted. */
  add(envelope: Uint8Array<ArrayBuffer>, receivedAt: number): Promise<void>;
  list<Name extends keyof Lists>(name: Name, query: ListQuery): Page<Lists[Name]>;
  envelopes(query: ListQuery): Page<InboxRow>;
  sources(query: ListQuery): SourceList;
  clear(): void | Promise<void>;
  /** Deletes its files. */
  remove(): void | Promise<void>;
}

/**
 * Adds a test of the lists.
 *
 * @param body gets an empty index for at most `maxEnvelopes` (default: 100), and adds an envelope with a header or none
 */
export type AddTest = (
  behaviour: string,
  body: (
    index: IndexUnderTest,
    add: (...items: TestItem[]) => Promise<void>,
    addOf: (header: Attributes, ...items: TestItem[]) => Promise<void>,
  ) => Promise<void>,
  maxEnvelopes?: number,
) => void;

/** Size of each envelope of the suite: a limit in bytes is a limit in envelopes. */
export const ENVELOPE_BYTES = 4_000;

/** When the first envelope was received; each later one a second later. */
export const NOON = 1_795_262_400_000;

/** The header of an envelope of an application, whose items get the `sender`: see {@linkcode sentBy}. */
export const shop = (version: string): Attributes => ({
  sdk: { name: "sentry.python" },
  sender: { environment: "test", release: `shop@${version}` },
});

/** An item with its sender's release and environment, where SDKs write them. */
export function sentBy([type, payload]: TestItem, sender: unknown): TestItem {
  if (sender === undefined || payload instanceof Uint8Array) return [type, payload];
  const { environment, release } = sender as Record<string, unknown>;
  const attributes = {
    "sentry.environment": { value: environment },
    "sentry.release": { value: release },
  };
  const { items, ...others } = payload as { items?: readonly Attributes[] };
  if (items === undefined) return [type, { environment, release, ...others }];
  const withFacts = (item: Attributes) => ({
    ...item,
    attributes: { ...attributes, ...item.attributes as Attributes },
  });
  return [type, { ...others, items: items.map(withFacts) }];
}

export const traces = (index: IndexUnderTest, query: ListQuery = {}) =>
  index.list("traces", query).rows.map((row) => row.trace_id);
export const bodies = (index: IndexUnderTest, query: ListQuery = {}) =>
  index.list("logs", query).rows.map((row) => row.body);

export function memoryIndexUnderTest(maxEnvelopes?: number): IndexUnderTest {
  const index = new MemoryIndex(maxEnvelopes);
  let id = 0;
  return {
    list: (name, query) => index.list(name, query),
    envelopes: (query) => index.envelopes(query),
    sources: (query) => index.sources(query),
    clear: () => index.clear(),
    remove: () => {},
    add(bytes, receivedAt) {
      const { description, entries } = indexEnvelope(parseEnvelope(bytes), receivedAt);
      const row = {
        id: ++id,
        received_at: receivedAt,
        bytes: bytes.byteLength,
        content_encoding: null,
        source: entries.source.key,
        ...description,
      };
      index.add(id, receivedAt, entries, row);
      return Promise.resolve();
    },
  };
}
