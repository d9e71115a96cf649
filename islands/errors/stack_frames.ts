/** Shorter runs of library frames are not folded. */
const MIN_FOLDED = 3;

/** Consecutive frames; `folded`: of a library, shown as one line, unless the stack trace has no other frames. */
export function foldFrames<F extends { readonly own: boolean | null }>(frames: readonly F[]) {
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
