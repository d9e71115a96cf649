import type { PlacedTime, TimeFact } from "../../monitoring/models/trace/span_times.ts";
import type { SpanNode } from "../../monitoring/models/trace/span_tree.ts";
import { formatFineDuration } from "../../components/format.ts";

const SENTENCES: Readonly<Record<TimeFact, string>> = {
  "no end":
    "No end came: it is still running, or its end was lost. It is drawn to the trace's end.",
  "ends before start": "It says that it ended before it started, and is drawn at its start.",
  "no start": "No start came: it is drawn where it ended, or where its parent started.",
  "far away": "Its times are years or days away from the rest of the trace, and are not drawn.",
  "before parent": "It starts before its parent.",
  "after parent": "It ends after its parent.",
};

/** What is to be told of a span's times and of its place in the tree, in sentences. */
export function spanFacts(
  { cut, parent, span }: SpanNode,
  { facts, shift_ms }: PlacedTime,
): string[] {
  const told = facts.map((fact) =>
    fact === "no end" && span?.envelope === null
      ? "Still running: it is drawn until now."
      : SENTENCES[fact]
  );
  if (shift_ms !== 0) {
    const [by, to] = [formatFineDuration(Math.abs(shift_ms)), shift_ms > 0 ? "later" : "earlier"];
    told.push(`Drawn ${by} ${to} than its clock says: that differs from the browser's.`);
  }
  if (cut === "itself") told.push("It names itself as its parent, and stands as a root.");
  if (cut === "circle") told.push("Its parents lead back to it: the circle is broken here.");
  if (parent && parent.span === null) told.push("Its parent did not arrive.");
  return told;
}
