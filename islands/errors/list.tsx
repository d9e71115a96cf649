import { useRef } from "react";
import { errorColumns, ErrorRow } from "./ErrorRow.tsx";
import type { ConsoleSource } from "../shared/source/source.ts";
import { FeedBar } from "../shared/feed_bar.tsx";
import { fragmentTo } from "../shared/fragment.ts";
import { ListNotice } from "../shared/list_notice.tsx";
import { Older } from "../shared/older.tsx";
import { useReturnToRow } from "../shared/return_to_row.ts";
import { useRowKeys } from "../shared/row_keys.ts";
import { useList } from "../shared/source.ts";

/**
 * Groups of errors, the one that was seen last first. One stop of the Tab key; arrows go from group to group.
 *
 * @param props.q what is searched for
 * @param props.from the group that the reader comes back from: it takes the focus
 */
export function ErrorList({ source, q, from }: {
  source: ConsoleSource | undefined;
  q: string | undefined;
  from: string | undefined;
}) {
  const list = useList(source, "errors", { q });
  const { rows, more } = list;
  const { stop, events } = useRowKeys(rows.map(({ group }) => group), from);
  const body = useRef<HTMLTableSectionElement>(null);
  const hasRows = rows.length > 0;
  useReturnToRow("errors", body, from, hasRows);

  return (
    <>
      <FeedBar source={source} what="errors" />
      <ListNotice source={source} list={list} what="errors">
        <p>
          No error has come yet. <a href="#/">Make a signal</a>{" "}
          on the overview, or fail on your own page: what it reports stands here a moment later.
        </p>
      </ListNotice>
      {hasRows && (
        <table className="groups">
          <caption className="vh">Errors, the one that was seen last first</caption>
          <thead>
            <tr>
              {errorColumns.map(({ title, numeric }) => (
                <th key={title} scope="col" className={numeric ? "n" : undefined}>{title}</th>
              ))}
            </tr>
          </thead>
          <tbody ref={body} {...events}>
            {rows.map((row) => (
              <ErrorRow
                key={row.group}
                row={row}
                href={fragmentTo("errors", [row.group], { q })}
                isStop={row.group === stop}
              />
            ))}
          </tbody>
        </table>
      )}
      <Older what="errors" more={more} />
    </>
  );
}
