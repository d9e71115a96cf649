/**
 * The envelope breaks its framing, or a limit of the scanner. The message is one sentence.
 *
 * `offset` counts bytes from the start of the (decompressed) envelope to the line or payload at fault.
 */
export class EnvelopeError extends Error {
  override readonly name = "EnvelopeError";
  constructor(
    readonly code: "envelope_malformed" | "envelope_too_large",
    message: string,
    readonly offset: number,
  ) {
    super(message);
  }
}

/** `problem` has no full stop: the place is added to it. */
export function malformed(problem: string, offset: number): EnvelopeError {
  return new EnvelopeError("envelope_malformed", `${problem} (at byte ${offset}).`, offset);
}
