import { useState } from "react";
import { formatBytes } from "../../components/format/bytes.ts";

/** Characters: some ten lines, which is more than most messages have. */
const SHOWN = 1_000;

/**
 * A text that may be of any length, as it was written: line breaks stay, markup is text. What is
 * long is cut until all of it is asked for.
 *
 * @param props.max characters that are shown at first
 */
export function LongText({ text, max = SHOWN }: { text: string; max?: number }) {
  const [all, setAll] = useState(false);
  if (text.length <= max) return <span className="told-text">{text}</span>;
  return (
    <span className="told-text">
      {all ? text : `${text.slice(0, max).toWellFormed()}… `}
      <button
        type="button"
        className="plain"
        aria-expanded={all}
        onClick={() => setAll(!all)}
      >
        {all ? "Show less" : `Show all (${formatBytes(text.length)})`}
      </button>
    </span>
  );
}
