import { type ReactNode, useState } from "react";
import { Marked } from "../../components/OutcomeMark.tsx";
import type {
  ErrorGroupRow,
  GroupState,
  Regression,
} from "../../monitoring/models/error/error_row.ts";
import { ALL } from "../data/filters.ts";
import { Segmented } from "./Segmented.tsx";
import { ConfirmedButton } from "./ConfirmedButton.tsx";
import { Menu } from "./Menu.tsx";
import { goTo } from "../data/fragment.ts";
import { cutText, messageOf } from "../../components/format.ts";
import { showState } from "../data/lists.ts";
import { resumeLists } from "../data/queries.ts";
import { inbox } from "../data/inbox.ts";

/** The state of the groups that the list shows, where there is room for links. */
export function StateLinks() {
  return (
    <Segmented
      label="State"
      name="state"
      choices={[[undefined, "Open"], ["resolved", "Resolved"], ["muted", "Muted"], [ALL, "All"]]}
      className="wide"
    />
  );
}

/** Whether a group is resolved, muted or a regression; nothing if it is open. */
export function GroupMark({ row: { state, regression = null } }: {
  row: Pick<ErrorGroupRow, "state"> & Partial<Pick<ErrorGroupRow, "regression">>;
}) {
  if (state === "muted") return <strong>muted</strong>;
  if (state === "open" && regression === null) return null;
  const kind = state === "resolved" ? "flows" : "waits";
  return (
    <Marked kind={kind} className="level">
      {regression === null ? state : describeRegression(regression)}
    </Marked>
  );
}

/** Characters of a release within a line. */
const MAX_RELEASE = 60;

/** "Regression in 1.4.2, resolved in 1.4.1". */
function describeRegression({ release, resolved_in }: Regression): string {
  const within = (name: string | null) => name === null ? "" : ` in ${cutText(name, MAX_RELEASE)}`;
  return `Regression${within(release)}${
    resolved_in === null ? "" : `, resolved${within(resolved_in)}`
  }`;
}

/**
 * The state of a group or a feedback, and the buttons that change it.
 *
 * @param props.back link to the list, which is opened after the group was deleted; undefined: it cannot be
 */
export function GroupHeader({ row, what, back, children }: {
  row: Pick<ErrorGroupRow, "group" | "state"> & Partial<Pick<ErrorGroupRow, "regression">>;
  what: string;
  back?: string;
  children?: ReactNode;
}) {
  const { group } = row;
  const [error, setError] = useState("");
  const [changing, setChanging] = useState<GroupState>();

  const change = async (work: Promise<void>) => {
    setError("");
    try {
      await work;
      resumeLists();
    } catch (error) {
      setError(messageOf(error));
    }
  };
  const remove = (back: string) =>
    change(inbox.change("DELETE", { group }).then(() => goTo(back, { replace: true })));
  const toggle = async (state: GroupState) => {
    if (changing) return;
    setChanging(state);
    const wanted = row.state === state ? "open" : state;
    const changed = inbox.change("PATCH", { group }, { state: wanted });
    await change(changed.then(() => showState(group, wanted)));
    setChanging(undefined);
  };
  // Not `disabled`, which would lose the focus.
  const toggleProps = (state: GroupState) => ({
    "aria-busy": changing === state,
    "aria-disabled": changing === state,
    onClick: () => void toggle(state),
  });

  return (
    <div className="line" role="group" aria-label="Group">
      <span role="status">
        <GroupMark row={row} />
      </span>
      {error && <Marked kind="refused" role="alert">Not changed: {error}</Marked>}
      <button
        type="button"
        className={row.state === "resolved" || changing === "resolved" ? undefined : "primary"}
        {...toggleProps("resolved")}
      >
        {row.state === "resolved" ? "Reopen" : "Resolve"}
      </button>
      <Menu name={`More about the ${what}`}>
        {(close) => (
          <>
            <button type="button" {...toggleProps("muted")}>
              {row.state === "muted" ? "Unmute" : "Mute"}
            </button>
            {children}
            {back !== undefined && (
              <ConfirmedButton
                label="Delete"
                action="Delete group"
                question="Remove this group from the errors? Its envelopes stay."
                act={() => void remove(back)}
                close={close}
              />
            )}
          </>
        )}
      </Menu>
    </div>
  );
}
