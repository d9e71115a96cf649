import { formatCount, formatNumber } from "../../components/format.ts";
import { Timestamp } from "../../components/Timestamp.tsx";
import type { MonitorRow, MonitorRunRow } from "../../monitoring/models/monitors/monitor_row.ts";
import { useFragment } from "../data/fragment.ts";
import type { ConsoleList } from "../data/lists.ts";
import { shortRelease } from "../kit/application_labels.ts";
import { MoreButton } from "../kit/ListNotice.tsx";
import { Segmented } from "../kit/Segmented.tsx";
import { type Column, Table } from "../kit/Table.tsx";
import { tookText } from "./RunStrip.tsx";
import { runPath, State } from "./words.tsx";

const LEGEND = ["ok", "failed", "running", "over_time", "missed"] as const;

/** The runs that are shown, by the parameter `runs`. */
const SHOWN: Readonly<Record<string, readonly MonitorRunRow["state"][]>> = {
  failed: ["failed"],
  open: ["running", "over_time", "unfinished"],
};

/** What the marks mean, and the runs: of the chosen monitor, else of all. */
export function RunTable({ list, monitor, openRun }: {
  list: ConsoleList<MonitorRunRow>;
  monitor: MonitorRow | undefined;
  openRun: string | undefined;
}) {
  const { path, params, to } = useFragment();
  const chosen = SHOWN[params.get("runs") ?? ""];
  const rows = list.rows.filter(({ state }) => chosen?.includes(state) ?? true);
  const isPart = params.has("since") || params.has("until");
  const listed = (list.more ? "newest " : "") + formatCount(list.rows.length, "run") +
    (isPart ? " with a check-in in the time shown" : "");
  const count = (name: string) =>
    formatNumber(list.rows.filter(({ state }) => SHOWN[name]!.includes(state)).length);
  return (
    // The keys of the list of monitors are not for this one.
    <section
      aria-labelledby="runs"
      className="runs"
      onKeyDown={(event) => event.stopPropagation()}
      onFocus={(event) => event.stopPropagation()}
    >
      <p className="legend facts small">
        {LEGEND.map((state) => <State key={state} state={state} />)}
        <span className="end quiet wide">below each: time taken, of single runs</span>
      </p>
      <header className="line">
        <h3 id="runs">Runs</h3>
        <span className="quiet">{listed} {monitor && `of ${monitor.slug}`}</span>
        {monitor && <a href={to(path, { monitor: undefined })}>of all monitors</a>}
        <div className="end">
          <Segmented
            label="Runs shown"
            name="runs"
            choices={[
              [undefined, `All ${formatNumber(list.rows.length)}`],
              ["failed", `Failed ${count("failed")}`],
              ["open", `No end ${count("open")}`],
            ]}
          />
        </div>
      </header>
      <Table
        caption="Runs, newest first"
        columns={COLUMNS}
        rows={rows}
        keyOf={list.keyOf}
        openKey={openRun}
        hrefOf={(run) => to(runPath(run))}
      />
      {rows.length === 0 && (
        <p className="empty">{list.rows.length === 0 ? "No runs." : `None of the ${listed}.`}</p>
      )}
      <MoreButton text="Older runs" more={list.more} />
    </section>
  );
}

const COLUMNS: readonly Column<MonitorRunRow>[] = [
  {
    title: "Started",
    width: 9,
    cell: ({ started_at }, link) => link(<Timestamp at={started_at} precision="ms" />),
  },
  {
    title: "Monitor",
    cell: ({ slug, state }) => (
      <>
        <span className="one-line">{slug}</span>
        <span className="narrow-only">
          <State state={state} />
        </span>
      </>
    ),
  },
  { title: "State", width: 9, isWide: true, cell: ({ state }) => <State state={state} /> },
  {
    title: "Took",
    tip: "As sent, if it is at most 10 years; else from its first to its last check-in",
    width: 7,
    numeric: true,
    cell: tookText,
  },
  {
    title: "Release",
    width: 8,
    isWide: true,
    cell: ({ release }) => (
      <span className="one-line" title={release ?? undefined}>
        {release && shortRelease(release)}
      </span>
    ),
  },
];
