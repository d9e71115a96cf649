import type { Call, CallTree, Sample } from "./profile_content.ts";
import type { ProfileFrame } from "./sent_profile.ts";

/** A function and in how many samples it ran. */
export interface FunctionRow {
  /** Index in `frames`. */
  readonly frame: number;
  /** Samples in which it ran itself, whatever is hidden: those of all functions are all samples in which one ran. */
  readonly self: number;
  /** Samples in which it ran, or what it called. */
  readonly total: number;
}

/** Samples in which a function ran. */
export const busySamples = ({ samples }: CallTree) =>
  samples.filter(([, call]) => call >= 0).length;

/** For each call, the samples in which it ran itself, and those in which it ran or what it called. */
export function countCalls({ calls, samples }: CallTree) {
  const self = new Array<number>(calls.length).fill(0);
  const total = [...self];
  for (const [, call, isHidden] of samples) {
    if (call < 0) continue;
    total[call]!++;
    if (!isHidden) self[call]!++;
  }
  for (let call = calls.length - 1; call >= 0; call--) {
    const [caller] = calls[call]!;
    if (caller >= 0) total[caller]! += total[call]!;
  }
  return { self, total };
}

/** The functions that ran, most self time first. A function that calls itself counts once. */
export function functionRows(tree: CallTree): FunctionRow[] {
  const { calls } = tree;
  const counts = countCalls(tree);
  const rows = new Map<number, { frame: number; self: number; total: number }>();
  for (const [call, [caller, frame]] of calls.entries()) {
    const row = rows.get(frame) ?? { frame, self: 0, total: 0 };
    rows.set(frame, row);
    row.self += counts.self[call]!;
    let outer = caller;
    while (outer >= 0 && calls[outer]![1] !== frame) outer = calls[outer]![0];
    if (outer < 0) row.total += counts.total[call]!;
  }
  return [...rows.values()].filter(({ total }) => total > 0)
    .sort((a, b) => b.self - a.self || b.total - a.total);
}

/**
 * The function that a profile is summed up by: of the application's functions in at least half of the samples an
 * innermost one, so that none of the others runs in it; of several, or if there is none in half, that with the largest
 * total. Libraries, if none is of the application.
 */
export function mainFunction(
  tree: CallTree,
  rows: readonly FunctionRow[] = functionRows(tree),
): FunctionRow | undefined {
  const half = busySamples(tree) / 2;
  const own = rows.filter(({ frame }) => tree.frames[frame]!.own);
  const ordered = (own.length > 0 ? own : rows).toSorted((a, b) =>
    b.total - a.total || a.frame - b.frame
  );
  const inHalf = ordered.filter(({ total }) => total >= half);
  const frames = new Set(inHalf.map(({ frame }) => frame));
  const outer = new Set<number>();
  for (const [sentCaller, frame] of tree.calls) {
    for (let caller = frames.has(frame) ? sentCaller : -1; caller >= 0;) {
      const [next, of] = tree.calls[caller]!;
      if (of !== frame) outer.add(of);
      caller = next;
    }
  }
  // Functions that call each other have no innermost one.
  return inHalf.find(({ frame }) => !outer.has(frame)) ?? inHalf.at(-1) ?? ordered[0];
}

/** The tree without calls of libraries: what ran in them is in the total of the own function that called them. */
export function ownCalls(tree: CallTree): CallTree {
  const isOwn = (frame: number) => tree.frames[frame]!.own;
  const own = rebuilt(tree, (frame) => isOwn(frame) ? frame : undefined);
  const samples = own.samples.map(([at, call], n): Sample =>
    call < 0 || isOwn(tree.calls[tree.samples[n]![1]]![1]) ? [at, call] : [at, call, true]
  );
  return { ...own, samples };
}

/** Calls from which on those of one library below each other are one. */
const MIN_FOLDED = 3;

/** The package or runtime of a function's file; undefined: the application, or native code. */
function libraryOf({ file, own }: ProfileFrame): string | undefined {
  if (own || file === null) return undefined;
  const path = file.replaceAll("\\", "/");
  return /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ??
    /.*(?:site|dist)-packages\/([^/.]+)/.exec(path)?.[1] ??
    (/^node:/.test(path)
      ? "Node"
      : /lib\/python[\d.]+\/|^<frozen/.test(path)
      ? "Python"
      : undefined);
}

/** The tree with calls of one library, of which each calls only the next one, as one: `7 frames of fastify`. */
export function foldedCalls(tree: CallTree): CallTree {
  const { calls, frames } = tree;
  const counts = countCalls(tree);
  const below = new Map<number, number>();
  for (const [call, [caller]] of calls.entries()) below.set(caller, below.has(caller) ? -1 : call);
  const extra: ProfileFrame[] = [];
  const known = new Map<string, number>();
  /** The frame of a chain at its first call, `undefined` at the others. */
  const folded = new Map<number, number | undefined>();
  for (const [call, [, frame]] of calls.entries()) {
    const library = libraryOf(frames[frame]!);
    if (library === undefined || folded.has(call)) continue;
    const chain = [call];
    for (let last = call; counts.self[last] === 0;) {
      last = below.get(last) ?? -1;
      if (last < 0 || libraryOf(frames[calls[last]![1]]!) !== library) break;
      chain.push(last);
    }
    if (chain.length < MIN_FOLDED) continue;
    const name = `${chain.length} frames of ${library}`;
    const of = known.get(name) ??
      frames.length - 1 + extra.push({ ...frames[frame]!, function: name, file: null });
    known.set(name, of);
    chain.forEach((one, n) => folded.set(one, n === 0 ? of : undefined));
  }
  return rebuilt(
    { ...tree, frames: [...frames, ...extra] },
    (frame, call) => folded.has(call) ? folded.get(call) : frame,
  );
}

/** The tree with other frames of its calls. @param frameOf undefined: what ran in the call counts for its caller */
function rebuilt(
  tree: CallTree,
  frameOf: (frame: number, call: number) => number | undefined,
): CallTree {
  const calls: Call[] = [];
  const known = new Map<string, number>();
  const places: number[] = [];
  for (const [call, [sentCaller, sentFrame]] of tree.calls.entries()) {
    const caller = places[sentCaller] ?? -1;
    const frame = frameOf(sentFrame, call);
    const key = `${caller} ${frame}`;
    const place = frame === undefined ? caller : known.get(key) ?? calls.push([caller, frame]) - 1;
    if (frame !== undefined) known.set(key, place);
    places.push(place);
  }
  return {
    ...tree,
    calls,
    samples: tree.samples.map(([at, call, ...rest]): Sample => [at, places[call] ?? -1, ...rest]),
  };
}
