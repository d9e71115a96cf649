import { type ReactNode, useEffect, useRef } from "react";
import { goTo } from "../shared/fragment.ts";

/**
 * What a row of a list leads to: a link back to the list, a heading, and the content. Escape leads back, unless the content handles it.
 *
 * @param props.className of the whole
 * @param props.back the link to the list
 * @param props.title text of the heading
 * @param props.header beside the heading
 * @param props.takesFocus focuses the heading: the link that was followed is not on the page any more
 * @param props.onLeave called when the user goes back
 */
export function DetailView(
  { className, back, title, header, takesFocus, onLeave, children }: {
    className: string;
    back: { readonly text: string; readonly href: string };
    title: string;
    header?: ReactNode;
    takesFocus: boolean;
    onLeave?: () => void;
    children: ReactNode;
  },
) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (takesFocus) heading.current?.focus();
  }, []);
  return (
    <div
      className={className}
      onKeyDown={({ key, defaultPrevented }) => {
        if (key !== "Escape" || defaultPrevented) return;
        onLeave?.();
        goTo(back.href);
      }}
    >
      <header className="detail-head">
        <a
          href={back.href}
          onClick={({ ctrlKey, metaKey, shiftKey }) => {
            // With these keys the list opens in another tab or window.
            if (!ctrlKey && !metaKey && !shiftKey) onLeave?.();
          }}
        >
          {back.text}
        </a>
        <h3 tabIndex={-1} ref={heading}>{title}</h3>
        {header}
      </header>
      {children}
    </div>
  );
}
