import { useState } from "react";
import { formatCount } from "../../components/format.ts";
import { OutcomeMark } from "../../components/OutcomeMark.tsx";
import { TimeAgo } from "../../components/Timestamp.tsx";
import type { Refusal } from "../../monitoring/protocol/relay_api.ts";
import { useIsVisible } from "../shared/fragment.ts";
import { useApiState } from "../data/queries.ts";
import { useRead } from "../data/use_read.ts";
import { api } from "../data/api.ts";

/** Rows at first: an application that is refused repeats the same request. */
const FIRST_ROWS = 3;

const NONE: readonly Refusal[] = [];

/** What the relay refused since the server started, newest first. Read while the view is visible. */
export function useRefusals(): readonly Refusal[] {
  const { refusedVersion } = useApiState();
  const isVisible = useIsVisible("connect");
  const { value = NONE } = useRead(
    ["refusals", refusedVersion],
    isVisible && refusedVersion > 0 && api.refusals,
  );
  return value;
}

/** Refused envelopes, each with the reason and the fix. All texts are a sender's. */
export function RefusedEnvelopes({ refusals }: { refusals: readonly Refusal[] }) {
  const [showsAll, setShowsAll] = useState(false);
  if (refusals.length === 0) return null;
  const shown = showsAll ? refusals : refusals.slice(0, FIRST_ROWS);
  return (
    <div>
      <h3>{formatCount(refusals.length, "refused request")}</h3>
      <ol>
        {shown.map(({ at, error, detail, origin, address, user_agent }, index) => (
          <li key={`${at} ${index}`} className="entry">
            <p>
              <OutcomeMark kind="refused" />
              <TimeAgo at={Date.parse(at)} /> <code>{error}</code> {origin ?? user_agent}{" "}
              <span className="quiet">to {address}</span>
            </p>
            <p>{detail}</p>
          </li>
        ))}
      </ol>
      {shown.length < refusals.length && (
        <button
          type="button"
          className="plain"
          onClick={() => setShowsAll(true)}
        >
          Show all {refusals.length}
        </button>
      )}
    </div>
  );
}
