import { memo, useMemo, useState } from "react";
import { formatDuration } from "../../components/format.ts";
import { formatClock } from "../../components/format_time.ts";
import type { Gap } from "../../monitoring/models/recording/recording.ts";
import {
  DETAILS,
  EVENT_KINDS,
  type EventKind,
  type RecordingEvent,
  SLACK_MS,
} from "../../monitoring/models/recording/timeline.ts";
import { momentHref } from "../data/fragment.ts";
import { lookOf } from "../player/recording_events.ts";
import type { Player } from "../player/use_player.ts";

/** An event, its colour, and where more about it is shown. */
export interface ListedEvent extends RecordingEvent {
  readonly href: string;
  readonly look: string;
}

export const KIND_NAMES: Readonly<Record<EventKind, string>> = {
  error: "Errors",
  feedback: "Feedback",
  trace: "Traces",
  span: "Spans",
  request: "Requests",
  log: "Logs",
  vital: "Web vitals",
  click: "Reported clicks",
  navigation: "Navigations",
  resource: "Resources of traces",
};

/** Maximum marks of one kind: events in the same 250th of the length share one. */
const MARKS = 250;

/**
 * A slider over the recording's time, and below it a lane for each kind of event.
 *
 * @param props.from milliseconds since 1970
 * @param props.length milliseconds
 */
export function TimeLine({ from: start, length, gaps, replayId, events, player }: {
  from: number;
  length: number;
  gaps: readonly Gap[];
  replayId: string;
  events: readonly ListedEvent[];
  player: Player;
}) {
  // Gaps let the pointer through to the slider, so they cannot have a tool tip themselves.
  const [pointed, setPointed] = useState<Gap>();
  return (
    <div className="time-line">
      <div className="lane small">
        <span className="quiet">Time</span>
        <div
          className="track"
          title={pointed && describeGap(pointed, start + length)}
          onPointerMove={({ clientX, currentTarget }) => {
            const { left, width } = currentTarget.getBoundingClientRect();
            const at = start + (clientX - left) / width * length;
            setPointed(
              gaps.find(({ from, to }) => from <= at && at <= Math.max(to, from + length / 100)),
            );
          }}
        >
          <input
            type="range"
            aria-label="Position"
            aria-valuetext={length > 0 ? `${formatClock(player.at)} of ${formatClock(length)}` : ""}
            min={0}
            max={Math.round(length)}
            value={Math.round(player.at)}
            disabled={player.phase !== "ready"}
            onChange={({ target }) => player.seek(Number(target.value))}
          />
          {gaps.map(({ from, to }, index) => (
            <i
              key={index}
              className="gap"
              style={{
                left: percent(from - start, length),
                width: percent(Math.max(to - from, length / 100), length),
              }}
            >
              {formatDuration(to - from)}
            </i>
          ))}
        </div>
      </div>
      <Lanes from={start} length={length} replayId={replayId} events={events} />
    </div>
  );
}

/** Rendered again only when the events change, not with each step of the time. */
const Lanes = memo(function Lanes({ from, length, replayId, events }: {
  from: number;
  length: number;
  replayId: string;
  events: readonly ListedEvent[];
}) {
  const lanes = useMemo(() => {
    const byKind = Map.groupBy(events, ({ kind }) => kind);
    return EVENT_KINDS.flatMap((kind) => {
      const ofKind = byKind.get(kind);
      if (!ofKind || DETAILS.has(kind)) return [];
      // Others are in the list only.
      const drawn = ofKind.filter(({ at, isAstray }) =>
        !isAstray && at >= from - SLACK_MS && at <= from + length
      );
      return [{ kind, all: ofKind.length, drawn, marks: marksOf(drawn, from, length) }];
    });
  }, [events, from, length]);
  return lanes.map(({ kind, all, drawn: { length: count }, marks }) => (
    <div key={kind} className={`lane small of-${kind}`}>
      <span
        className="quiet"
        title={all > count ? `${all - count} outside of this time, or at an unknown one` : ""}
      >
        {KIND_NAMES[kind]} {count}
        {all > count && ` of ${all}`}
      </span>
      <div className="track">
        {marks.map(({ at, text, more, look }) => (
          // The list beside it has the same links for keyboards and screen readers.
          <a
            key={at}
            className={look}
            href={momentHref(replayId, at)}
            title={`${formatEventTime(at - from)} ${text}${more > 0 ? ` and ${more} more` : ""}`}
            tabIndex={-1}
            aria-hidden="true"
            style={{ left: percent(at - from, length) }}
          />
        ))}
      </div>
    </div>
  ));
});

export const describeMissing = ({ first, last }: NonNullable<Gap["missing"]>) =>
  first === last ? `segment ${first}` : `segments ${first} to ${last}`;

/** What a gap is, and how long. @param end of the time line */
export function describeGap({ from, to, missing }: Gap, end: number): string {
  const reason = missing
    ? `${describeMissing(missing)} missing`
    : to >= end
    ? "after the last one, to the session’s last event"
    : "the page was loaded, or the recorder paused";
  return `No frames for ${formatDuration(to - from)}: ${reason}`;
}

/** The first event of each part of the time, in the colour of the worst. */
export function marksOf(events: readonly RecordingEvent[], from: number, length: number) {
  const parts = Map.groupBy(events, ({ at }) => Math.floor((at - from) / length * MARKS));
  return [...parts.values()].map((part) => {
    const looks: string[] = part.map(lookOf);
    const look = ["refused", "waits"].find((worst) => looks.includes(worst)) ?? looks[0];
    return { ...part[0]!, more: part.length - 1, look };
  });
}

export const percent = (ms: number, length: number) =>
  `${Math.max(0, Math.min(100, ms / length * 100)).toFixed(2)}%`;

/** The time of an event: several are in one second, `0:07.3`. */
export function formatEventTime(ms: number): string {
  const time = `${formatClock(Math.abs(ms))}.${Math.floor(Math.abs(ms) / 100) % 10}`;
  return ms <= -100 ? `−${time}` : time;
}
