import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from "react";
import { formatCount } from "../../components/format.ts";
import type { Recording } from "../../monitoring/models/recording/recording.ts";
import { PLAYER_PATH, type SentSegment } from "../../monitoring/protocol/player_messages.ts";
import { useFragment } from "../shared/fragment.ts";
import { MomentList } from "./MomentList.tsx";
import { formatClock } from "../../components/format_time.ts";
import { TimeLine } from "./TimeLine.tsx";
import { useMoments } from "./use_moments.ts";
import { type Player, usePlayer } from "./use_player.ts";

const SPEEDS = [0.5, 1, 2, 4, 8];
/** Milliseconds of a step by an arrow key. */
const STEP_MS = 5_000;

/**
 * The player with its controls, time line and list of moments.
 *
 * @param props.recording undefined: not parsed yet
 * @param props.segments of the recording; undefined: not read yet. The player's document loads meanwhile.
 */
export function PlayerPanel({ replayId, recording = NOTHING, segments }: {
  replayId: string;
  recording?: Recording;
  segments: readonly SentSegment[] | undefined;
}) {
  const length = recording.to - recording.from;
  const { params } = useFragment("recordings");
  const asked = params.get("at") ?? "";
  const startAt = /^\d{1,14}$/.test(asked) ? clamp(Number(asked) - recording.from, length) : 0;
  const frame = useRef<HTMLIFrameElement>(null);
  const controlled = usePlayer(frame, segments, length);
  // The player may be before the panel, which parses the segments, too, and reports what is wrong with them.
  const isParsing = segments !== undefined && recording === NOTHING;
  const player = isParsing ? { ...controlled, phase: "starting" as const } : controlled;
  // Read after the segments, which are shown first.
  const [showsResources, setShowsResources] = useState(false);
  const { moments, resources } = useMoments(
    recording === NOTHING ? undefined : replayId,
    showsResources,
  );
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
  }, [phase, speed, skips]);

  const toggle = () => isPlaying ? player.pause() : player.play();
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target as HTMLElement;
    const action = target.matches("select, button, a[href], input[type=checkbox]") &&
        [" ", "ArrowLeft", "ArrowRight", "Home", "End"].includes(event.key)
      ? undefined
      : KEYS[event.key];
    if (action === undefined) return;
    event.preventDefault();
    action({ player, length, toggle, toggleSkips: () => setSkips(!skips), isWide, setWide });
  };
  return (
    <div className={isWide ? "player wide" : "player"} onKeyDown={onKeyDown}>
      <section aria-label="Player">
        <Screen frame={frame} player={player} isWide={isWide} />
        <div className="player-controls">
          <button type="button" disabled={phase !== "ready"} onClick={toggle}>
            {isPlaying ? "Pause" : "Play"}
          </button>
          <output>
            {formatClock(at)} / {formatClock(length)}
            {isSkipping && " skipping"}
          </output>
          <label>
            Speed{" "}
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
          <button type="button" aria-pressed={isWide} onClick={() => setWide(!isWide)}>
            Full width
          </button>
        </div>
        <TimeLine recording={recording} replayId={replayId} moments={moments} player={player} />
        <p className="player-keys">
          Keys: space plays and pauses, arrows seek 5 s, Home and End, S skips inactivity, F full
          width. Masked text is shown as asterisks, media and frames as boxes.
          {player.removed > 0 &&
            ` ${formatCount(player.removed, "part")} of the page not allowed here and left out.`}
        </p>
      </section>
      <MomentList moments={moments} replayId={replayId} from={recording.from} at={at}>
        {resources > 0 && (
          <label>
            <input
              type="checkbox"
              checked={showsResources}
              onChange={({ target }) => setShowsResources(target.checked)}
            />{" "}
            Show resources ({resources})
          </label>
        )}
      </MomentList>
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
  late: 0,
  omitted: 0,
};

interface KeyContext {
  readonly player: Player;
  readonly length: number;
  readonly isWide: boolean;
  toggle(): void;
  toggleSkips(): void;
  setWide(isWide: boolean): void;
}

const KEYS: Readonly<Record<string, (context: KeyContext) => void>> = {
  " ": ({ toggle }) => toggle(),
  ArrowLeft: ({ player }) => player.seek(player.at - STEP_MS),
  ArrowRight: ({ player }) => player.seek(player.at + STEP_MS),
  Home: ({ player }) => player.seek(0),
  End: ({ player, length }) => player.seek(length),
  s: ({ toggleSkips }) => toggleSkips(),
  f: ({ isWide, setWide }) => setWide(!isWide),
};

const clamp = (at: number, length: number) => Math.max(0, Math.min(length, at));

/** The recorded window, scaled to the available size. */
function Screen({ frame, player, isWide }: {
  frame: RefObject<HTMLIFrameElement | null>;
  player: Player;
  isWide: boolean;
}) {
  const screen = useRef<HTMLDivElement>(null);
  const available = useAvailableSize(screen, isWide);
  const { width, height, pointer, phase, reason } = player;
  const scale = Math.min(1, available.width / width, available.height / height);
  return (
    <div ref={screen} className="player-screen" style={{ height: height * scale }}>
      <div style={{ width: width * scale, height: height * scale }}>
        {/* Its content cannot be operated: it is a picture of the past. */}
        <iframe
          ref={frame}
          src={PLAYER_PATH}
          sandbox="allow-scripts"
          title="Recorded page"
          tabIndex={-1}
          inert
          width={width}
          height={height}
          style={{ transform: `scale(${scale})` }}
        />
        {pointer && (
          <i
            className={pointer.pressed ? "pointer pressed" : "pointer"}
            style={{ left: pointer.x * scale, top: pointer.y * scale }}
          />
        )}
      </div>
      {phase === "starting" && <p role="status">Loading the recording.</p>}
      {phase === "failed" && <p className="refused" role="alert">Cannot play: {reason}</p>}
    </div>
  );
}

/** Share of the window's height that the player takes. */
const HEIGHT_SHARE = { normal: 0.55, wide: 0.8 };

/** The width of an element, and the height that the window leaves, in pixels. */
function useAvailableSize(of: RefObject<HTMLElement | null>, isWide: boolean) {
  const [available, setAvailable] = useState({ width: 640, height: 400 });
  useEffect(() => {
    const measure = () =>
      setAvailable({
        width: of.current?.clientWidth || 640,
        height: innerHeight * (isWide ? HEIGHT_SHARE.wide : HEIGHT_SHARE.normal),
      });
    // Its first call measures, too: after the browser's own layout, which reading the width now would force.
    const observer = new ResizeObserver(measure);
    if (of.current) observer.observe(of.current);
    addEventListener("resize", measure);
    return () => {
      observer.disconnect();
      removeEventListener("resize", measure);
    };
  }, [isWide]);
  return available;
}
