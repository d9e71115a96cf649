import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { errorColumns, ErrorRow } from "../../components/error/ErrorRow.tsx";
import type { ConsoleSource } from "../../monitoring/inbox/read/source/source.ts";
import { FeedBar } from "../_console/feed_bar.tsx";
import { fragmentTo } from "../_console/fragment.ts";
import { ListNotice } from "../_console/list_notice.tsx";
import { Older } from "../_console/older.tsx";
import { useList } from "../_console/source.ts";

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
  const [active, setActive] = useState(from);
  const body = useRef<HTMLTableSectionElement>(null);
  const links = () => [...body.current?.querySelectorAll<HTMLAnchorElement>("a[data-group]") ?? []];
  const stop = rows.some(({ group }) => group === active) ? active : rows[0]?.group;

  const hasRows = rows.length > 0;
  useEffect(() => {
    if (!hasRows || from === undefined || document.activeElement !== document.body) return;
    links().find(({ dataset }) => dataset.group === from)?.focus();
  }, [hasRows, from]);

  const move = (event: KeyboardEvent) => {
    const all = links();
    const at = all.findIndex((link) => link === event.target);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (at === -1 || to === undefined) return;
    event.preventDefault();
    all[Math.min(Math.max(to, 0), all.length - 1)]?.focus();
  };

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
          <tbody
            ref={body}
            onKeyDown={move}
            onFocus={({ target }) => setActive(target.dataset.group)}
          >
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
