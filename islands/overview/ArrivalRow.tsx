import { memo } from "react";
import type { InboxRow } from "../../monitoring/protocol/inbox_row.ts";
import { formatBytes, shortId } from "../../components/format.ts";
import { Id } from "../../components/Id.tsx";
import { ItemList } from "../../components/ItemList.tsx";
import type { Column } from "../../components/EnvelopeTable.tsx";
import { Timestamp } from "../../components/Timestamp.tsx";

export const arrivalColumns: readonly Column[] = [
  { title: "Received" },
  { title: "Items" },
  { title: "Size", numeric: true },
  { title: "Trace" },
  { title: "Recording" },
  { title: "Bytes" },
];

/** One envelope in the inbox; rows that did not change are not rendered again. */
export const ArrivalRow = memo(function ArrivalRow({ row }: { row: InboxRow }) {
  const { id, received_at, event_id, trace_ids, replay_id, bytes, items } = row;
  const [trace, ...further] = trace_ids;
  const name = event_id === null ? String(id) : shortId(event_id);
  return (
    <tr>
      <td className="at">
        <Timestamp at={received_at} />
      </td>
      <td className="items">
        <ItemList items={items} />
      </td>
      <td className="n size">{formatBytes(bytes)}</td>
      <td className="trace">
        {trace === undefined ? "–" : <Id id={trace} />}
        {further.length > 0 && <span title={further.join(" ")}>{` +${further.length}`}</span>}
      </td>
      <td className="recording">{replay_id && <Id id={replay_id} />}</td>
      <td className="raw">
        <a
          href={`/monitoring/inbox?id=${id}`}
          download={`${name}.envelope`}
          aria-label={`Download envelope ${name}`}
        >
          download
        </a>
      </td>
    </tr>
  );
});
