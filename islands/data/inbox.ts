import type { ImportResult } from "../../monitoring/protocol/inbox_archive.ts";
import type { RefusalList } from "../../monitoring/protocol/relay_api.ts";
import { isZstd, readBody } from "../../monitoring/protocol/read_body.ts";
import type { ApplicationList } from "../../monitoring/models/application_rows.ts";
import type { Lists, Page } from "../../monitoring/models/rows.ts";
import type { ListQuery } from "../../monitoring/models/list_query.ts";
import type { Histogram } from "../../monitoring/models/histogram.ts";
import type { EnvelopeContent } from "../../monitoring/models/envelope_content.ts";
import type { ErrorContent } from "../../monitoring/models/error/error_content.ts";
import type { RecordingContent } from "../../monitoring/models/recording/timeline.ts";
import type { MetricContent } from "../../monitoring/models/metric/metric_content.ts";
import type { ProfileContent } from "../../monitoring/models/profile/profile_content.ts";
import type { EndpointContent } from "../../monitoring/models/trace/endpoint_content.ts";
import type { TraceContent } from "../../monitoring/models/trace/trace_content.ts";

/** The parameters of a list as they are in the address: an age, such as `10m`, is read with each request. */
export type ConsoleQuery =
  & { readonly envelope?: string | number; readonly limit?: number }
  & { readonly [Name in Exclude<keyof ListQuery, "envelope" | "limit">]?: string };

/** What the server answers to each `view` of the inbox. */
export type Answers = { readonly [Name in keyof Lists]: Page<Lists[Name]> } & {
  readonly applications: ApplicationList;
  readonly histogram: Histogram;
  readonly trace: TraceContent;
  readonly recording: RecordingContent;
  readonly profile: ProfileContent;
  /** Undefined: nothing of it is stored (any more). */
  readonly metric: MetricContent | undefined;
  /** Undefined: nothing of it is stored (any more). */
  readonly endpoint: EndpointContent | undefined;
  readonly refusals: RefusalList;
  /** Undefined: it is not stored (any more). */
  readonly error: ErrorContent | undefined;
  readonly envelope: EnvelopeContent | undefined;
};

/** A list's filters, or what identifies one trace, error, recording, profile or envelope. */
export type ViewQuery = ConsoleQuery & {
  readonly id?: string | undefined;
  readonly event?: string | undefined;
  readonly span?: string | undefined;
  readonly thread?: string | undefined;
  readonly kind?: string;
  readonly unit?: string;
  readonly by?: string | undefined;
  readonly show?: string | undefined;
  readonly every?: string | undefined;
};

type Parameters = Readonly<Record<string, string | number | boolean | undefined>>;

/** The inbox did not answer in time. The message is for display. */
class InboxTimeoutError extends Error {
  override readonly name = "InboxTimeoutError";
  constructor(timeoutMs: number) {
    super(`The inbox has not answered for ${Math.round(timeoutMs / 1000)} seconds.`);
  }
}

/** The inbox over HTTP. Rejections have a message for display. */
export class InboxClient {
  /**
   * @param timeoutMs maximum wait for a response, or for its next chunk. A full inbox answers within a second; the rest
   * is for slow connections, and proxies whose server is starting.
   */
  constructor(readonly path: string, readonly timeoutMs = 10_000) {}

  async read<View extends keyof Answers>(view: View, query?: ViewQuery): Promise<Answers[View]> {
    const response = await this.get({ view, ...query as Parameters });
    if (response.status === 404 && ["error", "metric", "endpoint", "envelope"].includes(view)) {
      return await discard(response) as Answers[View];
    }
    // 404: the server is of an older build without this list.
    if (!response.ok) throw await refusal(response);
    if (isJson(response)) return await response.json();
    await discard(response);
    throw new TypeError("The inbox did not answer with a list. Reload the page.");
  }

  /** The decompressed bytes of an envelope; undefined: it is not stored (any more). */
  async bytes(id: number): Promise<Uint8Array | undefined> {
    const response = await this.get({ id });
    if (response.status === 404) return await discard(response);
    if (!response.ok || response.body === null) throw await refusal(response);
    const bytes = await readBody(response.body);
    if (!isZstd(bytes)) return bytes;
    throw new Error(
      "This envelope is compressed with zstd, which this browser cannot decompress. Download it and" +
        " decompress it with `zstd -d`.",
    );
  }

  /** Sends a change. @param body JSON */
  async change(
    method: "DELETE" | "PATCH" | "POST",
    parameters?: Parameters,
    body?: unknown,
  ): Promise<void> {
    const response = await answered(fetch(this.#url(parameters), {
      method,
      ...body !== undefined &&
        { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } },
    }));
    if (!response.ok) throw await refusal(response);
    await discard(response);
  }

  /** Imports an archive, see `inbox_archive.ts`. */
  async importArchive(archive: Blob): Promise<ImportResult> {
    // No timeout: `fetch` does not report the progress of an upload.
    const url = this.#url({ import: true });
    const response = await answered(fetch(url, { method: "POST", body: archive }));
    // A malformed archive is refused with the result of its first part.
    const result = isJson(response) ? await response.clone().json() : {};
    if (result.taken === undefined) throw await refusal(response);
    return { ...result, broken: result.detail };
  }

  /** Sends the inbox token, for which the browser gets a cookie; false: it is wrong. */
  async authorize(token: string): Promise<boolean> {
    try {
      const headers = { Authorization: `Bearer ${token}` };
      const response = await fetch(this.#url({ limit: 1 }), { headers });
      await discard(response);
      return response.ok;
    } catch {
      // No answer, or a token that is not a valid header.
      return false;
    }
  }

  /**
   * Sends a GET request. A slow response is read as long as it makes progress.
   *
   * @throws {InboxTimeoutError} also while the body is read
   */
  async get(parameters: Parameters): Promise<Response> {
    const request = new AbortController();
    const withTimeout = <T>(progress: Promise<T>): Promise<T> => {
      const abort = () => request.abort(new InboxTimeoutError(this.timeoutMs));
      const timer = setTimeout(abort, this.timeoutMs);
      return progress.finally(() => clearTimeout(timer));
    };
    const response = await answered(
      withTimeout(fetch(this.#url(parameters), { signal: request.signal })),
    );
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

  #url(parameters: Parameters = {}): string {
    const given = Object.entries(parameters).filter(([, value]) =>
      value !== undefined && value !== ""
    );
    return `${this.path}?${new URLSearchParams(
      given.map(([name, value]) => [name, String(value)]),
    )}`;
  }
}

export const inbox: InboxClient = new InboxClient("/monitoring/inbox");

async function answered(request: Promise<Response>): Promise<Response> {
  try {
    return await request;
  } catch (cause) {
    throw cause instanceof InboxTimeoutError
      ? cause
      : new Error("The inbox does not answer.", { cause });
  }
}

/** The error for a refused request: the server's message, or the status. */
async function refusal(response: Response): Promise<Error> {
  const { detail } = Object(await response.json().catch(() => undefined)) as { detail?: unknown };
  return new Error(typeof detail === "string" ? detail : `The inbox answered ${response.status}.`);
}

/** Whether the server has answered, and not a proxy in its place, whose answers are pages. */
const isJson = ({ headers }: Response): boolean =>
  headers.get("Content-Type")?.startsWith("application/json") ?? false;

/** Cancels the body, so that the connection can be reused. */
async function discard(response: Response): Promise<undefined> {
  await response.body?.cancel();
}
