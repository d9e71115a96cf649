import { type RefObject, useEffect, useRef, useState } from "react";
import { formatDuration } from "../../components/format.ts";
import { PLAYER_PATH } from "../../monitoring/protocol/player_messages.ts";
import type { Player } from "./use_player.ts";

/**
 * The recorded window, scaled to the available size.
 *
 * @param props.heightOf the height that it may take, in pixels
 * @param props.gap milliseconds without frames, of which it shows one
 */
export function Screen({ frame, player, heightOf, gap }: {
  frame: RefObject<HTMLIFrameElement | null>;
  player: Player;
  heightOf: (screen: HTMLElement) => number;
  gap?: number | undefined;
}) {
  const screen = useRef<HTMLDivElement>(null);
  const available = useAvailableSize(screen, heightOf);
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
      {gap !== undefined && (
        <p className="gap">
          <span>No frames for {formatDuration(gap)}</span>
        </p>
      )}
      {phase === "starting" && <p role="status">Loading the recording.</p>}
      {phase === "failed" && <p className="refused" role="alert">Cannot play: {reason}</p>}
    </div>
  );
}

function useAvailableSize(
  of: RefObject<HTMLElement | null>,
  heightOf: (element: HTMLElement) => number,
) {
  const [available, setAvailable] = useState({ width: 640, height: 400 });
  useEffect(() => {
    const element = of.current!;
    const measure = () =>
      setAvailable({ width: element.clientWidth || 640, height: heightOf(element) });
    // Its first call measures, too: after the browser's own layout, which reading the width now would force.
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    addEventListener("resize", measure);
    return () => {
      observer.disconnect();
      removeEventListener("resize", measure);
    };
  }, [heightOf]);
  return available;
}
