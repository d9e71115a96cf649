import { useEffect } from "react";
import { ReadFailure } from "../../components/ReadFailure.tsx";
import type { ConsoleSource } from "../shared/source/source.ts";
import { fragmentTo, goTo } from "../shared/fragment.ts";
import { useList } from "../shared/source.ts";

/** A group's key is shorter. */
export const isEventId = (name: string) => /^[\da-f]{32}$/.test(name);

/**
 * Leads from an error event to the address that has its group: who links to it has the event alone, as only the list
 * knows the groups.
 *
 * @param props.envelope where the event stands, as the address tells
 */
export function EventFinder({ source, eventId, envelope }: {
  source: ConsoleSource | undefined;
  eventId: string;
  envelope: string | undefined;
}) {
  const { rows, state, error, retry } = useList(source, "occurrences", { q: eventId });
  const found = rows.find(({ event_id, envelope: place }) =>
    event_id === eventId && (envelope === undefined || String(place) === envelope)
  );
  const address = found && fragmentTo("errors", [found.group, String(found.envelope)]);
  useEffect(() => {
    // Unless the reader has gone elsewhere by now.
    const isStillAsked = location.hash.startsWith(fragmentTo("errors", [eventId]));
    if (address !== undefined && isStillAsked) goTo(address, { replace: true });
  }, [address]);
  if (state === "failed") return <ReadFailure sentence={error} retry={retry} />;
  if (state === "loading" || found) return <p className="empty">Reading the error.</p>;
  return (
    <p className="empty">
      This error is no longer there. <a href={fragmentTo("errors")}>All errors</a>
    </p>
  );
}
