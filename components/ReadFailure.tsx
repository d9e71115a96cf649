import type { ReactNode } from "react";
import { Marked } from "./OutcomeMark.tsx";

/**
 * Shown in place of a part that failed; the rest of the page works.
 *
 * @param props.title "This view failed."
 * @param props.isRepeated another part of the page shows the same: no second alert
 */
export function ReadFailure({ title, message, retry, isRepeated, children }: {
  title?: string;
  message: string | undefined;
  retry: () => unknown;
  isRepeated?: boolean;
  children?: ReactNode;
}) {
  return (
    <div className="failure spaced" role={isRepeated ? undefined : "alert"}>
      <p>
        <Marked kind="refused" />
        {title && <b>{title}</b>} {message}
      </p>
      <button type="button" onClick={retry}>Try again</button> {children}
    </div>
  );
}

/** What is being read. Shown only after a moment: most answers are there before. */
export function Loading({ what }: { what: string }) {
  return <p className="empty loading">{`Loading ${what}.`}</p>;
}
