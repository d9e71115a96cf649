/** File names of the build's monitoring scripts; each is in one list. */
export interface MonitoringScripts {
  readonly telemetry: readonly string[];
  readonly recording: readonly string[];
  readonly worker: readonly string[];
  /** Uncompressed bytes of monitoring code in the scripts that the page loads first. */
  readonly firstBytes: number;
}

export type LoadedResource = Pick<
  PerformanceResourceTiming,
  "name" | "transferSize" | "encodedBodySize"
>;

/** A long animation frame (https://www.w3.org/TR/long-animation-frames/). */
export interface LongFrame {
  readonly scripts: readonly {
    /** Address of the script; empty: unknown. */
    readonly sourceURL: string;
    /** Milliseconds. */
    readonly duration: number;
  }[];
}

/** What the scripts of monitoring have cost this page so far. */
export interface PageCost {
  readonly files: number;
  /** Files that the browser's cache answered. */
  readonly cached: number;
  /** Bytes over the network with headers. */
  readonly networkBytes: number;
  /** Long frames with monitoring scripts that were loaded after the page. */
  readonly frames: number;
  /** Milliseconds of these scripts in them. */
  readonly frameMs: number;
}

export const NO_COST: PageCost = { files: 0, cached: 0, networkBytes: 0, frames: 0, frameMs: 0 };

/**
 * Adds what the browser has measured.
 *
 * @param scripts addresses of monitoring's scripts
 * @returns `before` if nothing of it is of monitoring
 */
export function addCost(
  before: PageCost,
  scripts: ReadonlySet<string>,
  { resources = [], frames = [] }: {
    readonly resources?: readonly LoadedResource[];
    readonly frames?: readonly LongFrame[];
  },
): PageCost {
  const loaded = resources.filter(({ name, transferSize, encodedBodySize }) =>
    // Browsers also report blocked and aborted requests, with no bytes.
    scripts.has(name) && transferSize + encodedBodySize > 0
  );
  const found = frames
    .map((frame) => frame.scripts.filter(({ sourceURL }) => scripts.has(sourceURL)))
    .filter(({ length }) => length > 0);
  if (loaded.length + found.length === 0) return before;
  return {
    files: before.files + loaded.length,
    cached: before.cached + loaded.filter(({ transferSize }) => transferSize === 0).length,
    networkBytes: loaded.reduce((sum, { transferSize }) => sum + transferSize, before.networkBytes),
    frames: before.frames + found.length,
    frameMs: found.flat().reduce((sum, { duration }) => sum + duration, before.frameMs),
  };
}
