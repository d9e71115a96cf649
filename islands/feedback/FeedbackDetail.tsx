import { breakable } from "../../components/breakable.tsx";
import { cutText, ellipsize, formatNumber } from "../../components/format.ts";
import { Icon } from "../../components/Icon.tsx";
import { KeyValueList } from "../../components/KeyValueList.tsx";
import { TimeAgo, Timestamp } from "../../components/Timestamp.tsx";
import { formatDuration, formatOffset } from "../../monitoring/models/duration.ts";
import { addressPath, DETAILS } from "../../monitoring/models/recording/timeline.ts";
import {
  type FeedbackError,
  type FeedbackRow,
  personOf,
} from "../../monitoring/models/feedback/feedback_row.ts";
import { EventInTrace } from "../charts/EventInTrace.tsx";
import { linkTo } from "../data/fragment.ts";
import { useList } from "../data/lists.ts";
import { SentBy } from "../kit/ApplicationLabel.tsx";
import { MAX_ATTACHMENTS } from "../../monitoring/models/feedback/attachment.ts";
import { AttachmentList } from "../kit/AttachmentList.tsx";
import { Unread } from "../kit/Blank.tsx";
import { CopyId } from "../kit/CopyButton.tsx";
import { CopyMenu, DetailView } from "../kit/DetailView.tsx";
import { GroupHeader } from "../kit/GroupState.tsx";
import { Part } from "../kit/Part.tsx";
import { RecordingPart } from "../player/RecordingStill.tsx";
import { useRecording } from "../kit/PlayLink.tsx";
import { EVENT_ICONS, useEvents } from "../player/recording_events.ts";

/** Characters of an error's message. */
const MAX_TEXT = 300;
const MAX_EVENTS = 12;

/** Characters of a message in the heading, and of a name. */
const MAX_TITLE = 120;
const MAX_NAME = 60;

/** One message. @param props.feedback its key; undefined: the address has none */
export function FeedbackDetail({ feedback }: { feedback: string | undefined }) {
  const reading = useList("feedback", feedback === undefined ? undefined : { group: feedback });
  const row = reading.rows.find(({ group }) => group === feedback);
  return (
    <DetailView
      className="feedback-detail"
      back="All feedback"
      title={row ? `“${titleOf(row)}”` : "Feedback"}
      facts={row && (
        <>
          <b>{nameOf(row)}</b>
          {row.url !== null && (
            <span title={row.url}>
              on <code className="long-text">{cutText(addressPath(row.url), MAX_NAME)}</code>
            </span>
          )}
          <Timestamp at={row.at} />
        </>
      )}
      actions={row && (
        <>
          <CopyMenu what="feedback" texts={{ "Copy message": () => row.message }} />
          <GroupHeader row={row} what="feedback" />
        </>
      )}
    >
      {row && titleOf(row) !== row.message && <p className="message long-text">{row.message}</p>}
      {row && <FeedbackBody row={row} />}
      {!row && <Unread what="feedback" of={feedback ? reading : { ...reading, state: "ready" }} />}
    </DetailView>
  );
}

export const nameOf = (row: FeedbackRow) => cutText(personOf(row) ?? "no name given", MAX_NAME);

function titleOf({ message }: FeedbackRow): string {
  const [line = ""] = message.trim().split("\n", 1);
  return line === "" ? "(empty)" : `${cutText(line, MAX_TITLE)}${line === message ? "" : "…"}`;
}

/** What belongs to a message: pictures, what happened before it, its error and trace, and who sent it. */
function FeedbackBody({ row }: { row: FeedbackRow }) {
  const { at, application, envelope, attachments, error } = row;
  const recording = useRecording(row.replay_id);
  const moment = { at_ms: at, application, isKnown: false };
  return (
    <div className="feedback-body grid">
      {(attachments.length > 0 || row.replay_id !== null) && (
        <div>
          <div className="pictures">
            {attachments.length > 0 && (
              <Part title="Attached">
                <AttachmentList rows={attachments.map((one) => ({ ...one, envelope }))} />
                {attachments.length === MAX_ATTACHMENTS && (
                  <small>
                    At most {MAX_ATTACHMENTS} are listed: “Open envelope” has all.
                  </small>
                )}
              </Part>
            )}
            {recording && <RecordingPart row={recording} moment={moment} />}
          </div>
          {recording && <Before row={row} replayId={recording.replay_id} />}
        </div>
      )}
      <aside aria-label="Details">
        {error && <RelatedError error={error} at={at} />}
        {row.trace_id !== null && (
          <EventInTrace traceId={row.trace_id} href={linkTo("traces", [row.trace_id])} />
        )}
        <Sender row={row} />
      </aside>
    </div>
  );
}

/** The error that the message names, or that its recording has. */
function RelatedError({ error, at }: { error: FeedbackError; at: number }) {
  const { group, envelope, type, value, where, by } = error;
  const href = linkTo("errors", [group, String(envelope)]);
  return (
    <Part title="Error" beside={<a href={href} aria-label="Open the error">Open</a>}>
      <b className="refused">
        <Icon name="errors" /> {type}
      </b>
      <div className="long-text">{ellipsize(value, MAX_TEXT)}</div>
      {where !== null && <code className="long-text">{where}</code>}
      <div className="quiet">
        {by === "event"
          ? (
            <>
              named by the message, <TimeAgo at={error.at} />
            </>
          )
          : `in the same recording, ${formatDuration(at - error.at)} before the message`}
      </div>
    </Part>
  );
}

/** The last of what the recording has before the message. */
function Before({ row, replayId }: { row: FeedbackRow; replayId: string }) {
  const { events } = useEvents(replayId);
  const all = events.filter(({ kind, at, isAstray, group }) =>
    !isAstray && at <= row.at && !DETAILS.has(kind) && group !== row.group
  );
  const shown = all.slice(-MAX_EVENTS);
  if (all.length === 0) return null;
  return (
    <Part
      title="Before it was sent"
      beside={
        <small>
          {formatNumber(shown.length)} of {formatNumber(all.length)} events of the recording
        </small>
      }
    >
      <ol className="crumbs">
        {shown.map(({ kind, at, text, isRage, href, look }, index) => (
          <li key={index} className="entry">
            <span className="when quiet">{formatOffset(at - row.at)}</span>
            <span className={`kind ${isRage ? "waits" : look}`}>
              <Icon name={EVENT_ICONS[kind]} />
              {kind}
            </span>
            <a className="one-line bare" href={href} title={text}>{text || "(no text)"}</a>
          </li>
        ))}
      </ol>
    </Part>
  );
}

/** Who sent it, and from where. */
function Sender({ row }: { row: FeedbackRow }) {
  const { name, email, user, url, browser, event_id } = row;
  const texts = { "Name": name, "E-mail": email, "User": user, "Page": url, "Browser": browser };
  const all = { ...texts, "Release": row.release, ...row.attributes };
  return (
    <Part
      title="Who and where"
      beside={<a href={linkTo("envelopes", [String(row.envelope)])}>Open envelope</a>}
    >
      <KeyValueList
        entries={[
          ...Object.entries(all).map(([name, value]) =>
            value !== null &&
            { name, value: <span className="long-text">{breakable(String(value))}</span> }
          ),
          {
            name: "Application",
            value: row.application ? <SentBy keys={[row.application]} /> : "not named",
          },
          event_id !== null && { name: "Event", value: <CopyId id={event_id} what="event id" /> },
        ]}
      />
    </Part>
  );
}
