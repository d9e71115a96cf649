import { useMemo } from "react";
import { formatBytes, formatDuration } from "../../components/format.ts";
import { Icon } from "../../components/Icon.tsx";
import { Id } from "../../components/Id.tsx";
import { Outcome } from "../../components/Outcome.tsx";
import { type DeliveryState, describeOutcome, receiptKey } from "../../components/outcome.ts";
import { TimeAgo } from "../../components/Timestamp.tsx";
import type { Receipt } from "../../monitoring/browser/mod.ts";
import { type Histogram, histogramRange, MIN_RANGE_MS } from "../../monitoring/models/histogram.ts";
import type { InboxRow } from "../../monitoring/protocol/inbox_row.ts";
import { fragmentTo } from "../data/fragment.ts";
import { useList } from "../data/lists.ts";
import { dsnOfPage, sentryTraceUrl } from "../data/sentry_link.ts";
import { itemsOf, topicOf } from "../kit/envelope_topic.ts";
import { type Column, Table } from "../kit/Table.tsx";

export const OUTCOME_WORDS = { what: "envelope", warned: "waiting", failed: "refused or lost" };

/** Envelopes over time, by their outcomes. @param receipts newest first, at least one */
export function outcomesOverTime(
  receipts: readonly (DeliveryState & Pick<Receipt, "at">)[],
): Histogram {
  const first = receipts.at(-1)!.at;
  const range = histogramRange(first, Math.max(receipts[0]!.at + 1, first + MIN_RANGE_MS));
  const parts = Array.from(
    { length: (range.to - range.from) / range.step },
    () => ({ count: 0, warnings: 0, failures: 0 }),
  );
  for (const receipt of receipts) {
    const part = parts[Math.floor((receipt.at - range.from) / range.step)]!;
    const { kind } = describeOutcome(receipt);
    part.count += 1;
    part.warnings += Number(kind === "waits");
    part.failures += Number(kind === "refused");
  }
  return { ...range, earlier: 0, later: 0, parts };
}

/** Envelopes of this page, each with its outcome and links to its content and its trace in Sentry. */
export function Receipts({ receipts }: { receipts: readonly Receipt[] }) {
  const { rows } = useList("envelopes", {});
  const columns = useMemo(() => {
    const sent = new Map(rows.map((row) => [row.received_at, row]));
    // Of dropped items there is a receipt without bytes, and no envelope.
    return columnsWith(({ at, bytes }) => bytes > 0 ? sent.get(at) : undefined);
  }, [rows]);
  return (
    <Table
      caption="Envelopes of this page, newest first"
      columns={columns}
      rows={receipts}
      keyOf={receiptKey}
    />
  );
}

/** @param envelopeOf undefined: the page no longer has it */
const columnsWith = (
  envelopeOf: (receipt: Receipt) => InboxRow | undefined,
): readonly Column<Receipt>[] => [
  {
    title: "Content",
    cell: (receipt) => {
      const { items, bytes, sentBytes, tookMs, attempts, status, error } = receipt;
      const hasEnded = status !== undefined || error !== undefined;
      const { text, icon } = topicOf({ items });
      const row = envelopeOf(receipt);
      return (
        <>
          <span className="beside">
            <Icon name={icon} />
            {row ? <a href={fragmentTo("envelopes", [String(row.id)])}>{text}</a> : text}
          </span>
          <small
            title={attempts > 0 ? `before compression; ${formatBytes(sentBytes)} sent` : undefined}
          >
            {itemsOf({ items })}
            {attempts > 0 && `, ${formatBytes(bytes)}`}
            {hasEnded && attempts > 0 && `, ${formatDuration(tookMs)}`}
            {attempts > 1 && `, ${attempts} attempts`}
          </small>
        </>
      );
    },
  },
  {
    title: "Outcome",
    width: 10,
    cell: (receipt) => (
      <>
        <Outcome result={receipt} />
        {receipt.status !== undefined && <small>Status {receipt.status}</small>}
        <small>{receipt.error}</small>
      </>
    ),
  },
  {
    title: "In Sentry",
    width: 6,
    cell: (receipt) => {
      const trace = envelopeOf(receipt)?.trace_ids[0];
      const href = trace && describeOutcome(receipt).kind === "flows" &&
        sentryTraceUrl(dsnOfPage(), trace);
      return href && (
        <a href={href} target="_blank" rel="noreferrer" aria-label={`Trace ${trace} in Sentry`}>
          <Id id={trace} />
        </a>
      );
    },
  },
  { title: "Created", width: 5.5, cell: ({ at }) => <TimeAgo at={at} /> },
];
