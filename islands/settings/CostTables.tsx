import type { ReactNode } from "react";
import { DataTable } from "../../components/DataTable.tsx";
import {
  formatBytes,
  formatCount,
  formatDuration,
  formatFineDuration,
} from "../../components/format.ts";
import type { SentTotals } from "../shared/flow.ts";
import type { LoadSum, MonitoringScripts, VisitCost } from "./visit_cost.ts";

/** What the page measured of its own telemetry; undefined: not yet. */
export interface Timing {
  readonly started?: { readonly at: number; readonly ms: number } | undefined;
  readonly recorderStarted?: { readonly at: number; readonly ms: number } | undefined;
  readonly serialisingMs?: number | undefined;
}

/** What is stored in this browser. */
export interface Stored {
  /** Envelopes that wait to be sent. */
  readonly waiting: number;
  /** Bytes of this origin's databases; undefined: not reported by this browser. */
  readonly bytes: number | undefined;
}

/** What monitoring costs this visit: bytes, requests, main-thread time. */
export function CostTables({ scripts, cost, sent, stored, timing }: {
  scripts: MonitoringScripts;
  cost: VisitCost;
  sent: SentTotals;
  stored: Stored;
  timing: Timing;
}) {
  const { telemetry, recording, worker, responses, others, longFrames } = cost;
  const parts = [telemetry, recording, worker, responses];
  const total = parts.reduce((sum, { networkBytes }) => sum + networkBytes, 0);
  return (
    <>
      <CostTable caption="Network: monitoring">
        <LoadRow part="Telemetry" note="OpenTelemetry and the Sentry client" load={telemetry} />
        <LoadRow part="Recorder" load={recording} />
        <LoadRow part="Recorder worker" load={worker} />
        <CostRow
          part="In the page’s first scripts"
          value={formatBytes(scripts.firstBytes)}
          note="before compression, in shared files"
        />
        <CostRow
          part="Envelopes sent"
          value={formatBytes(sent.bytes)}
          note={`${formatCount(sent.envelopes, "envelope")} in ${
            formatCount(sent.requests, "request")
          }, without headers; ${formatBytes(sent.uncompressedBytes)} before compression`}
        />
        <CostRow
          part="Responses to them"
          value={formatBytes(responses.networkBytes)}
          note={responses.requests === 0 ? "none yet" : "with headers"}
        />
        <CostRow
          part="Received and sent in total"
          value={<b>{formatBytes(total + sent.bytes)}</b>}
          note="without the first scripts"
        />
      </CostTable>
      <CostTable caption="Storage: monitoring">
        <CostRow
          part="Stored in this browser"
          value={stored.bytes === undefined ? "–" : formatBytes(stored.bytes)}
          note={stored.bytes === undefined
            ? "not reported by this browser"
            : `${
              formatCount(stored.waiting, "waiting envelope")
            }; includes what the browser has not freed yet`}
        />
      </CostTable>
      <CostTable caption="Main-thread time: monitoring">
        <CostRow
          part="Evaluating scripts"
          {...betweenLoadAndStart(telemetry, timing.started)}
        />
        <CostRow part="Starting telemetry" {...duration(timing.started?.ms)} />
        <CostRow
          part="Evaluating the recorder"
          {...betweenLoadAndStart(recording, timing.recorderStarted)}
        />
        <CostRow part="Starting the recorder" {...duration(timing.recorderStarted?.ms)} />
        <CostRow
          part="Serialising and storing envelopes"
          {...ofEnvelopes(timing.serialisingMs, sent.envelopes)}
        />
        <CostRow part="Part of long frames" {...shareOfFrames(longFrames)} />
      </CostTable>
      <CostTable caption="For comparison: not monitoring">
        <LoadRow part="Scripts of the page and its views" load={others} />
        <LoadRow part="Requests of this console" load={cost.console} unit="request" />
      </CostTable>
    </>
  );
}

const COLUMNS = [{ title: "Part" }, { title: "Cost" }, { title: "Note" }];

function CostTable({ caption, children }: { caption: string; children: ReactNode }) {
  return (
    <DataTable className="cost" caption={caption} columns={COLUMNS} visible="caption">
      {children}
    </DataTable>
  );
}

function CostRow({ part, value, note }: { part: string; value: ReactNode; note?: string }) {
  return (
    <tr>
      <th scope="row">{part}</th>
      <td className="n">{value}</td>
      <td className="note">{note}</td>
    </tr>
  );
}

/** @param props.unit singular noun of a request */
function LoadRow({ part, note, load, unit = "file" }: {
  part: string;
  note?: string;
  load: LoadSum;
  unit?: string;
}) {
  const { requests, cached, networkBytes, bodyBytes } = load;
  if (requests === 0) return <CostRow part={part} value="–" note="not loaded" />;
  const from = cached === 0
    ? ""
    : cached === requests
    ? `, ${formatBytes(bodyBytes)} from the browser cache`
    : `, ${cached} of them from the browser cache`;
  return (
    <CostRow
      part={part}
      value={formatBytes(networkBytes)}
      note={`${formatCount(requests, unit)}${from}${note ? `; ${note}` : ""}`}
    />
  );
}

interface Cost {
  readonly value: string;
  readonly note?: string;
}

function duration(ms: number | undefined): Cost {
  return ms === undefined
    ? { value: "–", note: "not yet" }
    : { value: ms === 0 ? `<0.1\u00a0ms` : formatDuration(ms) };
}

function ofEnvelopes(ms: number | undefined, count: number): Cost {
  if (ms === undefined || count === 0) return duration(ms);
  return { ...duration(ms), note: `${formatFineDuration(ms / count)} for each envelope` };
}

/** An upper bound: browsers do not report how long a script took to parse and run. */
function betweenLoadAndStart({ endedAt }: LoadSum, start: Timing["started"]): Cost {
  if (!start || endedAt === 0) return { value: "–", note: "unknown" };
  const ms = Math.max(0, start.at - endedAt);
  return {
    value: `at most ${formatDuration(ms)}`,
    note: "from the last byte received until started",
  };
}

function shareOfFrames(frames: VisitCost["longFrames"]): Cost {
  if (!frames) return { value: "–", note: "not reported by this browser" };
  const { count, withMonitoring, monitoringMs } = frames;
  return {
    value: formatDuration(monitoringMs),
    note: `in ${withMonitoring} of ${formatCount(count, "frame")} over 50\u00a0ms`,
  };
}
