import "../view_code.ts";
import { queryOf } from "../data/filters.ts";
import { useFragment } from "../data/fragment.ts";
import { useList } from "../data/lists.ts";
import { Split } from "../kit/Split.tsx";
import { MonitorList } from "./MonitorList.tsx";
import { RunDetail } from "./RunDetail.tsx";
import { RunTable } from "./RunTable.tsx";

/**
 * The monitors view: monitors and their runs (`#/monitors`), the runs of one of them (`?monitor=KEY`), and one run beside
 * them (`#/monitors/ENVELOPE/INDEX`).
 */
export default function MonitorsView() {
  const { path, params } = useFragment();
  const query = queryOf(params, "monitors");
  const monitors = useList("monitors", { ...query, monitor: undefined });
  const runs = useList("runs", query);
  const openRun = path.length === 2 ? path.join("/") : undefined;
  const key = params.get("monitor");
  return (
    <Split
      look="narrow"
      list={
        <MonitorList
          list={monitors}
          openRun={openRun}
          below={
            <RunTable
              list={runs}
              monitor={monitors.rows.find(({ monitor }) => monitor === key)}
              openRun={openRun}
            />
          }
        />
      }
      detail={openRun !== undefined && (
        <RunDetail
          openRun={openRun}
          list={runs}
          monitors={monitors.rows}
        />
      )}
    />
  );
}
