import "../view_code.ts";
import type { LogRow as Log } from "../../monitoring/models/log_row.ts";
import { ListHistogram } from "../charts/ListHistogram.tsx";
import { useList } from "../data/lists.ts";
import { RowList } from "../kit/RowList.tsx";
import { Segmented } from "../kit/Segmented.tsx";
import { Split } from "../kit/Split.tsx";
import { queryOf } from "../data/filters.ts";
import { useFragment } from "../data/fragment.ts";
import { LOG_COLUMNS } from "./log_columns.tsx";
import { LogDetail } from "./LogDetail.tsx";
import { LogPatterns } from "./LogPatterns.tsx";

const SHAPES = [[undefined, "Lines"], ["patterns", "Patterns"]] as const;

/** The logs view: the list, newest first (`#/logs`), and one log beside it (`#/logs/ENVELOPE/INDEX`). */
export default function LogsView() {
  const { path, params, to } = useFragment();
  const query = queryOf(params, "logs");
  const list = useList("logs", query);
  const openKey = path.length === 2 ? path.join("/") : undefined;

  const head = {
    what: "logs",
    of: "logs",
    actions: <Segmented label="Shown as" name="as" choices={SHAPES} />,
    list,
    above: list.rows.length > 0 && <ListHistogram of="logs" query={query} />,
  } as const;
  return (
    <Split
      look="narrow"
      list={params.get("as") === "patterns" ? <LogPatterns {...head} /> : (
        <RowList<Log>
          {...head}
          columns={LOG_COLUMNS}
          caption="Logs, newest first"
          hrefOf={({ envelope, index }) => to([`${envelope}`, `${index}`])}
          openKey={openKey}
          empty={
            <>
              <b>No logs received.</b> <a href="#/settings">Generate one</a>{" "}
              of any level in Settings.
            </>
          }
        />
      )}
      detail={openKey !== undefined && <LogDetail logKey={openKey} list={list} />}
    />
  );
}
