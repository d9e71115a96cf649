import { type ReactNode, useEffect, useMemo, useState } from "react";
import { DataTable } from "../../components/DataTable.tsx";
import {
  formatBytes,
  formatCount,
  formatDuration,
  formatFineDuration,
} from "../../components/format.ts";
import { useRead } from "../data/use_read.ts";
import { withBoundary } from "../shared/ErrorBoundary.tsx";
import { useTelemetry } from "../shared/telemetry.ts";
import { useFlow } from "../shared/use_flow.ts";
import {
  computeVisitCost,
  type LoadedResource,
  type LoadSum,
  type LongFrame,
  type MonitoringScripts,
} from "./visit_cost.ts";

interface Props {
  /** {@linkcode MonitoringScripts} of the build as JSON; filled in when the server starts. */
  readonly scripts: string;
  /** Where the browser sends envelopes: a path, or "direct to the ingest". */
  readonly route: string;
}

/** What monitoring costs this visit: bytes, requests, main-thread time. */
export const Cost = withBoundary("The cost of monitoring", VisitCost);

function VisitCost({ scripts: json, route }: Props) {
  const scripts = useMemo(() => JSON.parse(json) as MonitoringScripts, [json]);
  const measured = useMeasurements();
  const { waiting, started, recorderStarted, serialisingMs } = useTelemetry();
  const { sent } = useFlow();
  const storedBytes = useStoredBytes(waiting);
  const cost = computeVisitCost({ ...measured, scripts, route, origin: location.origin });
  const { telemetry, recording, worker, responses, others, longFrames } = cost;
  const loaded = [telemetry, recording, worker, responses]
    .reduce((sum, { networkBytes }) => sum + networkBytes, 0);
  return (
    <>
      <CostTable
        caption="Network: monitoring"
        rows={[
          ["Telemetry", ...loadCells(telemetry, "file", "; OpenTelemetry and the Sentry client")],
          ["Recorder", ...loadCells(recording)],
          ["Recorder worker", ...loadCells(worker)],
          [
            "In the page’s first scripts",
            formatBytes(scripts.firstBytes),
            "before compression, in shared files",
          ],
          [
            "Envelopes sent",
            formatBytes(sent.bytes),
            `${formatCount(sent.envelopes, "envelope")} in ${
              formatCount(sent.requests, "request")
            }, without headers; ${formatBytes(sent.uncompressedBytes)} before compression`,
          ],
          ["Responses to them", formatBytes(responses.networkBytes), "with headers"],
          [
            "Received and sent in total",
            <b key="total">{formatBytes(loaded + sent.bytes)}</b>,
            "without the first scripts",
          ],
        ]}
      />
      <CostTable
        caption="Storage: monitoring"
        rows={[[
          "Stored in this browser",
          storedBytes === undefined ? "–" : formatBytes(storedBytes),
          storedBytes === undefined
            ? NOT_REPORTED
            : `${
              formatCount(waiting, "waiting envelope")
            }; includes what the browser has not freed yet`,
        ]]}
      />
      <CostTable
        caption="Main-thread time: monitoring"
        rows={[
          ["Starting telemetry", durationText(started?.ms)],
          ["Starting the recorder", durationText(recorderStarted?.ms)],
          [
            "Serialising and storing envelopes",
            durationText(serialisingMs),
            serialisingMs !== undefined && sent.envelopes > 0 &&
            `${formatFineDuration(serialisingMs / sent.envelopes)} for each envelope`,
          ],
          [
            "Part of long frames",
            REPORTS_FRAMES ? formatDuration(longFrames.monitoringMs) : "–",
            REPORTS_FRAMES
              ? `in ${longFrames.withMonitoring} of ${
                formatCount(longFrames.count, "frame")
              } over 50\u00a0ms; with the evaluation of scripts`
              : NOT_REPORTED,
          ],
        ]}
      />
      <CostTable
        caption="For comparison: not monitoring"
        rows={[
          ["Scripts of the page and its views", ...loadCells(others)],
          ["Requests of this console", ...loadCells(cost.console, "request")],
        ]}
      />
    </>
  );
}

const NOT_REPORTED = "not reported by this browser";

const COLUMNS = [{ title: "Part" }, { title: "Cost" }, { title: "Note" }];

function CostTable({ caption, rows }: {
  caption: string;
  rows: readonly (readonly [part: string, value: ReactNode, note?: ReactNode])[];
}) {
  return (
    <DataTable className="cost" caption={caption} columns={COLUMNS} visible="caption">
      {rows.map(([part, value, note]) => (
        <tr key={part} className="entry">
          <th scope="row">{part}</th>
          <td className="n">{value}</td>
          <td className="note">{note}</td>
        </tr>
      ))}
    </DataTable>
  );
}

/** Value and note of files, or of other requests. */
function loadCells(load: LoadSum, noun = "file", more = ""): readonly [string, string] {
  const { requests, cached, networkBytes, bodyBytes } = load;
  if (requests === 0) return ["–", "not loaded"];
  const from = cached === requests
    ? `, ${formatBytes(bodyBytes)} from the browser cache`
    : cached > 0
    ? `, ${cached} of them from the browser cache`
    : "";
  return [formatBytes(networkBytes), formatCount(requests, noun) + from + more];
}

/** @param ms undefined: not measured yet */
function durationText(ms: number | undefined): string {
  if (ms === undefined) return "–";
  return ms === 0 ? "<0.1\u00a0ms" : formatDuration(ms);
}

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
 * Requests and long frames since the page was opened, as far as the browser has kept them (by default 250 requests and
 * 200 frames).
 */
function useMeasurements() {
  const [measured, setMeasured] = useState<{
    readonly resources: readonly LoadedResource[];
    readonly frames: readonly LongFrame[];
  }>({ resources: [], frames: [] });
  useEffect(() => {
    const observer = new PerformanceObserver((list) => {
      const entries = Object.groupBy(list.getEntries(), ({ entryType }) => entryType);
      setMeasured(({ resources, frames }) => ({
        resources: [...resources, ...entries.resource as PerformanceResourceTiming[] ?? []],
        frames: [...frames, ...entries[FRAMES] as unknown as LongFrame[] ?? []],
      }));
    });
    observer.observe({ type: "resource", buffered: true });
    if (REPORTS_FRAMES) observer.observe({ type: FRAMES, buffered: true });
    return () => observer.disconnect();
  }, []);
  return measured;
}
