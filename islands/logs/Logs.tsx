import "../shared/view_code.ts";
import { LEVEL_FILTER, levelParam } from "../kit/filters.ts";
import { ListHead } from "../kit/ListHead.tsx";
import { useFragment } from "../shared/fragment.ts";
import { sharedFilters } from "../shared/filters.ts";
import { SourceLabels } from "../shared/SourceLabel.tsx";
import { ListNotice, OnlyOfTrace } from "../kit/ListNotice.tsx";
import { ListHistogram } from "../charts/ListHistogram.tsx";
import { LogTree } from "./LogTree.tsx";
import { useList } from "../data/lists.ts";

const FILTERS = [LEVEL_FILTER];

/** The view of logs, newest first (`#/logs`). */
export default function LogList() {
  const { params } = useFragment();
  const q = params.get("q") ?? undefined;
  const trace = params.get("trace") ?? undefined;
  const filters = sharedFilters(params);
  const level = levelParam(params);
  const query = { q, trace, level, ...filters };
  const list = useList("logs", query);

  return (
    <div className="list">
      <ListHead view="logs" what="logs" filters={FILTERS} />
      {list.rows.length > 0 && <ListHistogram of="logs" query={query} />}
      <OnlyOfTrace what="logs" />
      <ListNotice list={list} what="logs">
        <p>
          No logs received. <a href="#/settings">Generate one</a> of any level in Settings.
        </p>
      </ListNotice>
      {list.rows.length > 0 && (
        // Another filter is another tree: scrolled to its top, nothing expanded.
        <SourceLabels>
          <LogTree key={String(params)} rows={list.rows} more={list.more} />
        </SourceLabels>
      )}
    </div>
  );
}
