import { useEffect, useState } from "react";
import type { LoadedResource } from "./scripts.ts";
import type { LongFrame } from "./visit_cost.ts";

/** What the browser has measured of this page since it was opened. */
export interface Measurements {
  readonly resources: readonly LoadedResource[];
  /** Undefined: this browser does not tell of long frames. */
  readonly frames?: readonly LongFrame[];
}

const FRAMES = "long-animation-frame";

/**
 * Finished requests and long frames, those from before too, as far as the browser has kept them (by
 * default 250 requests and 200 frames). The browser itself says when there is more: nothing polls.
 */
export function useMeasurements(): Measurements {
  const [measured, setMeasured] = useState<Measurements>({ resources: [] });
  useEffect(() => {
    const tellsFrames = PerformanceObserver.supportedEntryTypes.includes(FRAMES);
    const resources: LoadedResource[] = [];
    const frames: LongFrame[] = [];
    const observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        if (entry.entryType === FRAMES) frames.push(entry as unknown as LongFrame);
        else resources.push(entry as PerformanceResourceTiming);
      }
      setMeasured({
        resources: [...resources],
        ...(tellsFrames && { frames: [...frames] }),
      });
    });
    observer.observe({ type: "resource", buffered: true });
    if (tellsFrames) observer.observe({ type: FRAMES, buffered: true });
    return () => observer.disconnect();
  }, []);
  return measured;
}
