import { useEffect, useState } from "react";
import { type ErrorEvent, readErrorEvent } from "../../monitoring/models/error/error_event.ts";
import type { ConsoleSource } from "../shared/source/source.ts";
import type { FoundFrame } from "../../monitoring/models/error/source_finder.ts";
import type { Frame } from "../../monitoring/models/error/stack.ts";
import { finderOf } from "./finder.ts";

/** An error as it is being read. */
export interface ErrorReading {
  readonly state: "loading" | "ready" | "failed" | "gone";
  readonly event?: ErrorEvent;
  /** The envelope that `event` came in. */
  readonly of?: number;
  /** Why it failed, made to be shown. */
  readonly error?: string;
  retry(): void;
}

/**
 * The error of an envelope. The last one stays until the next has been read.
 *
 * @param eventId which one, where the envelope holds several
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
    let late = false;
    setReading(({ event, of }) => ({ state: "loading", event, of }));
    source.envelope(envelope).then((bytes) => {
      if (late) return;
      if (bytes === undefined) setReading({ state: "gone" });
      else setReading({ state: "ready", event: readErrorEvent(bytes, eventId), of: envelope });
    }).catch((error) => {
      if (!late) setReading({ state: "failed", error: sentenceOf(error) });
    });
    return () => {
      late = true;
    };
  }, [source, envelope, eventId, tries]);
  return { ...reading, retry: () => setTries((n) => n + 1) };
}

/** An error's stacks as far as their sources were found. */
export interface FoundStacks {
  readonly state: "looking" | "ready" | "failed";
  /** For each exception its frames; for an event without exceptions the one stack that it has. */
  readonly stacks: readonly (readonly FoundFrame[])[];
  /** Why sources could not be looked up, made to be shown. */
  readonly error?: string;
  retry(): void;
}

/** Looks up an error's frames in source maps; until they are found they stand as they were sent. */
export function useFoundStacks(source: ConsoleSource | undefined, event: ErrorEvent): FoundStacks {
  const [found, setFound] = useState<Omit<FoundStacks, "retry"> & { readonly of: ErrorEvent }>();
  const [tries, setTries] = useState(0);
  useEffect(() => {
    if (!source) return;
    let late = false;
    const finder = finderOf(source);
    Promise.all(stacksOf(event).map((frames) => finder.find(frames, event.debugIds))).then(
      (stacks) => !late && setFound({ of: event, state: "ready", stacks }),
      (error) => {
        if (late) return;
        setFound({ of: event, state: "failed", stacks: asSent(event), error: sentenceOf(error) });
      },
    );
    return () => {
      late = true;
    };
  }, [source, event, tries]);
  const retry = () => setTries((n) => n + 1);
  if (found?.of !== event) return { state: "looking", stacks: asSent(event), retry };
  return { ...found, retry };
}

function stacksOf({ exceptions, stack }: ErrorEvent): readonly (readonly Frame[])[] {
  return exceptions.shown.length > 0
    ? exceptions.shown.map(({ stack }) => stack.shown)
    : [stack.shown];
}

function asSent(event: ErrorEvent): readonly (readonly FoundFrame[])[] {
  return stacksOf(event).map((frames) => frames.map((frame) => ({ ...frame, script: null })));
}

function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
