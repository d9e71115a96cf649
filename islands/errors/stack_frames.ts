import type { FoundFrame } from "../../monitoring/models/error/source_finder.ts";
import { cutText } from "../shared/text.ts";

/** Consecutive frames of a stack trace. */
interface FrameRun<F> {
  readonly frames: readonly F[];
  /** Library frames that are shown as one line. */
  readonly folded: boolean;
}

/** Shorter runs of library frames are not folded. */
const MIN_FOLDED = 3;

/** Characters of a script's path in a sentence. */
const MAX_PATH = 100;

/** Folds runs of library frames, unless the stack trace has no other frames. */
export function foldFrames<F extends { readonly own: boolean | null }>(
  frames: readonly F[],
): readonly FrameRun<F>[] {
  const runs: { frames: F[]; isLibrary: boolean }[] = [];
  for (const frame of frames) {
    const isLibrary = frame.own === false;
    const last = runs.at(-1);
    if (last?.isLibrary === isLibrary) last.frames.push(frame);
    else runs.push({ frames: [frame], isLibrary });
  }
  const hasInApp = runs.some(({ isLibrary }) => !isLibrary);
  return runs.map(({ frames, isLibrary }) => ({
    frames,
    folded: hasInApp && isLibrary && frames.length >= MIN_FOLDED,
  }));
}

/**
 * Explains why frames have no source, in one sentence; empty if all have it.
 *
 * @param frames of all the error's stack traces
 * @param debugIds debug ids by file
 * @param scope `visit`: source maps are not available
 * @param mapOrigins from which source maps may be fetched
 */
export function explainMissingSource(
  frames: readonly FoundFrame[],
  debugIds: ReadonlyMap<string, string>,
  scope: "inbox" | "visit",
  mapOrigins: readonly string[],
): string {
  const bare = frames.filter(({ source }) => source === null);
  if (bare.length === 0) return "";
  const minified = bare.filter(({ file }) => file !== null && debugIds.has(file));
  if (minified.length > 0) {
    return scope === "visit"
      ? "Minified frames as reported by the browser: in relay mode the server provides no source maps."
      : "Some frames are minified: no source map has their debug ids. Upload those of the build with" +
        " deno task sourcemaps --to URL FOLDER.";
  }
  const script = bare.map(({ file }) => URL.parse(file ?? "")).find((url) =>
    url?.protocol.startsWith("http")
  );
  if (script && bare.length === frames.length && scope === "inbox") {
    const missing = `No source map for ${cutText(script.pathname, MAX_PATH)}`;
    return mapOrigins.includes(script.origin)
      ? `${missing}: fetch it, or check that the script names its map.`
      : `${missing}: build with debug ids and run deno task sourcemaps --to URL FOLDER, or, if this` +
        ` machine serves it, name ${script.origin} in SOURCE_MAP_ORIGINS.`;
  }
  // Other frames come from files that were never minified, or that their source map leaves out.
  return bare.length === frames.length ? "The event contains no source lines." : "";
}
