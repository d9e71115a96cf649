import "../shared/view_code.ts";
import { useFragment } from "../shared/fragment.ts";
import { PageVitals } from "./PageVitals.tsx";
import { TraceCompare } from "./TraceCompare.tsx";
import { TraceList } from "./TraceList.tsx";
import { TraceView } from "./TraceView.tsx";
import { useShownBefore } from "../shared/list_navigation.ts";

/** Any other text in the address does not identify a trace. */
const TRACE_ID = /^[\da-f]{32}$/;

/**
 * The view of traces: the list (`#/traces`), the web vitals of pages (`#/traces/vitals`), one trace (`#/traces/ID`),
 * the list to choose another one from (`#/traces/ID/compare`), or both (`#/traces/ID/compare/ID`).
 */
export default function ListOrTrace() {
  const { view, path: [id = "", word, other = ""] } = useFragment();
  const traceId = view === "traces" && TRACE_ID.test(id) ? id : undefined;
  const isList = traceId === undefined || (word === "compare" && !TRACE_ID.test(other));
  // A page that was loaded with a trace does not move the focus.
  const { returnFrom, wasListShown } = useShownBefore(traceId, isList);

  if (view === "traces" && id === "vitals") {
    return <PageVitals />;
  }
  if (traceId === undefined) return <TraceList returnFrom={returnFrom} />;
  if (isList) return <TraceList returnFrom={undefined} compareWith={traceId} />;
  if (word === "compare") {
    return (
      <TraceCompare
        key={`${traceId} ${other}`}
        ids={[traceId, other]}
        takesFocus={wasListShown}
      />
    );
  }
  return (
    <TraceView
      key={traceId}
      traceId={traceId}
      takesFocus={wasListShown}
    />
  );
}
