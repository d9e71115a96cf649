import { formatCount, formatDuration, formatNumber } from "../../components/format.ts";
import { OutcomeMark } from "../../components/OutcomeMark.tsx";
import { TimeAgo } from "../../components/Timestamp.tsx";
import type { AiRunRow } from "../../monitoring/models/rows.ts";
import { queryOf } from "../data/filters.ts";
import { fragmentTo, useFragment } from "../data/fragment.ts";
import { useList } from "../data/lists.ts";
import { RowList } from "../kit/RowList.tsx";
import { sortParam } from "../kit/sort.ts";
import type { Column } from "../kit/Table.tsx";
import { RowValues } from "../kit/ValueLinks.tsx";

/** A run in the address. */
export const runKey = ({ trace_id, span_id }: AiRunRow) => `${trace_id}/${span_id ?? ""}`;

/** Definitions of the figures. */
export const TIPS = {
  tokens:
    "Sum of the calls that sent it. An agent's own figure counts only if no call below it sent one: it repeats theirs",
  cost: "As the sender computed it (gen_ai.cost.*), in US dollars",
  first: "From the start of the run to the first part of its first response",
};

export const formatCost = (cost: number) =>
  `$${cost >= 1 || cost === 0 ? cost.toFixed(2) : String(Number(cost.toPrecision(3)))}`;
export const formatTokens = (tokens: number | null) => tokens === null ? "–" : formatNumber(tokens);

/** The list of runs, newest first. @param props.openKey of the run that is open */
export function RunList({ openKey }: { openKey: string | undefined }) {
  const { params } = useFragment();
  const sort = sortParam(params, "ai_runs") ?? "-started_at";
  const list = useList("ai_runs", { ...queryOf(params, "ai_runs"), sort });
  return (
    <RowList
      of="ai_runs"
      what="AI runs"
      list={list}
      columns={COLUMNS}
      caption="AI runs"
      sort={sort}
      keyOf={runKey}
      hrefOf={(row) => fragmentTo("ai", runKey(row).split("/"), Object.fromEntries(params))}
      openKey={openKey}
      hint={
        <p>
          Your application sends them with Sentry’s integrations for AI libraries, with
          OpenTelemetry’s <code>gen_ai.*</code> attributes, or with{" "}
          <code>experimental_telemetry</code> of Vercel’s AI SDK.
        </p>
      }
      empty={
        <p>
          <b>No AI runs received.</b> They are spans of agents, models and tools.
        </p>
      }
    />
  );
}

const COLUMNS: readonly Column<AiRunRow>[] = [
  {
    title: "Run",
    cell: (row, link) => (
      <>
        {link(row.asked ?? row.name)}
        <small>{row.asked !== null && row.name}</small>
      </>
    ),
    aside: {
      title: "Application",
      applications: ({ application }) => [application],
      cell: (row) => <Failures row={row} />,
    },
  },
  {
    title: "Model",
    width: 10,
    isWide: true,
    cell: ({ models: [first, ...others] }) =>
      first && (
        <RowValues values={[["gen_ai.request.model", first.model]]}>
          <span className="one-line">{first.model}</span>
          {others.length > 0 && <small>+{others.length}</small>}
        </RowValues>
      ),
  },
  {
    title: "Calls",
    tip: "Calls of models; with tools, how often they ran",
    width: 7,
    isWide: true,
    numeric: true,
    cell: ({ calls, tools }) => (
      <>
        {calls}
        {tools > 0 && <small>, {formatCount(tools, "tool")}</small>}
      </>
    ),
  },
  {
    title: "In",
    tip: `Tokens of the prompts. ${TIPS.tokens}`,
    width: 5.5,
    isWide: true,
    numeric: true,
    by: "input_tokens",
    cell: ({ input_tokens }) => formatTokens(input_tokens),
  },
  {
    title: "Out",
    tip: `Tokens of the responses. ${TIPS.tokens}`,
    width: 5.5,
    isWide: true,
    numeric: true,
    by: "output_tokens",
    cell: ({ output_tokens }) => formatTokens(output_tokens),
  },
  {
    title: "Cost",
    tip: TIPS.cost,
    width: 6.5,
    isWide: true,
    numeric: true,
    cell: ({ cost }) => cost === null ? <span className="quiet">not sent</span> : formatCost(cost),
  },
  {
    title: "1st token",
    tip: TIPS.first,
    width: 6,
    isWide: true,
    numeric: true,
    cell: ({ first_token_ms }) => first_token_ms === null ? "–" : formatDuration(first_token_ms),
  },
  {
    title: "Took",
    width: 6,
    numeric: true,
    by: "duration",
    cell: ({ duration }) => duration === null ? "–" : formatDuration(duration),
  },
  {
    title: "Started",
    width: 6.5,
    by: "started_at",
    cell: ({ started_at }) => <TimeAgo at={started_at} />,
  },
];

/** What failed: "1 tool failed". */
export function Failures(
  { row }: { row: Pick<AiRunRow, "failed" | "failed_calls" | "failed_tools"> },
) {
  const parts = [
    ...row.failed_calls > 0 ? [formatCount(row.failed_calls, "call")] : [],
    ...row.failed_tools > 0 ? [formatCount(row.failed_tools, "tool")] : [],
  ];
  return row.failed && (
    <span className="refused">
      <OutcomeMark kind="refused" />
      {parts.join(", ")} failed
    </span>
  );
}
