/** File names of the build's monitoring scripts; each is in one list. */
export interface MonitoringScripts {
  readonly telemetry: readonly string[];
  readonly recording: readonly string[];
  readonly worker: readonly string[];
  /** Uncompressed bytes of monitoring code in the scripts that the page loads first. */
  readonly firstBytes: number;
}

/** A finished request: the parts of `PerformanceResourceTiming` that are used. */
export interface LoadedResource {
  /** The address. */
  readonly name: string;
  /** Bytes over the network with headers; 0: from the cache. */
  readonly transferSize: number;
  /** Bytes of the compressed body. */
  readonly encodedBodySize: number;
  /** Milliseconds since navigation start. */
  readonly responseEnd: number;
}

/** Totals of several requests. */
export interface LoadSum {
  readonly requests: number;
  /** Bytes of the compressed bodies. */
  readonly bodyBytes: number;
  /** Bytes over the network with headers. */
  readonly networkBytes: number;
  /** Number of requests that the browser's cache answered. */
  readonly cached: number;
  /** End of the last one, milliseconds since navigation start; 0: no requests. */
  readonly endedAt: number;
}

/** A long animation frame (https://www.w3.org/TR/long-animation-frames/). */
export interface LongFrame {
  /** Milliseconds. */
  readonly duration: number;
  readonly scripts: readonly {
    /** Address of the script; empty: unknown. */
    readonly sourceURL: string;
    /** Milliseconds. */
    readonly duration: number;
  }[];
}

/** What the cost is computed from. */
interface CostInput {
  readonly scripts: MonitoringScripts;
  readonly resources: readonly LoadedResource[];
  /** Undefined: the browser does not report long frames. */
  readonly frames?: readonly LongFrame[];
  /** Where envelopes go: a path of this origin, or another text. */
  readonly route: string;
  readonly origin: string;
}

/** What monitoring, and the console that shows it, has cost this visit so far. */
export interface VisitCost {
  readonly telemetry: LoadSum;
  readonly recording: LoadSum;
  readonly worker: LoadSum;
  /** Responses to envelopes. */
  readonly responses: LoadSum;
  /** The console's requests to the inbox and the relay's health. */
  readonly console: LoadSum;
  /** All other scripts: of the page and its views. */
  readonly others: LoadSum;
  readonly longFrames?: {
    readonly count: number;
    /** Milliseconds in monitoring scripts that were loaded after the page. */
    readonly monitoringMs: number;
    /** Number of frames with such scripts. */
    readonly withMonitoring: number;
  };
}

type Part = Exclude<keyof VisitCost, "longFrames">;

/** Computes the cost of a visit. Requests to unknown addresses are not counted. */
export function computeVisitCost(
  { scripts, resources, frames, route, origin }: CostInput,
): VisitCost {
  const partOf = new Map<string, Part>();
  for (const part of ["telemetry", "recording", "worker"] as const) {
    for (const file of scripts[part]) partOf.set(`${origin}/assets/${file}`, part);
  }
  const parts = Map.groupBy(
    resources,
    ({ name, transferSize, encodedBodySize }): Part | undefined => {
      const script = partOf.get(name);
      // Browsers also report blocked and aborted requests, with no bytes.
      if (script) return transferSize + encodedBodySize > 0 ? script : undefined;
      if (name === `${origin}${route}`) return "responses";
      if (name.startsWith(`${origin}/monitoring/inbox`)) return "console";
      return name.startsWith(`${origin}/assets/`) ? "others" : undefined;
    },
  );
  const sum = (part: Part) => sumResources(parts.get(part) ?? []);

  const monitoringScripts = (frames ?? []).map((frame) =>
    frame.scripts.filter(({ sourceURL }) => partOf.has(sourceURL))
  ).filter(({ length }) => length > 0);
  return {
    telemetry: sum("telemetry"),
    recording: sum("recording"),
    worker: sum("worker"),
    responses: sum("responses"),
    console: sum("console"),
    others: sum("others"),
    ...(frames && {
      longFrames: {
        count: frames.length,
        monitoringMs: monitoringScripts.flat().reduce((ms, { duration }) => ms + duration, 0),
        withMonitoring: monitoringScripts.length,
      },
    }),
  };
}

function sumResources(resources: readonly LoadedResource[]): LoadSum {
  return {
    requests: resources.length,
    bodyBytes: resources.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
    networkBytes: resources.reduce((sum, { transferSize }) => sum + transferSize, 0),
    cached: resources.filter(isCached).length,
    endedAt: Math.max(0, ...resources.map(({ responseEnd }) => responseEnd)),
  };
}

const isCached = ({ transferSize, encodedBodySize }: LoadedResource) =>
  transferSize === 0 && encodedBodySize > 0;
