import { type ReactNode, useEffect, useRef } from "react";
import { OutcomeMark } from "../../components/OutcomeMark.tsx";
import { goTo } from "../shared/fragment.ts";

/**
 * Layout of a details page: link to the list, heading, actions, content. Focuses the heading; Escape
 * returns to the list.
 *
 * @param props.title text of the heading
 * @param props.actions buttons beside the heading
 * @param props.back link to the list
 * @param props.onLeave called when the user goes back
 */
export function DetailsLayout({ title, back, onLeave, actions, children }: {
  title: string;
  back: string;
  onLeave?: () => void;
  actions?: ReactNode;
  children: ReactNode;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), [title]);
  return (
    <div
      className="details"
      onKeyDown={({ key, defaultPrevented }) => {
        if (key !== "Escape" || defaultPrevented) return;
        onLeave?.();
        goTo(back);
      }}
    >
      <div className="way">
        <a
          href={back}
          onClick={({ ctrlKey, metaKey, shiftKey }) => {
            // With these keys the list opens in another tab or window.
            if (!ctrlKey && !metaKey && !shiftKey) onLeave?.();
          }}
        >
          All envelopes
        </a>
        <h3 ref={heading} tabIndex={-1}>{title}</h3>
        {actions}
      </div>
      {children}
    </div>
  );
}

/**
 * A problem with an envelope or a file.
 *
 * @param props.title what failed
 * @param props.what what is wrong
 * @param props.where the item that has the problem
 * @param props.right what would be right
 * @param props.dump the bytes at the problem, as a hex dump
 */
export function ProblemBox({ title, what, where, right, dump }: {
  title: string;
  what: string;
  where?: string;
  right?: string;
  dump?: string;
}) {
  return (
    <div role="alert" className="failure">
      <p className="refused">
        <OutcomeMark kind="refused" />
        <b>{title}</b>
      </p>
      <p>{what}</p>
      {where && <p>{where}</p>}
      {right && <p>{right}</p>}
      {dump && <pre className="dump" tabIndex={0} aria-label="Bytes at the problem">{dump}</pre>}
    </div>
  );
}
