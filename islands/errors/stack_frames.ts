import type { FoundFrame } from "../../monitoring/models/error/source_finder.ts";
import { isLoopbackHost } from "../../monitoring/protocol/loopback.ts";
import type { MapOrigins } from "../data/source.ts";
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

const UPLOAD = "deno task sourcemaps --to URL FOLDER";

/**
 * Explains why frames have no source and names the next step, in one or two sentences; empty if all have it.
 *
 * @param frames of all the error's stack traces
 * @param debugIds debug ids by file
 * @param origins development servers
 */
export function explainMissingSource(
  frames: readonly FoundFrame[],
  debugIds: ReadonlyMap<string, string>,
  origins: MapOrigins,
): string {
  const bare = frames.filter(({ source }) => source === null);
  if (bare.length === 0) return "";
  const areAllBare = bare.length === frames.length;
  const minified = bare.find(({ file, hasMap }) => !hasMap && debugIds.has(file ?? ""));
  const missing = minified ?? (areAllBare ? bare.find(isScript) : undefined);
  if (missing) return explainMissingMap(missing.file ?? "", minified !== undefined, origins);
  // Other frames come from files that were never minified, or that their source map leaves out.
  if (!areAllBare) return "";
  return bare.some(({ script }) => script !== null)
    ? "The source map lacks the sources: build it with sourcesContent."
    : "The event contains no source lines.";
}

function isScript({ file, hasMap }: FoundFrame): boolean {
  return !hasMap && (URL.parse(file ?? "")?.protocol.startsWith("http") ?? false);
}

function explainMissingMap(file: string, hasId: boolean, origins: MapOrigins): string {
  const url = URL.parse(file);
  const origin = url?.origin ?? "";
  const path = cutText(url?.pathname ?? file, MAX_PATH);
  if (origins.fetchable.includes(origin)) {
    return `No source map for ${path}: fetch it. The script must end with its address.`;
  }
  if (origins.named.includes(origin)) {
    return `No page of ${origin} has posted since this server's start: reload one, then open this` +
      " error again to fetch the source map.";
  }
  if (hasId) return `The source map of ${path} is not in the inbox: upload it with ${UPLOAD}.`;
  const adds = `${path} has no debug id: ${UPLOAD} adds them to a build, for later errors.`;
  return url && isLoopbackHost(url.hostname)
    ? `${adds} If a development server serves it, name ${origin} in SOURCE_MAP_ORIGINS.`
    : adds;
}
