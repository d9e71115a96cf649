import type { ReactNode } from "react";
import { cutText, formatCount, formatNumber } from "../../components/format.ts";
import { Id } from "../../components/Id.tsx";
import { KeyValueList } from "../../components/KeyValueList.tsx";
import { printedStack } from "../../monitoring/models/error/error_as_text.ts";
import { LEFT_OUT } from "../../monitoring/models/attributes.ts";
import { errorTitle } from "../../monitoring/models/error/error_entry.ts";
import type {
  ErrorContent,
  ShownError,
  TagValues,
} from "../../monitoring/models/error/error_content.ts";
import type { ReportedException } from "../../monitoring/models/error/exceptions.ts";
import type { FoundFrame } from "../../monitoring/models/error/source_finder.ts";
import type { ErrorGroupRow } from "../../monitoring/models/error/error_row.ts";
import type { TraceMark } from "../../monitoring/models/trace/trace_span.ts";
import { CopyId } from "../kit/CopyButton.tsx";
import { fragmentTo, linkTo } from "../data/fragment.ts";
import { EventInTrace } from "../charts/EventInTrace.tsx";
import { Part } from "../kit/Part.tsx";
import { RecordingPart } from "../player/RecordingStill.tsx";
import { useMoment, useRecording } from "../kit/PlayLink.tsx";
import { SameTrace } from "../kit/SameTrace.tsx";
import { ValueLinks } from "../kit/ValueLinks.tsx";
import { Breadcrumbs } from "./Breadcrumbs.tsx";
import { titleOf } from "./ErrorTitle.tsx";
import { FetchMaps } from "./FetchMaps.tsx";
import { LongText, SentValues } from "./LongText.tsx";
import { RelatedItems } from "./RelatedItems.tsx";
import { StackTrace } from "./StackTrace.tsx";

/** Contexts that are open at first, if they are short. The others are the same in all events of a page. */
const OPEN_CONTEXTS = ["user", "extra"];
const MAX_OPEN_ENTRIES = 12;
/** Indentation levels of nested exceptions: more would leave no room for the stack trace. */
const MAX_INDENT = 5;
/** Characters of a name within a sentence. */
const MAX_NAME = 80;

/**
 * The content of one error event.
 *
 * @param props.group its row; undefined: not known (yet)
 * @param props.sender key of its application; undefined: not known
 * @param props.replayId of its recording; null: none; undefined: not known
 * @param props.readAgain reads it again: a source map was fetched
 */
export function ErrorBody({ content, group, sender, replayId, readAgain, frequency }: {
  content: ErrorContent;
  group: ErrorGroupRow | undefined;
  sender: string | undefined;
  replayId: string | null | undefined;
  readAgain: () => Promise<unknown>;
  frequency: ReactNode;
}) {
  const { event, envelope, stacks } = content;
  const { exceptions, stack, tags, contexts, trace_id, at } = event;
  const heading = titleOf(event, group).text;
  const message = group && group.type !== event.title
    ? errorTitle({ type: event.title, value: event.value })
    : event.value;
  const [, ...causes] = exceptions.shown;
  const outermost = exceptions.shown[0]?.stack ?? stack;
  const recording = useRecording(replayId === undefined ? event.replay_id : replayId);
  const origin = URL.parse(event.url ?? "")?.origin;
  const isEvent = (mark: TraceMark) =>
    mark.envelope === envelope && mark.error !== null &&
    mark.error === event.event_id;
  const moment = useMoment(trace_id, isEvent, { at_ms: at, application: sender ?? null });
  const traceHref = linkTo("traces", [trace_id ?? ""], { span: event.span_id ?? undefined });
  return (
    <div className="columns grid">
      <div>
        {!heading.endsWith(message) && (
          <p className="message">
            <LongText text={message} />
          </p>
        )}
        {frequency}
        <Part title="Stack trace">
          <p className="note">{content.missing_source}</p>
          <FetchMaps scripts={content.fetchable} onFetched={readAgain} />
          <StackTrace
            frames={stacks[0] ?? []}
            more={outermost.more}
            printed={printedStack(event)}
            origin={origin}
          />
        </Part>
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
            <small>
              {formatCount(exceptions.more, "more exception")}: see More, Download envelope.
            </small>
          </p>
        )}
      </div>
      <aside aria-label="Details">
        <div>
          {recording && <RecordingPart row={recording} moment={moment} />}
          {trace_id !== null && (
            <Part
              title={
                <>
                  Trace <Id id={trace_id} />
                </>
              }
              beside={
                <>
                  <a className="end" href={fragmentTo("logs", [], { trace: trace_id })}>Logs</a>
                  <a href={traceHref}>Open trace</a>
                </>
              }
            >
              <EventInTrace
                traceId={trace_id}
                isEvent={isEvent}
                what="The error"
                href={traceHref}
              />
            </Part>
          )}
        </div>
        <div>
          <EventProperties event={event} />
          {content.tag_values && <GroupTags values={content.tag_values} />}
          <RelatedItems eventId={event.event_id} items={content.related} />
          {tags.shown.length > 0 && (
            <Part title="Tags">
              <SentValues values={tags} searchedAs="" />
            </Part>
          )}
          {contexts.length > 0 && (
            <Part title="Contexts">
              {contexts.map(({ name, entries }, index) => (
                <details
                  key={index}
                  open={OPEN_CONTEXTS.includes(name) && entries.shown.length <= MAX_OPEN_ENTRIES}
                >
                  <summary>{cutText(name, MAX_NAME)}</summary>
                  <SentValues
                    values={entries}
                    searchedAs={LEFT_OUT.has(name) ? undefined : `${name}.`}
                  />
                </details>
              ))}
            </Part>
          )}
        </div>
      </aside>
      <div>
        <Breadcrumbs event={event} title={heading} />
        {trace_id !== null && <SameTrace isItself={isEvent} traceId={trace_id} level="warn" />}
      </div>
    </div>
  );
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

/** What the errors of the group have in common, and in what they differ. */
function GroupTags({ values: { errors, names } }: { values: TagValues }) {
  const othersOf = (values: TagValues["names"][number]["values"]) =>
    values.reduce((left, { count }) => left - count, errors);
  return (
    <Part title={`Tags of the group’s newest ${formatNumber(errors)} errors`}>
      <dl className="group-tags">
        {names.map(({ name, values }) => (
          <div key={name} className="pad">
            <dt>{cutText(name, MAX_NAME)}</dt>
            {values.map(({ value, count }) => (
              <dd key={value}>
                <span className="one-line" title={value}>{value}</span>
                <i className="share-bar">
                  <i style={{ width: `${count / errors * 100}%` }} />
                </i>
                <small className="n">{formatNumber(count)} of {formatNumber(errors)}</small>
                <ValueLinks name={name} value={value} />
              </dd>
            ))}
            {othersOf(values) > 0 && (
              <dd className="quiet">
                <span>others, or none</span>
                <span />
                <small className="n">
                  {formatNumber(othersOf(values))} of {formatNumber(errors)}
                </small>
              </dd>
            )}
          </div>
        ))}
      </dl>
    </Part>
  );
}

/** Facts by which errors are searched. */
const SEARCHED = ["release", "environment", "transaction", "server"];

/** The event's id, and what it contains about its sender. */
function EventProperties({ event }: { event: ShownError }) {
  const { event_id, mechanism, facts } = event;
  const texts = [...(mechanism === null ? [] : [["mechanism", mechanism] as const]), ...facts];
  const entries = [
    { name: "event", value: <CopyId id={event_id} what="event id" /> },
    ...texts.filter(([name]) => !SEARCHED.includes(name))
      .map(([name, value]) => ({ name, value: <LongText text={value} max={300} /> })),
  ];
  const searched = texts.filter(([name]) => SEARCHED.includes(name));
  return (
    <Part title="This event" className="this-event">
      <SentValues values={{ shown: searched, more: 0 }} searchedAs="" />
      <KeyValueList entries={entries} />
    </Part>
  );
}
