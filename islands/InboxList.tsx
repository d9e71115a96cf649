import { useEffect, useState, useSyncExternalStore } from "react";
import { arrivalColumns, ArrivalRow } from "../components/ArrivalRow.tsx";
import { formatCount } from "../components/format/count.ts";
import { Ledger } from "../components/Ledger.tsx";
import type { InboxFeed } from "../monitoring/inbox/feed.ts";
import { Boundary } from "./_boundary.tsx";
import { ClearInbox } from "./_console/clear_inbox.tsx";
import { InboxToken } from "./_console/inbox_token.tsx";

/** Rows kept in the page; the inbox itself holds more. */
const KEEP = 500;

/** What arrived in the inbox, live. */
export default function InboxList() {
  return (
    <Boundary what="The inbox">
      <Arrivals />
    </Boundary>
  );
}

function Arrivals() {
  const [feed, setFeed] = useState<InboxFeed>();
  useEffect(() => {
    let gone = false;
    let opened: InboxFeed | undefined;
    // Fetched by itself: the page answers before the list comes.
    import("../monitoring/inbox/feed.ts").then(({ createInboxFeed }) => {
      if (!gone) setFeed(opened = createInboxFeed("/monitoring/inbox", { keep: KEEP }));
    }).catch((error) => {
      // Thrown while rendering, so that the boundary around the island shows it.
      setFeed(() => {
        throw error;
      });
    });
    return () => {
      gone = true;
      opened?.close();
    };
  }, []);
  if (!feed) return <Rows rows={[]} empty="Not connected yet." />;
  return <LiveRows feed={feed} />;
}

function LiveRows({ feed }: { feed: InboxFeed }) {
  const now = useSyncExternalStore(feed.subscribe, feed.snapshot, feed.snapshot);
  const [held, setHeld] = useState<typeof now>();
  const [unlocked, setUnlocked] = useState(false);
  if (now.state === "forbidden") {
    const authorize = async (token: string) => {
      const accepted = await feed.authorize(token);
      setUnlocked(accepted);
      return accepted;
    };
    return <InboxToken authorize={authorize} />;
  }

  const shown = held ?? now;
  const missed = held ? Math.max(0, now.total - held.total) : 0;
  return (
    <>
      <div className="bar">
        <p>{held ? `Paused; ${formatCount(missed, "envelope")} came since.` : stateInWords(now)}</p>
        {/* The field that had the focus is gone with the form. */}
        <button
          type="button"
          autoFocus={unlocked}
          onClick={() => setHeld(held ? undefined : now)}
        >
          {held ? "Go on" : "Pause"}
        </button>
        <ClearInbox
          total={now.total}
          clear={async () => {
            await feed.clear();
            setHeld(undefined);
          }}
        />
      </div>
      <Rows
        rows={shown.rows}
        empty={emptyInWords[now.state]}
      />
    </>
  );
}

/** What is said where there are no rows. Of an inbox that does not answer nobody knows whether it is empty. */
const emptyInWords = {
  connecting: "Connecting.",
  live: "The inbox is empty.",
  offline: "Nothing could be read yet.",
} as const;

function Rows({ rows, empty }: { rows: ReturnType<InboxFeed["snapshot"]>["rows"]; empty: string }) {
  return (
    <Ledger
      name="arrivals"
      caption="Envelopes in the inbox, newest first"
      columns={arrivalColumns}
      empty={rows.length === 0 && empty}
    >
      {rows.map((row) => <ArrivalRow key={row.id} row={row} />)}
    </Ledger>
  );
}

function stateInWords({ state, rows, total }: ReturnType<InboxFeed["snapshot"]>): string {
  const kept = rows.length < total
    ? `the newest ${rows.length} of ${formatCount(total, "envelope")}`
    : formatCount(total, "envelope");
  switch (state) {
    case "live":
      return `Live: ${kept}.`;
    case "offline":
      return `The inbox does not answer; trying again. Shown: ${kept}.`;
    default:
      return "Connecting.";
  }
}
