import type { LogRow } from "../../monitoring/models/rows.ts";

/** Characters of a message in its row, which is one line: wider than any screen. */
const ROW_CHARACTERS = 400;
/** Attributes that stand in the row, behind the message. */
const ROW_ATTRIBUTES = 4;

/** What SDKs add of themselves and of where they run: not what somebody wrote into the log. */
const ADDED =
  /^(sentry|browser|os|device|server|user_agent|process|host|service|telemetry|code|culture|user)\./;

/** The message as one line, with the attributes behind it that were written into the log. */
export function logLine({ body, attributes }: LogRow): {
  readonly message: string;
  readonly attributes: readonly string[];
} {
  const own = Object.entries(attributes).filter(([name]) => !ADDED.test(name));
  return {
    message: oneLine(body, ROW_CHARACTERS),
    attributes: own.slice(0, ROW_ATTRIBUTES).map(([name, value]) =>
      oneLine(`${name}=${value}`, ROW_CHARACTERS / ROW_ATTRIBUTES)
    ),
  };
}

/** All attributes by name, those that were written into the log first. */
export function logAttributes(
  { attributes }: LogRow,
): readonly { readonly name: string; readonly value: string }[] {
  return Object.entries(attributes)
    .map(([name, value]) => ({ name, value: String(value), isAdded: ADDED.test(name) }))
    .sort((one, other) =>
      Number(one.isAdded) - Number(other.isAdded) || (one.name < other.name ? -1 : 1)
    );
}

function oneLine(text: string, most: number): string {
  const line = text.slice(0, most).replace(/\s+/g, " ");
  return text.length > most ? `${line}…` : line;
}
