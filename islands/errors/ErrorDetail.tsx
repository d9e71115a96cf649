import { formatNumber } from "../../components/format.ts";
import { useEffect, useRef, useState } from "react";
import { ReadFailure } from "../../components/ReadFailure.tsx";
import type { OccurrenceRow } from "../../monitoring/models/rows.ts";
import { type ConsoleQuery, inbox } from "../data/inbox.ts";
import { queryOf } from "../data/filters.ts";
import { fragmentTo } from "../data/fragment.ts";
import { ListHistogram } from "../charts/ListHistogram.tsx";
import { CopyMenu } from "./CopyMenu.tsx";
import { ErrorBody } from "./ErrorBody.tsx";
import { ERROR_FILTERS } from "./ErrorList.tsx";
import { GroupHeader } from "./GroupState.tsx";
import { useRead } from "../data/use_read.ts";
import { isFocusOnView } from "../kit/use_keys.ts";
import { useList } from "../data/lists.ts";
import { read } from "../data/read.ts";

/**
 * One occurrence of an error group, with links to the others.
 *
 * @param props.envelope id of the occurrence's envelope; undefined: the newest when the group was opened
 * @param props.params search and filters of the list, kept for the way back
 * @param props.takesFocus the user navigated within the view, and the element that had the focus was removed
 */
export function ErrorDetail({ group, envelope, params, takesFocus }: {
  group: string;
  envelope: number | undefined;
  params: Readonly<Record<string, string>>;
  takesFocus: boolean;
}) {
  const list = useList("occurrences", { group, ...chosenFilters(params) });
  const { rows } = list;
  const current = useCurrentOccurrence(rows, envelope);
  const index = rows.findIndex((row) => row.envelope === current);
  const eventId = rows[index]?.event_id ?? null;
  const reading = useRead(
    ["error", group, current, eventId],
    current !== undefined &&
      (() => read("error", { id: group, envelope: current, event: eventId ?? undefined })),
  );
  const content = reading.value;
  const groupRow = useList("errors", { group, limit: 1 }).rows.find((row) => row.group === group);
  const back = fragmentTo("errors", [], params);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // Each occurrence has another heading element.
    const isLost = takesFocus && document.activeElement === document.body;
    if (isLost || isFocusOnView()) place.current?.querySelector("h3")?.focus();
  }, [takesFocus, content?.envelope]);

  // An envelope may contain several errors of a group; they share one address.
  const isOther = (row: OccurrenceRow) => row.envelope !== current;
  const linkTo = (row: OccurrenceRow | undefined) =>
    row && fragmentTo("errors", [group, String(row.envelope)], params);
  const isMissing = (reading.state === "ready" && !content) ||
    (list.state === "ready" && current === undefined);
  const isLoading = reading.state === "loading" && !content && list.state !== "failed" &&
    (current !== undefined || list.state === "loading");
  return (
    <div className="error" ref={place}>
      <div className="line head ends">
        <nav className="facts" aria-label="Occurrences">
          <a href={back}>All errors</a>
          <span role="status">
            {describePosition(index, rows.length, list.more !== undefined)}
          </span>
          <Step href={linkTo(rows.slice(0, Math.max(0, index)).findLast(isOther))}>Newer</Step>
          <Step href={linkTo(rows.slice(index === -1 ? rows.length : index).find(isOther))}>
            Older
          </Step>
        </nav>
        <div className="actions line">
          {groupRow && <GroupHeader row={groupRow} back={back} />}
          {content && <CopyMenu content={content} />}
        </div>
      </div>
      {content && reading.state !== "failed" && (
        // The key resets what the user opened in the previous occurrence.
        <ErrorBody
          key={content.envelope}
          content={content}
          group={groupRow}
          sender={rows[index]?.application}
          replayId={rows[index]?.replay_id ?? undefined}
          readAgain={reading.retry}
          frequency={
            <ListHistogram
              of="errors"
              query={{ group, ...chosenFilters(params) }}
              application={rows[index]?.application}
            />
          }
        />
      )}
      {reading.state === "failed" && (
        <ReadFailure
          message={reading.error}
          retry={reading.retry}
          download={`${inbox.path}?id=${current ?? 0}`}
        />
      )}
      {reading.state !== "failed" && list.state === "failed" && !content && (
        <ReadFailure message={list.error} retry={list.retry} />
      )}
      {isMissing && <ErrorNotFound back={back} />}
      {isLoading && <p className="empty">Loading the error.</p>}
    </div>
  );
}

/** The filters of the list in the address: the occurrences are those that the list counts, of any state. */
function chosenFilters(params: Readonly<Record<string, string>>): ConsoleQuery {
  const { state: _, application, ...filters } = queryOf(new URLSearchParams(params), ERROR_FILTERS);
  return { ...filters, ...params.application && { application } };
}

/** @param props.back link to the list */
export function ErrorNotFound({ back }: { back: string }) {
  return (
    <p className="empty">
      Error not found: deleted, or never received. <a href={back}>All errors</a>
    </p>
  );
}

/** The envelope of the current occurrence. New occurrences do not replace the one that the user reads. */
function useCurrentOccurrence(
  rows: readonly OccurrenceRow[],
  envelope: number | undefined,
): number | undefined {
  const [first, setFirst] = useState<number>();
  const newest = rows[0]?.envelope;
  useEffect(() => setFirst((first) => first ?? newest), [newest]);
  return envelope ?? first ?? newest;
}

function describePosition(index: number, count: number, hasMore: boolean): string {
  if (index === -1) return "";
  const position = `${formatNumber(index + 1)} of ${formatNumber(count)}`;
  return `${position}${hasMore ? " or more" : ""}`;
}

/** A link, or its text alone at the end of the list, so that the layout stays. */
function Step({ href, children }: { href: string | undefined; children: string }) {
  if (href === undefined) return <span className="quiet">{children}</span>;
  return <a href={href}>{children}</a>;
}
