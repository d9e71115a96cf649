/** What consent covers of an envelope and of counted discarded events. Pure. */
import type { DataCategory } from "@sentry/core/browser";
import type { Consent, SignalKind } from "../consent.ts";
import type { ReceiptItem } from "../telemetry_state.ts";
import { type EnvelopeMeta, sdkCategoryOf } from "./envelope.ts";
import type { DiscardedEvents } from "./journal_writer.ts";

export type Allows = Consent["allows"];

/** The kind of a data category. Sessions, feedback and attachments are withdrawn together with errors. */
export function kindOf(category: DataCategory): SignalKind {
  if (category === "replay") return "recordings";
  if (/^(span|transaction|profile)/.test(category)) return "traces";
  return category.startsWith("log") ? "logs" : "errors";
}

/** The discarded events of granted kinds. */
export const consentedDiscarded = (
  discarded: readonly DiscardedEvents[],
  allows: Allows,
): DiscardedEvents[] => discarded.filter(({ category }) => allows(kindOf(category)));

/** A client report that an older version of the page has stored may count discarded events of every kind. */
const ANY: readonly DataCategory[] = ["error", "span", "replay", "log_item"];

/** Whether consent covers everything in an envelope. One of which it covers a part is deleted as a whole. */
export const isConsented = ({ items, createdAt }: EnvelopeMeta, allows: Allows): boolean =>
  items.every(({ type, reported = ANY }: ReceiptItem) =>
    (type === "client_report" ? reported : [sdkCategoryOf(type)])
      .every((category) => allows(kindOf(category), createdAt))
  );
