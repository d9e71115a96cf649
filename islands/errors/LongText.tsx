import { useState } from "react";
import { breakable } from "../../components/breakable.tsx";
import { cutText, formatBytes } from "../../components/format.ts";
import { KeyValueList } from "../../components/KeyValueList.tsx";
import type { Bounded } from "../../monitoring/models/json.ts";
import { ValueLinks } from "../kit/ValueLinks.tsx";

/** Default for `max`: about ten lines, more than most messages have. */
const MAX_LENGTH = 1_000;

/**
 * A text of any length from a sender, as plain text with its line breaks. Long texts are cut, with a button that shows
 * all.
 *
 * @param props.max characters shown at first
 */
export function LongText({ text, max = MAX_LENGTH }: { text: string; max?: number }) {
  const [showAll, setShowAll] = useState(false);
  if (text.length <= max) return <span className="long-text">{breakable(text)}</span>;
  return (
    <span className="long-text">
      {showAll ? text : `${cutText(text, max)}… `}
      <button
        type="button"
        className="plain"
        aria-expanded={showAll}
        onClick={() => setShowAll(!showAll)}
      >
        {showAll ? "Show less" : `Show all (${formatBytes(text.length)})`}
      </button>
    </span>
  );
}

/** Characters of a name, and of a value at first. */
const MAX_NAME = 100;
const MAX_VALUE = 500;
/** Null, lists and objects are not searched as they are shown, empty texts not at all. */
const NO_TEXT = /^(null$|[[{]|\s*$)/;

/**
 * Names and values as the sender wrote them: tags, contexts, variables. Long ones are cut.
 *
 * @param props.searchedAs before their names in a query. Default: they are not searched
 */
export function SentValues({ values: { shown, more }, searchedAs }: {
  values: Bounded<readonly [name: string, value: string]>;
  searchedAs?: string | undefined;
}) {
  if (shown.length === 0) return null;
  return (
    <>
      <KeyValueList
        entries={shown.map(([name, value]) => ({
          name: cutText(name, MAX_NAME),
          value: (
            <>
              <LongText text={value} max={MAX_VALUE} />{" "}
              {searchedAs !== undefined && !NO_TEXT.test(value) && (
                <ValueLinks name={searchedAs + name} value={value.trim()} />
              )}
            </>
          ),
        }))}
      />
      {more > 0 && <small>{more} more: see More, Download envelope.</small>}
    </>
  );
}
