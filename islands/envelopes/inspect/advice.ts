import type { EnvelopeError } from "../../../monitoring/protocol/envelope.ts";

/** What would be right, by how the scanner's sentence begins. */
const ADVICE: readonly (readonly [start: string, right: string])[] = [
  ["The envelope is empty", 'The shortest envelope is its header line, "{}".'],
  [
    "A header must be",
    "Each header is one line of JSON in UTF-8, an object in braces, and ends with a line feed.",
  ],
  [
    "A header is longer",
    "A header line has at most 64 KiB; what is larger belongs into a payload.",
  ],
  ["An item's header must have a type", 'An item begins with a line such as {"type":"event"}.'],
  [
    "An item's length",
    'The length counts the payload\'s bytes, as in {"type":"event","length":2}.',
  ],
  [
    "A payload ends",
    "The file was cut off, or the length is too large: it must be the payload's exact count of bytes.",
  ],
  [
    "A payload is followed",
    "After as many bytes as its length says a payload ends, with a line feed or the end of the file.",
  ],
  ["The envelope has more than", "An envelope has at most 100,000 items: send them as several."],
];

/** One sentence that says what would be right in the place of what the scanner refused. */
export function adviceFor({ message }: EnvelopeError): string {
  const found = ADVICE.find(([start]) => message.startsWith(start));
  return found?.[1] ??
    "An envelope is a header line, then for each item a header line and its payload.";
}
