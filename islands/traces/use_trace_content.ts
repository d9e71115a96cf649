import { startTransition, useEffect, useState } from "react";
import { useIsVisible } from "../shared/fragment.ts";
import { LOADING, type TraceContent, TraceReader } from "../shared/trace_reader.ts";
import { usePausedState, useSourceState } from "../data/queries.ts";

/**
 * Reads the envelopes of a trace, and reads again when envelopes arrive. Each envelope is read once.
 *
 * @returns the content, and `retry`, which reads again after a failure
 */
export function useTraceContent(
  traceId: string,
): TraceContent & { retry(): void } {
  const { version } = useSourceState();
  const paused = usePausedState();
  const isShown = useIsVisible("traces");
  const [reader, setReader] = useState<TraceReader>();
  const [content, setContent] = useState(LOADING);
  const [attempts, setAttempts] = useState(0);
  const wantedVersion = paused?.version ?? version;

  useEffect(() => {
    setContent(LOADING);
    const reader = new TraceReader(traceId);
    setReader(reader);
    return () => reader.close();
  }, [traceId]);

  useEffect(() => {
    if (!reader || !isShown) return;
    reader.read().then(
      (read) => {
        if (reader.isClosed) return;
        // Rendering a large trace takes longer than a frame: an update must not delay scrolling.
        if (content.state === "ready") startTransition(() => setContent(read));
        else setContent(read);
      },
      (error) => {
        if (reader.isClosed) return;
        setContent((before) => ({ ...before, state: "failed", error: error.message }));
      },
    );
  }, [reader, isShown, wantedVersion, attempts]);

  return { ...content, retry: () => setAttempts((n) => n + 1) };
}
