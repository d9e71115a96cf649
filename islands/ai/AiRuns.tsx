import "../view_code.ts";
import { useFragment } from "../data/fragment.ts";
import { Split } from "../kit/Split.tsx";
import { RunList } from "./RunList.tsx";
import { RunSums } from "./RunSums.tsx";
import { RunView } from "./RunView.tsx";

/**
 * The view of AI runs: the list (`#/ai`), its sums (`?as=sums`), and the run of a span (`#/ai/TRACE/SPAN`), with a span
 * of it (`?span=ID`).
 */
export default function AiRuns() {
  const { path: [traceId, spanId], params } = useFragment();
  const isOpen = traceId !== undefined && /^[\da-f]{32}$/.test(traceId) && spanId !== undefined;
  const openKey = isOpen ? `${traceId}/${spanId}` : undefined;
  return (
    <Split
      look="needs-width"
      list={params.get("as") === "sums" ? <RunSums /> : <RunList openKey={openKey} />}
      detail={isOpen && <RunView key={openKey} traceId={traceId} spanId={spanId} />}
    />
  );
}
