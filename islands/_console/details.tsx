import { type ReactNode, useEffect, useRef } from "react";

/**
 * One thing looked into, in place of the list: its name has the focus, and Escape leads back.
 *
 * @param props.actions what can be done with the whole
 */
export function Details({ title, close, actions, children }: {
  title: string;
  close: () => void;
  actions?: ReactNode;
  children: ReactNode;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), [title]);
  return (
    <div
      className="details"
      onKeyDown={({ key, defaultPrevented }) => {
        if (key === "Escape" && !defaultPrevented) close();
      }}
    >
      <div className="way">
        <h3 ref={heading} tabIndex={-1}>{title}</h3>
        <div className="line">
          {actions}
          <button type="button" onClick={close}>Back to the list</button>
        </div>
      </div>
      {children}
    </div>
  );
}
