/**
 * Escape sequences of terminals (ECMA-48), as far as programs write them into logs: control sequences, titles and links
 * (OSC), other strings, two-character sequences.
 */
const ESCAPES =
  // deno-lint-ignore no-control-regex -- control characters are what this looks for
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[PX^_][^\x1b]*\x1b\\|\x1b[ -/]*[0-~]/g;

/** A text without its colours, cursor movements and titles. */
export const withoutAnsi = (text: string): string => text.replace(ESCAPES, "");
