import { useEffect, useRef, useState } from "react";
import { ErrorBoundary } from "../shared/ErrorBoundary.tsx";
import { useFragment } from "../shared/fragment.ts";
import { useSource } from "../shared/use_source.ts";
import { useMounted } from "../shared/telemetry.ts";
import { TraceList } from "./list.tsx";
import { TraceView } from "./view.tsx";

/**
 * The traces: their list, or one of them.
 *
 * @param props.variant `inbox` or `relay`
 */
export default function Traces({ variant }: { variant: string }) {
  return (
    <ErrorBoundary what="The traces">
      <View variant={variant} />
    </ErrorBoundary>
  );
}

/** 32 hex digits; anything else in the address names no trace. */
const TRACE_ID = /^[\da-f]{32}$/;

function View({ variant }: { variant: string }) {
  const mounted = useMounted();
  const source = useSource(variant);
  const { view, path: [id = ""] } = useFragment();
  const traceId = view === "traces" && TRACE_ID.test(id) ? id : undefined;
  const last = useRef<string>(undefined);
  // A page that is opened with a trace leaves the focus where it is; a step into one takes it along.
  const [entered, setEntered] = useState(false);
  useEffect(() => {
    if (traceId === undefined) setEntered(true);
    else last.current = traceId;
  }, [traceId]);

  if (!mounted) return <p className="empty">Reading traces.</p>;
  if (traceId === undefined) return <TraceList source={source} from={last.current} />;
  return (
    <TraceView
      key={traceId}
      source={source}
      traceId={traceId}
      variant={variant}
      entered={entered}
    />
  );
}
