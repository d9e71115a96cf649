import type { ReactNode } from "react";
import { useInboxState } from "../data/inbox_state.ts";

/**
 * A list, and beside it the detail of one of its rows. The list stays mounted: its rows, its place and its focus are the
 * same when the detail is closed. Where there is no room for both, the detail covers the list.
 *
 * @param props.detail undefined: none is open. Without access the list shows the form for the token in its place
 * @param props.look `narrow`: the list needs more width than the detail. `needs-width`: the detail covers the list also
 * where others are beside it. `covers`: always
 */
export function Split({ list, detail: opened, look = "" }: {
  list: ReactNode;
  detail: ReactNode | undefined;
  look?: "narrow" | "needs-width" | "covers" | "";
}) {
  const { state } = useInboxState();
  const detail = state === "forbidden" ? undefined : opened;
  return (
    <div className={`split ${look} ${detail ? "open" : ""}`}>
      <div className="list-pane">{list}</div>
      {detail && <div className="detail-pane">{detail}</div>}
    </div>
  );
}
