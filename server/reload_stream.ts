/** Path of the stream. Only development builds have it. */
export const RELOAD_PATH = "/_reload";

/** Milliseconds until a browser reconnects after the server has ended. */
const RETRY_MS = 200;

/**
 * Reloads open pages in development: each connection receives an id of this server process, and a page
 * that receives another id than before reloads. The streams stay open so that pages notice a restart.
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
