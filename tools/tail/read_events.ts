/** One server-sent event. */
export interface ServerEvent {
  readonly name: string;
  /** The cursor to continue from; undefined: the event has none. */
  readonly id: string | undefined;
  readonly data: string;
}

/** Characters. The rows of envelopes have some hundred; those of 256 items some 20,000. */
const MAX_EVENT = 1_000_000;

/** The connection to the server failed. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
}

/**
 * Reads the inbox's server-sent events, which have one line for each field
 * (https://html.spec.whatwg.org/multipage/server-sent-events.html).
 *
 * @throws {ConnectionError} also for an event longer than {@linkcode MAX_EVENT}
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<ServerEvent> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read().catch((cause) => {
      throw new ConnectionError("The connection broke off.", { cause });
    });
    if (done) return;
    text += value;
    const blocks = text.split("\n\n");
    text = blocks.pop()!;
    if (text.length > MAX_EVENT) throw new ConnectionError("An event is too long.");
    for (const block of blocks) {
      const fields = new Map(
        block.split("\n").map((line) => line.split(/: (.*)/s, 2) as [string, string]),
      );
      const name = fields.get("event");
      if (name !== undefined) {
        yield { name, id: fields.get("id"), data: fields.get("data") ?? "" };
      }
    }
  }
}
