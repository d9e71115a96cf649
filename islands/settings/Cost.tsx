import { useEffect, useMemo, useState } from "react";
import { withBoundary } from "../shared/ErrorBoundary.tsx";
import { useTelemetry } from "../shared/telemetry.ts";
import { useFlow } from "../shared/use_flow.ts";
import { CostTables } from "./CostTables.tsx";
import {
  computeVisitCost,
  type LoadedResource,
  type LongFrame,
  type MonitoringScripts,
} from "./visit_cost.ts";
import { useLoaded } from "../shared/use_loaded.ts";

interface Props {
  /** {@linkcode MonitoringScripts} of the build as JSON; filled in when the server starts. */
  readonly scripts: string;
  /** Where the browser sends envelopes: a path, or "direct to the ingest". */
  readonly route: string;
}

/** What monitoring costs this visit. */
export const Cost = withBoundary("The cost of monitoring", VisitCost);

function VisitCost({ scripts: json, route }: Props) {
  const scripts = useMemo(() => JSON.parse(json) as MonitoringScripts, [json]);
  const measurements = useMeasurements();
  const telemetry = useTelemetry();
  const { sent } = useFlow();
  const cost = computeVisitCost({ ...measurements, scripts, route, origin: location.origin });
  const stored = { waiting: telemetry.waiting, bytes: useStoredBytes(telemetry.waiting) };
  return (
    <CostTables
      scripts={scripts}
      cost={cost}
      sent={sent}
      stored={stored}
      timing={telemetry}
    />
  );
}

/**
 * Bytes of this origin's databases, where envelopes are stored; undefined: not reported by this browser.
 *
 * @param waiting asks again when this changes
 */
function useStoredBytes(waiting: number): number | undefined {
  return useLoaded(async () => {
    // Not on insecure origins.
    const { usage, usageDetails }: Estimate = await navigator.storage?.estimate() ?? {};
    return usageDetails?.indexedDB ?? usage;
  }, [waiting]).value;
}

/** Chromium also reports parts. */
interface Estimate extends StorageEstimate {
  readonly usageDetails?: { readonly indexedDB?: number };
}

interface Measurements {
  readonly resources: readonly LoadedResource[];
  /** Undefined: this browser does not report long frames. */
  readonly frames?: readonly LongFrame[];
}

const FRAMES = "long-animation-frame";

/**
 * Requests and long frames since the page was opened, as far as the browser has kept them (by default 250 requests and
 * 200 frames).
 */
function useMeasurements(): Measurements {
  const [measurements, setMeasurements] = useState<Measurements>({ resources: [] });
  useEffect(() => {
    const reportsFrames = PerformanceObserver.supportedEntryTypes.includes(FRAMES);
    const resources: LoadedResource[] = [];
    const frames: LongFrame[] = [];
    const observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        if (entry.entryType === FRAMES) frames.push(entry as unknown as LongFrame);
        else resources.push(entry as PerformanceResourceTiming);
      }
      setMeasurements({
        resources: [...resources],
        ...(reportsFrames && { frames: [...frames] }),
      });
    });
    observer.observe({ type: "resource", buffered: true });
    if (reportsFrames) observer.observe({ type: FRAMES, buffered: true });
    return () => observer.disconnect();
  }, []);
  return measurements;
}
