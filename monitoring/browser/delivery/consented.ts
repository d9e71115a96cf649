/** What consent covers of an envelope and of counted losses. Pure. */
import {
  type BaseEnvelopeItemHeaders,
  type DataCategory,
  parseEnvelope,
} from "@sentry/core/browser";
import type { Consent, SignalKind } from "../consent.ts";
import type { ReceiptItem } from "../telemetry_state.ts";
import {
  describeEnvelope,
  type EnvelopeMeta,
  sdkCategoryOf,
  serialize,
  type StoredEnvelope,
} from "./envelope.ts";
import type { Loss } from "./journal_entry.ts";

export type Allows = Consent["allows"];

/** The kind of a data category. Sessions, feedback and attachments are withdrawn together with errors. */
export function kindOf(category: DataCategory): SignalKind {
  if (category === "replay") return "recordings";
  if (/^(span|transaction|profile)/.test(category)) return "traces";
  return category.startsWith("log") ? "logs" : "errors";
}

/** The losses of granted kinds. */
export const consentedLosses = (losses: readonly Loss[], allows: Allows): Loss[] =>
  losses.filter(({ category }) => allows(kindOf(category)));

/** A client report that an older version of the page has stored may count losses of every kind. */
const ANY: readonly DataCategory[] = ["error", "span", "replay", "log_item"];

/** Whether consent covers everything in an envelope. */
export const isConsented = ({ items, createdAt }: EnvelopeMeta, allows: Allows): boolean =>
  items.every(({ type, reported = ANY }: ReceiptItem) =>
    (type === "client_report" ? reported : [sdkCategoryOf(type)])
      .every((category) => allows(kindOf(category), createdAt))
  );

/**
 * Removes the items that consent does not cover, and such rows of client reports.
 *
 * @returns the same object if nothing was removed; undefined if nothing is left
 */
export function consentedPart(
  envelope: StoredEnvelope,
  allows: Allows,
): StoredEnvelope | undefined {
  const { id, createdAt, attempts } = envelope.meta;
  if (isConsented(envelope.meta, allows)) return envelope;
  const covers = (category: DataCategory) => allows(kindOf(category), createdAt);
  const [header, items] = parseEnvelope(envelope.bytes);
  const kept = (items as [BaseEnvelopeItemHeaders, unknown][]).filter(([{ type }, payload]) => {
    if (type !== "client_report") return covers(sdkCategoryOf(type));
    const report = payload as { discarded_events: Loss[] };
    report.discarded_events = report.discarded_events.filter(({ category }) => covers(category));
    return report.discarded_events.length > 0;
  });
  if (kept.length === 0) return undefined;
  const bytes = serialize(header, kept);
  return { bytes, meta: { ...describeEnvelope(bytes, id, createdAt), attempts } };
}
