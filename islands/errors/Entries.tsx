import type { Bounded } from "../../monitoring/models/fields.ts";
import { LongText } from "./LongText.tsx";

/** Characters of a name; those that people give have some tens. */
const MAX_NAME = 100;
/** Characters of a value that are shown at first. */
const MAX_VALUE = 500;

/** Names and values as a stranger wrote them, and how many were left out. Nothing where there are none. */
export function Entries({ entries: { shown, more } }: {
  entries: Bounded<readonly [name: string, value: string]>;
}) {
  if (shown.length === 0) return null;
  return (
    <>
      <dl className="facts">
        {shown.map(([name, value], index) => (
          <div key={index}>
            <dt>{name.slice(0, MAX_NAME).toWellFormed()}</dt>
            <dd>
              <LongText text={value} max={MAX_VALUE} />
            </dd>
          </div>
        ))}
      </dl>
      {more > 0 && <small>{more} more, in the download.</small>}
    </>
  );
}
