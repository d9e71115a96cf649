import "../background_code.ts";
import { useState } from "react";
import { formatCount } from "../../components/format.ts";
import { OutcomeMark } from "../../components/OutcomeMark.tsx";
import { TimeAgo } from "../../components/Timestamp.tsx";
import type { RefusalList } from "../../monitoring/protocol/relay_api.ts";
import { useLiveRead } from "../data/use_read.ts";
import { ConnectGuide } from "./ConnectGuide.tsx";

/** How an application sends to this server, what has arrived, and what was refused. Inbox mode only. */
export default function Connect() {
  return (
    <ConnectGuide>
      <RefusedEnvelopes />
    </ConnectGuide>
  );
}

/** Rows at first: the newest, of most interest to an application that is being connected. */
const FIRST_ROWS = 3;

const NONE: RefusalList = { rows: [], next: null, total: 0 };

/** What the relay refused since the server started, repeats as one, with reason and fix. All texts are a sender's. */
function RefusedEnvelopes() {
  const { value = NONE } = useLiveRead("refusals", {});
  const { rows, total } = value;
  const [showsAll, setShowsAll] = useState(false);
  if (rows.length === 0) return null;
  const shown = showsAll ? rows : rows.slice(0, FIRST_ROWS);
  const listed = rows.reduce((sum, { count }) => sum + count, 0);
  return (
    <div>
      <h3>{formatCount(total, "refused request")}, whole or in part, since the server started</h3>
      <ol>
        {shown.map(({ at, error, detail, origin, address, user_agent, count }) => (
          <li key={`${address} ${error} ${origin} ${user_agent}`} className="entry">
            <p>
              <OutcomeMark kind="refused" />
              <TimeAgo at={Date.parse(at)} /> <code>{error}</code> {origin ?? user_agent}{" "}
              <span className="quiet">to {address}</span>{" "}
              {count > 1 && <b title={`refused ${count} times; this is the newest`}>×{count}</b>}
            </p>
            <p>{detail}</p>
          </li>
        ))}
      </ol>
      {shown.length < rows.length && (
        <button
          type="button"
          className="plain"
          onClick={() => setShowsAll(true)}
        >
          Show {rows.length - shown.length} more
        </button>
      )}
      {listed < total && (
        <small>{total - listed} older ones are counted, but no longer listed.</small>
      )}
    </div>
  );
}
