import { useEffect, useState } from "react";
import { readErrorEvent, type ReportedError } from "../../monitoring/models/error/error_event.ts";
import {
  createSourceFinder,
  type FoundFrame,
  type SourceFinder,
} from "../../monitoring/models/error/source_finder.ts";
import type { Frame } from "../../monitoring/models/error/stack.ts";
import type { ConsoleSource } from "../shared/source/source.ts";

/** An error event while it is loaded from its envelope. */
interface ErrorReading {
  readonly state: "loading" | "ready" | "failed" | "missing";
  readonly event?: ReportedError;
  /** Id of the envelope that contains `event`. */
  readonly envelope?: number;
  /** Why it failed, for the user. */
  readonly error?: string;
  retry(): void;
}

/**
 * Loads the error event of an envelope. While another one is loading, the previous one stays.
 *
 * @param eventId which event, if the envelope has several
 */
export function useErrorEvent(
  source: ConsoleSource | undefined,
  envelope: number | undefined,
  eventId: string | null,
): ErrorReading {
  const [reading, setReading] = useState<Omit<ErrorReading, "retry">>({ state: "loading" });
  const [tries, setTries] = useState(0);
  useEffect(() => {
    if (!source || envelope === undefined) return;
    let outdated = false;
    setReading(({ event, envelope }) => ({ state: "loading", event, envelope }));
    source.envelope(envelope).then((bytes) => {
      if (outdated) return;
      if (bytes === undefined) setReading({ state: "missing" });
      else setReading({ state: "ready", event: readErrorEvent(bytes, eventId), envelope });
    }).catch((error) => {
      if (!outdated) setReading({ state: "failed", error: messageOf(error) });
    });
    return () => {
      outdated = true;
    };
  }, [source, envelope, eventId, tries]);
  return { ...reading, retry: () => setTries((n) => n + 1) };
}

/** An error's stack traces, with source as far as source maps have it. */
export interface FoundStacks {
  readonly state: "loading" | "ready" | "failed";
  /** The frames of each exception; for an event without exceptions, of its one stack trace. */
  readonly stacks: readonly (readonly FoundFrame[])[];
  /** Why source maps could not be read, for the user. */
  readonly error?: string;
  retry(): void;
}

/**
 * Looks up an error's frames in source maps. Until they are loaded, the frames are as sent.
 *
 * @param event undefined: still loading
 * @param mapOrigins origins whose scripts may have a map by their address; undefined: not known yet
 */
export function useFoundStacks(
  source: ConsoleSource | undefined,
  event: ReportedError | undefined,
  mapOrigins: readonly string[] | undefined,
): FoundStacks {
  const [found, setFound] = useState<
    Omit<FoundStacks, "retry"> & { readonly event: ReportedError }
  >();
  const [tries, setTries] = useState(0);
  useEffect(() => {
    if (!source || !event || mapOrigins === undefined) return;
    let outdated = false;
    const finder = finderOf(source);
    const keys = mapKeys(event, mapOrigins);
    Promise.all(stacksOf(event).map((frames) => finder.find(frames, keys))).then(
      (stacks) => !outdated && setFound({ event, state: "ready", stacks }),
      (error) => {
        if (outdated) return;
        setFound({ event, state: "failed", stacks: stacksAsSent(event), error: messageOf(error) });
      },
    );
    return () => {
      outdated = true;
    };
  }, [source, event, mapOrigins, tries]);
  const retry = () => {
    // Its maps may have been replaced.
    if (source) finders.delete(source);
    setTries((n) => n + 1);
  };
  if (event && found?.event === event) return { ...found, retry };
  return { state: "loading", stacks: event ? stacksAsSent(event) : [], retry };
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
  return stacksOf(event).map((frames) => frames.map((frame) => ({ ...frame, script: null })));
}

/** One finder for each source, so that all errors share the loaded source maps. */
const finders = new WeakMap<ConsoleSource, SourceFinder>();

function finderOf(source: ConsoleSource): SourceFinder {
  const known = finders.get(source);
  if (known) return known;
  const finder = createSourceFinder((debugId) => source.sourceMap(debugId));
  finders.set(source, finder);
  return finder;
}

/** The message of anything thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
