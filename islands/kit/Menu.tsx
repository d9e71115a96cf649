import { type ReactNode, type ToggleEvent, useId, useRef, useState } from "react";
import { Icon } from "../../components/Icon.tsx";

/**
 * Further buttons behind a button. A popover: the browser closes it by Escape or a click elsewhere, returns the focus
 * to the button, and reports to screen readers whether it is open.
 *
 * @param props.label of the button; default: an icon
 * @param props.name accessible name of the group of buttons
 * @param props.look classes of the button
 * @param props.isInRow of a list, which has one stop in the tab order and many menus
 * @param props.children returns the buttons; `close` closes the menu
 */
export function Menu({ label, name, look, isInRow = false, children }: {
  label?: ReactNode;
  name: string;
  look?: string;
  isInRow?: boolean;
  children: (close: () => void) => ReactNode;
}) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        ref={button}
        className={look}
        popoverTarget={id}
        aria-label={label === undefined ? name : undefined}
        {...isInRow && { tabIndex: -1, title: name }}
      >
        {label ?? <Icon name="more" />}
      </button>
      <div
        id={id}
        ref={menu}
        popover="auto"
        role="group"
        aria-label={name}
        className="menu"
        onBeforeToggle={(event) => {
          placeBelow(event, button.current);
          if (event.newState === "open") setOpen(true);
        }}
        // A click in a row opens it.
        onClick={(event) => event.stopPropagation()}
        onToggle={({ newState }) => setOpen(newState === "open")}
      >
        {isOpen && children(() => menu.current?.hidePopover())}
      </div>
    </>
  );
}

/** Popovers are not placed beside their button by themselves. */
function placeBelow(
  { newState, currentTarget }: ToggleEvent<HTMLElement>,
  button: HTMLElement | null,
): void {
  if (newState !== "open" || button === null) return;
  const { bottom, left } = button.getBoundingClientRect();
  currentTarget.style.top = `${bottom + scrollY}px`;
  currentTarget.style.left = `min(${left}px, 100% - 17rem)`;
}
