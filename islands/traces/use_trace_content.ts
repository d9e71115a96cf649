import type { TraceContent } from "../../monitoring/models/trace/trace_content.ts";
import { client, LIVE } from "../data/queries.ts";
import { source } from "../data/source.ts";
import { type Loaded, useRead } from "../data/use_read.ts";
import { useIsVisible } from "../shared/fragment.ts";

/** What is stored of a trace, read again as it grows; the same object until then. */
export function useTraceContent(traceId: string): Loaded<TraceContent> {
  const isVisible = useIsVisible("traces");
  const key = [LIVE, "trace", traceId];
  return useRead(
    key,
    isVisible && (async () => {
      const known = client.getQueryData<{ value: TraceContent }>(key)?.value;
      const read = await source.trace(traceId);
      const isSame = known?.envelopes.join() === read.envelopes.join() &&
        known.replay_id === read.replay_id;
      return isSame ? known : read;
    }),
  );
}
