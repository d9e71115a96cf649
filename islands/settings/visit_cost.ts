/** File names of the build's monitoring scripts; each is in one list. */
export interface MonitoringScripts {
  readonly telemetry: readonly string[];
  readonly recording: readonly string[];
  readonly worker: readonly string[];
  /** Uncompressed bytes of monitoring code in the scripts that the page loads first. */
  readonly firstBytes: number;
}

/** A finished request. */
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

/** What requests belong to. `responses`: to envelopes; `console`: its requests to the inbox; `others`: other scripts. */
type Part = "telemetry" | "recording" | "worker" | "responses" | "console" | "others";

/** Totals of several requests. */
export interface LoadSum {
  readonly requests: number;
  /** Number of requests that the browser's cache answered. */
  readonly cached: number;
  /** Bytes of the compressed bodies. */
  readonly bodyBytes: number;
  /** Bytes over the network with headers. */
  readonly networkBytes: number;
}

/** What monitoring, and the console that shows it, has cost this visit so far. */
export interface VisitCost extends Readonly<Record<Part, LoadSum>> {
  /** Long frames, those of them with monitoring scripts that were loaded after the page, and milliseconds in these. */
  readonly longFrames: {
    readonly count: number;
    readonly withMonitoring: number;
    readonly monitoringMs: number;
  };
}

/**
 * Computes the cost of a visit. Requests to unknown addresses are not counted.
 *
 * @param input.route where envelopes go: a path of this origin, or another text
 */
export function computeVisitCost({ scripts, resources, frames, route, origin }: {
  readonly scripts: MonitoringScripts;
  readonly resources: readonly LoadedResource[];
  readonly frames: readonly LongFrame[];
  readonly route: string;
  readonly origin: string;
}): VisitCost {
  const scriptParts = new Map<string, Part>(
    (["telemetry", "recording", "worker"] as const).flatMap((part) =>
      scripts[part].map((file) => [`${origin}/assets/${file}`, part] as const)
    ),
  );
  const partOf = ({ name, transferSize, encodedBodySize }: LoadedResource): Part | undefined => {
    const script = scriptParts.get(name);
    // Browsers also report blocked and aborted requests, with no bytes.
    if (script) return transferSize + encodedBodySize > 0 ? script : undefined;
    if (name === `${origin}${route}`) return "responses";
    if (name.startsWith(`${origin}/monitoring/inbox`)) return "console";
    return name.startsWith(`${origin}/assets/`) ? "others" : undefined;
  };
  const parts = Map.groupBy(resources, partOf);
  const sum = (part: Part) => sumResources(parts.get(part) ?? []);
  const monitoring = frames.map((frame) =>
    frame.scripts.filter(({ sourceURL }) => scriptParts.has(sourceURL))
  ).filter(({ length }) => length > 0);
  return {
    telemetry: sum("telemetry"),
    recording: sum("recording"),
    worker: sum("worker"),
    responses: sum("responses"),
    console: sum("console"),
    others: sum("others"),
    longFrames: {
      count: frames.length,
      withMonitoring: monitoring.length,
      monitoringMs: monitoring.flat().reduce((ms, { duration }) => ms + duration, 0),
    },
  };
}

const sumResources = (resources: readonly LoadedResource[]): LoadSum => ({
  requests: resources.length,
  cached: resources.filter((one) => one.transferSize === 0 && one.encodedBodySize > 0).length,
  bodyBytes: resources.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
  networkBytes: resources.reduce((sum, { transferSize }) => sum + transferSize, 0),
});
