/** A server-sent event, or a comment. */
export interface WireEvent {
  readonly id?: string;
  readonly event?: string;
  readonly data?: string;
}

/** Reads server-sent events one at a time. */
export class EventReader implements AsyncDisposable {
  readonly #reader: ReadableStreamDefaultReader<string>;
  #text = "";

  private constructor(readonly response: Response) {
    this.#reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  }

  /** Opens a stream and reads its first lines, which are not an event. */
  static async open(url: string, headers: Record<string, string> = {}): Promise<EventReader> {
    const response = await fetch(url, { headers: { Accept: "text/event-stream", ...headers } });
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    const reader = new EventReader(response);
    await reader.next();
    return reader;
  }

  /** The next block of lines; undefined at the end of the stream. */
  async next(): Promise<WireEvent | undefined> {
    for (;;) {
      const end = this.#text.indexOf("\n\n");
      if (end !== -1) {
        const lines = this.#text.slice(0, end).split("\n");
        this.#text = this.#text.slice(end + 2);
        return Object.fromEntries(
          lines.filter((line) => !line.startsWith(":")).map((line) => line.split(/: (.*)/s, 2)),
        );
      }
      const { value, done } = await this.#reader.read();
      if (done) return undefined;
      this.#text += value;
    }
  }

  /** The ids of the next `count` events, which must be envelopes. */
  async ids(count: number): Promise<number[]> {
    const ids: number[] = [];
    while (ids.length < count) {
      const { id, event, data } = await this.next() ?? {};
      if (event !== "envelope" || JSON.parse(data ?? "").id !== Number(id)) {
        throw new Error(`Expected an envelope, got ${event} ${id} ${data}.`);
      }
      ids.push(Number(id));
    }
    return ids;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reader.cancel();
  }
}
