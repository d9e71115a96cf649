import { Marked } from "../../components/OutcomeMark.tsx";
import { TimeAgo } from "../../components/Timestamp.tsx";
import type { AiRunRow } from "../../monitoring/models/ai/ai_row.ts";
import { OF_DETAIL, useFragment } from "../data/fragment.ts";
import { Counted } from "../kit/Counted.tsx";
import { RowList } from "../kit/RowList.tsx";
import { Segmented } from "../kit/Segmented.tsx";
import { useSortedList } from "../kit/sort.ts";
import { type Column, timeColumn } from "../kit/Table.tsx";
import { durationText, figureColumn, TIPS, USAGE_COLUMNS } from "./usage.tsx";

const SHAPES = [[undefined, "Runs"], ["sums", "Sums"]] as const;

export const HEAD = {
  what: "AI runs",
  actions: <Segmented label="Shown as" name="as" choices={SHAPES} />,
  hint: (
    <p>
      Your application sends them with Sentry’s integrations of AI libraries, OpenTelemetry’s{" "}
      <code>gen_ai.*</code> attributes, or the telemetry of Vercel’s AI SDK.
    </p>
  ),
  empty: (
    <>
      <b>No AI runs received.</b> They are spans of agents, models and tools.
    </>
  ),
};

export const FAILED_TIP = "An agent, a call or a tool of it failed";

/** The list of runs. @param props.openKey of the run that is open */
export function RunList({ openKey }: { openKey: string | undefined }) {
  const { to } = useFragment();
  const { list, sort, isUsual } = useSortedList("ai_runs", "-started_at");
  return (
    <RowList
      of="ai_runs"
      {...HEAD}
      list={list}
      columns={COLUMNS}
      caption={isUsual ? "AI runs, newest first" : "AI runs"}
      sort={sort}
      hrefOf={({ trace_id, span_id }) => to([trace_id, span_id], OF_DETAIL)}
      openKey={openKey}
    />
  );
}

const COLUMNS: readonly Column<AiRunRow>[] = [
  timeColumn("Started", ({ started_at }) => started_at, { isWide: true, by: "started_at" }),
  {
    title: "Run",
    tip:
      "An agent with its calls and tools, or a call or step in none; while an agent runs, each of its calls",
    cell: (row, link) => (
      <>
        {row.failed && (
          <Marked kind="refused" title={FAILED_TIP}>
            <span className="vh">failed</span>
          </Marked>
        )}
        {link(row.asked ?? row.name)}
      </>
    ),
    aside: {
      title: "Application",
      applications: ({ application }) => [application],
      cell: ({ name, started_at }) => (
        <>
          <span className="if-medium">{name}</span>{" "}
          <span className="if-narrow">
            <TimeAgo at={started_at} />
          </span>
        </>
      ),
    },
  },
  {
    title: "Agent",
    width: 9,
    isWide: true,
    className: "extra",
    cell: ({ kind, name }) => (
      <span className="one-line" title={`${kind} ${name}`}>{kind === "agent" ? name : "none"}</span>
    ),
  },
  {
    title: "Model",
    width: 9,
    isWide: true,
    className: "model",
    cell: ({ models }) => (
      <span
        className="one-line"
        title={models.map(({ model }) => model).join(", ")}
      >
        {models.length > 1 && `${models.length}: `}
        {models[0]?.model}
      </span>
    ),
  },
  figureColumn(
    "Calls",
    "Of models",
    5,
    ({ calls: count, failed_calls: failed }) => <Counted count={count} failed={failed} />,
    { className: "extra" },
  ),
  figureColumn(
    "Tools",
    "How often they ran",
    5.5,
    ({ tools: count, failed_tools: failed }) => <Counted count={count} failed={failed} />,
  ),
  { ...USAGE_COLUMNS.in, by: "input_tokens" },
  { ...USAGE_COLUMNS.out, by: "output_tokens" },
  USAGE_COLUMNS.cost,
  figureColumn("1st token", TIPS.first, 5.5, (row) => durationText(row.first_token_ms), {
    className: "extra",
  }),
  figureColumn("Took", "From start to end", 5.5, ({ duration }) => durationText(duration), {
    isWide: false,
    by: "duration",
  }),
];
