import { inboxReadAccess, type ReadAccessOptions } from "../access/read_access.ts";
import { cookieValue, TOKEN_COOKIE } from "../access/token.ts";
import { answer, json, jsonBytes, refusal, unavailable } from "./answer.ts";
import { exportArchive } from "./archive/export_archive.ts";
import { ARCHIVE_TYPE, archiveName } from "../protocol/inbox_archive.ts";
import { type ImportOptions, importRequest } from "./archive/import_request.ts";
import { eventStream } from "./event_stream.ts";
import { type InboxParameters, ParameterError, readParameters, readView } from "./inbox_query.ts";
import type { Inbox } from "./store.ts";

export interface InboxEndpointOptions extends ReadAccessOptions, ImportOptions {
  /** Undefined in relay mode: every request is answered 404. */
  readonly inbox?: Inbox;
  /**
   * Gives the source map (JSON) of the script that has a debug id; undefined: there is none. Sources
   * are for those who may read the inbox, and for nobody else.
   */
  readonly sourceMap?: (debugId: string) => Promise<Uint8Array<ArrayBuffer> | undefined>;
}

/** `/monitoring/inbox` as HTTP. */
export interface InboxEndpoint {
  /**
   * Answers GET, HEAD and DELETE, and POST at `?import`.
   *
   * @param peer the address of the connection's other end; never one that a header names
   */
  handle(request: Request, peer: string | undefined): Promise<Response>;
  /** Ends the live streams, so that a server that stops need not wait for their readers. */
  endStreams(): void;
}

/** Streams open at once. A browser holds one, so this is a bound against leaks, not against people. */
const MAX_STREAMS = 128;
const METHODS = "GET, HEAD, DELETE";
/** At `?import`, where an archive is taken in. */
const IMPORT_METHODS = "POST";

/** Makes the endpoint. It sends no CORS headers: no other origin reads the inbox. */
export function createInboxEndpoint(options: InboxEndpointOptions): InboxEndpoint {
  const { inbox } = options;
  const accessOf = inboxReadAccess(options);
  const stopping = new AbortController();
  let streams = 0;

  const stream = (inbox: Inbox, parameters: InboxParameters, head: boolean): Response => {
    if (streams >= MAX_STREAMS) {
      return refusal(
        503,
        "inbox_busy",
        `${MAX_STREAMS} streams are open: close one of them first.`,
      );
    }
    const headers = {
      "Content-Type": "text/event-stream",
      // For nginx, which otherwise keeps events back until its buffer is full.
      "X-Accel-Buffering": "no",
    };
    if (head) return answer(null, headers);
    streams++;
    const onEnd = () => void streams--;
    return answer(eventStream(inbox, { ...parameters, signal: stopping.signal, onEnd }), headers);
  };

  const sourceMap = async (debugId: string, head: boolean): Promise<Response> => {
    const bytes = await options.sourceMap?.(debugId);
    if (bytes === undefined) {
      return refusal(404, "map_not_found", `No source map ${debugId}: another build's, or none.`);
    }
    return jsonBytes(200, bytes, head);
  };

  const read = (inbox: Inbox, request: Request): Response | Promise<Response> => {
    const head = request.method === "HEAD";
    const query = queryOf(request);
    if (query.has("export")) return archive(inbox, head);
    if (query.has("view")) return list(inbox, query, head);
    const live = acceptsEvents(request) && !query.has("id") && !query.has("map");
    const parameters = readParameters(query, live ? request.headers.get("last-event-id") : null);
    if (parameters.id !== undefined) return download(inbox, parameters.id, head);
    if (parameters.map !== undefined) return sourceMap(parameters.map, head);
    if (live) return stream(inbox, parameters, head);
    const { cursor, envelopes } = inbox.list(parameters);
    return json(200, { cursor, envelopes }, head);
  };

  const empty = (inbox: Inbox, request: Request): Response => {
    if (queryOf(request).size > 0) {
      // Someone may mean one envelope by it.
      throw new ParameterError(
        "The query of a DELETE",
        "empty: DELETE empties the whole inbox, never one envelope",
      );
    }
    inbox.clear();
    return answer(null, {}, 204);
  };

  const importing = importRequest(options);

  const handle = async (request: Request, peer: string | undefined): Promise<Response> => {
    if (inbox === undefined) {
      return refusal(404, "not_found", "There is no inbox in relay mode: unset SENTRY_DSN for it.");
    }
    const isImport = queryOf(request).has("import");
    const methods = isImport ? IMPORT_METHODS : METHODS;
    if (!methods.split(", ").includes(request.method)) {
      const response = refusal(405, "method_not_allowed", `The inbox answers ${methods} here.`);
      response.headers.set("Allow", methods);
      return response;
    }
    const access = accessOf(request, peer);
    if (!access.allowed) return refusal(403, "inbox_forbidden", access.detail);
    if (isImport) return await importing(inbox, request);
    try {
      const response = request.method === "DELETE"
        ? empty(inbox, request)
        : await read(inbox, request);
      if (access.by === "bearer" && request.method === "GET" && response.ok) {
        rememberToken(request, response, options);
      }
      return response;
    } catch (error) {
      if (error instanceof ParameterError) return refusal(400, "parameter_invalid", error.message);
      return unavailable(error);
    }
  };

  return { handle, endStreams: () => stopping.abort() };
}

function list(inbox: Inbox, parameters: URLSearchParams, head: boolean): Response {
  const { view, query } = readView(parameters);
  const page = view === "envelopes" ? inbox.envelopes(query) : inbox.page(view, query);
  return json(200, page, head);
}

function archive(inbox: Inbox, head: boolean): Response {
  return answer(head ? null : exportArchive(inbox), {
    "Content-Type": ARCHIVE_TYPE,
    "Content-Disposition": `attachment; filename="${archiveName(Date.now())}"`,
  });
}

function download(inbox: Inbox, id: number, head: boolean): Response {
  const stored = inbox.bytes(id);
  if (stored === undefined) {
    return refusal(404, "envelope_not_found", `No envelope ${id}: it never came, or it is gone.`);
  }
  const { bytes, contentEncoding } = stored;
  const headers: Record<string, string> = {
    "Content-Type": "application/x-sentry-envelope",
    "Content-Disposition": `attachment; filename="${id}.envelope"`,
    "Content-Length": String(bytes.byteLength),
  };
  if (contentEncoding !== null) headers["Content-Encoding"] = contentEncoding;
  return answer(head ? null : bytes, headers);
}

/**
 * The page's own request with a right token: its browser gets the cookie, which `EventSource` can bear. For the session
 * only, and for no other path. A page that is not on a secure origin sends no `Sec-Fetch-Site`; a tool that sends none
 * either ignores the cookie.
 */
function rememberToken(request: Request, response: Response, options: ReadAccessOptions): void {
  const site = request.headers.get("sec-fetch-site");
  if (options.token === undefined || (site !== null && site !== "same-origin")) return;
  const https = request.url.startsWith("https:") || options.publicOrigin?.startsWith("https:");
  response.headers.append(
    "Set-Cookie",
    `${TOKEN_COOKIE}=${cookieValue(options.token)}; Path=/monitoring/inbox; HttpOnly;` +
      ` SameSite=Strict${https ? "; Secure" : ""}`,
  );
}

/** Not by `new URL`: a hostile `Host` makes that throw. */
function queryOf(request: Request): URLSearchParams {
  const start = request.url.indexOf("?");
  return new URLSearchParams(start === -1 ? "" : request.url.slice(start));
}

function acceptsEvents(request: Request): boolean {
  return (request.headers.get("accept") ?? "").split(",")
    .some((range) => range.split(";")[0]?.trim().toLowerCase() === "text/event-stream");
}
