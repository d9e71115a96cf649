import { useEffect, useRef, useState } from "react";
import type { ErrorContent } from "../../monitoring/models/error/error_content.ts";
import type { ErrorGroupRow, OccurrenceRow } from "../../monitoring/models/error/error_row.ts";
import { inbox } from "../data/inbox.ts";
import { isNarrowed, queryOf } from "../data/filters.ts";
import { useFragment } from "../data/fragment.ts";
import { ListHistogram } from "../charts/ListHistogram.tsx";
import { ErrorBody } from "./ErrorBody.tsx";
import { ErrorFacts, ErrorTitle } from "./ErrorTitle.tsx";
import { useGroups } from "./ErrorList.tsx";
import { describePosition, stepTo } from "../kit/Steps.tsx";
import { SetFilters } from "../kit/FilterControls.tsx";
import { GroupHeader } from "../kit/GroupState.tsx";
import { useRead } from "../data/use_read.ts";
import { Unread } from "../kit/Blank.tsx";
import { CopyMenu, DetailView } from "../kit/DetailView.tsx";
import { saveFile } from "../kit/FileButton.tsx";
import { type ConsoleList, useList } from "../data/lists.ts";
import { read } from "../data/read.ts";

/**
 * One occurrence of an error group, with links to the others.
 *
 * @param props.envelope id of the occurrence's envelope; undefined: the newest when the group was opened
 * @param props.event which of that envelope; undefined: the newest
 */
export function ErrorDetail({ group, envelope, event }: {
  group: string;
  envelope: number | undefined;
  event: string | undefined;
}) {
  const { params, to } = useFragment();
  // The occurrences are those that the list counts, of any state.
  const chosen = queryOf(params, "occurrences");
  const { application } = chosen;
  const { rows: listed, state } = useList("errors", { group, application, limit: 1 });
  // A link leads to a group of Sightglass alone, too.
  const isOwn = state === "ready" && listed.length === 0 && !params.get("application");
  const filters = isOwn ? { ...chosen, application: undefined } : chosen;
  const sent = { application: filters.application };
  const list = useList("occurrences", { ...filters, group });
  const { rows } = list;
  const first = useFirstOccurrence(list);
  const current = envelope ?? first?.envelope;
  const wanted = envelope === undefined ? first?.event_id : event;
  const index = rows.findIndex((row) =>
    row.envelope === current && (wanted === undefined || row.event_id === wanted)
  );
  const sender = rows[index]?.application;
  const eventId = rows[index]?.event_id ?? wanted;
  const reading = useRead(
    ["error", group, current, eventId, sent],
    current !== undefined &&
      (() => read("error", { ...sent, id: group, envelope: current, event: eventId })),
  );
  const content = reading.value;
  const isMissing = list.state === "ready" && rows.length === 0;
  const isFiltered = isNarrowed(params, "occurrences", isMissing);
  const ofGroup = useList("errors", { group, ...sent, limit: 1 }).rows;
  const groupRow = ofGroup.find((row) => row.group === group);
  const groups = useGroups().list;
  const groupIndex = groups.rows.findIndex((row) => row.group === group);
  // A group that was resolved has left the list.
  const lastIndex = useRef(0);
  if (groupIndex !== -1) lastIndex.current = groupIndex;
  const hrefOf = (row: ErrorGroupRow | undefined) => row && to([row.group]);
  // One that the filters leave out has no place in the list.
  const isOnSide = (sign: number) => ({ envelope }: OccurrenceRow, at: number) =>
    sign * (index === -1 ? current! - envelope : at - index) > 0;
  const linkTo = (row: OccurrenceRow | undefined) => {
    if (row === undefined) return undefined;
    const inEnvelope = rows.filter(({ envelope }) => envelope === row.envelope).length;
    return to([group, String(row.envelope), ...inEnvelope > 1 ? [row.event_id] : []]);
  };
  return (
    <DetailView
      className="error"
      back="All errors"
      title={content ? <ErrorTitle event={content.event} group={groupRow} /> : "Error"}
      facts={
        <>
          {content && <ErrorFacts event={content.event} group={groupRow} sender={sender} />}
          <nav className="beside quiet" aria-label="Occurrences">
            {stepTo(linkTo(rows.findLast(isOnSide(-1))), "Newer")}
            <span role="status">{index !== -1 && "event "}{describePosition(index, list)}</span>
            {stepTo(linkTo(rows.find(isOnSide(1))), "Older")}
          </nav>
        </>
      }
      steps={
        <nav className="beside" aria-label="Errors of the list">
          {stepTo(hrefOf(groups.rows[lastIndex.current - 1]), "Previous error")}
          <span>{describePosition(groupIndex, groups)}</span>
          {stepTo(
            hrefOf(groups.rows[lastIndex.current + Number(groupIndex !== -1)]),
            "Next error",
          )}
        </nav>
      }
      actions={
        <>
          {content && (
            <CopyMenu
              what="error"
              texts={{
                "Copy as text": () => content.text,
                "Copy for an assistant": () => content.markdown,
              }}
            />
          )}
          {groupRow && (
            <GroupHeader row={groupRow} what="error" back={to([])}>
              {content && (
                <button type="button" onClick={() => saveEnvelope(content)}>
                  Download envelope
                </button>
              )}
            </GroupHeader>
          )}
        </>
      }
      shown={content?.envelope}
    >
      {isFiltered && <SetFilters of="occurrences" />}
      {content && reading.state !== "failed" && (
        // The key resets what the user opened in the previous occurrence.
        <ErrorBody
          key={`${content.envelope} ${content.event.event_id}`}
          content={content}
          group={groupRow}
          sender={sender}
          replayId={rows[index]?.replay_id}
          readAgain={reading.retry}
          frequency={
            <ListHistogram
              of="errors"
              query={{ ...filters, group }}
              application={sender}
            />
          }
        />
      )}
      {(!content || reading.state === "failed") && (
        <Unread
          what="error"
          isFiltered={isFiltered}
          of={current === undefined ? list : reading}
        >
          {current !== undefined && (
            <a href={`${inbox.path}?id=${current}`} download="">Download the envelope</a>
          )}
        </Unread>
      )}
    </DetailView>
  );
}

/** The newest occurrence. New ones do not replace the one that the user reads; other filters do. */
function useFirstOccurrence({ of, rows: [newest], state }: ConsoleList<OccurrenceRow>) {
  const [first, setFirst] = useState<{ of: string; row: OccurrenceRow }>();
  useEffect(() => {
    if (newest === undefined || state === "loading") return;
    setFirst((first) => first?.of === of ? first : { of, row: newest });
  }, [of, newest, state]);
  return first?.row ?? newest;
}

function saveEnvelope({ event, envelope }: ErrorContent): void {
  saveFile(`${inbox.path}?id=${envelope}`, `${event.event_id}.envelope`);
}
