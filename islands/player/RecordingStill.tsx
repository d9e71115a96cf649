import { type RefObject, useEffect, useRef, useState } from "react";
import { Icon } from "../../components/Icon.tsx";
import type { RecordingRow } from "../../monitoring/models/recording/recording_row.ts";
import type { Moment } from "../../monitoring/models/trace/trace.ts";
import { useRead } from "../data/use_read.ts";
import { momentHref } from "../data/fragment.ts";
import { Part } from "../kit/Part.tsx";
import { PlayLink } from "../kit/PlayLink.tsx";
import { Screen } from "./Screen.tsx";
import { readSegments } from "./segments.ts";
import { usePlayer } from "./use_player.ts";

/** Bytes of a recording, as sent, that are read for one picture. */
const MAX_STILL_BYTES = 2 * 1024 * 1024;

/**
 * What a recorded page showed at a moment: a picture, made once it is in sight, that leads to the player. For people who
 * see; others have a link beside it.
 */
export function RecordingStill({ row, at }: {
  row: RecordingRow;
  /** Milliseconds since 1970. */
  at: number;
}) {
  const place = useRef<HTMLDivElement>(null);
  const { isOn, done } = useTurn(place);
  return (
    <div className="still well" ref={place} aria-hidden="true">
      {isOn && <Still row={row} at={at} onShown={done} />}
      <Icon name="play" />
      <a className="cover" href={momentHref(row.replay_id, at)} tabIndex={-1} />
    </div>
  );
}

/**
 * Whether a picture of a recording can be made without reading too much. Mobile SDKs send videos.
 *
 * @param at what has arrived must cover this moment: beside it the page may have been another. Default: any moment
 */
export function canHaveStill(
  { kind, bytes, started_at, ended_at }: RecordingRow,
  at = started_at,
): boolean {
  return kind === "page" && bytes <= MAX_STILL_BYTES && started_at <= at && at <= ended_at;
}

export function RecordingPart({ row, moment }: { row: RecordingRow; moment: Moment }) {
  const { replay_id } = row;
  const { at_ms } = moment;
  return (
    <Part title="Recording" beside={<PlayLink replayId={replay_id} moment={moment} />}>
      {at_ms !== null && canHaveStill(row, at_ms) && (
        <RecordingStill key={`${replay_id} ${at_ms}`} row={row} at={at_ms} />
      )}
    </Part>
  );
}

function Still({ row, at, onShown }: { row: RecordingRow; at: number; onShown: () => void }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const { value, state } = useRead(
    // Read again with each new one.
    ["segments", row.replay_id, row.segments],
    () => readSegments(row.replay_id),
  );
  const player = usePlayer(frame, value?.segments, row.ended_at - row.started_at, at);
  const isEnded = player.phase !== "starting" || state === "failed";
  useEffect(() => {
    if (isEnded) onShown();
  }, [isEnded]);
  return <Screen frame={frame} player={player} heightOf={heightOfParent} />;
}

const heightOfParent = ({ parentElement }: HTMLElement) => parentElement!.clientHeight;

/** Milliseconds in sight before work begins: none for rows that are scrolled past. */
const REST_MS = 250;

/** What is in sight and has not begun, by its place. */
const waiting = new Map<Element, () => Promise<void>>();
let isWorking = false;

/** The first on the page is next: they come into sight in any order. */
async function takeTurns(): Promise<void> {
  if (isWorking) return;
  isWorking = true;
  while (waiting.size > 0) {
    const next = [...waiting.keys()].reduce((a, b) =>
      a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_PRECEDING ? b : a
    );
    const begin = waiting.get(next)!;
    waiting.delete(next);
    await begin();
  }
  isWorking = false;
}

/**
 * Lets a part of the page begin its work when it is in sight and the parts before it are done, so that many of them do
 * not stop the page.
 *
 * @returns `done` is to be called when its work has ended
 */
export function useTurn(place: RefObject<Element | null>): { isOn: boolean; done: () => void } {
  const [isOn, setOn] = useState(false);
  const end = useRef(() => {});
  useEffect(() => {
    const element = place.current!;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const begin = () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      end.current = resolve;
      setOn(true);
      return promise;
    };
    const observer = new IntersectionObserver(([entry]) => {
      clearTimeout(timer);
      if (!entry?.isIntersecting) return;
      timer = setTimeout(() => {
        observer.disconnect();
        waiting.set(element, begin);
        void takeTurns();
      }, REST_MS);
    });
    observer.observe(element);
    return () => {
      clearTimeout(timer);
      observer.disconnect();
      waiting.delete(element);
      end.current();
    };
  }, []);
  return { isOn, done: () => end.current() };
}
