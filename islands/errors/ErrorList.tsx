import { memo } from "react";
import { TimeAgo } from "../../components/Timestamp.tsx";
import { type ErrorGroupRow, GROUP_COLUMNS } from "../../monitoring/models/rows.ts";
import { newestFirst, type SortableColumn, sortedBy, sortParam } from "../shared/sort_columns.ts";
import { fragmentTo, useFragment } from "../shared/fragment.ts";
import { sharedFilters } from "../shared/filters.ts";
import { SourceLabel } from "../shared/SourceLabel.tsx";
import { OnlyOfTrace } from "../shared/ListNotice.tsx";
import { LevelFilter, levelParam, ToggleFilter } from "../shared/ChoiceFilter.tsx";
import { ErrorLevel } from "./ErrorLevel.tsx";
import { GroupMark, StateFilter, stateParam } from "./GroupState.tsx";
import { NotificationSwitch } from "./NotificationSwitch.tsx";
import { cutText } from "../shared/text.ts";
import { Sparkline } from "../charts/Sparkline.tsx";
import { ListHistogram } from "../charts/ListHistogram.tsx";
import { RowList } from "../shared/RowList.tsx";
import { ListRow, type RowPlace } from "../shared/use_table_rows.tsx";
import { useList } from "../data/lists.ts";
import { source } from "../data/source.ts";

/** Characters of a message: two lines of a wide screen. */
const MAX_VALUE = 240;

/**
 * Error groups, last seen first.
 *
 * @param props.returnFrom the group that was open before; its row gets the focus
 */
export function ErrorList({ returnFrom }: {
  returnFrom: string | undefined;
}) {
  const { params } = useFragment("errors");
  const q = params.get("q") ?? undefined;
  const trace = params.get("trace") ?? undefined;
  const level = levelParam(params);
  const isUnhandled = params.get("handled") === "false";
  const sort = sortParam(params, GROUP_COLUMNS);
  const state = stateParam(params);
  const query = {
    q,
    trace,
    state,
    level,
    ...isUnhandled && { handled: false },
    ...sharedFilters(params),
  };
  const list = useList("errors", { ...query, sort });
  const rows = newestFirst(list.rows, sort, ({ last_seen }) => last_seen);
  const isOpenOnly = source.groups !== undefined && state === "open";

  return (
    <RowList
      view="errors"
      whatIsMissing={isOpenOnly ? "open errors" : "errors"}
      list={{ ...list, rows }}
      keyOf={({ group }) => group}
      returnFrom={returnFrom}
      rowsMove
      filters={
        <>
          <StateFilter />
          <LevelFilter />
          <ToggleFilter name="handled" value="false">Unhandled only</ToggleFilter>
        </>
      }
      menu={<NotificationSwitch />}
      above={
        <>
          {rows.length > 0 && <ListHistogram of="errors" query={query} />}
          <OnlyOfTrace what="errors" />
        </>
      }
      table={{
        className: "groups",
        caption: sort === undefined ? "Errors, last seen first" : "Errors",
        columns: sortedBy(sort ?? "-last_seen", COLUMNS),
      }}
      empty={
        <p>
          {isOpenOnly ? "No open errors." : "No errors received."}{" "}
          <a href="#/settings">Generate one</a>{" "}
          in Settings, or cause an error in your own application.{" "}
          {isOpenOnly && (
            <a href={fragmentTo("errors", [], { state: "all" })}>Show resolved and muted ones</a>
          )}
        </p>
      }
    >
      {(row, place) => (
        <ErrorRow
          key={row.group}
          row={row}
          href={fragmentTo("errors", [row.group], Object.fromEntries(params))}
          {...place}
        />
      )}
    </RowList>
  );
}

const COLUMNS: readonly SortableColumn[] = [
  { title: "Error" },
  { title: "Level" },
  { title: "Count", numeric: true, by: "count" },
  { title: "First seen", by: "first_seen" },
  { title: "Over time" },
  { title: "Last seen", by: "last_seen" },
];

/** One error group. Memoised: unchanged rows are not rendered again. */
const ErrorRow = memo(function ErrorRow({ row, href, isTabStop, ...place }: RowPlace & {
  row: ErrorGroupRow;
  href: string;
}) {
  const { group, type, value, where, level, handled, count, first_seen, last_seen } = row;
  return (
    <ListRow {...place}>
      <td className="what">
        {/* Only the type is the link: browsers do not start a text selection inside a link. */}
        <span id={`error-${group}`}>
          <a
            className="row-link"
            href={href}
            data-row={group}
            tabIndex={isTabStop ? 0 : -1}
            aria-labelledby={`error-${group}`}
          >
            {type}
          </a>{" "}
          {cutText(value, MAX_VALUE)}
        </span>
        <small>
          <GroupMark row={row} /> {where ?? "unknown location"} <SourceLabel of={[row.source]} />
        </small>
      </td>
      <td className="lv">
        <ErrorLevel level={level} handled={handled} />
      </td>
      <td className="n">
        {count.toLocaleString("en")}
        ×
      </td>
      <td className="first">
        <TimeAgo at={first_seen} />
      </td>
      <td className="chart">
        <Sparkline row={row} showsTime />
      </td>
      <td className="last">
        <TimeAgo at={last_seen} />
      </td>
    </ListRow>
  );
});
