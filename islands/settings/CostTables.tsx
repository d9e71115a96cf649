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
      <Costs caption="Network: monitoring">
        <LoadRow what="Telemetry" of="OpenTelemetry and the Sentry client" load={telemetry} />
        <LoadRow what="Recorder" load={recording} />
        <LoadRow what="Recorder worker" load={worker} />
        <CostRow
          what="In the page’s first scripts"
          value={formatBytes(scripts.firstBytes)}
          of="before compression, in shared files"
        />
        <CostRow
          what="Envelopes sent"
          value={formatBytes(sent.bytes)}
          of={`${formatCount(sent.envelopes, "envelope")} in ${
            formatCount(sent.requests, "request")
          }, without headers; ${formatBytes(sent.uncompressedBytes)} before compression`}
        />
        <CostRow
          what="Responses to them"
          value={formatBytes(responses.networkBytes)}
          of={responses.requests === 0 ? "none yet" : "with headers"}
        />
        <CostRow
          what="Received and sent in total"
          value={<b>{formatBytes(total + sent.bytes)}</b>}
          of="without the first scripts"
        />
      </Costs>
      <Costs caption="Storage: monitoring">
        <CostRow
          what="Stored in this browser"
          value={stored.bytes === undefined ? "–" : formatBytes(stored.bytes)}
          of={stored.bytes === undefined
            ? "not reported by this browser"
            : `${
              formatCount(stored.waiting, "waiting envelope")
            }; includes what the browser has not freed yet`}
        />
      </Costs>
      <Costs caption="Main-thread time: monitoring">
        <CostRow
          what="Evaluating scripts"
          {...betweenLoadAndStart(telemetry, timing.started)}
        />
        <CostRow what="Starting telemetry" {...duration(timing.started?.ms)} />
        <CostRow
          what="Evaluating the recorder"
          {...betweenLoadAndStart(recording, timing.recorderStarted)}
        />
        <CostRow what="Starting the recorder" {...duration(timing.recorderStarted?.ms)} />
        <CostRow
          what="Serialising and storing envelopes"
          {...ofEnvelopes(timing.serialisingMs, sent.envelopes)}
        />
        <CostRow what="Part of long frames" {...shareOfFrames(longFrames)} />
      </Costs>
      <Costs caption="For comparison: not monitoring">
        <LoadRow what="Scripts of the page and its views" load={others} />
        <LoadRow what="Requests of this console" load={cost.console} unit="request" />
      </Costs>
    </>
  );
}

const COLUMNS = [{ title: "Part" }, { title: "Cost" }, { title: "Note" }];

function Costs({ caption, children }: { caption: string; children: ReactNode }) {
  return (
    <DataTable className="cost" caption={caption} columns={COLUMNS} visible="caption">
      {children}
    </DataTable>
  );
}

function CostRow({ what, value, of }: { what: string; value: ReactNode; of?: string }) {
  return (
    <tr>
      <th scope="row">{what}</th>
      <td className="n">{value}</td>
      <td className="of">{of}</td>
    </tr>
  );
}

function LoadRow({ what, of, load, unit = "file" }: {
  what: string;
  of?: string;
  load: LoadSum;
  unit?: string;
}) {
  const { requests, cached, networkBytes, bodyBytes } = load;
  if (requests === 0) return <CostRow what={what} value="–" of="not loaded" />;
  const from = cached === 0
    ? ""
    : cached === requests
    ? `, ${formatBytes(bodyBytes)} from the browser cache`
    : `, ${cached} of them from the browser cache`;
  return (
    <CostRow
      what={what}
      value={formatBytes(networkBytes)}
      of={`${formatCount(requests, unit)}${from}${of ? `; ${of}` : ""}`}
    />
  );
}

interface Value {
  readonly value: string;
  readonly of?: string;
}

function duration(ms: number | undefined): Value {
  return ms === undefined
    ? { value: "–", of: "not yet" }
    : { value: ms === 0 ? `<0.1\u00a0ms` : formatDuration(ms) };
}

function ofEnvelopes(ms: number | undefined, count: number): Value {
  if (ms === undefined || count === 0) return duration(ms);
  return { ...duration(ms), of: `${formatFineDuration(ms / count)} for each envelope` };
}

/** An upper bound: browsers do not report how long a script took to parse and run. */
function betweenLoadAndStart({ endedAt }: LoadSum, start: Timing["started"]): Value {
  if (!start || endedAt === 0) return { value: "–", of: "unknown" };
  const ms = Math.max(0, start.at - endedAt);
  return {
    value: `at most ${formatDuration(ms)}`,
    of: "from the last byte received until started",
  };
}

function shareOfFrames(frames: VisitCost["longFrames"]): Value {
  if (!frames) return { value: "–", of: "not reported by this browser" };
  const { count, withMonitoring, monitoringMs } = frames;
  return {
    value: formatDuration(monitoringMs),
    of: `in ${withMonitoring} of ${formatCount(count, "frame")} over 50\u00a0ms`,
  };
}
