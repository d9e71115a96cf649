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
 */
export function ErrorDetail({ group, envelope }: {
  group: string;
  envelope: number | undefined;
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
  const current = useCurrentOccurrence(list, envelope);
  const index = rows.findIndex((row) => row.envelope === current);
  const sender = rows[index]?.application;
  const eventId = rows[index]?.event_id ?? null;
  const reading = useRead(
    ["error", group, current, eventId, sent],
    current !== undefined &&
      (() => read("error", { ...sent, id: group, envelope: current, event: eventId ?? undefined })),
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
  // Errors of a group in one envelope share an address. One that the filters leave out has no place in the list.
  const isOnSide = (sign: number) => ({ envelope }: OccurrenceRow, at: number) =>
    envelope !== current && sign * (index === -1 ? current! - envelope : at - index) > 0;
  const linkTo = (row: OccurrenceRow | undefined) => row && to([group, String(row.envelope)]);
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
          key={content.envelope}
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

/** The envelope of the current occurrence. New occurrences do not replace the one that the user reads; other filters do. */
function useCurrentOccurrence(
  { of, rows, state }: ConsoleList<OccurrenceRow>,
  envelope: number | undefined,
): number | undefined {
  const [first, setFirst] = useState<{ of: string; envelope: number }>();
  const newest = rows[0]?.envelope;
  useEffect(() => {
    if (newest === undefined || state === "loading") return;
    setFirst((first) => first?.of === of ? first : { of, envelope: newest });
  }, [of, newest, state]);
  return envelope ?? first?.envelope ?? newest;
}

function saveEnvelope({ event, envelope }: ErrorContent): void {
  saveFile(`${inbox.path}?id=${envelope}`, `${event.event_id ?? envelope}.envelope`);
}
