import { useEffect, useMemo, useState } from "react";
import { formatBytes, formatCount, formatDuration } from "../../components/format.ts";
import { type Column, Table } from "../kit/Table.tsx";
import { useRead } from "../data/use_read.ts";
import { useTelemetry } from "../data/telemetry.ts";
import { useSentCounts } from "../data/use_sent_counts.ts";
import { addCost, type LongFrame, type MonitoringScripts, NO_COST } from "./page_cost.ts";

/**
 * What monitoring has cost this page so far: bytes, requests, main-thread time.
 *
 * @param props.scripts {@linkcode MonitoringScripts} of the build as JSON; filled in when the server starts
 */
export function Cost({ scripts: json }: { readonly scripts: string }) {
  const scripts = useMemo(() => JSON.parse(json) as MonitoringScripts, [json]);
  const cost = useMeasuredCost(scripts);
  const { waiting, started, recorderStarted, serialisingMs = 0 } = useTelemetry();
  const { bytes, requests } = useSentCounts();
  const stored = useStoredBytes(waiting);
  const startMs = (started?.ms ?? 0) + (recorderStarted?.ms ?? 0);
  const rows: readonly Row[] = [
    [
      "Scripts of monitoring",
      formatBytes(cost.networkBytes),
      `${formatCount(cost.files, "file")}, ${cost.cached} of them from the browser cache`,
    ],
    [
      "In the page’s first scripts",
      formatBytes(scripts.firstBytes),
      "before compression, in shared files",
    ],
    [
      "Envelopes sent",
      formatBytes(bytes),
      `in ${formatCount(requests, "request")}, without headers`,
    ],
    [
      "Stored in this browser",
      stored === undefined ? "–" : formatBytes(stored),
      `${formatCount(waiting, "waiting envelope")}; includes what the browser has not freed yet`,
    ],
    [
      "Starting, and storing envelopes",
      formatDuration(startMs + serialisingMs),
      `${formatDuration(startMs)} to start telemetry and the recorder, the rest to serialise and ` +
      "store envelopes",
    ],
    [
      "Part of long frames",
      REPORTS_FRAMES ? formatDuration(cost.frameMs) : "–",
      REPORTS_FRAMES
        ? `in ${formatCount(cost.frames, "frame")} over 50\u00a0ms; with the evaluation of scripts`
        : "not reported by this browser",
    ],
  ];
  return (
    <Table
      className="cost"
      caption="Cost of monitoring"
      columns={COLUMNS}
      hidesHeads
      rows={rows}
      keyOf={([part]) => part}
    />
  );
}

type Row = readonly [part: string, value: string, note: string];

const COLUMNS: readonly Column<Row>[] = [
  { title: "Part", isHead: true, cell: ([part]) => part },
  { title: "Cost", numeric: true, cell: ([, value]) => value },
  { title: "Note", className: "note", cell: ([, , note]) => note },
];

/**
 * Bytes of this origin's databases, where envelopes are stored; undefined: not reported by this browser.
 *
 * @param waiting asks again when this changes
 */
function useStoredBytes(waiting: number): number | undefined {
  const read = async () => {
    // Not on insecure origins.
    const { usage, usageDetails }: Estimate = await navigator.storage?.estimate() ?? {};
    return usageDetails?.indexedDB ?? usage;
  };
  return useRead(["stored bytes", waiting], read, 0).value;
}

/** Chromium also reports parts. */
interface Estimate extends StorageEstimate {
  readonly usageDetails?: { readonly indexedDB?: number };
}

const FRAMES = "long-animation-frame";
const REPORTS_FRAMES = globalThis.PerformanceObserver?.supportedEntryTypes.includes(FRAMES);

/**
 * The cost since the page was opened, as far as the browser has kept it (by default 250 requests and 200 frames).
 * Renders only what is of monitoring: on a slow machine rendering is a long frame itself.
 */
function useMeasuredCost({ telemetry, recording, worker }: MonitoringScripts) {
  const [cost, setCost] = useState(NO_COST);
  useEffect(() => {
    const files = [...telemetry, ...recording, ...worker];
    const addresses = new Set(files.map((file) => `${location.origin}/assets/${file}`));
    const observer = new PerformanceObserver((list) => {
      const entries = Object.groupBy(list.getEntries(), ({ entryType }) => entryType);
      const resources = entries.resource as PerformanceResourceTiming[] | undefined ?? [];
      const frames = entries[FRAMES] as unknown as LongFrame[] | undefined ?? [];
      setCost((before) => addCost(before, addresses, { resources, frames }));
    });
    observer.observe({ type: "resource", buffered: true });
    if (REPORTS_FRAMES) observer.observe({ type: FRAMES, buffered: true });
    return () => observer.disconnect();
  }, []);
  return cost;
}
