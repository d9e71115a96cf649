import { useEffect, useRef, useState } from "react";
import { ReadFailure } from "../../components/ReadFailure.tsx";
import type { OccurrenceRow } from "../../monitoring/models/rows.ts";
import type { ConsoleSource } from "../shared/source/source.ts";
import { ErrorBody } from "./body.tsx";
import { useErrorEvent } from "./event.ts";
import { fragmentTo, goTo } from "../shared/fragment.ts";
import { InboxToken } from "../shared/inbox_token.tsx";
import { useList, useSourceState } from "../shared/source.ts";

/**
 * One occurrence of a group of errors, and the way to the others.
 *
 * @param props.envelope the occurrence's envelope; undefined: the newest when the group was opened
 * @param props.takesFocus the reader's own step led here: what had the focus is gone
 */
export function ErrorDetail({ source, group, envelope, q, takesFocus }: {
  source: ConsoleSource | undefined;
  group: string;
  envelope: number | undefined;
  q: string | undefined;
  takesFocus: boolean;
}) {
  const list = useList(source, "occurrences", { group });
  const { rows } = list;
  const { state } = useSourceState(source);
  const shown = useShownOccurrence(rows, envelope);
  const at = rows.findIndex((row) => row.envelope === shown);
  const reading = useErrorEvent(source, shown, rows[at]?.event_id ?? null);
  const back = fragmentTo("errors", [], { q });
  useEscape(back);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (takesFocus && document.activeElement === document.body) place.current?.focus();
  }, [takesFocus, shown]);
  const title = reading.event?.title;
  useEffect(() => {
    // Its name takes the focus over, unless the reader went on while it was read.
    if (document.activeElement === place.current) place.current?.querySelector("h3")?.focus();
  }, [title, shown]);

  // One envelope may hold several errors of a group; the address knows it as one place.
  const isAnother = (row: OccurrenceRow) => row.envelope !== shown;
  const to = (row: OccurrenceRow | undefined) =>
    row && fragmentTo("errors", [group, String(row.envelope)], { q });
  if (source && state === "forbidden") {
    return <InboxToken authorize={(token) => source.authorize(token)} />;
  }
  return (
    <div className="error" ref={place} tabIndex={-1}>
      <nav className="bar" aria-label="Occurrences">
        <a href={back}>All errors</a>
        <p role="status">{positionInWords(at, rows.length, list.more !== undefined)}</p>
        <span className="line">
          <Step href={to(rows.slice(0, Math.max(0, at)).findLast(isAnother))}>Newer</Step>
          <Step href={to(rows.slice(at === -1 ? rows.length : at).find(isAnother))}>Older</Step>
        </span>
      </nav>
      {reading.event && source && reading.of !== undefined && (
        // Another occurrence is another body: what was opened in one says nothing of the next.
        <ErrorBody
          key={reading.of}
          source={source}
          event={reading.event}
          envelope={reading.of}
        />
      )}
      {reading.state === "failed" && (
        <ReadFailure
          sentence={reading.error}
          retry={reading.retry}
          download={source?.download(shown ?? 0)}
        />
      )}
      {reading.state !== "failed" && list.state === "failed" && !reading.event && (
        <ReadFailure sentence={list.error} retry={list.retry} />
      )}
      {(reading.state === "gone" || (list.state === "ready" && shown === undefined)) && (
        <p className="empty">
          This error is no longer there. <a href={back}>All errors</a>
        </p>
      )}
      {reading.state === "loading" && !reading.event && list.state !== "failed" &&
        (shown !== undefined || list.state === "loading") && (
        <p className="empty">Reading the error.</p>
      )}
    </div>
  );
}

/** The envelope that is shown: what comes later does not take its place under the reader's eyes. */
function useShownOccurrence(
  rows: readonly OccurrenceRow[],
  envelope: number | undefined,
): number | undefined {
  const [first, setFirst] = useState<number>();
  const newest = rows[0]?.envelope;
  useEffect(() => setFirst((first) => first ?? newest), [newest]);
  return envelope ?? first ?? newest;
}

function positionInWords(at: number, count: number, hasMore: boolean): string {
  if (at === -1) return "";
  return `Occurrence ${(at + 1).toLocaleString("en")} of ${count.toLocaleString("en")}${
    hasMore ? " and more" : ""
  }, the newest first`;
}

/** A link where there is somewhere to go, else the word: so nothing moves. */
function Step({ href, children }: { href: string | undefined; children: string }) {
  if (href === undefined) return <span className="quiet">{children}</span>;
  return <a href={href}>{children}</a>;
}

/** Escape leads back to the list, unless it ends something within: a field, an open choice. */
function useEscape(back: string): void {
  useEffect(() => {
    const leave = (event: KeyboardEvent) => {
      const isTyping = (event.target as Element).matches?.("input, textarea, select");
      if (event.key !== "Escape" || event.defaultPrevented || isTyping) return;
      if (location.hash.startsWith("#/errors/")) goTo(back);
    };
    addEventListener("keydown", leave);
    return () => removeEventListener("keydown", leave);
  }, [back]);
}
