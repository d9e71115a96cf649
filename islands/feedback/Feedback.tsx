import "../view_code.ts";
import { cutText, ellipsize } from "../../components/format.ts";
import { Icon } from "../../components/Icon.tsx";
import { isImage } from "../../monitoring/models/feedback/attachment.ts";
import { addressPath } from "../../monitoring/models/recording/timeline.ts";
import type { FeedbackRow } from "../../monitoring/models/feedback/feedback_row.ts";
import { ListHistogram } from "../charts/ListHistogram.tsx";
import { queryOf } from "../data/filters.ts";
import { useFragment } from "../data/fragment.ts";
import { useList } from "../data/lists.ts";
import { shortRelease } from "../kit/application_labels.ts";
import { GroupMark, StateLinks } from "../kit/GroupState.tsx";
import { RowList } from "../kit/RowList.tsx";
import { Split } from "../kit/Split.tsx";
import { type Column, timeColumn } from "../kit/Table.tsx";
import { FeedbackDetail, nameOf } from "./FeedbackDetail.tsx";

/** Characters of a message: two lines of a wide screen. */
const MAX_MESSAGE = 240;
/** Characters of a name, an address or a release. */
const MAX_NAME = 60;

/** Any other text in the address identifies no feedback. */
const KEY = /^f[\da-f]{14}$/;

/** The view of what users wrote: the list (`#/feedback`), or one message beside it (`#/feedback/KEY`). */
export default function FeedbackView() {
  const { path: [key] } = useFragment();
  return (
    <Split
      list={<FeedbackList openKey={key} />}
      detail={key !== undefined && (
        <FeedbackDetail
          key={key}
          feedback={KEY.test(key) ? key : undefined}
        />
      )}
    />
  );
}

/** What users wrote, newest first. @param props.openKey key of the message that is open */
function FeedbackList({ openKey }: { openKey: string | undefined }) {
  const { params } = useFragment();
  const query = queryOf(params, "feedback");
  const list = useList("feedback", query);
  return (
    <RowList
      of="feedback"
      whatIsMissing={query.state === "open" ? "open messages" : "messages"}
      whatIsCounted="messages"
      list={list}
      columns={COLUMNS}
      caption="Feedback, newest first"
      openKey={openKey}
      actions={<StateLinks />}
      above={list.rows.length > 0 && <ListHistogram of="feedback" query={query} />}
      hint={
        <p>
          Your page asks for it with <code>integrations: [Sentry.feedbackIntegration()]</code>;{" "}
          <code>Sentry.captureFeedback()</code> sends it from your own form.
        </p>
      }
      empty={<b>No feedback received.</b>}
    />
  );
}

const COLUMNS: readonly Column<FeedbackRow>[] = [
  {
    title: "Message",
    cell: (row, link) => (
      <>
        {link(ellipsize(row.message, MAX_MESSAGE) || "(empty)")} <GroupMark row={row} />
      </>
    ),
    aside: {
      title: "From",
      applications: ({ application }) => [application],
      cell: (row) => (
        <>
          {nameOf(row)}
          {row.url !== null && ` on ${cutText(addressPath(row.url), MAX_NAME)}`}
          {row.release !== null && `, ${shortRelease(row.release)}`} <Parts row={row} />
        </>
      ),
    },
  },
  timeColumn("Sent", ({ at }) => at, {
    tip: "By the clock of its page; of a user_report, when it was received",
  }),
];

/** What there is beside a message. */
function Parts({ row: { attachments, replay_id, error } }: { row: FeedbackRow }) {
  const parts = [
    attachments.some(isImage) && ["screenshot", "collapse"] as const,
    replay_id !== null && ["recording", "recordings"] as const,
    error !== null && ["error", "errors"] as const,
  ].filter((part) => part !== false);
  return (
    <span className="parts">
      {parts.map(([name, icon]) => (
        <span key={name} className={name === "error" ? "refused" : undefined}>
          <Icon name={icon} /> {name}
          {" "}
        </span>
      ))}
    </span>
  );
}
