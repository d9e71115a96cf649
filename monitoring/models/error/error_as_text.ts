import { errorTitle } from "./error_entry.ts";
import type { ReportedError } from "./error_event.ts";
import type { ReportedException } from "./exceptions.ts";
import type { Frame } from "./stack.ts";
import type { Bounded } from "../json.ts";

/**
 * An error as text for a message or an issue: exceptions with their stack traces in the engines' format, then level,
 * release, ids.
 *
 * @param stacks frames for each exception, such as those found in source maps; default: as sent
 */
export function errorAsText(
  event: ReportedError,
  stacks: readonly (readonly Frame[])[] = [],
): string {
  const { exceptions, stack, facts } = event;
  const exceptionTexts = exceptions.shown.map((one, index) =>
    [`${relationPrefix(one)}${errorTitle(one)}`, ...frameLines(one.stack, stacks[index])]
      .map((line) => `${"  ".repeat(one.depth)}${line}`).join("\n")
  );
  const messageText = [event.value || event.title, ...frameLines(stack, stacks[0])].join("\n");
  const facets = [
    ["at", event.at === null ? null : new Date(event.at).toISOString()],
    ["level", event.level],
    ...facts,
    ["event", event.event_id],
    ["trace", event.trace_id],
    ["recording", event.replay_id],
  ].flatMap(([name, value]) => value === null ? [] : [`${name}: ${value}`]);
  const body = exceptionTexts.length > 0 ? exceptionTexts : [messageText];
  const printed = printedStack(event) ?? [];
  return `${[...body, printed, facets.join("\n")].flat().join("\n\n")}\n`;
}

/** The stack trace of an exception of OpenTelemetry in a form of which no frames are read; undefined: it has none. */
export const printedStack = ({ contexts }: Pick<ReportedError, "contexts">): string | undefined =>
  contexts.find(({ name }) => name === "extra")?.entries.shown
    .find(([name]) => name === "exception.stacktrace")?.[1].trimEnd();

function relationPrefix({ relation, of, place }: ReportedException): string {
  if (relation === "thrown") return "";
  if (relation === "cause") return "Caused by: ";
  return `${place ?? "one"} of ${of}: `;
}

function frameLines({ shown, more }: Bounded<Frame>, found: readonly Frame[] = shown): string[] {
  const lines = found.map((frame) =>
    `    at ${frame.function ?? "(anonymous)"} (${formatLocation(frame)})`
  );
  return more > 0 ? [...lines, `    … ${more} more`] : lines;
}

/** A frame's location as `file:line:column`, as far as known. */
export function formatLocation(
  { file, line, column }: Pick<Frame, "file" | "line" | "column">,
): string {
  return [file ?? "(unknown file)", line, column].filter((part) => part !== null).join(":");
}
