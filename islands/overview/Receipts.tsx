import { Fragment } from "react";
import { countItems } from "../../components/count_items.ts";
import { formatBytes, formatDuration } from "../../components/format.ts";
import { OutcomeMark } from "../../components/OutcomeMark.tsx";
import { TimeAgo } from "../../components/Timestamp.tsx";
import { describeOutcome, receiptKey } from "../../components/outcome.ts";
import type { Receipt } from "../../monitoring/browser/mod.ts";
import { withBoundary } from "../kit/ErrorBoundary.tsx";
import { type Column, Table } from "../kit/Table.tsx";
import { useReceipts } from "../data/use_sent_counts.ts";

/** The envelopes that this browser has sent, each with its outcome. Relay mode only. */
export const Receipts = withBoundary("The list of sent envelopes", ReceiptTable);

function ReceiptTable() {
  const receipts = useReceipts();
  return (
    // A frame that scrolls can be focused (WCAG 2.1.1).
    <div className="frame" role="region" aria-label={CAPTION} tabIndex={0}>
      <Table
        className="data-table receipts"
        caption={CAPTION}
        columns={COLUMNS}
        rows={receipts}
        keyOf={receiptKey}
      />
      {receipts.length === 0 && <div className="empty">Nothing has been sent yet.</div>}
    </div>
  );
}

const CAPTION = "Envelopes sent by this page, newest first";

const COLUMNS: readonly Column<Receipt>[] = [
  { title: "Sent", width: 5.5, cell: ({ at }) => <TimeAgo at={at} /> },
  {
    title: "Items",
    cell: ({ items, bytes, sentBytes, tookMs, attempts }) => (
      <>
        <ItemList items={items} />
        <small title={`before compression; ${formatBytes(sentBytes)} sent`}>
          {formatBytes(bytes)}, {formatDuration(tookMs)}
          {attempts > 1 && `, ${attempts} attempts`}
        </small>
      </>
    ),
  },
  {
    title: "Outcome",
    width: 10,
    cell: (receipt) => {
      const { kind, word, meaning } = describeOutcome(receipt);
      return (
        <span className={kind} title={meaning}>
          <OutcomeMark kind={kind} />
          {word} {receipt.status !== undefined && <small>Status {receipt.status}</small>}
          {kind !== "flows" && <small>{receipt.error}</small>}
        </span>
      );
    },
  },
];

/** The item types of an envelope with their counts; the tooltip of each has its size. */
function ItemList({ items }: Pick<Receipt, "items">) {
  return countItems(items).map(({ type, count, bytes }, index) => (
    <Fragment key={type}>
      {index > 0 && ", "}
      <span title={formatBytes(bytes)}>
        {count > 1 && `${count}\u00a0×\u00a0`}
        {/* Long item types may wrap after an underscore. */}
        {type.split(/(?<=_)/).map((part, index) => (
          <Fragment key={index}>
            {index > 0 && <wbr />}
            {part}
          </Fragment>
        ))}
      </span>
    </Fragment>
  ));
}
