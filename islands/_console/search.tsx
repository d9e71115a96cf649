import { useEffect, useId, useRef, useState } from "react";
import { fragmentTo, goTo, useFragment } from "./fragment.ts";

/** Milliseconds after the last key until the list is asked: who types a word asks once. */
const SETTLE_MS = 250;
/** No id or message that is worth typing is longer, and an address has its limits. */
const MAX_LENGTH = 200;

/**
 * The search of a list. What is searched for stands in the address (`?q=`), so that it can be linked and reloaded.
 *
 * @param props.what is searched, as in "envelopes"
 * @param props.disabled nobody would hear what is typed yet
 */
export function Search({ what, disabled }: { what: string; disabled: boolean }) {
  const { view, path, params } = useFragment();
  const asked = params.get("q") ?? "";
  const [text, setText] = useState(asked);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const id = useId();

  // A link or a step in the history; not the address that this field has just written.
  useEffect(() => setText((now) => now.trim() === asked ? now : asked), [asked]);
  useEffect(() => () => clearTimeout(timer.current), [view]);

  const search = (wanted: string) => {
    clearTimeout(timer.current);
    const others = Object.fromEntries(params);
    goTo(fragmentTo(view, path, { ...others, q: wanted.trim() }), { replace: true });
  };

  return (
    <form
      role="search"
      className="search"
      onSubmit={(event) => {
        event.preventDefault();
        search(text);
      }}
    >
      <label htmlFor={id} className="vh">Search {what}</label>
      <input
        id={id}
        type="search"
        disabled={disabled}
        placeholder="Id, text or type"
        maxLength={MAX_LENGTH}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={({ target: { value } }) => {
          setText(value);
          clearTimeout(timer.current);
          timer.current = setTimeout(search, SETTLE_MS, value);
        }}
      />
    </form>
  );
}
