import { memo, useEffect, useRef, useState } from "react";
import { formatCount } from "../../components/format.ts";
import { Icon } from "../../components/Icon.tsx";
import {
  EVENT_KINDS,
  type EventKind,
  type RecordingContent,
  SLACK_MS,
} from "../../monitoring/models/recording/timeline.ts";
import { formatEventTime, KIND_NAMES, type ListedEvent } from "./TimeLine.tsx";
import type { Loaded } from "../data/use_read.ts";
import { momentHref } from "../data/fragment.ts";
import { EVENT_ICONS } from "../player/recording_events.ts";
import { ReadFailure } from "../../components/ReadFailure.tsx";

/** Rows of the list; the time line has marks for all. */
const MAX_ROWS = 500;

/** What a person did, and what failed: listed first. */
const FIRST: ReadonlySet<EventKind> = new Set([
  "error",
  "feedback",
  "request",
  "click",
  "navigation",
]);

/**
 * What happened, in order of time. The time of an event leads to the recording at that time, its text to its own view.
 *
 * @param props.from start of the recording, milliseconds since 1970
 * @param props.at position of the player, milliseconds since the start
 */
export function EventList({ events, replayId, from, at, reading }: {
  events: readonly ListedEvent[];
  replayId: string;
  from: number;
  at: number;
  reading: Loaded<RecordingContent>;
}) {
  const [kind, setKind] = useState<EventKind | "all">();
  // Earlier ones are of its traces: often much of a session, of which the end was recorded.
  const first = events.filter(({ kind, at, isAstray }) =>
    FIRST.has(kind) && (isAstray || at >= from - SLACK_MS)
  );
  const chosen = kind === undefined
    ? first
    : events.filter((event) => kind === "all" || event.kind === kind);
  const shown = chosen.slice(0, MAX_ROWS);
  const { unread_traces: unread = 0 } = reading.value ?? {};
  const current = shown.findLastIndex((event) => !event.isAstray && event.at <= from + at + 1);
  return (
    <section className="events" aria-label="Events">
      <div className="line pad">
        <label>
          <span className="vh">Kind of events</span>
          <select
            value={kind ?? ""}
            onChange={({ target: { value } }) =>
              setKind(value === "all" ? value : EVENT_KINDS.find((one) => one === value))}
          >
            <option value="">
              What happened{reading.value !== undefined && ` (${first.length})`}
            </option>
            <option value="all">
              All kinds{reading.value !== undefined && ` (${events.length})`}
            </option>
            {EVENT_KINDS.filter((one) => events.some((event) => event.kind === one))
              .map((one) => <option key={one} value={one}>{KIND_NAMES[one]}</option>)}
          </select>
        </label>
      </div>
      {reading.state === "failed"
        ? <ReadFailure message={reading.error} retry={reading.retry} />
        : shown.length === 0 && (
          <p className="empty">
            {reading.state === "loading" ? "Loading the events." : "No such events."}
          </p>
        )}
      <Rows events={shown} replayId={replayId} from={from} current={current} />
      {chosen.length > MAX_ROWS && (
        <p className="quiet">{formatCount(chosen.length - MAX_ROWS, "later event")} not listed.</p>
      )}
      {unread > 0 && <p className="quiet">{formatCount(unread, "trace")} not read: too large.</p>}
    </section>
  );
}

const ASTRAY = {
  title: "By its sender’s clock, which may be wrong, it was outside of the recording",
};

const Rows = memo(function Rows({ events, replayId, from, current }: {
  events: readonly ListedEvent[];
  replayId: string;
  from: number;
  current: number;
}) {
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    const row = list.current?.children[current] as HTMLElement | undefined;
    // `scrollIntoView` would also move the page.
    if (row && !list.current?.contains(document.activeElement)) {
      list.current?.scrollTo({ top: row.offsetTop - list.current.clientHeight / 2 });
    }
  }, [current]);
  return (
    <ol ref={list} tabIndex={0} aria-label="Events in order of time">
      {events.map(({ kind, at, isAstray, text, href, look }, index) => (
        <li
          key={index}
          className={`of-${kind} ${look}`}
          aria-current={index === current ? "true" : undefined}
        >
          <a className="quiet" {...isAstray ? ASTRAY : { href: momentHref(replayId, at) }}>
            {isAstray ? "?" : formatEventTime(at - from)}
          </a>
          <Icon name={EVENT_ICONS[kind]} />
          <small className="vh">{kind}</small>
          <a className="one-line bare" href={href} title={text}>
            {text === "" ? "(no text)" : text}
          </a>
        </li>
      ))}
    </ol>
  );
});
