/** The envelope alone is over `INBOX_MAX_BYTES`: keeping it would mean to evict all others and be over the bound still. */
export class EnvelopeOverBoundError extends Error {
  override readonly name = "EnvelopeOverBoundError";
  constructor(readonly bytes: number, readonly maxBytes: number) {
    super(`Cannot keep an envelope of ${bytes} bytes: the inbox holds at most ${maxBytes}.`);
  }
}

/** The server is stopping. */
export class InboxClosedError extends Error {
  override readonly name = "InboxClosedError";
  constructor() {
    super("Cannot use the inbox: it is closed.");
  }
}
