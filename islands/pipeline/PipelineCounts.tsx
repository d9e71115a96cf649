import { useEffect } from "react";
import { formatTimeOfDay } from "../../components/format_time.ts";
import { formatDuration, formatNumber } from "../../components/format.ts";
import type { PageFacts } from "../../components/page_facts.ts";
import { useTelemetry } from "../data/telemetry.ts";
import { useSentCounts } from "../data/use_sent_counts.ts";
import { type Column, Table } from "../kit/Table.tsx";
import { pipelineStatus } from "./pipeline_status.ts";
import { requestSoon, useRelayHealth } from "./relay_health.ts";
import { Definition } from "../kit/Definition.tsx";

/** The parts of the page facts that the pipeline shows. */
export type PipelineEnds = Pick<PageFacts, "variant" | "route">;

/** The pipeline while telemetry runs: this page's envelopes since it was opened, all senders' since the server started. */
export function usePipeline({ route }: PipelineEnds) {
  const telemetry = useTelemetry();
  const counts = useSentCounts();
  const health = useRelayHealth(route, counts);
  return { ...telemetry, counts, health };
}

type Row = readonly [state: string, own?: number, all?: number, note?: string | false];

/** What the less obvious states mean. */
const MEANINGS: Readonly<Record<string, string>> = {
  "Rate limited": "answered 429, under a limit that the ingest announced; a sender may keep them",
  Refused: "by the ingest or by the relay; each answer counts, and after a 503 senders try again",
  Lost: "discarded without delivery, for their age, a full store or a rate limit",
};

const COLUMNS: readonly Column<Row>[] = [
  {
    title: "Envelopes",
    isHead: true,
    cell: ([state]) =>
      MEANINGS[state] === undefined
        ? state
        : <Definition text={MEANINGS[state]}>{state}</Definition>,
  },
  { title: "This console", numeric: true, width: 6, cell: ([, own]) => countOf(own) },
  {
    title: "Sent to this server",
    numeric: true,
    width: 8,
    cell: ([, , all, note]) => <>{countOf(all)}{note && <small>{note}</small>}</>,
  },
];

const countOf = (count: number | undefined) => count === undefined ? "–" : formatNumber(count);

/** The status, and the counts by state. @param props.now of {@linkcode usePipeline} */
export function PipelineCounts({ ends, now }: {
  ends: PipelineEnds;
  now: ReturnType<typeof usePipeline>;
}) {
  const { counts, health, waiting, storageProblem, compressionProblem } = now;
  useEffect(requestSoon, []);
  const { lastProblem } = counts;
  const oldest = health && health.spool.pending > 0 &&
    `the oldest for ${formatDuration(health.spool.oldest_age_s * 1000)}`;
  const rows: readonly Row[] = [
    [ends.variant === "inbox" ? "Stored" : "Delivered", counts.accepted, health?.accepted],
    ["Waiting in this browser", waiting],
    ["In the relay’s spool", undefined, health?.spool.pending, oldest],
    ["Rate limited", undefined, health?.limited],
    ["Refused", counts.refused, health?.refused],
    ["Lost", counts.lost, health?.lost],
  ];
  return (
    <div className="pipeline spaced">
      <p>{pipelineStatus(now).sentence}</p>
      {lastProblem && (
        <p className="refused">
          Last at {formatTimeOfDay(lastProblem.at)}: {lastProblem.reason}
        </p>
      )}
      {storageProblem && <p className="waits">Envelopes are kept {storageProblem}.</p>}
      {compressionProblem && <p className="waits">Recordings are {compressionProblem}.</p>}
      <Table
        caption="Envelopes by state"
        columns={COLUMNS}
        rows={rows}
        keyOf={([state]) => state}
      />
      <small>
        What waits is of now, the rest of this console since{" "}
        {formatTimeOfDay(performance.timeOrigin)}, when the page was opened; of all senders to this
        server since it started{health && `, as of ${formatTimeOfDay(health.at)}`}.
      </small>
    </div>
  );
}
