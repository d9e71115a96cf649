import { EnvelopeError, type FramingProblem } from "../../monitoring/protocol/envelope.ts";
import { EnvelopeScanner } from "../../monitoring/protocol/scanner.ts";

/** An item of an inspected envelope; its parts are views of the envelope's bytes. */
export interface InspectedItem {
  readonly type: string;
  /** The header line, JSON as sent. */
  readonly header: Uint8Array;
  readonly payload: Uint8Array;
  /** Offset of the payload in the envelope. */
  readonly offset: number;
}

/** Why an envelope is invalid. */
export interface Problem {
  /** What is wrong and at which byte, in one sentence. */
  readonly what: string;
  readonly offset: number;
  /** What would be right, in one sentence. */
  readonly right: string;
}

/** The content of an envelope up to its first problem. */
export interface Inspection {
  /** The header line, JSON as sent; undefined: it cannot be read. */
  readonly header?: Uint8Array;
  /** All complete items. */
  readonly items: readonly InspectedItem[];
  readonly problem?: Problem;
}

const LINE_FEED = 10;

/** Splits an envelope into header and items, and describes the first framing problem. Never throws for invalid input. */
export function inspectEnvelope(bytes: Uint8Array): Inspection {
  const items: InspectedItem[] = [];
  const scanner = new EnvelopeScanner({
    item: ({ header, offset, length }) =>
      items.push({
        type: header.type,
        header: bytes.subarray(lineStart(bytes, offset - 1), offset - 1),
        payload: bytes.subarray(offset, offset + length),
        offset,
      }),
  });
  let problem: Problem | undefined;
  try {
    scanner.push(bytes);
    scanner.end();
  } catch (error) {
    if (!(error instanceof EnvelopeError)) throw error;
    const { message: what, offset } = error;
    problem = { what, offset, right: ADVICE[error.problem] };
  }
  const end = bytes.indexOf(LINE_FEED);
  return {
    items,
    ...(scanner.header && { header: bytes.subarray(0, end < 0 ? bytes.length : end) }),
    ...(problem && { problem }),
  };
}

/** The start of the line that ends at `end`. */
function lineStart(bytes: Uint8Array, end: number): number {
  return end === 0 ? 0 : bytes.lastIndexOf(LINE_FEED, end - 1) + 1;
}

/** What would be right, in one sentence. */
const ADVICE: Readonly<Record<FramingProblem, string>> = {
  empty: 'The shortest envelope is its header line, "{}".',
  header_invalid:
    "Each header is one line of JSON in UTF-8, an object in braces, and ends with a line feed.",
  header_too_long: "A header line has at most 64 KiB; larger data belongs in a payload.",
  type_missing: 'An item begins with a line such as {"type":"event"}.',
  length_invalid: 'The length counts the payload\'s bytes, as in {"type":"event","length":2}.',
  payload_too_short:
    "The file is truncated, or the length is too large: it must be the exact number of payload bytes.",
  payload_too_long:
    "A payload has exactly as many bytes as its length, then a line feed or the end of the file.",
  too_many_items: "An envelope has at most 100,000 items: split it into several envelopes.",
};
