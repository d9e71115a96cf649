import { watchInbox } from "./inbox_changes.ts";
import { INBOX_TIMEOUT_MS, noAnswer, refusal, requestInbox } from "./inbox_request.ts";
import type { ImportResult } from "../../monitoring/protocol/inbox_archive.ts";
import type { InboxRow } from "../../monitoring/protocol/inbox_row.ts";
import type { RefusalList } from "../../monitoring/protocol/relay_api.ts";
import type { ApplicationList, Lists, Page } from "../../monitoring/models/rows.ts";
import type { Histogram } from "../../monitoring/models/histogram.ts";
import type { RecordingContent } from "../../monitoring/models/recording/timeline.ts";
import type { TraceContent } from "../../monitoring/models/trace/trace_content.ts";
import { isZstd, readBody } from "../../monitoring/protocol/read_body.ts";
import * as notifications from "./notifications.ts";
import type { Api, ConsoleQuery } from "./api.ts";

export interface InboxApi extends Api {
  close(): void;
}

/**
 * Reads the inbox over HTTP.
 *
 * @param path of the inbox, `/monitoring/inbox`
 * @param timeoutMs maximum wait for a response, or for its next chunk
 */
export function createInboxApi(path: string, timeoutMs = INBOX_TIMEOUT_MS): InboxApi {
  const changes = watchInbox(path, timeoutMs, globalThis.document, notifications);

  /** Resolves for 404, too. */
  const get = async (parameters: Readonly<Record<string, string>>): Promise<Response> => {
    const response = await requestInbox(`${path}?${new URLSearchParams(parameters)}`, timeoutMs);
    if (response.ok || response.status === 404) return response;
    throw await refusal(response);
  };

  const getView = async <Answer>(
    view: string,
    query: ConsoleQuery & { readonly id?: string } = {},
  ): Promise<Answer> => {
    const response = await get({ view, ...parametersOf(query) });
    // The server is of an older build without this list.
    if (response.status === 404) throw await refusal(response);
    if (isJson(response)) return await response.json();
    await discard(response);
    throw new TypeError("The inbox did not answer with a list. Reload the page.");
  };

  /** Undefined: what is asked for is not stored (any more). */
  const getStored = async <Answer>(
    parameters: Readonly<Record<string, string>>,
  ): Promise<Answer | undefined> => {
    const response = await get(parameters);
    return response.status === 404 ? await discard(response) : await response.json();
  };

  return {
    scope: "inbox",
    snapshot: changes.snapshot,
    subscribe: changes.subscribe,
    list: <Name extends keyof Lists>(name: Name, query: ConsoleQuery) =>
      getView<Page<Lists[Name]>>(name, query),
    envelopes: (query) => getView<Page<InboxRow>>("envelopes", query),
    histogram: (query) => getView<Histogram>("histogram", query),
    trace: (id) => getView<TraceContent>("trace", { id }),
    recording: (id) => getView<RecordingContent>("recording", { id }),
    error(group, envelope, event) {
      const query = { view: "error", id: group, envelope: String(envelope) };
      return getStored({ ...query, ...event !== null && { event } });
    },
    envelopeContent: (id) => getStored({ view: "envelope", id: String(id) }),
    applications: (query) => getView<ApplicationList>("applications", query),
    refusals: () => getView<RefusalList>("refusals"),
    async envelope(id) {
      const response = await get({ id: String(id) });
      if (response.status === 404 || response.body === null) return await discard(response);
      const bytes = await readBody(response.body);
      if (isZstd(bytes)) {
        throw new Error(
          "This envelope is compressed with zstd, which this browser cannot decompress. Download it" +
            " and decompress it with `zstd -d`.",
        );
      }
      return bytes;
    },
    async fetchMap(script, debugId) {
      const body = JSON.stringify({ script, debug_id: debugId ?? undefined });
      const response = await send(`${path}?fetch-map`, { method: "POST", body });
      if (!response.ok) throw await refusal(response);
      await discard(response);
    },
    async authorize(token) {
      try {
        const headers = { Authorization: `Bearer ${token}` };
        const response = await fetch(`${path}?limit=1`, { headers });
        await discard(response);
        // The browser now has a cookie, which all tabs use.
        if (response.ok) changes.reconnect();
        return response.ok;
      } catch {
        // No answer, or a token that is not a valid header.
        return false;
      }
    },
    clear: () => change(path, { method: "DELETE" }),
    groups: {
      setState: (group, state) =>
        change(`${path}?group=${group}`, {
          method: "PATCH",
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify({ state }),
        }),
      delete: (group) => change(`${path}?group=${group}`, { method: "DELETE" }),
    },
    download: (id) => `${path}?id=${id}`,
    exported: () => `${path}?export`,
    async importArchive(archive) {
      // No timeout: `fetch` does not report the progress of an upload.
      const response = await send(`${path}?import`, { method: "POST", body: archive });
      // A malformed archive is refused with the result of its first part.
      const result = isJson(response) ? await response.clone().json() : {};
      if (result.taken === undefined) throw await refusal(response);
      return { ...result, broken: result.detail } as ImportResult;
    },
    close: changes.close,
  };
}

/** Whether the server has answered, and not a proxy in its place, whose answers are pages. */
function isJson(response: Response): boolean {
  return response.headers.get("Content-Type")?.startsWith("application/json") ?? false;
}

async function send(url: string, request: RequestInit): Promise<Response> {
  try {
    return await fetch(url, request);
  } catch (cause) {
    throw noAnswer(cause);
  }
}

/** Sends a request whose answer has no content. */
async function change(url: string, request: RequestInit): Promise<void> {
  const response = await send(url, request);
  if (!response.ok) throw await refusal(response);
}

/** The filters of a query that are set, as URL parameters. */
function parametersOf(query: ConsoleQuery): Record<string, string> {
  return Object.fromEntries(
    Object.entries(query).filter(([, value]) => value !== undefined && value !== "")
      .map(([name, value]) => [name, String(value)]),
  );
}

/** Cancels the body, so that the connection can be reused. */
async function discard(response: Response): Promise<undefined> {
  await response.body?.cancel();
}
