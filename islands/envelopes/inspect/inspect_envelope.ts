import { EnvelopeError } from "../../../monitoring/protocol/envelope.ts";
import { EnvelopeScanner } from "../../../monitoring/protocol/scanner.ts";
import { adviceFor } from "./advice.ts";

/** An item of an inspected envelope; its parts are views of the envelope's bytes. */
export interface InspectedItem {
  readonly type: string;
  /** The header line, JSON as it came. */
  readonly header: Uint8Array;
  /** Its attributes. Whoever wrote the envelope decided what they are. */
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly payload: Uint8Array;
  /** Where the payload begins in the envelope. */
  readonly offset: number;
}

/** Why an envelope could not be read to its end. */
export interface Problem {
  /** One sentence that says what is wrong, and at which byte. */
  readonly what: string;
  readonly offset: number;
  /** The item that it is in, from 1; 0: the envelope's own header. */
  readonly item: number;
  /** One sentence that says what would be right. */
  readonly right: string;
}

/** What an envelope holds, as far as it can be read. */
export interface Inspection {
  readonly bytes: Uint8Array;
  /** The header line, JSON as it came; undefined: there is none that can be read. */
  readonly header?: Uint8Array;
  /** Its attributes. */
  readonly attributes: Readonly<Record<string, unknown>>;
  /** All items that are whole. */
  readonly items: readonly InspectedItem[];
  readonly problem?: Problem;
}

const LINE_FEED = 10;

/** Takes an envelope to pieces, and where its framing is broken says what is wrong. Never throws. */
export function inspectEnvelope(bytes: Uint8Array): Inspection {
  const items: InspectedItem[] = [];
  const scanner = new EnvelopeScanner({
    item: ({ header, offset, length }) =>
      items.push({
        type: header.type,
        header: bytes.subarray(lineStart(bytes, offset - 1), offset - 1),
        attributes: header,
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
    const last = items.at(-1);
    // What stands right behind a payload is that item's fault: the next one has not begun.
    const behindLast = last && offset === last.offset + last.payload.length;
    const item = scanner.header === undefined ? 0 : items.length + (behindLast ? 0 : 1);
    problem = { what, offset, item, right: adviceFor(error) };
  }
  const end = bytes.indexOf(LINE_FEED);
  return {
    bytes,
    attributes: scanner.header ?? {},
    items,
    ...(scanner.header && { header: bytes.subarray(0, end < 0 ? bytes.length : end) }),
    ...(problem && { problem }),
  };
}

/** Where the line that ends at `end` begins. */
function lineStart(bytes: Uint8Array, end: number): number {
  return end === 0 ? 0 : bytes.lastIndexOf(LINE_FEED, end - 1) + 1;
}
