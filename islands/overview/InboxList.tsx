import { useState } from "react";
import { arrivalColumns, ArrivalRow } from "./ArrivalRow.tsx";
import { Ledger } from "../../components/Ledger.tsx";
import { ReadFailure } from "../../components/ReadFailure.tsx";
import { Boundary } from "../shared/boundary.tsx";
import { ClearInbox } from "../shared/clear_inbox.tsx";
import { Flow } from "../shared/live_state.tsx";
import { InboxToken } from "../shared/inbox_token.tsx";
import { pause } from "../shared/pause.ts";
import { useList, useSource, useSourceState } from "../shared/source.ts";

/** What arrived in the inbox, live: the newest envelopes of the list that has a view of its own. */
export default function InboxList() {
  return (
    <Boundary what="The inbox">
      <Arrivals />
    </Boundary>
  );
}

function Arrivals() {
  const source = useSource("inbox");
  const { state, total, canStore } = useSourceState(source);
  const list = useList(source, "envelopes", {}, { view: "overview" });
  const [unlocked, setUnlocked] = useState(false);
  if (source && state === "forbidden") {
    const authorize = async (token: string) => {
      const accepted = await source.authorize(token);
      setUnlocked(accepted);
      return accepted;
    };
    return <InboxToken authorize={authorize} />;
  }

  const isEmpty = list.state === "ready" && state === "live";
  return (
    <>
      {source && (
        <div className="bar">
          {/* The field that had the focus is gone with the form. */}
          <Flow source={source} takesFocus={unlocked} />
          <ClearInbox
            total={total}
            canStore={canStore}
            clear={async () => {
              await source.clear();
              pause(undefined);
            }}
          />
        </div>
      )}
      {list.state === "failed" && <ReadFailure sentence={list.error} retry={list.retry} />}
      <Ledger
        name="arrivals"
        caption="Envelopes in the inbox, newest first"
        columns={arrivalColumns}
        empty={list.rows.length === 0 && list.state !== "failed" &&
          (isEmpty ? "The inbox is empty." : emptyInWords[state])}
      >
        {list.rows.map((row) => <ArrivalRow key={row.id} row={row} />)}
      </Ledger>
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
