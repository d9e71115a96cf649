import { setTimeout } from "node:timers/promises";

export interface PostOptions<Result> {
  /** May contain secrets, as the URL may: neither is in a message. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Of the body. Default: JSON. */
  readonly contentType?: string;
  /** Maximum wait for the whole response, in milliseconds. */
  readonly timeoutMs: number;
  /** Waits after the first, second, … attempt, in milliseconds. After the last there is one more attempt. */
  readonly backoffMs: readonly number[];
  /** Longest `Retry-After` that is waited for, in milliseconds. Default: the header is ignored. */
  readonly maxRetryAfterMs?: number;
  /** Whether a later attempt may succeed. Redirects are neither followed nor repeated. */
  readonly mayRetry: (status: number) => boolean;
  readonly read: (response: Response) => Promise<Result>;
  readonly signal: AbortSignal;
}

/** What was read of the response, or why the last attempt failed, as part of a sentence. */
type PostResult<Result> = { readonly result: Result } | { readonly failure: string };

/** Posts JSON to a server that the operator has named, such as a webhook or a collector, with retries. Never rejects. */
export async function postJson<Result>(
  url: string,
  body: string | Uint8Array<ArrayBuffer>,
  options: PostOptions<Result>,
): Promise<PostResult<Result>> {
  const { backoffMs, signal } = options;
  for (let attempt = 0;; attempt++) {
    const outcome = await post(url, body, options);
    if ("result" in outcome) return outcome;
    const backoff = backoffMs[attempt];
    if (!outcome.mayRetry || backoff === undefined) return outcome;
    const ms = Math.max(backoff, outcome.retryAfterMs);
    await setTimeout(ms, undefined, { signal, ref: false }).catch(() => {
      // Aborted.
    });
    if (signal.aborted) return outcome;
  }
}

async function post<Result>(
  url: string,
  body: string | Uint8Array<ArrayBuffer>,
  {
    headers,
    contentType = "application/json",
    timeoutMs,
    maxRetryAfterMs = 0,
    mayRetry,
    read,
    signal,
  }: PostOptions<Result>,
) {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { ...headers, "Content-Type": contentType },
      body,
      redirect: "manual",
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    if (response.ok) return { result: await read(response) };
    await response.body?.cancel();
    const { status } = response;
    const isRedirect = status >= 300 && status < 400;
    const seconds = Number(response.headers.get("retry-after") ?? 0);
    return {
      failure: `it answered ${status}${isRedirect ? ", and redirects are not followed" : ""}`,
      mayRetry: !isRedirect && mayRetry(status),
      retryAfterMs: seconds > 0 ? Math.min(seconds * 1000, maxRetryAfterMs) : 0,
    };
  } catch (error) {
    // The message of a network error contains the URL.
    const isTimeout = error instanceof DOMException && error.name === "TimeoutError";
    const failure = isTimeout ? `no answer within ${timeoutMs} ms` : "it cannot be reached";
    return { failure, mayRetry: true, retryAfterMs: 0 };
  }
}
