import type { Attributes, TestItem } from "./envelopes.ts";
import type { ListQuery } from "../../models/list_query.ts";
import type { Inbox } from "../inbox.ts";

/**
 * Adds a test of the lists.
 *
 * @param body gets an empty inbox for at most `maxEnvelopes` (default: 100), and adds an envelope with a header or none
 */
export type AddTest = (
  behaviour: string,
  body: (
    inbox: Inbox,
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

export const traces = (inbox: Inbox, query: ListQuery = {}) =>
  inbox.page("traces", query).rows.map((row) => row.trace_id);
export const bodies = (inbox: Inbox, query: ListQuery = {}) =>
  inbox.page("logs", query).rows.map((row) => row.body);
