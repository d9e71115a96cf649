import { readErrorEvent, type ReportedError } from "../../monitoring/models/error/error_event.ts";
import {
  createSourceFinder,
  type FoundFrame,
  type SourceFinder,
} from "../../monitoring/models/error/source_finder.ts";
import type { Frame } from "../../monitoring/models/error/stack.ts";
import { useRead } from "../data/use_read.ts";
import { source } from "../data/source.ts";

/** An error event while it is loaded from its envelope. */
interface ErrorReading {
  readonly state: "loading" | "ready" | "failed" | "missing";
  readonly event?: ReportedError | undefined;
  /** Id of the envelope that contains `event`. */
  readonly envelope?: number | undefined;
  /** Why it failed, for display. */
  readonly error?: string | undefined;
  retry(): void;
}

/**
 * Loads the error event of an envelope. While another one is loading, the previous one stays.
 *
 * @param eventId which event, if the envelope has several
 */
export function useErrorEvent(
  envelope: number | undefined,
  eventId: string | null,
): ErrorReading {
  const read = envelope !== undefined && (async () => {
    const bytes = await source.envelope(envelope);
    return bytes && { event: readErrorEvent(bytes, eventId), envelope };
  });
  const { state, value, ...rest } = useRead(["error", envelope, eventId], read);
  if (state === "failed") return { state, ...rest };
  return { state: state === "ready" && !value ? "missing" : state, ...value, ...rest };
}

/** An error's stack traces, with source as far as source maps have it. */
export interface FoundStacks {
  readonly state: "loading" | "ready" | "failed";
  /** The frames of each exception; for an event without exceptions, of its one stack trace. */
  readonly stacks: readonly (readonly FoundFrame[])[];
  /** Why source maps could not be read, for display. */
  readonly error?: string | undefined;
  retry(): void;
}

/**
 * Looks up an error's frames in source maps. Until they are loaded, the frames are as sent.
 *
 * @param event undefined: still loading
 * @param mapOrigins origins whose scripts may have a map by their address; undefined: not known yet
 */
export function useFoundStacks(
  event: ReportedError | undefined,
  mapOrigins: readonly string[] | undefined,
): FoundStacks {
  const find = event !== undefined && mapOrigins !== undefined && (async () => {
    const finder = finderOf();
    const keys = mapKeys(event, mapOrigins);
    const frames = stacksOf(event).map((frames) => finder.find(frames, keys));
    return { event, stacks: await Promise.all(frames) };
  });
  const { state, value, error, retry } = useRead(
    ["stacks", event?.event_id, event?.at, mapOrigins],
    find,
  );
  const found = value?.event === event ? value?.stacks : undefined;
  return {
    state: state === "ready" && !found ? "loading" : state,
    stacks: found ?? (event ? stacksAsSent(event) : []),
    error,
    retry() {
      // Its maps may have been replaced.
      finder = undefined;
      retry();
    },
  };
}

/** What finds the source map of each script: its debug id, else its address. */
function mapKeys(event: ReportedError, origins: readonly string[]): ReadonlyMap<string, string> {
  const keys = new Map(event.debugIds);
  for (const { file } of stacksOf(event).flat()) {
    if (file === null || keys.has(file)) continue;
    const url = URL.parse(file);
    if (url && origins.includes(url.origin)) keys.set(file, url.origin + url.pathname + url.search);
  }
  return keys;
}

function stacksOf({ exceptions, stack }: ReportedError): readonly (readonly Frame[])[] {
  return exceptions.shown.length > 0
    ? exceptions.shown.map(({ stack }) => stack.shown)
    : [stack.shown];
}

function stacksAsSent(event: ReportedError): readonly (readonly FoundFrame[])[] {
  return stacksOf(event).map((frames) =>
    frames.map((frame) => ({ ...frame, script: null, hasMap: false }))
  );
}

/** All errors share the loaded source maps. */
let finder: SourceFinder | undefined;

function finderOf(): SourceFinder {
  return finder ??= createSourceFinder((debugId) => source.sourceMap(debugId));
}
