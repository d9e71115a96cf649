/** Where the pages of a development build listen. Normal builds have nothing there. */
export const RELOAD_PATH = "/_reload";

/** How soon a browser asks again after the server went away, in milliseconds. */
const RETRY_MS = 200;

/**
 * Tells an open page which server it talks to: a page that hears of another one than before reloads
 * itself. The stream says so once and then stays open, so that the page notices when the server
 * ends.
 */
export class ReloadStream {
  readonly #instance: string;
  readonly #open = new Set<ReadableStreamDefaultController<Uint8Array>>();

  constructor(buildId: string) {
    this.#instance = `${buildId}-${crypto.randomUUID()}`;
  }

  respond(): Response {
    let own: ReadableStreamDefaultController<Uint8Array>;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        own = controller;
        this.#open.add(controller);
        const text = `retry: ${RETRY_MS}\ndata: ${this.#instance}\n\n`;
        controller.enqueue(new TextEncoder().encode(text));
      },
      cancel: () => {
        this.#open.delete(own);
      },
    });
    const headers = { "Content-Type": "text/event-stream", "Cache-Control": "no-store" };
    return new Response(body, { headers });
  }

  close(): void {
    for (const controller of this.#open) controller.close();
    this.#open.clear();
  }
}
