import type { Bounded } from "../../monitoring/models/fields.ts";
import type { ErrorEvent } from "../../monitoring/models/error/error_event.ts";
import type { Thrown } from "../../monitoring/models/error/exceptions.ts";
import type { Frame } from "../../monitoring/models/error/stack.ts";

/**
 * An error as text, to be put into a message or an issue: what was thrown with its stack as engines
 * write it, its causes below, then where it comes from.
 *
 * @param stacks the frames to write for each exception, such as those found in source maps; an
 * exception that has none here is written with its own
 */
export function errorAsText(event: ErrorEvent, stacks: readonly (readonly Frame[])[] = []): string {
  const { exceptions, stack, facts } = event;
  const thrown = exceptions.shown.map((one, index) =>
    [`${introduction(one)}${headline(one)}`, ...frameLines(one.stack, stacks[index])]
      .map((line) => `${"  ".repeat(one.depth)}${line}`).join("\n")
  );
  const reported = [event.value, ...frameLines(stack, stacks[0])].join("\n");
  const ids = [["event", event.event_id], ["trace", event.trace_id], [
    "recording",
    event.replay_id,
  ]];
  const known = [
    ["at", event.at === null ? null : new Date(event.at).toISOString()],
    ["level", event.level],
    ...facts,
    ...ids,
  ].flatMap(([name, value]) => value === null ? [] : [`${name}: ${value}`]);
  return `${[...(thrown.length > 0 ? thrown : [reported]), known.join("\n")].join("\n\n")}\n`;
}

const headline = ({ type, value }: Thrown) => value === "" ? type : `${type}: ${value}`;

function introduction({ relation, of, place }: Thrown): string {
  if (relation === "thrown") return "";
  if (relation === "cause") return "Caused by: ";
  return `${place ?? "one"} of ${of}: `;
}

function frameLines({ shown, more }: Bounded<Frame>, found: readonly Frame[] = shown): string[] {
  const lines = found.map((frame) =>
    `    at ${frame.function ?? "(anonymous)"} (${placeOf(frame)})`
  );
  return more > 0 ? [...lines, `    … ${more} more`] : lines;
}

/** A frame's place as `file:line:column`, as far as it is known. */
export function placeOf({ file, line, column }: Pick<Frame, "file" | "line" | "column">): string {
  return [file ?? "(unknown file)", line, column].filter((part) => part !== null).join(":");
}
