import { useEffect, useRef } from "react";
import { sentryTraceUrl } from "./sentry_link.ts";
import { CopyId } from "../shared/CopyButton.tsx";

/** The trace's name, its ids, and the ways out of it. */
export function TraceHead({ name, traceId, list, variant, replayId, entered }: {
  name: string;
  traceId: string;
  /** The link back to the list. */
  list: string;
  variant: string;
  replayId: string | null;
  entered: boolean;
}) {
  const title = useRef<HTMLHeadingElement>(null);
  // The link that was followed here is gone.
  useEffect(() => {
    if (entered) title.current?.focus({ preventScroll: true });
  }, []);
  const inSentry = variant === "relay" ? sentryTraceUrl(dsnOfPage(), traceId) : undefined;
  return (
    <header className="trace-head">
      <a href={list}>All traces</a>
      <h3 tabIndex={-1} ref={title}>{name}</h3>
      <span>
        trace <CopyId id={traceId} what="trace id" />
      </span>
      {replayId !== null && (
        <span>
          recording <CopyId id={replayId} what="recording id" />
        </span>
      )}
      {inSentry && <a href={inSentry} target="_blank" rel="noreferrer">Open in Sentry</a>}
    </header>
  );
}

/** The DSN that the server gave this page; it is no secret. */
function dsnOfPage(): string {
  const { dsn } = JSON.parse(document.getElementById("client")?.textContent ?? "{}");
  return typeof dsn === "string" ? dsn : "";
}
