import { useEffect, useId, useRef, useState } from "react";
import { changeParams, parseFragment, useFragment } from "./fragment.ts";
import { viewFragment } from "./view.ts";

/** Milliseconds from the last key press to the request: one request for a word, not for each letter. */
const DEBOUNCE_MS = 250;
/** Longer than any id or message worth searching for; addresses have limits. */
const MAX_LENGTH = 200;

/**
 * The search of a list. Its text is in the address (`?q=`), so that a search can be linked and reloaded.
 *
 * @param props.what the list's rows: "envelopes"
 */
export function SearchField({ what, disabled }: { what: string; disabled: boolean }) {
  const { params } = useFragment();
  const inAddress = params.get("q") ?? "";
  const [text, setText] = useState(inAddress);
  /** Set while the text is newer than the address. */
  const pending = useRef<ReturnType<typeof setTimeout>>(undefined);
  const id = useId();

  const cancelPending = () => {
    clearTimeout(pending.current);
    pending.current = undefined;
  };
  const search = (q: string) => {
    cancelPending();
    changeParams({ q: q.trim() });
  };

  useEffect(() => {
    if (pending.current === undefined) setText((now) => now.trim() === inAddress ? now : inAddress);
  }, [inAddress]);
  useEffect(() => {
    // After a link or a step in the history the text belongs to the previous address.
    const onPopState = () => {
      cancelPending();
      setText(parseFragment(viewFragment()).params.get("q") ?? "");
    };
    addEventListener("popstate", onPopState);
    return () => {
      removeEventListener("popstate", onPopState);
      cancelPending();
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
          pending.current = setTimeout(search, DEBOUNCE_MS, value);
        }}
        // The next click may follow a link, whose target is built from the address.
        onBlur={({ target: { value } }) => void (pending.current && search(value))}
      />
    </form>
  );
}
