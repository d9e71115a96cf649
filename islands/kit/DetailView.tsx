import { type ReactNode, type RefObject, useEffect, useId, useRef } from "react";
import { Icon } from "../../components/Icon.tsx";
import { goTo, OF_DETAIL, useFragment } from "../data/fragment.ts";
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
  /** Text of the link to the list: "All errors". */
  readonly back?: string;
  /** Its address; default: the list of the view. */
  readonly backHref?: string;
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
export function DetailView({ className, shown, closeInner, children, ...head }:
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
  const { to } = useFragment();
  const { backHref = to([], OF_DETAIL) } = head;
  useEscape(() => isShown(heading.current), () => {
    if (closeInner) return closeInner();
    goTo(backHref);
  });
  return (
    <article className={className} aria-labelledby={id}>
      <DetailHead {...head} backHref={backHref} id={id} heading={heading} />
      {children}
    </article>
  );
}

/** The head of a detail, or of a panel in one, which has a button that closes it. */
export function DetailHead({ back, backHref, steps, id, title, facts, actions, heading, onClose }:
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
        {back && <a href={backHref}>{back}</a>}
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
 * @param props.json what is copied as such
 */
export function CopyMenu({ what, texts = {}, json }: {
  what: string;
  texts?: Readonly<Record<string, () => string>>;
  json?: unknown;
}) {
  const all = {
    ...texts,
    ...json !== undefined && { "Copy as JSON": () => JSON.stringify(json, null, 2) },
    "Copy link": () => location.href,
  };
  return (
    <Menu label="Copy" name={`Copy the ${what}`}>
      {() =>
        Object.entries(all).map(([label, text]) => (
          <CopyButton key={label} text={text}>{label}</CopyButton>
        ))}
    </Menu>
  );
}
