import "../view_code.ts";
import { useFragment } from "../data/fragment.ts";
import { PageVitals } from "./PageVitals.tsx";
import { TraceCompare } from "./TraceCompare.tsx";
import { TraceList } from "./TraceList.tsx";
import { TraceView } from "./TraceView.tsx";
import { Split } from "../kit/Split.tsx";

/** Any other text in the address does not identify a trace. */
const TRACE_ID = /^[\da-f]{32}$/;

/**
 * The view of traces: the list (`#/traces`), the web vitals of pages (`#/traces/vitals`), one trace (`#/traces/ID`),
 * the list to choose another one from (`#/traces/ID/compare`), or both (`#/traces/ID/compare/ID`).
 */
export default function ListOrTrace() {
  const { view, path: [id = "", word, other = ""] } = useFragment();
  const traceId = view === "traces" && TRACE_ID.test(id) ? id : undefined;
  const isComparing = word === "compare";
  const isOther = TRACE_ID.test(other);

  if (view === "traces" && id === "vitals") return <PageVitals />;
  if (traceId !== undefined && isComparing && !isOther) return <TraceList compareWith={traceId} />;
  return (
    <Split
      look="needs-width"
      list={<TraceList openKey={traceId} />}
      detail={traceId && (isComparing
        ? (
          <TraceCompare
            key={`${traceId} ${other}`}
            ids={[traceId, other]}
          />
        )
        : <TraceView key={traceId} traceId={traceId} />)}
    />
  );
}
