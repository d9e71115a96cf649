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

/** The inbox's file cannot be made, read or written. The message is one line, made to be printed. */
export class InboxFileError extends Error {
  override readonly name = "InboxFileError";
  constructor(readonly file: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(
      `Cannot open the inbox in ${file}: set DATA_DIR to a folder that this user may write to` +
        ` (${reason.replaceAll(/\s+/g, " ")}).`,
      { cause },
    );
  }
}
