import { cutText } from "../../components/format.ts";
import { Icon } from "../../components/Icon.tsx";
import { TimeAgo } from "../../components/Timestamp.tsx";
import { isImage } from "../../monitoring/models/feedback/attachment.ts";
import { personOf } from "../../monitoring/models/feedback/feedback_entry.ts";
import { addressPath } from "../../monitoring/models/recording/timeline.ts";
import type { FeedbackRow } from "../../monitoring/models/rows.ts";
import { ListHistogram } from "../charts/ListHistogram.tsx";
import { ALL, queryOf } from "../data/filters.ts";
import { fragmentTo, useFragment } from "../data/fragment.ts";
import { useList } from "../data/lists.ts";
import { GroupMark, StateLinks } from "../kit/GroupState.tsx";
import { RowList } from "../kit/RowList.tsx";
import type { Column } from "../kit/Table.tsx";

/** Characters of a message: two lines of a wide screen. */
const MAX_MESSAGE = 240;
/** Characters of a name, an address or a release. */
const MAX_NAME = 60;

/** What users wrote, newest first. @param props.openKey key of the message that is open */
export function FeedbackList({ openKey }: { openKey: string | undefined }) {
  const { params } = useFragment();
  const query = queryOf(params, "feedback");
  const list = useList("feedback", query);
  const isOpenOnly = query.state === "open";
  const isEmpty = isOpenOnly && list.state === "ready" && list.rows.length === 0;
  const ofAnyState = useList("feedback", isEmpty ? { ...query, state: undefined } : undefined);
  return (
    <RowList
      of="feedback"
      whatIsMissing={isOpenOnly ? "open messages" : "messages"}
      whatIsCounted="messages"
      list={list}
      columns={COLUMNS}
      caption="Feedback, newest first"
      keyOf={({ group }) => group}
      hrefOf={({ group }) => fragmentTo("feedback", [group], Object.fromEntries(params))}
      openKey={openKey}
      actions={<StateLinks />}
      above={list.rows.length > 0 && <ListHistogram of="feedback" query={query} />}
      hint={isEmpty && ofAnyState.rows.length > 0
        ? (
          <p>
            <a href={fragmentTo("feedback", [], { ...Object.fromEntries(params), state: ALL })}>
              Show resolved and muted messages
            </a>
          </p>
        )
        : (
          <p>
            Your page asks for it with <code>integrations: [Sentry.feedbackIntegration()]</code>;
            {" "}
            <code>Sentry.captureFeedback()</code> sends it from your own form.
          </p>
        )}
      empty={
        <p>
          <b>{isOpenOnly ? "No open feedback." : "No feedback received."}</b>{" "}
          What users write about your application is listed here.
        </p>
      }
    />
  );
}

const COLUMNS: readonly Column<FeedbackRow>[] = [
  {
    title: "Message",
    cell: (row, link) => (
      <>
        {link(cutText(row.message, MAX_MESSAGE) || "(empty)")}{" "}
        <GroupMark row={{ ...row, regression: null }} />
      </>
    ),
    aside: {
      title: "From",
      applications: ({ application }) => [application],
      cell: (row) => (
        <>
          {cutText(personOf(row) ?? "no name given", MAX_NAME)}
          {row.url !== null && ` on ${cutText(addressPath(row.url), MAX_NAME)}`}
          {row.release !== null && `, ${cutText(row.release.replace(/^.+@/, ""), MAX_NAME)}`}
          <Parts row={row} />
        </>
      ),
    },
  },
  {
    title: "Sent",
    tip: "By the clock of its page; of a user_report, when it was received",
    width: 6.5,
    cell: ({ at }) => <TimeAgo at={at} />,
  },
];

/** What there is beside a message. */
function Parts({ row: { attachments, replay_id, error } }: { row: FeedbackRow }) {
  return (
    <span className="parts">
      {attachments.some(isImage) && (
        <span>
          <Icon name="collapse" /> screenshot
        </span>
      )}
      {replay_id !== null && (
        <span>
          <Icon name="recordings" /> recording
        </span>
      )}
      {error !== null && (
        <span className="refused">
          <Icon name="errors" /> error
        </span>
      )}
    </span>
  );
}
