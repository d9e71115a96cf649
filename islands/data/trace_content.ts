import type { TraceContent } from "../../monitoring/models/trace/trace_content.ts";
import { client, LIVE } from "./queries.ts";
import { api } from "./api.ts";
import type { View } from "../shared/view.ts";
import { type Loaded, useRead } from "./use_read.ts";
import { useIsVisible } from "../shared/fragment.ts";

/**
 * What is stored of a trace, read again as it grows; the same object until then.
 *
 * @param view that shows it: nothing is read while another view is shown
 */
export function useTraceContent(traceId: string, view: View): Loaded<TraceContent> {
  const isVisible = useIsVisible(view);
  const key = [LIVE, "trace", traceId];
  return useRead(
    key,
    isVisible && (async () => {
      const known = client.getQueryData<{ value: TraceContent }>(key)?.value;
      const read = await api.trace(traceId);
      const isSame = known?.envelopes.join() === read.envelopes.join() &&
        known.replay_id === read.replay_id;
      return isSame ? known : read;
    }),
  );
}
