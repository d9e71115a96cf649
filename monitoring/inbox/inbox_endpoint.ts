import { isOwnOrigin } from "../access/caller.ts";
import {
  json,
  jsonBytes,
  makePrivate,
  methodRefusal,
  refusal,
} from "../access/private_response.ts";
import { inboxReadAccess, type ReadAccessOptions } from "../access/read_access.ts";
import { tokenCookie } from "../access/token.ts";
import { exportArchive } from "./archive.ts";
import { eventStream } from "./event_stream.ts";
import type { Inbox } from "./inbox.ts";
import { type InboxQuery, InboxUnavailableError } from "./inbox_types.ts";
import { createInboxPosts, POSTS } from "./inbox_posts.ts";
import type { GroupAlert } from "../models/error/error_row.ts";
import { DecodeError } from "../protocol/encoding.ts";
import { EnvelopeError } from "../protocol/envelope.ts";
import { contentTypeOf } from "../protocol/format.ts";
import { ARCHIVE_TYPE, archiveName } from "../protocol/inbox_archive.ts";
import {
  ParameterError,
  readDetailParameters,
  readEndpointParameters,
  readGroup,
  readGroupState,
  readListParameters,
  readMetricParameters,
  readParameters,
} from "./query_parameters.ts";
import { isImage } from "../models/feedback/attachment.ts";
import { SegmentError } from "../models/recording/recording.ts";
import { OtlpError } from "../models/otlp/decode.ts";
import { UnreadableEventError } from "../models/error/error_event.ts";
import { readAttachment, readStoredEnvelope } from "./details/read_envelope.ts";
import { readProfileContent } from "./details/profile_content.ts";
import { readErrorContent } from "./details/error_content.ts";
import { readRecordingContent } from "./details/recording_content.ts";
import { queryOf } from "../protocol/request_url.ts";
import type { Refusal } from "../protocol/relay_api.ts";
import type { Recent } from "./recent.ts";
import type { SourceMapOrigins } from "./source_map_fetch.ts";
import { SourceMapError } from "./source_map_upload.ts";
import { Uploads } from "../uploads/uploads.ts";

export interface InboxEndpointOptions extends ReadAccessOptions {
  readonly inbox: Inbox;
  readonly refusals: Recent<Refusal>;
  readonly alerts: Recent<GroupAlert>;
  readonly mapOrigins: SourceMapOrigins;
  /** Maximum bytes of an imported envelope, as received. */
  readonly maxEnvelopeBytes: number;
  /** Milliseconds in which an import or another upload must make progress. Default: 30 seconds. */
  readonly importTimeoutMs?: number;
}

/** Maximum number of open streams, in case some are never closed. A browser has one. */
const MAX_STREAMS = 128;
const METHODS = "GET, HEAD, DELETE";
const GROUP_METHODS = `${METHODS}, PATCH`;

/** `/monitoring/inbox` over HTTP. Sends no CORS headers: no other origin may read the inbox. */
export function createInboxEndpoint(options: InboxEndpointOptions) {
  const { inbox, mapOrigins, refusals, alerts } = options;
  const accessOf = inboxReadAccess(options);
  const stopping = new AbortController();
  const uploads = new Uploads(options.importTimeoutMs);
  const answerPost = createInboxPosts(inbox, mapOrigins, options.maxEnvelopeBytes, uploads);
  let streams = 0;

  /** Answers a request. @param peer the remote address of the connection, never taken from a header */
  const handle = async (request: Request, peer: string | undefined): Promise<Response> => {
    const query = queryOf(request.url);
    const post = POSTS.find((name) => query.has(name));
    const methods = post !== undefined ? "POST" : query.has("group") ? GROUP_METHODS : METHODS;
    if (!methods.split(", ").includes(request.method)) {
      return methodRefusal(methods, `The inbox answers ${methods} here.`);
    }
    const access = await accessOf(request, peer);
    if (!access.allowed) return refusal(403, "inbox_forbidden", access.detail);
    const isRead = request.method === "GET" || request.method === "HEAD";
    // CSRF: a cross-site POST needs no preflight. All browsers send `Origin` with what changes something.
    const origin = request.headers.get("origin");
    if (!isRead && origin !== null && !isOwnOrigin(origin, request, options.publicOrigin)) {
      return refusal(403, "origin_not_allowed", "Pages of other origins may not change the inbox.");
    }
    try {
      if (post !== undefined) return await answerPost(request, post, query.get(post) ?? "");
      if (!isRead && query.has("group")) return await changeGroup(request, query);
      if (!isRead) return await clear(inbox, query);
      const response = await inbox.readInTurn(() => read(request, query));
      if (request.method === "HEAD") {
        await response.body?.cancel();
        return new Response(null, response);
      }
      if (access.by === "bearer" && response.ok) {
        setTokenCookie(request, response, options);
      }
      return response;
    } catch (error) {
      return answerOf(error);
    }
  };

  const read = async (request: Request, query: URLSearchParams): Promise<Response> => {
    if (query.has("export")) {
      const name = archiveName(Date.now());
      return respond(exportArchive(inbox), {
        "Content-Type": ARCHIVE_TYPE,
        "Content-Disposition": `attachment; filename="${name}"`,
      });
    }
    const of = readDetailParameters(query);
    switch (query.getAll("view").join()) {
      case "refusals":
        return json(200, { rows: refusals.rows, next: null, total: refusals.total });
      case "trace":
        return json(200, inbox.trace(of.trace()));
      case "recording":
        return found(await readRecordingContent(inbox, of.recording()), "recording");
      case "error":
        return found(await readErrorContent(inbox, of.error(), mapOrigins), "error");
      case "profile":
        return found(await readProfileContent(inbox, of.profile()), "profile");
      case "metric":
        return found(inbox.metric(readMetricParameters(query, Date.now())), "metric");
      case "endpoint":
        return found(inbox.endpoint(readEndpointParameters(query, Date.now())), "endpoint");
      case "envelope":
        return found(await readStoredEnvelope(inbox, of.envelope()), "envelope");
    }
    if (query.has("view")) return json(200, listOf(inbox, readListParameters(query, Date.now())));
    const acceptsEvents = /\btext\/event-stream\b/i.test(request.headers.get("accept") ?? "");
    const isStream = acceptsEvents && !["id", "map", "attachment"].some((name) => query.has(name));
    const lastEventId = isStream ? request.headers.get("last-event-id") : null;
    const parameters = readParameters(query, lastEventId);
    const { id, attachment } = parameters;
    await inbox.catchUp(id ?? attachment?.envelope ?? parameters.since);
    if (id !== undefined) return download(inbox, id);
    if (attachment) return downloadAttachment(inbox, attachment);
    if (parameters.map !== undefined) {
      const bytes = await inbox.sourceMap(parameters.map);
      // Not 404, which browsers print to the console: the page also requests maps that do not exist.
      return bytes === undefined ? respond(null, {}, 204) : jsonBytes(200, bytes);
    }
    if (isStream) return stream(parameters);
    const { cursor, envelopes } = inbox.list(parameters);
    return json(200, { cursor, envelopes });
  };

  const stream = (parameters: InboxQuery): Response => {
    if (streams >= MAX_STREAMS) {
      return refusal(503, "inbox_busy", `${MAX_STREAMS} streams are open: close one of them.`);
    }
    streams++;
    const onEnd = () => void streams--;
    const { signal } = stopping;
    const events = eventStream(inbox, { ...parameters, refusals, alerts, signal, onEnd });
    // `X-Accel-Buffering`: nginx would buffer events.
    return respond(events, { "Content-Type": "text/event-stream", "X-Accel-Buffering": "no" });
  };

  /** PATCH sets the state of a group; DELETE removes its errors from the lists. The envelopes stay. */
  const changeGroup = async (request: Request, query: URLSearchParams): Promise<Response> => {
    const group = readGroup(query);
    const wanted = request.method === "DELETE" ? "deleted" : await readGroupState(request.body);
    if (await inbox.changeGroup(group, wanted)) return respond(null, {}, 204);
    return refusal(404, "group_not_found", `The inbox has no errors of group ${group}.`);
  };

  /** Ends the live streams, so that a server that stops does not wait for them. */
  const endStreams = () => stopping.abort();
  return { handle, endStreams };
}

const ERRORS = [
  [ParameterError, 400, "parameter_invalid"],
  [UnreadableEventError, 422, "error_unreadable"],
  [SegmentError, 422, "recording_unreadable"],
  [DecodeError, 422, "envelope_unreadable"],
  [EnvelopeError, 422, "envelope_unreadable"],
  [OtlpError, 422, "envelope_unreadable"],
] as const;

function listOf(inbox: Inbox, { view, query }: ReturnType<typeof readListParameters>): unknown {
  if (view === "applications") return inbox.applications(query);
  if (view === "histogram") return inbox.histogram(query);
  return inbox.page(view, query);
}

function answerOf(error: unknown): Response {
  if (error instanceof SourceMapError) return refusal(error.status, error.code, error.message);
  const known = ERRORS.find(([kind]) => error instanceof kind);
  if (known) return refusal(known[1], known[2], (error as Error).message);
  console.error("Cannot use the inbox:", error);
  return refusal(
    503,
    "inbox_unavailable",
    error instanceof InboxUnavailableError
      ? error.message
      : "The inbox cannot be read or written now. The server's output has the reason.",
  );
}

function found(content: unknown, what: string): Response {
  return content === undefined
    ? refusal(404, `${what}_not_found`, `This ${what} is not in the inbox (any more).`)
    : json(200, content);
}

function download(inbox: Inbox, id: number): Response {
  const stored = inbox.bytes(id);
  if (stored === undefined) {
    return refusal(404, "envelope_not_found", `Envelope ${id} is not in the inbox.`);
  }
  const { bytes, contentEncoding, format = "envelope" } = stored;
  const suffix = format === "envelope" ? format : format.endsWith("json") ? "json" : "pb";
  const headers: Record<string, string> = {
    "Content-Type": contentTypeOf(format),
    "Content-Disposition": `attachment; filename="${id}.${suffix}"`,
    "Content-Length": String(bytes.byteLength),
  };
  if (contentEncoding !== null) headers["Content-Encoding"] = contentEncoding;
  return respond(bytes, headers);
}

/** Untrusted bytes: never a document of this origin. Only images are shown. */
async function downloadAttachment(
  inbox: Inbox,
  { envelope, item }: { readonly envelope: number; readonly item: number },
): Promise<Response> {
  const found = await readAttachment(inbox, envelope, item);
  if (found === undefined) {
    const detail = `Item ${item} of envelope ${envelope} is not in the inbox, or no attachment.`;
    return refusal(404, "attachment_not_found", detail);
  }
  const kind = isImage(found) ? "inline" : "attachment";
  // https://www.rfc-editor.org/rfc/rfc8187#section-3.2.1
  const name = encodeURIComponent(found.name).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16)}`,
  );
  return respond(new Uint8Array(found.content), {
    "Content-Type": found.type,
    "Content-Disposition": `${kind}; filename*=UTF-8''${name}`,
    "Content-Length": String(found.content.byteLength),
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
  });
}

async function clear(inbox: Inbox, query: URLSearchParams): Promise<Response> {
  if (query.size > 0) {
    // Perhaps the sender wants to delete a single envelope.
    throw new ParameterError(
      "The query of a DELETE",
      "empty, or a `group`: DELETE empties the whole inbox, never one envelope",
    );
  }
  await inbox.clear();
  return respond(null, {}, 204);
}

/** Sets a session cookie: `EventSource` cannot send headers. `Sec-Fetch-Site` is omitted for insecure origins. */
function setTokenCookie(request: Request, response: Response, options: ReadAccessOptions): void {
  const site = request.headers.get("sec-fetch-site");
  if (options.token === undefined || (site !== null && site !== "same-origin")) return;
  const https = request.url.startsWith("https:") || options.publicOrigin?.startsWith("https:");
  response.headers.append(
    "Set-Cookie",
    `${tokenCookie(options.token)}; Path=/monitoring/inbox; HttpOnly; SameSite=Strict` +
      (https ? "; Secure" : ""),
  );
}

function respond(
  body: BodyInit | null,
  headers: Record<string, string>,
  status = 200,
): Response {
  return makePrivate(new Response(body, { status, headers }));
}
