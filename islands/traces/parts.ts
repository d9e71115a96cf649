import { startTransition, useEffect, useState } from "react";
import type { ConsoleSource } from "../shared/source/source.ts";
import { usePausedState, useSourceState } from "../shared/use_source.ts";
import { useIsVisible } from "../shared/fragment.ts";
import { type FoundParts, nothingFound, TraceReader } from "./trace_reader.ts";

/** Reads a trace's envelopes, and those that come later; each once. */
export function useTraceParts(
  source: ConsoleSource | undefined,
  traceId: string,
): FoundParts & { retry(): void } {
  const { version } = useSourceState(source);
  const held = usePausedState();
  const shown = useIsVisible("traces");
  const [reader, setReader] = useState<TraceReader>();
  const [found, setFound] = useState(nothingFound);
  const [tries, setTries] = useState(0);
  const wanted = held?.version ?? version;

  useEffect(() => {
    if (!source) return;
    setFound(nothingFound);
    const reader = new TraceReader(source, traceId);
    setReader(reader);
    return () => reader.close();
  }, [source, traceId]);

  useEffect(() => {
    if (!reader || !shown) return;
    // What was asked for before more came is worth showing all the same.
    reader.read().then(
      (read) => {
        if (reader.closed) return;
        // What comes later is not drawn before what a person is doing: a large trace takes longer than a step of
        // scrolling may.
        if (found.state === "ready") startTransition(() => setFound(read));
        else setFound(read);
      },
      (error) =>
        reader.closed ||
        setFound((before) => ({ ...before, state: "failed", error: error.message })),
    );
  }, [reader, shown, wanted, tries]);

  return { ...found, retry: () => setTries((n) => n + 1) };
}
