/**
 * Maximum wait for a response, or for its next chunk. A full inbox answers within a second; the rest is
 * for slow connections, and proxies whose server is starting.
 */
export const INBOX_TIMEOUT_MS = 10_000;

/** The inbox did not answer in time. The message is for display. */
class InboxTimeoutError extends Error {
  override readonly name = "InboxTimeoutError";
  constructor(readonly timeoutMs: number) {
    super(`The inbox has not answered for ${Math.round(timeoutMs / 1000)} seconds.`);
  }
}

/**
 * Sends a GET request. A slow response is read as long as it makes progress.
 *
 * @param timeoutMs maximum wait for the response and for each chunk
 * @throws {InboxTimeoutError} also while the body is read
 */
export async function requestInbox(url: string, timeoutMs: number): Promise<Response> {
  const request = new AbortController();
  const withTimeout = <T>(progress: Promise<T>): Promise<T> => {
    const abort = () => request.abort(new InboxTimeoutError(timeoutMs));
    const timer = setTimeout(abort, timeoutMs);
    return progress.finally(() => clearTimeout(timer));
  };
  let response: Response;
  try {
    response = await withTimeout(fetch(url, { signal: request.signal }));
  } catch (cause) {
    throw cause instanceof InboxTimeoutError ? cause : noAnswer(cause);
  }
  // In Chromium a 204 has a body, with which no `Response` can be made.
  if (response.body === null || response.status === 204) return response;
  const reader = response.body.getReader();
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      const { done, value } = await withTimeout(reader.read());
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
    // Reads on demand: the timeout must not include the time of the caller.
  }, { highWaterMark: 0 });
  return new Response(body, response);
}

/** The error for a request without a response. */
export function noAnswer(cause: unknown): Error {
  return new Error("The inbox does not answer.", { cause });
}

/** The error for a refused request: the server's message, or the status. */
export async function refusal(response: Response): Promise<Error> {
  const { detail } = Object(await response.json().catch(() => undefined)) as { detail?: unknown };
  return new Error(
    typeof detail === "string" ? detail : `The inbox answered ${response.status}.`,
  );
}
