import type { ReactNode } from "react";
import { formatBytes } from "../../components/format/bytes.ts";
import { formatCount } from "../../components/format/count.ts";
import { formatDuration } from "../../components/format/duration.ts";
import type { LoadSum, MonitoringScripts } from "./scripts.ts";
import type { VisitCost } from "./visit_cost.ts";

/** What the page measured of its own telemetry; what has not happened yet is not set. */
export interface Timing {
  readonly started?: { readonly at: number; readonly ms: number } | undefined;
  readonly recorderStarted?: { readonly at: number; readonly ms: number } | undefined;
  readonly serialisingMs?: number | undefined;
}

/** What was sent, as the receipts tell. */
export interface SentTotals {
  readonly envelopes: number;
  readonly requests: number;
  readonly bytes: number;
}

/** What monitoring costs this visit: bytes, requests, and time of the main thread. */
export function CostTables({ scripts, cost, sent, timing }: {
  scripts: MonitoringScripts;
  cost: VisitCost;
  sent: SentTotals;
  timing: Timing;
}) {
  const { telemetry, recording, worker, answers, others, longFrames } = cost;
  const parts = [telemetry, recording, worker, answers];
  const total = parts.reduce((sum, { networkBytes }) => sum + networkBytes, 0);
  return (
    <>
      <Costs caption="Over the network, for monitoring">
        <LoadRow what="Telemetry" of="OpenTelemetry and Sentry’s client" load={telemetry} />
        <LoadRow what="Recorder" load={recording} />
        <LoadRow what="Recorder’s worker" load={worker} />
        <CostRow
          what="In the page’s first scripts"
          value={formatBytes(scripts.firstBytes)}
          of="before compression; loaded with them, not apart"
        />
        <CostRow
          what="Envelopes sent"
          value={formatBytes(sent.bytes)}
          of={`${formatCount(sent.envelopes, "envelope")} in ${
            formatCount(sent.requests, "request")
          }, headers not counted`}
        />
        <CostRow
          what="Answers to them"
          value={formatBytes(answers.networkBytes)}
          of={answers.requests === 0 ? "none yet" : "with their headers"}
        />
        <CostRow
          what="Received and sent so far"
          value={<b>{formatBytes(total + sent.bytes)}</b>}
          of="first scripts left out"
        />
      </Costs>
      <Costs caption="Time of the main thread, for monitoring">
        <CostRow
          what="Reading its scripts"
          {...betweenLoadAndStart(telemetry, timing.started)}
        />
        <CostRow what="Starting telemetry" {...took(timing.started?.ms)} />
        <CostRow
          what="Reading the recorder"
          {...betweenLoadAndStart(recording, timing.recorderStarted)}
        />
        <CostRow what="Starting the recorder" {...took(timing.recorderStarted?.ms)} />
        <CostRow what="Making bytes of envelopes" {...took(timing.serialisingMs)} />
        <CostRow what="Its part of long frames" {...partOfFrames(longFrames)} />
      </Costs>
      <Costs caption="For comparison: not monitoring">
        <LoadRow what="Scripts of the page and its views" load={others} />
        <LoadRow what="What this console reads" load={cost.console} unit="request" />
      </Costs>
    </>
  );
}

function Costs({ caption, children }: { caption: string; children: ReactNode }) {
  return (
    <table className="cost">
      <caption>{caption}</caption>
      <thead className="vh">
        <tr>
          <th scope="col">What</th>
          <th scope="col">Cost</th>
          <th scope="col">Of that</th>
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
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
    ? `, ${formatBytes(bodyBytes)} from this browser’s cache`
    : `, ${cached} of them from this browser’s cache`;
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

function took(ms: number | undefined): Value {
  return ms === undefined
    ? { value: "–", of: "not yet" }
    : { value: ms === 0 ? `<0.1\u00a0ms` : formatDuration(ms) };
}

/** A browser does not tell how long a script took to be read and run; it was no longer than this. */
function betweenLoadAndStart({ endedAt }: LoadSum, start: Timing["started"]): Value {
  if (!start || endedAt === 0) return { value: "–", of: "not known" };
  const ms = Math.max(0, start.at - endedAt);
  return { value: `at most ${formatDuration(ms)}`, of: "from the last byte until they had run" };
}

function partOfFrames(frames: VisitCost["longFrames"]): Value {
  if (!frames) return { value: "–", of: "this browser does not tell" };
  const { count, withMonitoring, ofMonitoringMs } = frames;
  return {
    value: formatDuration(ofMonitoringMs),
    of: `in ${withMonitoring} of ${formatCount(count, "frame")} above 50\u00a0ms`,
  };
}
