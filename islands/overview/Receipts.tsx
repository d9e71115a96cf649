import { Fragment, memo } from "react";
import { countItems } from "../../components/count_items.ts";
import { type Column, ScrollingTable } from "../../components/DataTable.tsx";
import { formatBytes, formatDuration } from "../../components/format.ts";
import { OutcomeMark } from "../../components/OutcomeMark.tsx";
import { TimeAgo } from "../../components/Timestamp.tsx";
import { describeOutcome, receiptKey } from "../../components/outcome.ts";
import type { Receipt } from "../../monitoring/browser/mod.ts";
import { withBoundary } from "../kit/ErrorBoundary.tsx";
import { useReceipts } from "../data/use_sent_counts.ts";

/** The envelopes that this browser has sent, each with its outcome. Relay mode only. */
export const Receipts = withBoundary("The list of sent envelopes", ReceiptTable);

function ReceiptTable() {
  const receipts = useReceipts();
  return (
    <ScrollingTable
      className="receipts"
      caption="Envelopes sent by this page, newest first"
      columns={COLUMNS}
      empty={receipts.length === 0 && "Nothing has been sent yet."}
    >
      {receipts.map((receipt) => <ReceiptRow key={receiptKey(receipt)} receipt={receipt} />)}
    </ScrollingTable>
  );
}

const COLUMNS: readonly Column[] = [
  { title: "Sent", width: 5.5 },
  { title: "Items" },
  { title: "Size", width: 5, numeric: true },
  { title: "Outcome", width: 7.25 },
  { title: "Status", width: 4, numeric: true },
  { title: "Duration", width: 5.25, numeric: true },
];

/** One envelope that this browser has sent. */
const ReceiptRow = memo(function ReceiptRow({ receipt }: { receipt: Receipt }) {
  const { at, items, bytes, sentBytes, status, error, attempts, tookMs } = receipt;
  const { kind, word, meaning } = describeOutcome(receipt);
  const duration = formatDuration(tookMs);
  return (
    <tr>
      <td className="at">
        <TimeAgo at={at} />
      </td>
      <td className="items">
        <ItemList items={items} />
        {error && kind !== "flows" && <small className={kind}>{error}</small>}
        {/* On phones, in place of their columns. */}
        <small className="narrow">{formatBytes(bytes)}, {duration}</small>
      </td>
      <td className="n size" title={`before compression; ${formatBytes(sentBytes)} sent`}>
        {formatBytes(bytes)}
      </td>
      <td className={`outcome ${kind}`} title={meaning}>
        <OutcomeMark kind={kind} />
        {word}
        {status !== undefined && <small className="narrow">Status {status}</small>}
      </td>
      <td className="n status">{status ?? "–"}</td>
      <td className="n took">
        {duration}
        {attempts > 1 && <small>{attempts}&nbsp;attempts</small>}
      </td>
    </tr>
  );
});

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
