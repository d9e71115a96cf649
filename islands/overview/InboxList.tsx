import { useState } from "react";
import { arrivalColumns, ArrivalRow } from "./ArrivalRow.tsx";
import { EnvelopeTable } from "../../components/EnvelopeTable.tsx";
import { ReadFailure } from "../../components/ReadFailure.tsx";
import { ErrorBoundary } from "../shared/ErrorBoundary.tsx";
import { DeleteAll, LiveStatus } from "../shared/ListToolbar.tsx";
import { InboxTokenForm } from "../shared/InboxTokenForm.tsx";
import { useList, useSource, useSourceState } from "../shared/use_source.ts";

/** What arrived in the inbox, live: the newest envelopes of the list that has a view of its own. */
export default function InboxList() {
  return (
    <ErrorBoundary what="The inbox">
      <Arrivals />
    </ErrorBoundary>
  );
}

function Arrivals() {
  const source = useSource("inbox");
  const { state } = useSourceState(source);
  const list = useList(source, "envelopes", {}, { view: "overview" });
  const [unlocked, setUnlocked] = useState(false);
  if (source && state === "forbidden") {
    const authorize = async (token: string) => {
      const accepted = await source.authorize(token);
      setUnlocked(accepted);
      return accepted;
    };
    return <InboxTokenForm authorize={authorize} />;
  }

  const isEmpty = list.state === "ready" && state === "live";
  return (
    <>
      {source && (
        <div className="bar">
          {/* The field that had the focus is gone with the form. */}
          <LiveStatus source={source} takesFocus={unlocked} />
          <DeleteAll source={source} />
        </div>
      )}
      {list.state === "failed" && <ReadFailure sentence={list.error} retry={list.retry} />}
      <EnvelopeTable
        name="arrivals"
        caption="Envelopes in the inbox, newest first"
        columns={arrivalColumns}
        empty={list.rows.length === 0 && list.state !== "failed" &&
          (isEmpty ? "The inbox is empty." : emptyInWords[state])}
      >
        {list.rows.map((row) => <ArrivalRow key={row.id} row={row} />)}
      </EnvelopeTable>
    </>
  );
}

/** Of an inbox that has not answered nobody knows whether it is empty. */
const emptyInWords = {
  connecting: "Not connected yet.",
  live: "Reading the inbox.",
  offline: "Nothing could be read yet.",
  forbidden: "Not open to this browser.",
} as const;
