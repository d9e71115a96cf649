import { useEffect, useRef, useState } from "react";

/**
 * The way to a list's older rows. Once pressed to the end it says so in its own place: a button that is gone would
 * take the focus with it.
 *
 * @param props.what the list holds: "envelopes"
 * @param props.more fetches older rows; undefined: there are none
 */
export function Older({ what, more }: { what: string; more: (() => void) | undefined }) {
  const [pressed, setPressed] = useState(false);
  const end = useRef<HTMLParagraphElement>(null);
  const ended = pressed && more === undefined;
  useEffect(() => {
    if (ended && document.activeElement === document.body) end.current?.focus();
  }, [ended]);
  if (ended) return <p className="empty" tabIndex={-1} ref={end}>There are no older {what}.</p>;
  if (more === undefined) return null;
  const press = () => {
    setPressed(true);
    more();
  };
  return <button type="button" className="older" onClick={press}>Older {what}</button>;
}
