import { memo } from "react";
import type { Receipt } from "../../monitoring/browser/mod.ts";
import { formatBytes } from "../../components/format/bytes.ts";
import { formatDuration } from "../../components/format/duration.ts";
import { ItemList } from "../../components/ItemList.tsx";
import type { Column } from "../../components/Ledger.tsx";
import { Mark } from "../../components/Mark.tsx";
import { Time } from "../../components/Time.tsx";
import { judge } from "../../components/verdict.ts";

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
  const { kind, word, meaning } = judge(receipt);
  return (
    <tr>
      <td className="at">
        <Time at={at} />
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
