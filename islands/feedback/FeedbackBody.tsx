import { useState } from "react";
import { cutText, formatNumber } from "../../components/format.ts";
import { Icon } from "../../components/Icon.tsx";
import { Id } from "../../components/Id.tsx";
import { KeyValueList } from "../../components/KeyValueList.tsx";
import { TimeAgo } from "../../components/Timestamp.tsx";
import { formatDuration, formatOffset } from "../../monitoring/models/duration.ts";
import { isImage } from "../../monitoring/models/feedback/attachment.ts";
import { quoted } from "../../monitoring/models/query/query.ts";
import { DETAILS, type EventKind } from "../../monitoring/models/recording/timeline.ts";
import type { FeedbackRow } from "../../monitoring/models/rows.ts";
import { EventInTrace } from "../charts/EventInTrace.tsx";
import { ALL } from "../data/filters.ts";
import { linkTo } from "../data/fragment.ts";
import { SentBy } from "../kit/ApplicationLabel.tsx";
import { attachmentHref, AttachmentList } from "../kit/AttachmentList.tsx";
import { CopyId } from "../kit/CopyButton.tsx";
import { PlayLink, useRecording, useTrace } from "../kit/PlayLink.tsx";
import { canHaveStill, RecordingStill } from "../player/RecordingStill.tsx";
import { EVENT_ICONS, useEvents } from "../player/recording_events.ts";

/** Characters of an error's message. */
const MAX_TEXT = 300;

/** What belongs to a message: pictures, what happened before it, its error and trace, and who sent it. */
export function FeedbackBody({ row }: { row: FeedbackRow }) {
  const { at, trace_id, error, envelope } = row;
  const recording = useRecording(row.replay_id);
  const moment = { at_ms: at, application: row.application, isKnown: false };
  const files = row.attachments.filter((one) => !isImage(one));
  return (
    <div className="feedback-body grid">
      <div>
        <div className="pictures grid">
          {row.attachments.filter(isImage).map((image) => (
            <section key={image.item} aria-label={`Attached picture ${image.name}`}>
              <div className="facts ends">
                <h4 className="one-line">{image.name}</h4>
                <a
                  href={attachmentHref({ envelope, item: image.item })}
                  target="_blank"
                  aria-label={`Open ${image.name}`}
                >
                  Open
                </a>
              </div>
              <img
                className="well"
                src={attachmentHref({ envelope, item: image.item })}
                alt="As the user attached it"
              />
            </section>
          ))}
          {recording && (
            <section aria-labelledby="feedback-recording">
              <div className="facts ends">
                <h4 id="feedback-recording">Recording</h4>
                <PlayLink replayId={recording.replay_id} moment={moment} />
              </div>
              {canHaveStill(recording, at) && (
                <RecordingStill key={recording.replay_id} row={recording} at={at} />
              )}
            </section>
          )}
        </div>
        {files.length > 0 && (
          <section aria-labelledby="feedback-files">
            <h4 id="feedback-files">Attachments</h4>
            <AttachmentList rows={files.map((one) => ({ ...one, envelope }))} />
          </section>
        )}
        {recording && <Before row={row} replayId={recording.replay_id} />}
      </div>
      <aside aria-label="Details">
        {error && <RelatedError error={error} at={at} />}
        {trace_id !== null && <RelatedTrace id={trace_id} />}
        <Sender row={row} />
      </aside>
    </div>
  );
}

/** The error that the message names, or that its recording has. */
function RelatedError({ error, at }: { error: NonNullable<FeedbackRow["error"]>; at: number }) {
  const { group, envelope, type, value, where, by } = error;
  return (
    <section aria-labelledby="feedback-error">
      <div className="facts">
        <h4 id="feedback-error">Error</h4>
        {by === "recording"
          ? (
            <small title="The message names no error: this is the last one of its page before it">
              in the same recording
            </small>
          )
          : <small>named by the message</small>}
        <a
          className="end"
          href={linkTo("errors", [group, String(envelope)])}
          aria-label="Open the error"
        >
          Open
        </a>
      </div>
      <b className="refused">
        <Icon name="errors" /> {type}
      </b>
      <div className="long-text">{cutText(value, MAX_TEXT)}</div>
      {where !== null && <code className="long-text">{where}</code>}
      <div className="quiet">
        {/* Only then by the same clock. */}
        {by === "recording"
          ? `${formatDuration(at - error.at)} before the message`
          : <TimeAgo at={error.at} />}
      </div>
    </section>
  );
}

/** The trace of its page; nothing if the inbox has only its id. */
function RelatedTrace({ id }: { id: string }) {
  const trace = useTrace(id);
  const href = linkTo("traces", [id]);
  if (!trace || trace.summary.spans + trace.marks.length === 0) return null;
  return (
    <section aria-labelledby="feedback-trace">
      <div className="facts ends">
        <h4 id="feedback-trace">
          Trace <Id id={id} />
        </h4>
        <a href={href} aria-label="Open the trace">Open</a>
      </div>
      <EventInTrace traceId={id} isEvent={() => false} what="" href={href} />
    </section>
  );
}

/** Events that are listed at first: what a person did, and what came of it. */
const FIRST: ReadonlySet<EventKind> = new Set([
  "error",
  "feedback",
  "request",
  "log",
  "click",
  "navigation",
]);
const MAX_FIRST = 8;

/** What the recording has from its start to the message. */
function Before({ row, replayId }: { row: FeedbackRow; replayId: string }) {
  const { events } = useEvents(replayId);
  const [showsAll, setShowsAll] = useState(false);
  const all = events.filter(({ kind, at, isAstray, group }) =>
    !isAstray && at <= row.at && !DETAILS.has(kind) && group !== row.group
  );
  const first = all.filter(({ kind }) => FIRST.has(kind)).slice(-MAX_FIRST);
  const shown = showsAll ? all : first;
  if (all.length === 0) return null;
  return (
    <section aria-labelledby="feedback-before">
      <div className="facts">
        <h4 id="feedback-before">Before it was sent</h4>
        <small>
          {formatNumber(shown.length)} of {formatNumber(all.length)} events of the recording
        </small>
        {first.length < all.length && (
          <button
            type="button"
            className="plain end"
            aria-pressed={showsAll}
            onClick={() => setShowsAll(!showsAll)}
          >
            Show all {formatNumber(all.length)}
          </button>
        )}
      </div>
      <ol className="crumbs">
        {shown.map(({ kind, at, text, isRage, href }, index) => (
          <li key={index} className="entry">
            <span className="when quiet n">{formatOffset(at - row.at)}</span>
            <span className={kind === "error" ? "kind refused" : isRage ? "kind waits" : "kind"}>
              <Icon name={EVENT_ICONS[kind]} />
              {kind}
            </span>
            <a className="one-line bare" href={href} title={text}>{text || "(no text)"}</a>
          </li>
        ))}
        <li className="entry">
          <span className="when quiet n">0 s</span>
          <span className="kind flows">
            <Icon name="feedback" />
            feedback
          </span>
          <span>sent</span>
        </li>
      </ol>
    </section>
  );
}

/** Lists in which more of a user may be. */
const LISTS = { errors: "Errors", traces: "Traces", logs: "Logs", recordings: "Recordings" };

/** Who sent it, from where; and where else the same user may be found. */
function Sender({ row }: { row: FeedbackRow }) {
  const { name, email, user, url, application, release, browser, event_id, envelope } = row;
  const texts = { "Name": name, "E-mail": email, "User": user, "Page": url };
  const text = ([name, value]: readonly [string, string | null]) =>
    value !== null && { name, value: <span className="long-text">{value}</span> };
  const person = user ?? email;
  return (
    <>
      <section aria-labelledby="feedback-sender">
        <h4 id="feedback-sender">Who and where</h4>
        <KeyValueList
          entries={[
            ...Object.entries(texts).map(text),
            { name: "Application", value: <SentBy keys={[application]} /> },
            ...Object.entries({ "Release": release, "Browser": browser }).map(text),
            event_id !== null &&
            { name: "Event", value: <CopyId id={event_id} what="event id" /> },
            {
              name: "Envelope",
              value: <a href={linkTo("envelopes", [String(envelope)])}>Open envelope</a>,
            },
          ]}
        />
      </section>
      {person !== null && (
        <section aria-labelledby="feedback-user">
          <h4 id="feedback-user">Search for {cutText(person, 60)}</h4>
          <div className="facts">
            {Object.entries({ ...LISTS, feedback: "Feedback" }).map(([view, title]) => (
              <a key={view} href={linkTo(view, [], { q: quoted(person), state: stateIn(view) })}>
                {title}
              </a>
            ))}
          </div>
        </section>
      )}
    </>
  );
}

/** Also resolved ones. */
const stateIn = (view: string) => view === "errors" || view === "feedback" ? ALL : undefined;
