import type { FoundFrame } from "../../monitoring/models/error/source_finder.ts";
import { formatCount } from "../../components/format/count.ts";
import { foldFrames } from "./fold_frames.ts";
import { Frame } from "./Frame.tsx";

/**
 * A stack, innermost call first. The first frame of the project's own is open; libraries' runs are folded.
 *
 * @param props.more how many outer frames were left out
 */
export function Stack({ frames, more }: { frames: readonly FoundFrame[]; more: number }) {
  if (frames.length === 0) return <p className="note">No stack was sent with it.</p>;
  const opened = frames.find(({ own, source }) => own !== false && source) ??
    frames.find(({ source }) => source);
  const frameOf = (frame: FoundFrame, key: number) => (
    <li key={key}>
      <Frame frame={frame} open={frame === opened} />
    </li>
  );
  return (
    <ol className="stack">
      {foldFrames(frames).map(({ frames, folded }, index) =>
        folded
          ? (
            <li key={index}>
              <details>
                <summary className="frame-line">
                  {formatCount(frames.length, "library frame")}
                </summary>
                <ol className="stack">{frames.map(frameOf)}</ol>
              </details>
            </li>
          )
          : frames.map((frame, inRun) => frameOf(frame, index * 1_000 + inRun))
      )}
      {more > 0 && (
        <li className="frame-line">
          <small>{formatCount(more, "outer frame")} more, in the download.</small>
        </li>
      )}
    </ol>
  );
}
