import { useRef } from "react";
import { cutText } from "../../components/format.ts";
import { Timestamp } from "../../components/Timestamp.tsx";
import { useList } from "../data/lists.ts";
import { SentBy } from "../kit/ApplicationLabel.tsx";
import { Unread } from "../kit/Blank.tsx";
import { CopyMenu, DetailView } from "../kit/DetailView.tsx";
import { GroupHeader } from "../kit/GroupState.tsx";

/** Characters of a message in the heading. */
const MAX_TITLE = 200;

/**
 * One message.
 *
 * @param props.feedback its key; undefined: the address has none
 * @param props.back link to the list
 */
export function FeedbackDetail({ feedback, back }: { feedback: string | undefined; back: string }) {
  const reading = useList("feedback", feedback === undefined ? undefined : { group: feedback });
  const found = reading.rows.find(({ group }) => group === feedback);
  // It stays while it is read again.
  const last = useRef(found);
  last.current = found ?? last.current;
  const row = last.current;
  return (
    <DetailView
      className="feedback-detail"
      back={{ text: "All feedback", href: back }}
      title={row ? `“${cutText(row.message, MAX_TITLE) || "(empty)"}”` : "Feedback"}
      facts={row && (
        <>
          <Timestamp at={row.at} />
          <SentBy keys={[row.application]} />
        </>
      )}
      actions={row && (
        <>
          <CopyMenu what="feedback" texts={{ "Copy message": () => row.message }} />
          <GroupHeader row={{ ...row, regression: null }} what="feedback">{null}</GroupHeader>
        </>
      )}
    >
      {row && <p className="long-text">{row.message}</p>}
      {!row && (
        <Unread
          what="feedback"
          of={feedback === undefined ? { ...reading, state: "ready" } : reading}
        />
      )}
    </DetailView>
  );
}
