import { formatCount } from "../../components/format.ts";
import type { AiSumRow } from "../../monitoring/models/ai/ai_row.ts";
import { queryOf } from "../data/filters.ts";
import { useFragment } from "../data/fragment.ts";
import { useList } from "../data/lists.ts";
import { Counted } from "../kit/Counted.tsx";
import { ListHead } from "../kit/ListHead.tsx";
import { ListNotice } from "../kit/ListNotice.tsx";
import { type Column, numberColumn, Table } from "../kit/Table.tsx";
import { FAILED_TIP, HEAD } from "./RunList.tsx";
import { USAGE_COLUMNS } from "./usage.tsx";

const TITLES = {
  all: "All runs",
  agent: "By agent",
  model: "By model",
  conversation: "By conversation",
};

/** The filter that leaves the runs of a row. */
const FILTERS = { agent: "name", model: "model", conversation: "conversation" } as const;

/** The sums of all runs that the filters leave: in all, by agent, by model and by conversation. */
export function RunSums() {
  const { params, to } = useFragment();
  const list = useList("ai_sums", queryOf(params, "ai_sums"));
  const kinds = Map.groupBy(list.rows, ({ by }) => by);
  return (
    <div className="list">
      <ListHead of="ai_sums" {...HEAD} />
      <div className="rows ai-sums">
        <ListNotice list={list} what={HEAD.what} of="ai_sums" hint={HEAD.hint}>
          {HEAD.empty}
        </ListNotice>
        {list.rows.length > 0 && (
          <p className="note pad">Runs among the newest 10,000 AI spans; of each kind 50.</p>
        )}
        {[...kinds].map(([by, rows]) => (
          <Table
            key={by}
            caption={TITLES[by]}
            columns={columnsOf(by)}
            rows={rows}
            keyOf={({ value }) => value}
            hrefOf={({ by, value }) =>
              to([], { as: undefined, ...by !== "all" && { [FILTERS[by]]: value } })}
          />
        ))}
      </div>
    </div>
  );
}

const CALL_TIP = "A call of this model failed";

const columnsOf = (by: AiSumRow["by"]): readonly Column<AiSumRow>[] => [
  {
    title: TITLES[by],
    ...by === "agent" && { tip: "Of each run the outermost: agents that it calls are in its sums" },
    cell: ({ value }, link) => link(value || TITLES.all),
    isHead: true,
  },
  {
    title: "Runs",
    width: 8,
    numeric: true,
    cell: ({ runs, failed }) => (
      <Counted count={runs} failed={failed} tip={by === "model" ? CALL_TIP : FAILED_TIP} />
    ),
  },
  numberColumn("Calls", ({ calls }) => calls, { width: 4, isWide: true }),
  { ...USAGE_COLUMNS.in, width: 7, isWide: false },
  { ...USAGE_COLUMNS.out, width: 7, isWide: false },
  {
    ...USAGE_COLUMNS.cost,
    width: 9,
    cell: (row) => (
      <>
        {USAGE_COLUMNS.cost.cell(row)}
        {row.cost !== null && row.runs_with_cost < row.runs && (
          <small>in {formatCount(row.runs_with_cost, "run")}</small>
        )}
      </>
    ),
  },
];
