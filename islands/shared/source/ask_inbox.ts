/**
 * Longest wait for an answer to begin, or for its next chunk. The inbox answers within a second,
 * also a full one; the rest is for a slow line, or a proxy whose server is just starting.
 */
export const SILENCE_MS = 10_000;

/** The inbox accepted a request and sent nothing. The message is for display. */
export class SilentInboxError extends Error {
  override readonly name = "SilentInboxError";
  constructor(readonly silenceMs: number) {
    super(`The inbox has not answered for ${Math.round(silenceMs / 1000)} seconds.`);
  }
}

/**
 * Asks the inbox. A slow answer is not cut off as long as it makes progress.
 *
 * @param silenceMs milliseconds without a byte after which the request is given up
 * @throws {SilentInboxError} nothing came for so long; reading the body rejects with it, too
 */
export async function askInbox(address: string, silenceMs = SILENCE_MS): Promise<Response> {
  const request = new AbortController();
  const within = <T>(progress: Promise<T>): Promise<T> => {
    const giveUp = () => request.abort(new SilentInboxError(silenceMs));
    const timer = setTimeout(giveUp, silenceMs);
    return progress.finally(() => clearTimeout(timer));
  };
  let response: Response;
  try {
    response = await within(fetch(address, { signal: request.signal }));
  } catch (cause) {
    if (cause instanceof SilentInboxError) throw cause;
    throw new Error("The inbox does not answer.", { cause });
  }
  const reader = response.body?.getReader();
  if (reader === undefined) return response;
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      const { done, value } = await within(reader.read());
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
    // Reads only on demand, so that a slow reader does not count as a silent inbox.
  }, { highWaterMark: 0 });
  return new Response(body, response);
}
