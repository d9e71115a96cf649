import type { LogRow } from "../../monitoring/inbox/read/rows.ts";

/** Characters of a message in its row, which is one line. */
const ROW_CHARACTERS = 400;
/** Characters that are laid out of a message or an attribute that is opened: a screen or two. */
const OPEN_CHARACTERS = 20_000;
/** Attributes that stand in the row, behind the message. */
const INLINE_ATTRIBUTES = 4;
/** Attributes that are laid out when a log is opened. */
const OPEN_ATTRIBUTES = 200;

/** What SDKs add of themselves and of where they run: not what somebody wrote into the log. */
const ADDED =
  /^(sentry|browser|os|device|server|user_agent|process|host|service|telemetry|code|culture|user)\./;

/** A text that is shown as far as `most` characters, and how many it has beyond that. */
export interface CutText {
  readonly text: string;
  readonly more: number;
}

/** Anybody may post a message of a megabyte; laid out, it would stop the page. */
export function cutText(text: string, most = OPEN_CHARACTERS): CutText {
  if (text.length <= most) return { text, more: 0 };
  // Not between the two halves of a character.
  const end = /[\uD800-\uDBFF]/.test(text.charAt(most - 1)) ? most - 1 : most;
  return { text: text.slice(0, end), more: text.length - end };
}

/** The message as one line, with the attributes behind it that were written into the log. */
export function logLine({ body, attributes }: LogRow): {
  readonly message: string;
  readonly attributes: readonly string[];
} {
  const own = Object.entries(attributes).filter(([name]) => !ADDED.test(name));
  return {
    message: oneLine(body),
    attributes: own.slice(0, INLINE_ATTRIBUTES).map(([name, value]) =>
      oneLine(`${name}=${value}`, ROW_CHARACTERS / INLINE_ATTRIBUTES)
    ),
  };
}

/** All attributes by name, those that were written into the log first. */
export function logAttributes({ attributes }: LogRow): {
  readonly shown: readonly { readonly name: string; readonly value: CutText }[];
  readonly more: number;
} {
  const entries = Object.entries(attributes)
    .map(([name, value]) => ({ name, value: String(value), isAdded: ADDED.test(name) }))
    .sort((one, other) =>
      Number(one.isAdded) - Number(other.isAdded) || (one.name < other.name ? -1 : 1)
    );
  return {
    shown: entries.slice(0, OPEN_ATTRIBUTES).map(({ name, value }) => ({
      name: oneLine(name),
      value: cutText(value),
    })),
    more: Math.max(0, entries.length - OPEN_ATTRIBUTES),
  };
}

function oneLine(text: string, most = ROW_CHARACTERS): string {
  const { text: start, more } = cutText(text, most);
  return start.replace(/\s+/g, " ") + (more > 0 ? "…" : "");
}
