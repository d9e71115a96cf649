import { type ReactNode, useEffect, useRef } from "react";
import { Icon } from "../../components/Icon.tsx";
import { goTo } from "../data/fragment.ts";
import { CopyButton } from "./CopyButton.tsx";
import { OfflineMark } from "./LiveButton.tsx";
import { Menu } from "./Menu.tsx";
import { isFocusOnView, isShown, useEscape } from "./use_keys.ts";

/**
 * The detail of a row: a link back to the list, a heading, and the content. Escape returns to the list.
 *
 * @param props.className of the whole
 * @param props.back the link to the list
 * @param props.title text of the heading
 * @param props.header beside the heading
 * @param props.actions see {@linkcode DetailHead}
 * @param props.takesFocus focuses the heading: the link that was followed is not on the page any more
 * @param props.closeInner closes what is open within the content, which Escape does first; undefined: nothing is
 */
export function DetailView(
  { className, back, title, header, actions, takesFocus, closeInner, children }: {
    className: string;
    back: { readonly text: string; readonly href: string };
    title: string;
    header?: ReactNode;
    actions?: ReactNode;
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
      <DetailHead back={back} actions={actions}>
        <h3 tabIndex={-1} ref={heading}>{title}</h3>
        {header}
      </DetailHead>
      {children}
    </div>
  );
}

/**
 * The head of a detail: the link back to its list, what it is, and at the end what can be done: the Copy menu, other
 * buttons, the More menu.
 */
export function DetailHead({ back, actions, children }: {
  back: { readonly text: string; readonly href: string };
  actions: ReactNode;
  children: ReactNode;
}) {
  return (
    <header className="detail-head facts head">
      <a href={back.href}>{back.text}</a>
      {children}
      <OfflineMark />
      <div className="actions line end">{actions}</div>
    </header>
  );
}

/**
 * Copies a detail, or its address.
 *
 * @param props.what the detail: "error"
 * @param props.texts by the labels of their buttons
 */
export function CopyMenu({ what, texts }: {
  what: string;
  texts: Readonly<Record<string, () => string>>;
}) {
  return (
    <Menu label="Copy" name={`Copy the ${what}`}>
      {() => (
        <>
          {Object.entries(texts).map(([label, text]) => (
            <CopyButton key={label} text={text}>{label}</CopyButton>
          ))}
          <CopyButton text={() => location.href}>Copy link</CopyButton>
        </>
      )}
    </Menu>
  );
}

/** What is done less often with a detail. */
export function MoreMenu({ what, children, ...props }: {
  what: string;
  onClose?: () => void;
  children: (close: () => void) => ReactNode;
}) {
  const label = (
    <>
      <Icon name="more" />
      <span className="vh">More about the {what}</span>
    </>
  );
  return <Menu label={label} name={`More about the ${what}`} {...props}>{children}</Menu>;
}
