import { type ReactNode, useRef, useState } from "react";

/** Until the pointer, which passes over many words, rests on one. */
const REST_MS = 300;

/**
 * Shows what a word or figure means, below it: while the pointer rests on it, on focus by keyboard, and on a tap.
 * Escape hides it. Screen readers read it with the button.
 *
 * @param text undefined: nothing is shown
 * @returns attributes of the button that has the word, and the definition, which belongs beside the button
 */
export function useDefinition(text: string | undefined) {
  const [shownBy, setShownBy] = useState<HTMLButtonElement>();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  if (text === undefined) return { button: {}, definition: null };
  const show = (button: HTMLButtonElement, afterMs: number) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(setShownBy, afterMs, button);
  };
  const hide = () => {
    clearTimeout(timer.current);
    setShownBy(undefined);
  };
  return {
    button: {
      "aria-description": text,
      onPointerEnter: (event: { currentTarget: HTMLButtonElement; pointerType: string }) =>
        event.pointerType === "mouse" && show(event.currentTarget, REST_MS),
      onPointerLeave: hide,
      onFocus: ({ currentTarget }: { currentTarget: HTMLButtonElement }) =>
        currentTarget.matches(":focus-visible") && show(currentTarget, 0),
      onBlur: hide,
      onClick: ({ currentTarget }: { currentTarget: HTMLButtonElement }) => show(currentTarget, 0),
    },
    definition: shownBy && (
      <span
        className="definition-card"
        // Closes no menu.
        popover="hint"
        // The button says it.
        aria-hidden="true"
        ref={(card) => {
          if (!card?.matches(":popover-open")) card?.showPopover({ source: shownBy });
        }}
        onToggle={({ newState }) => newState === "closed" && hide()}
      >
        {text}
      </span>
    ),
  };
}

/** A word with its definition, see {@linkcode useDefinition}. */
export function Definition({ text, children }: { text: string; children: ReactNode }) {
  const { button, definition } = useDefinition(text);
  return (
    <>
      <button type="button" className="definition bare" {...button}>{children}</button>
      {definition}
    </>
  );
}
