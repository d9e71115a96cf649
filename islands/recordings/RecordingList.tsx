import { CountCell } from "../../components/CountCell.tsx";
import { formatBytes } from "../../components/format.ts";
import { formatClock } from "../../components/format_time.ts";
import { OutcomeMark } from "../../components/OutcomeMark.tsx";
import { TimeAgo } from "../../components/Timestamp.tsx";
import { addressPath } from "../../monitoring/models/recording/timeline.ts";
import { RECORDING_COLUMNS, type RecordingRow as Row } from "../../monitoring/models/rows.ts";
import { sharedFilters } from "../shared/filters.ts";
import { fragmentTo, useFragment } from "../shared/fragment.ts";
import { newestFirst, type SortableColumn, sortedBy, sortParam } from "../shared/sort_columns.ts";
import { SourceLabel } from "../shared/SourceLabel.tsx";
import { RowList } from "../shared/RowList.tsx";
import { ListRow, type RowPlace } from "../shared/use_table_rows.tsx";
import { useList } from "../data/lists.ts";

/**
 * The list of session recordings of which segments have arrived.
 *
 * @param props.returnFrom id of the recording that was open before; its row gets the focus
 */
export function RecordingList({ returnFrom }: {
  returnFrom: string | undefined;
}) {
  const { params } = useFragment("recordings");
  const sort = sortParam(params, RECORDING_COLUMNS);
  const q = params.get("q") ?? undefined;
  const list = useList("recordings", { q, sort, ...sharedFilters(params) });
  const rows = newestFirst(list.rows, sort, ({ started_at }) => started_at);
  return (
    <RowList
      view="recordings"
      list={{ ...list, rows }}
      keyOf={({ replay_id }) => replay_id}
      returnFrom={returnFrom}
      hint={
        <p>
          Your application records with <code>integrations: [Sentry.replayIntegration()]</code> and
          {" "}
          <code>replaysSessionSampleRate: 1</code>.
        </p>
      }
      table={{
        className: "data-table recordings-list",
        caption: sort === undefined ? "Recordings, newest first" : "Recordings",
        columns: sortedBy(sort ?? "-started_at", COLUMNS),
      }}
      empty={
        <p>
          No recordings received. The page records a part of its visits, and each visit with an
          error: <a href="#/settings">throw one</a> in Settings.
        </p>
      }
    >
      {(row, place) => (
        <RecordingRow
          key={row.replay_id}
          row={row}
          href={fragmentTo("recordings", [row.replay_id], Object.fromEntries(params))}
          {...place}
        />
      )}
    </RowList>
  );
}

const COLUMNS: readonly SortableColumn[] = [
  { title: "Started", by: "started_at" },
  { title: "Page" },
  { title: "Duration", numeric: true, by: "duration" },
  { title: "Errors", numeric: true },
  { title: "Segments", numeric: true },
  { title: "Size", numeric: true },
];

function RecordingRow({ row, href, isTabStop, ...place }: RowPlace & { row: Row; href: string }) {
  const { replay_id, kind, page, started_at, ended_at, segments, missing, errors, bytes } = row;
  return (
    <ListRow {...place}>
      <td className="at">
        <TimeAgo at={started_at} />
      </td>
      <td className="items">
        <a className="row-link" href={href} data-row={replay_id} tabIndex={isTabStop ? 0 : -1}>
          {page === null ? "(no address)" : addressPath(page)}
        </a>{" "}
        <SourceLabel of={[row.source]} />
        {kind === "video" && <span className="quiet">video of a mobile app</span>}
      </td>
      <td className="n took">{formatClock(ended_at - started_at)}</td>
      <CountCell className="status" count={errors} noun="error" isFailure />
      <CountCell className="wrote" count={segments} noun="segment">
        {missing > 0 && (
          <span className="waits">
            <OutcomeMark kind="waits" />
            {missing} missing
          </span>
        )}
      </CountCell>
      <td className="n size">{formatBytes(bytes)}</td>
    </ListRow>
  );
}
