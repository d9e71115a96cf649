import { useSyncExternalStore } from "react";
import { breakable } from "../../components/breakable.tsx";
import { ellipsize, formatNumber } from "../../components/format.ts";
import { type ErrorGroupRow, VARIES } from "../../monitoring/models/error/error_row.ts";
import { ListHistogram } from "../charts/ListHistogram.tsx";
import { Sparkline, SPARKLINE_TIP } from "../charts/Sparkline.tsx";
import * as notifications from "../data/notifications.ts";
import { useList } from "../data/lists.ts";
import { RowList } from "../kit/RowList.tsx";
import { type Column, timeColumn } from "../kit/Table.tsx";
import { useSortedList } from "../kit/sort.ts";
import { RowValues } from "../kit/ValueLinks.tsx";
import { ALL } from "../data/filters.ts";
import { useFragment } from "../data/fragment.ts";
import { ErrorLevel, unhandledOf } from "./ErrorLevel.tsx";
import { GroupMark, StateLinks } from "../kit/GroupState.tsx";

/** Characters of a message: two lines of a wide screen. */
const MAX_VALUE = 240;

/** The groups that the address chooses, in its order. */
export const useGroups = () => useSortedList("errors", "-last_seen");

/** Error groups, last seen first. @param props.openKey the group whose detail is open */
export function ErrorList({ openKey }: { openKey: string | undefined }) {
  const { to } = useFragment();
  const { list, query, sort, isUsual } = useGroups();
  const { rows } = list;
  const isOpenOnly = query.state === "open";
  const isEmpty = isOpenOnly && list.state === "ready" && rows.length === 0;
  const ofAnyState = useList("errors", isEmpty ? { ...query, state: undefined } : undefined);

  return (
    <RowList
      whatIsMissing={isOpenOnly ? "open errors" : "errors"}
      whatIsCounted="groups"
      list={list}
      columns={COLUMNS}
      caption={isUsual ? "Errors, last seen first" : "Errors"}
      sort={sort}
      openKey={openKey}
      of="errors"
      actions={<StateLinks />}
      menu={<NotificationSwitch />}
      above={rows.length > 0 && <ListHistogram of="errors" query={query} />}
      empty={
        <>
          <b>{isOpenOnly ? "No open errors." : "No errors received."}</b>{" "}
          <a href="#/settings">Generate one</a>{" "}
          in Settings, or cause an error in your own application.
        </>
      }
      hint={isEmpty && ofAnyState.rows.length > 0 && (
        <p>
          <a href={to([], { state: ALL })}>Show resolved and muted ones</a>
        </p>
      )}
    />
  );
}

const OF_GROUP =
  "Of all errors of the group in the chosen application, release and environment; other filters do not count";

const COLUMNS: readonly Column<ErrorGroupRow>[] = [
  {
    title: "Error",
    tip: "What all errors of a group share; … where they differ",
    // Only the type is the link: browsers do not start a text selection inside a link.
    cell: (row, link) => (
      <>
        <RowValues
          values={[
            ["level", row.level],
            ...row.type === VARIES ? [] : [["type", row.type] as const],
          ]}
        >
          <ErrorLevel of={row} isMark />
        </RowValues>
        {link(breakable(row.type), `${row.type} ${ellipsize(row.value, MAX_VALUE)}`)}{" "}
        {ellipsize(row.value, MAX_VALUE)} <GroupMark row={row} />
      </>
    ),
    aside: {
      title: "Where",
      applications: ({ applications }) => applications,
      cell: ({ where, unhandled, count }) => (
        <>
          {unhandled > 0 && unhandled < count && `${unhandledOf(unhandled, count)}, `}
          {where ?? "unknown location"}
        </>
      ),
    },
  },
  timeColumn("First seen", ({ first_seen }) => first_seen, {
    ...{ tip: OF_GROUP, width: 6, isWide: true, by: "first_seen" },
  }),
  {
    title: "Over time",
    tip: SPARKLINE_TIP,
    width: 6,
    isWide: true,
    cell: (row) => <Sparkline row={row} />,
  },
  timeColumn("Last seen", ({ last_seen }) => last_seen, { tip: OF_GROUP, by: "last_seen" }),
  {
    title: "Count",
    tip: "Errors that match all filters",
    width: 5.25,
    numeric: true,
    by: "count",
    cell: ({ count }) => `${formatNumber(count)}×`,
  },
];

/** The button that turns browser notifications of new and regressed groups on and off. */
function NotificationSwitch() {
  const state = useSyncExternalStore(notifications.subscribe, readState);
  if (!notifications.isSupported()) return null;
  if (state === "denied") {
    return <small>The browser blocks notifications of this page.</small>;
  }
  return (
    <button
      type="button"
      aria-pressed={state === "on"}
      title="A browser notification for each new or regressed error while this view is not visible"
      onClick={() => void notifications.turn(state === "off")}
    >
      Notify me
    </button>
  );
}

function readState(): "on" | "off" | "denied" {
  if (notifications.isOn()) return "on";
  return Notification.permission === "denied" ? "denied" : "off";
}
