import { useState } from "react";
import { formatCount } from "../../components/format.ts";
import { OutcomeMark } from "../../components/OutcomeMark.tsx";
import { TimeAgo } from "../../components/Timestamp.tsx";
import type { Refusal } from "../../monitoring/protocol/relay_api.ts";
import { useIsVisible } from "../shared/fragment.ts";
import type { DataSource } from "../shared/source/source.ts";
import { useSourceState } from "../shared/use_source.ts";
import { useLoaded } from "../shared/use_loaded.ts";

/** Rows at first: an application that is refused repeats the same request. */
const FIRST_ROWS = 3;

const NONE: readonly Refusal[] = [];

/** What the relay refused since the server started, newest first. Read while the view is visible. */
export function useRefusals(source: DataSource | undefined): readonly Refusal[] {
  const { refusedVersion } = useSourceState(source);
  const isVisible = useIsVisible("connect");
  const read = isVisible && refusedVersion > 0 && source?.refusals;
  // The section reports an inbox that does not respond. Once it responds, this is read again.
  const { value = NONE } = useLoaded(read, [source, refusedVersion, isVisible]);
  return value;
}

/** Refused envelopes, each with the reason and the fix. All texts are a sender's. */
export function RefusedEnvelopes({ refusals }: { refusals: readonly Refusal[] }) {
  const [showsAll, setShowsAll] = useState(false);
  if (refusals.length === 0) return null;
  const shown = showsAll ? refusals : refusals.slice(0, FIRST_ROWS);
  return (
    <div className="refused-requests">
      <h3>{formatCount(refusals.length, "refused request")}</h3>
      <ol>
        {shown.map(({ at, error, detail, origin, address, user_agent }, index) => (
          <li key={`${at} ${index}`}>
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
