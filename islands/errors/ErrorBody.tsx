import type { ReactNode } from "react";
import { formatCount } from "../../components/format.ts";
import { Id } from "../../components/Id.tsx";
import { KeyValueList } from "../../components/KeyValueList.tsx";
import { Timestamp } from "../../components/Timestamp.tsx";
import { errorTitle } from "../../monitoring/models/error/error_entry.ts";
import type { ErrorContent, ShownError } from "../../monitoring/models/error/error_content.ts";
import type { ReportedException } from "../../monitoring/models/error/exceptions.ts";
import type { FoundFrame } from "../../monitoring/models/error/source_finder.ts";
import { CopyId } from "../shared/CopyButton.tsx";
import { fragmentTo } from "../shared/fragment.ts";
import { nameWithSide } from "../shared/source_labels.ts";
import { useRecordingHref } from "../shared/use_recording_href.ts";
import { Breadcrumbs } from "./Breadcrumbs.tsx";
import { FetchMaps } from "./FetchMaps.tsx";
import { ErrorLevel } from "./ErrorLevel.tsx";
import { LongText, SentValues } from "./LongText.tsx";
import { RelatedItems } from "./RelatedItems.tsx";
import { SameTrace } from "./SameTrace.tsx";
import { StackTrace } from "./StackTrace.tsx";
import { cutText } from "../shared/text.ts";
import { useSourceList } from "../data/lists.ts";

/** Contexts that are open at first, if they are short. The others are the same in all events of a page. */
const OPEN_CONTEXTS = ["user", "extra"];
const MAX_OPEN_ENTRIES = 12;
/** Indentation levels of nested exceptions: more would leave no room for the stack trace. */
const MAX_INDENT = 5;
/** Characters of the type and of the message in the heading: about two lines each. */
const MAX_TITLE = 200;
/** Characters of a name within a sentence. */
const MAX_NAME = 80;

/**
 * The content of one error event.
 *
 * @param props.sender key of its application; undefined: not known
 * @param props.replayId of the recording that ran, if segments of it have arrived; undefined: none, or not known
 * @param props.readAgain reads it again: a source map was fetched
 * @param props.frequency how often its group occurred
 */
export function ErrorBody({ content, sender, replayId, readAgain, frequency }: {
  content: ErrorContent;
  sender: string | undefined;
  replayId: string | undefined;
  readAgain: () => void;
  frequency: ReactNode;
}) {
  const { event, envelope, stacks } = content;
  const { exceptions, stack, tags, contexts, trace_id, at } = event;
  const application = useSourceList()?.rows.find(({ key }) => key === sender);
  const heading = titleLine(event);
  const [, ...causes] = exceptions.shown;
  const outermost = exceptions.shown[0]?.stack ?? stack;
  const origin = URL.parse(event.url ?? "")?.origin;
  return (
    <article aria-labelledby="error-title">
      <header>
        <h3 id="error-title" tabIndex={-1}>
          <span className="long-text">{heading}</span>
        </h3>
        <p className="line">
          <ErrorLevel level={event.level} handled={event.handled} />
          {application && <span>{nameWithSide(application)}</span>}
          <Timestamp at={at} precision="ms" />
        </p>
        {!heading.endsWith(event.value) && (
          <p className="message">
            <LongText text={event.value} />
          </p>
        )}
      </header>
      {frequency}
      <div className="columns">
        <div>
          <section aria-labelledby="error-stack">
            <h4 id="error-stack">Stack trace</h4>
            <p className="note">{content.missing_source}</p>
            <FetchMaps scripts={content.fetchable} onFetched={readAgain} />
            <StackTrace frames={stacks[0] ?? []} more={outermost.more} origin={origin} />
          </section>
          {causes.map((exception, index) => (
            <Exception
              key={index}
              exception={exception}
              frames={stacks[index + 1] ?? []}
              origin={origin}
            />
          ))}
          {exceptions.more > 0 && (
            <p>
              <small>{formatCount(exceptions.more, "more exception")}: see the download.</small>
            </p>
          )}
          <section aria-labelledby="error-crumbs">
            <h4 id="error-crumbs">Breadcrumbs</h4>
            <Breadcrumbs event={event} title={heading} />
          </section>
        </div>
        <aside aria-label="Details">
          {trace_id !== null && at !== null && (
            <SameTrace
              event={event}
              envelope={envelope}
              traceId={trace_id}
              at={at}
            />
          )}
          <EventProperties event={event} replayId={replayId} />
          <RelatedItems eventId={event.event_id} items={content.related} />
          {tags.shown.length > 0 && (
            <section aria-labelledby="error-tags">
              <h4 id="error-tags">Tags</h4>
              <SentValues values={tags} />
            </section>
          )}
          {contexts.length > 0 && (
            <section aria-labelledby="error-contexts">
              <h4 id="error-contexts">Contexts</h4>
              {contexts.map(({ name, entries }, index) => (
                <details
                  key={index}
                  open={OPEN_CONTEXTS.includes(name) && entries.shown.length <= MAX_OPEN_ENTRIES}
                >
                  <summary>{cutText(name, MAX_NAME)}</summary>
                  <SentValues values={entries} />
                </details>
              ))}
            </section>
          )}
        </aside>
      </div>
    </article>
  );
}

/** Type and message in one line: of a message, the first line as far as a heading has room for it. */
function titleLine({ title, value }: ShownError): string {
  const [line = ""] = value.split("\n", 1);
  const isWhole = line.length === value.length && value.length <= MAX_TITLE;
  const text = isWhole ? value : `${cutText(line, MAX_TITLE)}…`;
  return errorTitle({ type: cutText(title, MAX_TITLE), value: text });
}

/** A further exception of the event, as a cause or as a member of a group: its relation, message and stack trace. */
function Exception({ exception, frames, origin }: {
  exception: ReportedException;
  frames: readonly FoundFrame[];
  origin: string | undefined;
}) {
  const { type, value, depth, stack } = exception;
  const indent = Math.min(depth - 1, MAX_INDENT);
  return (
    <section
      className="thrown"
      style={{ marginInlineStart: `min(${indent}rem, ${2 * indent}vw)` }}
    >
      <h4>
        <small>{describeRelation(exception)}</small> <LongText text={type} max={200} />
      </h4>
      {value !== "" && (
        <p>
          <LongText text={value} />
        </p>
      )}
      <StackTrace frames={frames} more={stack.more} origin={origin} />
    </section>
  );
}

function describeRelation({ relation, of, place }: ReportedException): string {
  const name = place === null ? "" : place.slice(0, MAX_NAME);
  if (relation === "member") return `${name || "one"} of ${(of ?? "").slice(0, MAX_NAME)}:`;
  // Python: raised while another exception was handled.
  return /^(__)?context(__)?$/.test(name) ? "While handling:" : "Caused by:";
}

/** Links to the event's trace and recording, its id, and what it contains about its sender. */
function EventProperties({ event, replayId }: {
  event: ShownError;
  replayId: string | undefined;
}) {
  const { trace_id, span_id, event_id, mechanism, facts } = event;
  const recording = useRecordingHref(replayId ?? event.replay_id, event.at, "errors");
  const texts = [...(mechanism === null ? [] : [["mechanism", mechanism] as const]), ...facts];
  const entries = [
    trace_id !== null && {
      name: "trace",
      value: (
        <>
          <a href={fragmentTo("traces", [trace_id], { span: span_id ?? undefined })}>Open trace</a>
          {" "}
          <span className="quiet">
            <Id id={trace_id} />
          </span>{" "}
          <a href={fragmentTo("logs", [], { trace: trace_id })}>Logs of the trace</a>
        </>
      ),
    },
    recording !== undefined && {
      name: "recording",
      value: <a href={recording}>Play at this moment</a>,
    },
    event_id !== null && { name: "event", value: <CopyId id={event_id} what="event id" /> },
    ...texts.map(([name, value]) => ({ name, value: <LongText text={value} max={300} /> })),
  ];
  return <KeyValueList entries={entries} />;
}
