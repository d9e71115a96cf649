import { type ReactNode, type RefObject, useEffect, useId, useRef } from "react";
import { Icon } from "../../components/Icon.tsx";
import { goTo } from "../data/fragment.ts";
import { navigation } from "../data/view.ts";
import { CopyButton } from "./CopyButton.tsx";
import { OfflineMark } from "./LiveButton.tsx";
import { Menu } from "./Menu.tsx";
import { isFocusOnView, isShown, useEscape } from "./use_keys.ts";

interface DetailHeadProps {
  readonly title: ReactNode;
  /** In one quiet line after the title. */
  readonly facts?: ReactNode;
  /** What can be done: links, the Copy menu, the More menu. */
  readonly actions?: ReactNode;
  /** The link to the list. */
  readonly back?: { readonly text: string; readonly href: string };
  /** Links to what is before and after it; the title is below them. */
  readonly steps?: ReactNode;
  /** Of the heading, which names the whole. */
  readonly id: string;
}

/**
 * The detail of a row: its head, and the content. Escape returns to the list.
 *
 * @param props.shown which of several is shown: another one may not have the link that was followed
 * @param props.closeInner closes what is open within the content, which Escape does first; undefined: nothing is
 */
export function DetailView({ className, back, shown, closeInner, children, ...head }:
  & Omit<DetailHeadProps, "id">
  & Required<Pick<DetailHeadProps, "back">>
  & {
    className: string;
    shown?: unknown;
    closeInner?: (() => void) | undefined;
    children: ReactNode;
  }) {
  const id = useId();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (navigation.hasHappened || isFocusOnView()) heading.current?.focus();
  }, []);
  useEffect(() => {
    const isLost = navigation.hasHappened && document.activeElement === document.body;
    if (isLost) heading.current?.focus();
  }, [shown]);
  useEscape(() => isShown(heading.current), () => {
    if (closeInner) return closeInner();
    goTo(back.href);
  });
  return (
    <article className={className} aria-labelledby={id}>
      <DetailHead back={back} {...head} id={id} heading={heading} />
      {children}
    </article>
  );
}

/** The head of a detail, or of a panel in one, which has a button that closes it. */
export function DetailHead({ back, steps, id, title, facts, actions, heading, onClose }:
  & DetailHeadProps
  & { heading?: RefObject<HTMLHeadingElement | null>; onClose?: () => void }) {
  const name = (
    <div className="detail-name facts quiet">
      <h3 id={id} tabIndex={-1} ref={heading}>{title}</h3>
      {facts}
    </div>
  );
  return (
    <>
      <header className="detail-head line head">
        {back && <a href={back.href}>{back.text}</a>}
        {steps ?? name}
        <OfflineMark />
        <div className="actions line end">
          {actions}
          {onClose && (
            <button type="button" title="Close" aria-label="Close" onClick={onClose}>
              <Icon name="remove" />
            </button>
          )}
        </div>
      </header>
      {steps && name}
    </>
  );
}

/**
 * Copies a detail, or its address.
 *
 * @param props.what the detail: "error"
 * @param props.texts by the labels of their buttons
 */
export function CopyMenu({ what, texts = {} }: {
  what: string;
  texts?: Readonly<Record<string, () => string>>;
}) {
  const all = { ...texts, "Copy link": () => location.href };
  return (
    <Menu label="Copy" name={`Copy the ${what}`}>
      {() =>
        Object.entries(all).map(([label, text]) => (
          <CopyButton key={label} text={text}>{label}</CopyButton>
        ))}
    </Menu>
  );
}
