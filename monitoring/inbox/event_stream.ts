import type { Inbox } from "./store.ts";

/** Rows in one piece of a stream: the most that a reader who does not read holds in memory. */
const ROWS_PER_CHUNK = 100;
/** What an `EventSource` waits before it connects again. */
const RETRY_MS = 2_000;

export interface EventStreamOptions {
  /** Begin after this cursor. */
  readonly since: number;
  /** Only envelopes that hold an item of this type. */
  readonly type?: string;
  /** Ends the stream. */
  readonly signal: AbortSignal;
  /** Called once, when the stream has ended or its reader has gone. */
  readonly onEnd?: () => void;
}

/**
 * The inbox's rows as server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html): what is
 * there after `since`, then what arrives.
 *
 * ```
 * stream   = ": …" LF "retry: MS" LF LF *event     the first lines, so that the stream opens at once
 * event    = "id: CURSOR" LF "event: envelope" LF "data: ROW" LF LF
 *          | "id: CURSOR" LF "event: cleared" LF "data: {}" LF LF     what the reader has from before is gone
 *          | "event: storage" LF "data: {" DQUOTE "writable" DQUOTE ":" BOOLEAN "}" LF LF     whether envelopes can be
 *            stored, once that changes; at first they can
 * ```
 *
 * Everything is read from the inbox by cursor, the live rows as well, and only when the reader takes them: no row is
 * left out or sent twice where backlog and live rows meet, and a slow reader holds no rows in memory. Nothing is sent
 * while nothing happens: an idle page is silent.
 */
export function eventStream(inbox: Inbox, options: EventStreamOptions): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const nextEvents = eventReader(inbox, options);
  const changed = new Latch();
  let ended = false;

  /** Whichever comes first: the inbox closes, the signal, the reader leaves, the inbox cannot be read. */
  const end = () => {
    if (ended) return;
    ended = true;
    unsubscribe();
    options.signal.removeEventListener("abort", end);
    changed.open();
    options.onEnd?.();
  };
  const unsubscribe = inbox.subscribe((change) => change === "closed" ? end() : changed.open());
  options.signal.addEventListener("abort", end);
  if (options.signal.aborted) end();

  let left = false;
  let opened = false;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const send = (text: string) => controller.enqueue(encoder.encode(text));
      if (!opened) {
        opened = true;
        return send(`: the inbox, live\nretry: ${RETRY_MS}\n\n`);
      }
      try {
        while (!ended) {
          const events = nextEvents();
          if (events !== "") return send(events);
          await changed.opened();
        }
      } catch (error) {
        end();
        throw error;
      }
      if (!left) controller.close();
    },
    cancel() {
      left = true;
      end();
    },
  }, { highWaterMark: 0 });
}

/** Gives the text of the events that are there and were not given yet. */
function eventReader(inbox: Inbox, { since, type }: EventStreamOptions): () => string {
  let position = since;
  let cleared: number | undefined;
  let writable = true;
  const storage = () => {
    const was = writable;
    writable = inbox.canStore();
    return was === writable ? "" : `event: storage\ndata: {"writable":${writable}}\n\n`;
  };
  const rows = () => {
    const page = inbox.list({ since: position, type, limit: ROWS_PER_CHUNK });
    // A reader that begins at 0 has nothing that could be gone.
    const clearedBefore = cleared ?? (position === 0 ? page.cleared : position);
    cleared = page.cleared;
    if (page.cursor < position) {
      // The reader is ahead: its cursor is of an inbox that was deleted since. It begins again.
      position = 0;
      return event(0, "cleared", "{}");
    }
    position = page.cursor;
    const rows = page.envelopes.map((row) => event(row.id, "envelope", JSON.stringify(row)));
    if (page.cleared > clearedBefore) rows.unshift(event(page.cleared, "cleared", "{}"));
    return rows.join("");
  };
  return () => rows() + storage();
}

function event(id: number, name: string, data: string): string {
  return `id: ${id}\nevent: ${name}\ndata: ${data}\n\n`;
}

/** Lets the one that waits through: once for any number of openings before or while it waits. */
class Latch {
  #isOpen = false;
  #pass = () => {};

  open(): void {
    this.#isOpen = true;
    this.#pass();
  }

  async opened(): Promise<void> {
    if (!this.#isOpen) await new Promise<void>((resolve) => this.#pass = resolve);
    this.#isOpen = false;
  }
}
