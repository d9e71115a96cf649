import { useEffect, useMemo, useRef, useState } from "react";
import { Icon } from "../../components/Icon.tsx";
import type { Recording } from "../../monitoring/models/recording/recording.ts";
import type { SentSegment } from "../../monitoring/protocol/player_messages.ts";
import { isShown, useKeys } from "../kit/use_keys.ts";
import { Screen } from "../player/Screen.tsx";
import { usePlayer } from "../player/use_player.ts";
import { useFragment } from "../data/fragment.ts";
import { SLACK_MS, timeLineEnd } from "../../monitoring/models/recording/timeline.ts";
import { useEvents } from "../player/recording_events.ts";
import { EventList } from "./EventList.tsx";
import { formatClock } from "../../components/format_time.ts";
import { TimeLine } from "./TimeLine.tsx";

const SPEEDS = [0.5, 1, 2, 4, 8];
/** Pixels that the picture may take of the window's height. */
const HEIGHTS = { normal: () => innerHeight * 0.55, wide: () => innerHeight * 0.8 };
const STEP_MS = 5_000;
const KEYS = [
  [["Space"], "play"],
  [["←", "→"], "5 s"],
  [["Home", "End"], "start and end"],
  [["E"], "next error"],
  [["S"], "skip inactivity"],
  [["F"], "full width"],
] as const;

/** Fields with their own use for the player's keys. The slider of the position is moved by them. */
const FIELDS = "select, textarea, input:not([type=checkbox], [type=range])";
/** Elements with their own use for Space. */
const PRESSED = "button, a[href], summary, input[type=checkbox]";

/**
 * The player with its controls, time line and list of events.
 *
 * @param props.recording undefined: not parsed yet
 * @param props.segments of the recording; undefined: not read yet. The player's document loads meanwhile.
 */
export function PlayerPanel({ replayId, recording = NOTHING, segments }: {
  replayId: string;
  recording?: Recording;
  segments: readonly SentSegment[] | undefined;
}) {
  // Read after the segments, which are shown first.
  const { events: all, reading } = useEvents(recording === NOTHING ? undefined : replayId);
  const events = useMemo(() => all.filter(({ isAstray }) => !isAstray), [all]);
  const end = timeLineEnd(recording, events);
  const length = Math.max(1, end - recording.from);
  const gaps = useMemo(
    () => [...recording.gaps, ...end > recording.to ? [{ from: recording.to, to: end }] : []],
    [recording, end],
  );
  const { params } = useFragment();
  const asked = params.get("at") ?? "";
  const askedAt = /^\d{1,14}$/.test(asked) ? Number(asked) - recording.from : 0;
  const startAt = clamp(askedAt, length);
  const frame = useRef<HTMLIFrameElement>(null);
  const controlled = usePlayer(frame, segments, length);
  // The player may be ready before the panel has parsed the segments too, and found problems in them.
  const isParsing = segments !== undefined && recording === NOTHING;
  const player = isParsing ? { ...controlled, phase: "starting" as const } : controlled;
  const [speed, setSpeed] = useState(1);
  const [skips, setSkips] = useState(false);
  const [isWide, setWide] = useState(false);
  const { phase, at, isPlaying, isSkipping } = player;

  useEffect(() => {
    // Also once the player is ready: it begins at the start.
    if (asked !== "" && phase === "ready") player.seek(startAt);
  }, [asked, phase]);
  useEffect(() => {
    if (phase === "ready") player.set(speed, skips);
  }, [phase, speed, skips, length]);
  const now = recording.from + at;
  const gap = gaps.find(({ from, to }) => from < now && (now < to || to === end));

  const nextError = events.find((event) => event.kind === "error" && event.at > now + 1);
  const seekError = () => nextError && player.seek(nextError.at - recording.from);
  const toggle = () => isPlaying ? player.pause() : player.play();
  const keys: Readonly<Record<string, () => void>> = {
    " ": toggle,
    ArrowLeft: () => player.seek(at - STEP_MS),
    ArrowRight: () => player.seek(at + STEP_MS),
    Home: () => player.seek(0),
    End: () => player.seek(length),
    s: () => setSkips(!skips),
    f: () => setWide(!isWide),
    e: seekError,
  };
  useKeys((event) => {
    const target = event.target as Element;
    const detail = frame.current?.closest(".detail-pane");
    const isOutside = target !== document.body && !detail?.contains(target);
    const isForTarget = target.matches(event.key === " " ? `${FIELDS}, ${PRESSED}` : FIELDS);
    const action = keys[event.key];
    if (!action || !isShown(detail) || isOutside || isForTarget) return false;
    action();
    return true;
  });
  return (
    <div className={isWide ? "player grid wide" : "player grid"}>
      <section aria-label="Player">
        <Screen
          frame={frame}
          player={player}
          heightOf={isWide ? HEIGHTS.wide : HEIGHTS.normal}
          gap={gap && gap.to - gap.from}
        />
        <div className="player-controls line">
          <button
            type="button"
            className="primary"
            aria-label={isPlaying ? "Pause" : "Play"}
            disabled={phase !== "ready"}
            onClick={toggle}
          >
            <Icon name={isPlaying ? "pause" : "play"} />
          </button>
          <output className="quiet">
            <b className="title">{formatClock(at)}</b>
            {length > 0 && ` / ${formatClock(length)}`}
            {isSkipping && " skipping"}
          </output>
          <button
            type="button"
            className="beside"
            disabled={!nextError || phase !== "ready"}
            onClick={seekError}
          >
            <Icon name="errors" /> Next error
          </button>
          <label>
            <span className="vh">Speed</span>
            <select value={speed} onChange={({ target }) => setSpeed(Number(target.value))}>
              {SPEEDS.map((one) => <option key={one} value={one}>{one}×</option>)}
            </select>
          </label>
          <label>
            <input
              type="checkbox"
              checked={skips}
              onChange={({ target }) => setSkips(target.checked)}
            />{" "}
            Skip inactivity
          </label>
          <button
            type="button"
            aria-label="Full width"
            title="Full width"
            aria-pressed={isWide}
            onClick={() => setWide(!isWide)}
          >
            <Icon name="wide" />
          </button>
        </div>
        {recording !== NOTHING && Math.abs(askedAt - startAt) >= SLACK_MS && (
          <p className="waits">
            The time that was asked for is not recorded: by its sender’s clock it is{" "}
            {askedAt < startAt
              ? `${formatClock(-askedAt)} before the start`
              : `${formatClock(askedAt - length)} after the end`}.
          </p>
        )}
        <TimeLine from={recording.from} {...{ length, gaps, replayId, player }} events={all} />
        <p className="player-keys pad small quiet">
          <span className="if-keys facts">
            {KEYS.map(([keys, use]) => (
              <span key={use}>{keys.map((key) => [<kbd key={key}>{key}</kbd>, " "])}{use}</span>
            ))}
          </span>{" "}
          Masked text is shown as asterisks, media and frames as boxes; nothing is loaded from the
          page’s addresses.
        </p>
      </section>
      <EventList
        events={all}
        replayId={replayId}
        from={recording.from}
        at={at}
        reading={reading}
      />
    </div>
  );
}

/** Shown until the recording is read. */
const NOTHING: Recording = {
  played: [],
  entries: [],
  from: 0,
  to: 0,
  gaps: [],
  before: { gaps: [], frames: 0 },
  omitted: 0,
};

const clamp = (at: number, length: number) => Math.max(0, Math.min(length, at));
