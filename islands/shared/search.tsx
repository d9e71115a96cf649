import { useEffect, useId, useRef, useState } from "react";
import { changeParams, parseFragment, useFragment } from "./fragment.ts";
import { viewFragment } from "./view.ts";

/** Milliseconds from the last key press to the request: one request for a word, not for each letter. */
const SETTLE_MS = 250;
/** No id or message that is worth typing is longer, and an address has its limits. */
const MAX_LENGTH = 200;

/**
 * The search of a list. Its text is in the address (`?q=`), so that it can be linked and reloaded.
 *
 * @param props.what is searched, as in "envelopes"
 * @param props.disabled while nothing can be searched yet
 */
export function Search({ what, disabled }: { what: string; disabled: boolean }) {
  const { params } = useFragment();
  const asked = params.get("q") ?? "";
  const [text, setText] = useState(asked);
  /** Set while the text is newer than the address. */
  const pending = useRef<ReturnType<typeof setTimeout>>(undefined);
  const id = useId();

  const settle = () => {
    clearTimeout(pending.current);
    pending.current = undefined;
  };
  const search = (wanted: string) => {
    settle();
    changeParams({ q: wanted.trim() });
  };

  useEffect(() => {
    if (pending.current === undefined) setText((now) => now.trim() === asked ? now : asked);
  }, [asked]);
  useEffect(() => {
    // After a link or a step in the history the text belongs to the previous address.
    const leave = () => {
      settle();
      setText(parseFragment(viewFragment()).params.get("q") ?? "");
    };
    addEventListener("popstate", leave);
    return () => {
      removeEventListener("popstate", leave);
      settle();
    };
  }, []);

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
          clearTimeout(pending.current);
          pending.current = setTimeout(search, SETTLE_MS, value);
        }}
        // The next click may follow a link, whose target is built from the address.
        onBlur={({ target: { value } }) => void (pending.current && search(value))}
      />
    </form>
  );
}
