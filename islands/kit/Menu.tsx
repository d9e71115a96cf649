import { Fragment, type ReactNode, useId, useRef, useState } from "react";
import { Icon } from "../../components/Icon.tsx";

/**
 * Further buttons behind a button. A popover: the browser closes it by Escape or a click elsewhere, returns the focus
 * to the button, and reports to screen readers whether it is open.
 *
 * @param props.label of the button; default: an icon
 * @param props.name accessible name of the group of buttons
 * @param props.look classes of the button
 * @param props.children returns the buttons; `close` closes the menu
 */
export function Menu({ label, name, look, children }: {
  label?: ReactNode;
  name: string;
  look?: string;
  children: (close: () => void) => ReactNode;
}) {
  const id = useId();
  const menu = useRef<HTMLDivElement>(null);
  const [timesOpened, setTimesOpened] = useState(0);
  return (
    <>
      <button
        type="button"
        className={look}
        popoverTarget={id}
        aria-label={label === undefined ? name : undefined}
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
        onBeforeToggle={({ newState }) => newState === "open" && setTimesOpened(timesOpened + 1)}
      >
        {/* As new each time: a question that was not answered is not asked any more. */}
        <Fragment key={timesOpened}>
          {timesOpened > 0 && children(() => menu.current?.hidePopover())}
        </Fragment>
      </div>
    </>
  );
}
