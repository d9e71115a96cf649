import { memo } from "react";
import type { Receipt } from "../../monitoring/browser/mod.ts";
import { formatBytes, formatDuration } from "../../components/format.ts";
import { ItemList } from "../../components/ItemList.tsx";
import type { Column } from "../../components/EnvelopeTable.tsx";
import { Mark } from "../../components/Mark.tsx";
import { Timestamp } from "../../components/Timestamp.tsx";
import { describeOutcome } from "../../components/outcome.ts";

export const receiptColumns: readonly Column[] = [
  { title: "Sent" },
  { title: "Items" },
  { title: "Size", numeric: true },
  { title: "Outcome" },
  { title: "Status", numeric: true },
  { title: "Took", numeric: true },
];

/** One envelope that the browser sent; rows that did not change are not rendered again. */
export const ReceiptRow = memo(function ReceiptRow({ receipt }: { receipt: Receipt }) {
  const { at, items, bytes, status, error, attempts, tookMs } = receipt;
  const { kind, word, meaning } = describeOutcome(receipt);
  return (
    <tr>
      <td className="at">
        <Timestamp at={at} />
      </td>
      <td className="items">
        <ItemList items={items} />
        {error && kind !== "flows" && <small className={kind}>{error}</small>}
      </td>
      <td className="n size">{formatBytes(bytes)}</td>
      <td className={`outcome ${kind}`} title={meaning}>
        <Mark kind={kind} />
        {word}
      </td>
      <td className="n status">{status ?? "–"}</td>
      <td className="n took">
        {formatDuration(tookMs)}
        {attempts > 1 && <small>{attempts}&nbsp;tries</small>}
      </td>
    </tr>
  );
});
