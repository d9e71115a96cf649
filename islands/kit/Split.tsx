import { type ReactNode, useEffect, useState } from "react";
import { useInboxState } from "../data/inbox_state.ts";

/**
 * A list, and beside it the detail of one of its rows. The list stays mounted: its rows, its place and its focus are the
 * same when the detail is closed. Where there is no room for both, the detail covers the list.
 *
 * @param props.detail undefined: none is open. Without access the list shows the form for the token in its place
 * @param props.isNarrow the list needs more width than the detail
 * @param props.needsWidth the detail covers the list also where others are beside it
 * @param props.covers the detail always covers the list
 */
export function Split({ list, detail: opened, isNarrow, needsWidth, covers }: {
  list: ReactNode;
  detail: ReactNode | undefined;
  isNarrow?: boolean;
  needsWidth?: boolean;
  covers?: boolean;
}) {
  const { state } = useInboxState();
  const detail = state === "forbidden" ? undefined : opened;
  const classes = [
    "split",
    detail && "open",
    isNarrow && "narrow",
    needsWidth && "needs-width",
    covers && "covers",
  ];
  return (
    <div className={classes.filter(Boolean).join(" ")}>
      <div className="list-pane">{list}</div>
      {detail && <div className="detail-pane">{detail}</div>}
    </div>
  );
}

/**
 * Whether no detail was open at some time: then the user has opened this one, and its heading takes the focus. A page
 * that was loaded with a detail does not move the focus.
 *
 * @param openKey undefined: none is open
 */
export function useWasClosed(openKey: string | undefined): boolean {
  const [wasClosed, setWasClosed] = useState(false);
  useEffect(() => {
    if (openKey === undefined) setWasClosed(true);
  }, [openKey]);
  return wasClosed;
}
