import { useEffect, useRef, useState } from "react";
import { ErrorBoundary } from "../shared/ErrorBoundary.tsx";
import { useFragment } from "../shared/fragment.ts";
import { useSource } from "../shared/use_source.ts";
import { useMounted } from "../shared/telemetry.ts";
import { TraceList } from "./TraceList.tsx";
import { TraceView } from "./TraceView.tsx";

/**
 * The view of traces: the list (`#/traces`) or one trace (`#/traces/ID`).
 *
 * @param props.variant `inbox` or `relay`
 */
export default function Traces({ variant }: { variant: string }) {
  return (
    <ErrorBoundary what="The traces view">
      <ListOrTrace variant={variant} />
    </ErrorBoundary>
  );
}

/** Any other text in the address does not identify a trace. */
const TRACE_ID = /^[\da-f]{32}$/;

function ListOrTrace({ variant }: { variant: string }) {
  const mounted = useMounted();
  const source = useSource(variant);
  const { view, path: [id = ""] } = useFragment();
  const traceId = view === "traces" && TRACE_ID.test(id) ? id : undefined;
  const lastTraceId = useRef<string>(undefined);
  // A trace that is opened from the list takes the focus. A page that was loaded with a trace does not move it.
  const [wasListShown, setWasListShown] = useState(false);
  useEffect(() => {
    if (traceId === undefined) setWasListShown(true);
    else lastTraceId.current = traceId;
  }, [traceId]);

  if (!mounted) return <p className="empty">Loading traces.</p>;
  if (traceId === undefined) return <TraceList source={source} returnFrom={lastTraceId.current} />;
  return (
    <TraceView
      key={traceId}
      source={source}
      traceId={traceId}
      variant={variant}
      takesFocus={wasListShown}
    />
  );
}
