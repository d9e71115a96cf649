import type { ReactNode } from "react";
import { ellipsize } from "../../components/format.ts";
import { useFragment } from "../data/fragment.ts";
import { useInboxState } from "../data/inbox_state.ts";
import { useView } from "../data/view.ts";
import { Blank } from "./Blank.tsx";
import { DetailView } from "./DetailView.tsx";

/** Characters of an id from the address. */
const MAX_ID = 60;

/**
 * A list, and beside it the detail of one of its rows. The list stays mounted: its rows, its place and its focus are the
 * same when the detail is closed. Where there is no room for both, the detail covers the list.
 *
 * @param props.detail undefined: none is open, or the address has an id that none can have. Without access the list shows the form for the token in its place
 * @param props.look `narrow`: the list needs more width than the detail. `needs-width`: the detail covers the list also
 * where others are beside it. `covers`: always
 */
export function Split({ list, detail: opened, look = "" }: {
  list: ReactNode;
  detail: ReactNode | undefined;
  look?: "narrow" | "needs-width" | "covers" | "";
}) {
  const { state } = useInboxState();
  const { path: [id = ""] } = useFragment();
  const detail = state === "forbidden" ? undefined : opened || (id !== "" && <NoDetail id={id} />);
  return (
    <div className={`split ${look} ${detail ? "open" : ""}`}>
      <div className="list-pane">{list}</div>
      {detail && <div className="detail-pane">{detail}</div>}
    </div>
  );
}

/** In place of a detail that cannot exist. */
function NoDetail({ id }: { id: string }) {
  const { title } = useView();
  return (
    <DetailView className="details" back={`All ${title.toLowerCase()}`} title="Not found">
      <Blank>
        <p className="long-text">
          <b>{ellipsize(id, MAX_ID)} not found.</b> It is not an id of {title}.
        </p>
      </Blank>
    </DetailView>
  );
}
