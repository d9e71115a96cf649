import { type LoadedResource, type LoadSum, type MonitoringScripts, sumOf } from "./scripts.ts";

/** Of a long animation frame, what one script had of it (https://www.w3.org/TR/long-animation-frames/). */
export interface FrameScript {
  /** Where the script came from; empty: not told. */
  readonly sourceURL: string;
  /** Milliseconds. */
  readonly duration: number;
}

export interface LongFrame {
  /** Milliseconds. */
  readonly duration: number;
  readonly scripts: readonly FrameScript[];
}

export interface Measured {
  readonly scripts: MonitoringScripts;
  readonly resources: readonly LoadedResource[];
  /** Undefined: this browser does not tell of them. */
  readonly frames?: readonly LongFrame[];
  /** Where envelopes go: a path of this origin, or anything else. */
  readonly route: string;
  readonly origin: string;
}

/** What monitoring has cost a visit so far, and what the console that shows it has. */
export interface VisitCost {
  readonly telemetry: LoadSum;
  readonly recording: LoadSum;
  readonly worker: LoadSum;
  /** Answers to envelopes. */
  readonly answers: LoadSum;
  /** What this console asked of the inbox and of the relay's health. */
  readonly console: LoadSum;
  /** All other scripts: those of the page and of its views. */
  readonly others: LoadSum;
  readonly longFrames?: {
    readonly count: number;
    /** Milliseconds of them in scripts of monitoring, loaded after the page. */
    readonly ofMonitoringMs: number;
    /** In how many of them these took part. */
    readonly withMonitoring: number;
  };
}

type Part = Exclude<keyof VisitCost, "longFrames">;

/** Adds up a visit. An address that belongs to nobody here is the page's own affair and not counted. */
export function visitCost({ scripts, resources, frames, route, origin }: Measured): VisitCost {
  const partOf = new Map<string, Part>();
  for (const part of ["telemetry", "recording", "worker"] as const) {
    for (const file of scripts[part]) partOf.set(`${origin}/assets/${file}`, part);
  }
  const parts = Map.groupBy(
    resources,
    ({ name, transferSize, encodedBodySize }): Part | undefined => {
      const known = partOf.get(name);
      // Blocked, or broken off: a browser tells of it too, with nothing in it.
      if (known) return transferSize + encodedBodySize > 0 ? known : undefined;
      if (name === `${origin}${route}`) return "answers";
      if (name.startsWith(`${origin}/monitoring/inbox`)) return "console";
      return name.startsWith(`${origin}/assets/`) ? "others" : undefined;
    },
  );
  const sum = (part: Part) => sumOf(parts.get(part) ?? []);

  const ofMonitoring = (frames ?? []).map((frame) =>
    frame.scripts.filter(({ sourceURL }) => partOf.has(sourceURL))
  ).filter(({ length }) => length > 0);
  return {
    telemetry: sum("telemetry"),
    recording: sum("recording"),
    worker: sum("worker"),
    answers: sum("answers"),
    console: sum("console"),
    others: sum("others"),
    ...(frames && {
      longFrames: {
        count: frames.length,
        ofMonitoringMs: ofMonitoring.flat().reduce((ms, { duration }) => ms + duration, 0),
        withMonitoring: ofMonitoring.length,
      },
    }),
  };
}
