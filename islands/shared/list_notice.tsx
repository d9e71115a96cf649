import { type ReactNode, useState } from "react";
import { formatCount } from "../../components/format/count.ts";
import { ReadFailure } from "../../components/ReadFailure.tsx";
import type { ConsoleSource } from "./source/source.ts";
import { fragmentTo, useFragment } from "./fragment.ts";
import { useTelemetry } from "./telemetry.ts";
import { InboxToken } from "./inbox_token.tsx";
import { type ConsoleList, useSourceState } from "./source.ts";

/**
 * What is to be said in place of a list's rows, or about them: it loads, failed, is forbidden, is empty. Nothing if the
 * rows speak for themselves.
 *
 * @param props.what the list holds: "envelopes"
 * @param props.children what to do to make one appear, said where there is none at all
 */
export function ListNotice({ source, list, what, children }: {
  source: ConsoleSource | undefined;
  list: ConsoleList<unknown>;
  what: string;
  children: ReactNode;
}) {
  const { state } = useSourceState(source);
  const { view, path, params } = useFragment();
  const [entered, setEntered] = useState(false);
  const { phase, waiting } = useTelemetry();
  const narrowed = params.size > 0;

  if (source && state === "forbidden") {
    const authorize = async (token: string) => {
      const accepted = await source.authorize(token);
      setEntered(accepted);
      return accepted;
    };
    return <InboxToken authorize={authorize} />;
  }
  if (list.state === "failed") {
    return <ReadFailure sentence={list.error} retry={list.retry} />;
  }
  if (list.rows.length > 0) return null;
  if (list.state === "loading") return <p className="empty">Reading {what}.</p>;
  return (
    // The form that had the focus is gone.
    <div className="empty" tabIndex={-1} ref={(place) => void (entered && place?.focus())}>
      {narrowed
        ? (
          <p>
            No {what} fit what is asked for. <a href={fragmentTo(view, path)}>Show all</a>
          </p>
        )
        : phase !== "failed" && children}
      {phase === "failed" && (
        <p>No {what} of this visit come here: telemetry failed, as is told above.</p>
      )}
      {/* What a visit reads of itself is there without any answer. */}
      {waiting > 0 && source?.scope === "inbox" && (
        <p>
          {formatCount(waiting, "envelope")} of this browser {waiting === 1 ? "waits" : "wait"}{" "}
          for an answer, and what is in them is not here yet.
        </p>
      )}
    </div>
  );
}
