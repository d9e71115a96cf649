import type { ReactNode } from "react";
import { Marked } from "../../components/OutcomeMark.tsx";
import { Panel } from "../../components/Panel.tsx";
import { formatNumber } from "../../components/format.ts";
import { ReadFailure } from "../../components/ReadFailure.tsx";
import type { ConsoleList } from "../data/lists.ts";
import { useInboxState } from "../data/inbox_state.ts";
import { ApplicationTile } from "../kit/ApplicationLabel.tsx";
import { type Column, Table } from "../kit/Table.tsx";
import type { STATES } from "./reasons.ts";

/** Rows of each list; the views have the others. Twice as many fit a large screen, where lists are side by side. */
export const ROWS = matchMedia("(min-width: 138rem)").matches ? 12 : 6;

/** A state without the room for its word. */
export const StateMark = ({ kind, word }: Pick<(typeof STATES)[number], "kind" | "word">) => (
  <Marked kind={kind}>
    <span className="vh">{word}:</span>
  </Marked>
);

/** The name of what an application has, after its tile. @param props.name as text; `children`: with its link */
export function OfApplication({ application = "", name, children }: {
  application: string | undefined;
  name: string;
  children: ReactNode;
}) {
  return (
    <span className="beside" title={`${application}: ${name}`}>
      <ApplicationTile name={application} />
      <span className="vh">{application}:</span>
      <span className="one-line">{children}</span>
    </span>
  );
}

/** The first rows of a list in a panel, or why there are none. */
export function Highlight<Row>({ id, title, all, list, empty, hrefOf, columns }: {
  id: string;
  title: string;
  all: { readonly text: string; readonly href: string };
  list: ConsoleList<Row>;
  empty: string;
  hrefOf: (row: Row) => string;
  columns: readonly Column<Row>[];
}) {
  const { state } = useInboxState();
  const found = list.rows.length;
  const isEmpty = list.state === "ready" && state === "live";
  return (
    <Panel
      id={id}
      title={title}
      links={
        <>
          {list.state !== "failed" && found > ROWS && (
            <small>
              {ROWS} of {list.more && "at least "}
              {formatNumber(found)} found{list.state === "loading" && ", still counting"}
            </small>
          )} <a href={all.href}>{all.text}</a>
        </>
      }
    >
      {list.state === "failed"
        // Repeated: an inbox that does not answer is reported above, too.
        ? <ReadFailure message={list.error} retry={list.retry} isRepeated />
        : found === 0
        // That it is loading is stated once, above.
        ? <p className="empty">{isEmpty && empty}</p>
        : (
          <Table
            className="highlight"
            caption={title}
            columns={columns}
            rows={list.rows.slice(0, ROWS)}
            keyOf={list.keyOf}
            hrefOf={hrefOf}
          />
        )}
    </Panel>
  );
}
