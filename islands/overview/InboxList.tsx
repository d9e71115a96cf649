import { memo, useState } from "react";
import { formatBytes, shortId } from "../../components/format.ts";
import { Id } from "../../components/Id.tsx";
import { ItemList } from "../../components/ItemList.tsx";
import { type Column, ScrollingTable } from "../../components/DataTable.tsx";
import { ReadFailure } from "../../components/ReadFailure.tsx";
import { Timestamp } from "../../components/Timestamp.tsx";
import type { InboxRow } from "../../monitoring/protocol/inbox_row.ts";
import { ErrorBoundary } from "../shared/ErrorBoundary.tsx";
import { DeleteAll, LiveStatus } from "../shared/ListToolbar.tsx";
import { InboxTokenForm } from "../shared/InboxTokenForm.tsx";
import { useList, useSource, useSourceState } from "../shared/use_source.ts";

/** The newest envelopes in the inbox, live. */
export default function InboxList() {
  return (
    <ErrorBoundary what="The inbox">
      <Inbox />
    </ErrorBoundary>
  );
}

function Inbox() {
  const source = useSource("inbox");
  const { state } = useSourceState(source);
  const list = useList(source, "envelopes", {}, { view: "overview" });
  const [wasUnlocked, setWasUnlocked] = useState(false);
  if (source && state === "forbidden") {
    const authorize = async (token: string) => {
      const isAccepted = await source.authorize(token);
      setWasUnlocked(isAccepted);
      return isAccepted;
    };
    return <InboxTokenForm authorize={authorize} />;
  }

  const isEmpty = list.state === "ready" && state === "live";
  return (
    <>
      {source && (
        <div className="bar">
          {/* The form, which had the focus, disappears once the token is accepted. */}
          <LiveStatus source={source} takesFocus={wasUnlocked} />
          <DeleteAll source={source} />
        </div>
      )}
      {list.state === "failed" && <ReadFailure sentence={list.error} retry={list.retry} />}
      <ScrollingTable
        className="arrivals"
        caption="Envelopes in the inbox, newest first"
        columns={COLUMNS}
        empty={list.rows.length === 0 && list.state !== "failed" &&
          (isEmpty ? "The inbox is empty." : NOT_READ[state])}
      >
        {list.rows.map((row) => <InboxEnvelopeRow key={row.id} row={row} />)}
      </ScrollingTable>
    </>
  );
}

/** Shown while it is not known whether the inbox is empty. */
const NOT_READ = {
  connecting: "Connecting to the inbox.",
  live: "Loading the inbox.",
  offline: "The inbox does not respond.",
  forbidden: "This browser may not read the inbox.",
} as const;

const COLUMNS: readonly Column[] = [
  { title: "Received" },
  { title: "Items" },
  { title: "Size", numeric: true },
  { title: "Trace" },
  { title: "Recording" },
  { title: "Bytes" },
];

/** One envelope in the inbox. */
export const InboxEnvelopeRow = memo(function InboxEnvelopeRow({ row }: { row: InboxRow }) {
  const { id, received_at, event_id, trace_ids, replay_id, bytes, items } = row;
  const [trace, ...furtherTraces] = trace_ids;
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
        {furtherTraces.length > 0 && (
          <span title={furtherTraces.join(" ")}>{` +${furtherTraces.length}`}</span>
        )}
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
