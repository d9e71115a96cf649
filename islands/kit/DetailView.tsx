import { type ReactNode, useEffect, useRef } from "react";
import { goTo } from "../data/fragment.ts";
import { OfflineMark } from "./LiveButton.tsx";
import { isFocusOnView, isShown, useEscape } from "./use_keys.ts";

/**
 * The detail of a row: a link back to the list, a heading, and the content. Escape returns to the list.
 *
 * @param props.className of the whole
 * @param props.back the link to the list
 * @param props.title text of the heading
 * @param props.header beside the heading
 * @param props.takesFocus focuses the heading: the link that was followed is not on the page any more
 * @param props.closeInner closes what is open within the content, which Escape does first; undefined: nothing is
 */
export function DetailView(
  { className, back, title, header, takesFocus, closeInner, children }: {
    className: string;
    back: { readonly text: string; readonly href: string };
    title: string;
    header?: ReactNode;
    takesFocus: boolean;
    closeInner?: (() => void) | undefined;
    children: ReactNode;
  },
) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (takesFocus || isFocusOnView()) heading.current?.focus();
  }, []);
  useEscape(() => isShown(heading.current), () => {
    if (closeInner) return closeInner();
    goTo(back.href);
  });
  return (
    <div className={className}>
      <header className="detail-head facts head">
        <a href={back.href}>{back.text}</a>
        <h3 tabIndex={-1} ref={heading}>{title}</h3>
        {header}
        <OfflineMark />
      </header>
      {children}
    </div>
  );
}
