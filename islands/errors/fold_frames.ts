/** A run of frames of a stack: each shown by itself, or a run of libraries' folded into one line. */
export interface FrameRun<F> {
  readonly frames: readonly F[];
  readonly folded: boolean;
}

/** Fewer than that are as quickly read as unfolded. */
const MIN_FOLDED = 3;

/**
 * Folds runs of libraries' frames, so that a stack begins with what its own project does. A stack
 * of libraries' frames alone is not folded: there is nothing else to read.
 */
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
  const hasOwn = runs.some(({ isLibrary }) => !isLibrary);
  return runs.map(({ frames, isLibrary }) => ({
    frames,
    folded: hasOwn && isLibrary && frames.length >= MIN_FOLDED,
  }));
}
