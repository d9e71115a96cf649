import { type ReactNode, useEffect, useRef } from "react";
import { goTo } from "./fragment.ts";

/**
 * One thing looked into, in place of the list: its name has the focus, and Escape leads back.
 *
 * @param props.all the name of the way back: "All envelopes"
 * @param props.back where that leads
 * @param props.onLeave called when it is taken
 * @param props.actions what can be done with the whole
 */
export function Details({ title, all, back, onLeave, actions, children }: {
  title: string;
  all: string;
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
        <a href={back} onClick={onLeave}>{all}</a>
        <h3 ref={heading} tabIndex={-1}>{title}</h3>
        {actions}
      </div>
      {children}
    </div>
  );
}
