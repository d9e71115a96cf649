import "../view_code.ts";
import { useEffect } from "react";
import { fragmentTo, goTo, linkTo, useFragment } from "../data/fragment.ts";
import { Unread } from "../kit/Blank.tsx";
import { DetailView } from "../kit/DetailView.tsx";
import { ErrorDetail } from "./ErrorDetail.tsx";
import { Split } from "../kit/Split.tsx";
import { ErrorList } from "./ErrorList.tsx";
import { useList } from "../data/lists.ts";

/** Ids of events have 32 digits, keys of groups have fewer. */
const EVENT_ID = /^[\da-f]{32}$/;
const GROUP_KEY = /^[\da-f]{14}$/;

/**
 * The errors view. Its addresses:
 *
 * - `#/errors`: the groups
 * - `#/errors/GROUP`: the newest error of a group
 * - `#/errors/GROUP/ENVELOPE`: the error in that envelope; `/EVENT`: of several of the group
 * - `#/errors/EVENT` and `#/errors/EVENT/ENVELOPE`: redirects to the event's group
 */
export default function ErrorsView() {
  const { path: [group, envelope, event] } = useFragment();
  const detail = group === undefined
    ? undefined
    : EVENT_ID.test(group)
    ? <EventRedirect eventId={group} envelope={envelope} />
    : GROUP_KEY.test(group) && (
      <ErrorDetail
        key={group}
        group={group}
        envelope={/^\d{1,15}$/.test(envelope ?? "") ? Number(envelope) : undefined}
        event={event}
      />
    );
  return <Split list={<ErrorList openKey={group} />} detail={detail} look="covers" />;
}

/** Redirects from an event id to the address with the event's group, which only the list of occurrences has. */
function EventRedirect({ eventId, envelope }: {
  eventId: string;
  envelope: string | undefined;
}) {
  const list = useList("occurrences", { q: eventId });
  const { rows, state, more } = list;
  const found = rows.find((row) =>
    row.event_id === eventId && (envelope === undefined || String(row.envelope) === envelope)
  );
  // Without filters: they may leave it out.
  const target = found && fragmentTo("errors", [found.group, String(found.envelope), eventId]);
  useEffect(() => {
    // The search is split into pages, of which the first may have none or only texts that mention the id.
    if (state === "ready" && !found) more?.();
  }, [rows, state, found, more]);
  useEffect(() => {
    // The user may have navigated elsewhere meanwhile.
    const isCurrent = location.hash.startsWith(fragmentTo("errors", [eventId]));
    if (target !== undefined && isCurrent) goTo(target, { replace: true });
  }, [target]);
  return (
    <DetailView
      className="error"
      back="All errors"
      backHref={linkTo("errors")}
      title="Error"
    >
      <Unread what="error" of={found || more ? { ...list, state: "loading" } : list} />
    </DetailView>
  );
}
