import type { Thrown } from "../../monitoring/models/error/exceptions.ts";
import type { FoundFrame } from "../../monitoring/models/error/source_finder.ts";
import { LongText } from "./LongText.tsx";
import { Stack } from "./Stack.tsx";

/** Steps of indentation beyond which there is no room left for a stack. */
const MAX_STEPS = 5;

/** An exception that led to another or that another groups: what it is, whose, and its stack. */
export function ThrownBlock({ thrown, frames }: {
  thrown: Thrown;
  frames: readonly FoundFrame[];
}) {
  const { type, value, depth, stack } = thrown;
  const step = Math.min(depth - 1, MAX_STEPS);
  return (
    <section className="thrown" style={{ marginInlineStart: `min(${step}rem, ${2 * step}vw)` }}>
      <h4>
        <small>{relationInWords(thrown)}</small> <LongText text={type} max={200} />
      </h4>
      {value !== "" && (
        <p className="says">
          <LongText text={value} />
        </p>
      )}
      <Stack frames={frames} more={stack.more} />
    </section>
  );
}

/** Characters of a name within a sentence. */
const MAX_NAME = 80;

function relationInWords({ relation, of, place }: Thrown): string {
  const told = place === null ? "" : place.slice(0, MAX_NAME);
  if (relation === "member") return `${told || "one"} of ${(of ?? "").slice(0, MAX_NAME)}:`;
  return /^(__)?context(__)?$/.test(told) ? "While handling:" : "Caused by:";
}
