import { type ComponentProps, type RefObject, useEffect, useRef, useState } from "react";
import { MAX_QUERY_LENGTH } from "../../monitoring/models/query/query.ts";
import { changeParams, parseFragment, useFragment } from "../data/fragment.ts";
import { viewFragment } from "../data/view.ts";
import { choicesOf, type Filter } from "../data/filters.ts";
import { isForOthers, isShown, useKeys } from "./use_keys.ts";

/** Milliseconds from the last key press to the request: one request for a word, not for each letter. */
const DEBOUNCE_MS = 250;

export const QUERY_HELP =
  'Words, "a phrase", order.id:A-1, -not, duration:>500ms, status_code:400..499; ? explains them';

/** Lists whose rows are found by their trace. */
const OF_TRACES = ["endpoints", "AI runs", "traces"];

/**
 * The search of a list. Its text is in the address (`?q=`), so that a search can be linked and reloaded. What names a
 * value of a filter, as `level:error`, sets that filter.
 *
 * @param props.what the list's rows: "envelopes"
 */
export function SearchField({ what, filters }: { what: string; filters: readonly Filter[] }) {
  const { params } = useFragment();
  const inAddress = params.get("q") ?? "";
  const [text, setText] = useState(inAddress);
  /** Set while the text is newer than the address. */
  const pending = useRef<ReturnType<typeof setTimeout>>(undefined);

  const cancelPending = () => {
    clearTimeout(pending.current);
    pending.current = undefined;
  };
  const search = (q: string) => {
    cancelPending();
    const params = readQuery(q, filters);
    if (params.q !== q.trim()) setText(params.q ?? "");
    changeParams(params);
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
    <SearchInput
      label={`Search ${what}`}
      onSubmit={({ currentTarget }) => {
        search(text);
        leaveSearch(currentTarget);
      }}
      title={what === "pages"
        ? "Searches names of pages"
        : `Searches names, messages, attributes and ids${
          OF_TRACES.includes(what) ? " of whole traces" : ""
        }. ${QUERY_HELP}`}
      maxLength={MAX_QUERY_LENGTH}
      value={text}
      onChange={({ target: { value } }) => {
        setText(value);
        clearTimeout(pending.current);
        pending.current = setTimeout(search, DEBOUNCE_MS, value);
      }}
      onKeyDown={({ key, currentTarget }) => {
        if (key === "Escape" && text === "") leaveSearch(currentTarget);
      }}
      // The next click may follow a link, whose target is built from the address.
      onBlur={({ target: { value } }) => void (pending.current && search(value))}
    />
  );
}

/** A form with a search field, which the key `/` focuses. @param props.input further attributes of the field */
export function SearchInput(
  { label, onSubmit, ...input }: Omit<ComponentProps<"input">, "onSubmit"> & {
    label: string;
    onSubmit?: ComponentProps<"form">["onSubmit"];
  },
) {
  const ref = useSearchKey();
  return (
    <form
      role="search"
      aria-label={label}
      className="search"
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit?.(event);
      }}
    >
      <input
        aria-label={label}
        ref={ref}
        type="search"
        aria-keyshortcuts="/"
        placeholder="Search"
        autoComplete="off"
        spellCheck={false}
        {...input}
      />
    </form>
  );
}

/** Leaves a list's search, so that j and k step through its rows. */
function leaveSearch(search: HTMLElement): void {
  // Beside a detail the heading is hidden, and nothing gets the focus.
  (document.activeElement as HTMLElement).blur();
  search.closest(".view")?.querySelector<HTMLElement>(".view-head h2")?.focus();
}

/**
 * Makes the key `/` focus a search field while it is visible, unless the user is typing elsewhere or the detail beside the
 * list has a field.
 *
 * @returns the ref of the field
 */
function useSearchKey(): RefObject<HTMLInputElement | null> {
  const input = useRef<HTMLInputElement>(null);
  useKeys((event) => {
    const beside = input.current?.closest(".list-pane")?.parentElement
      ?.querySelector(".detail-pane input[type=search]");
    if (event.key !== "/" || isForOthers(event) || !isShown(input.current) || isShown(beside)) {
      return false;
    }
    input.current?.focus();
    input.current?.select();
    return true;
  });
  return input;
}

/** `name:value` or `name:"a value"`; of other terms, what may have spaces in it. */
const TERM = /(?<!\S)(?:(\w+):(?:"([^"]*)"|(\S+))|\S*"(?:\\.|[^"])*"?)/g;

/**
 * Splits a query into filters and the text to search for. Only known values become filters: the rest may be a text, as
 * in "http://host".
 *
 * @returns parameters of the address, with `q`
 */
export function readQuery(text: string, filters: readonly Filter[]): Record<string, string> {
  const params: Record<string, string> = {};
  const q = text.replace(TERM, (term, name?: string, quoted?: string, bare?: string) => {
    const filter = filters.find((one) => one.name === name);
    const value = quoted ?? bare;
    if (!filter || !choicesOf(filter).has(value ?? "")) return term;
    params[name!] = value!;
    return "";
  });
  return { ...params, q: q.trim() };
}
