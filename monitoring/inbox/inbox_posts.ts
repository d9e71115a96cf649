import { json, refusal } from "../access/private_response.ts";
import { at, parseJson } from "../models/json.ts";
import type { Uploads } from "../uploads/uploads.ts";
import { importArchive } from "./archive.ts";
import type { Inbox } from "./inbox.ts";
import { fetchSourceMap, type SourceMapOrigins } from "./source_map_fetch.ts";
import { readSourceMapUpload, readUpload } from "./source_map_upload.ts";

/** The query parameters that name what a POST to `/monitoring/inbox` does. */
export const POSTS = ["import", "maps", "fetch-map"] as const;

const MAX_FETCH_BYTES = 10_000;

/**
 * Takes archives, source maps, and requests to fetch a source map. One at a time: each may be large.
 *
 * @param maxEnvelopeBytes of an imported envelope, as received
 * @returns answers a POST; with 503 while another one is in progress, unless that one is slow, which ends it
 */
export function createInboxPosts(
  inbox: Inbox,
  mapOrigins: SourceMapOrigins,
  maxEnvelopeBytes: number,
  uploads: Uploads,
) {
  let current: Promise<unknown> | undefined;

  const importOf = async (request: Request): Promise<Response> => {
    const body = uploads.chunks(request.body ?? new Blob().stream());
    const { broken, ...result } = await importArchive(inbox, body, maxEnvelopeBytes);
    return broken === undefined
      ? json(200, result)
      : json(400, { error: "archive_malformed", detail: broken, ...result });
  };

  const fetchMap = async (request: Request): Promise<Response> => {
    const asked = parseJson(await readUpload(request, MAX_FETCH_BYTES, uploads));
    const [script, debugId] = [at(asked, "script"), at(asked, "debug_id")];
    const { key, bytes } = await fetchSourceMap(script, debugId, mapOrigins);
    await inbox.storeSourceMap(key, bytes);
    return json(200, { map: key, bytes: bytes.byteLength });
  };

  const storeMap = async (request: Request, givenId: string): Promise<Response> => {
    const { debugId, bytes } = await readSourceMapUpload(request, givenId, uploads);
    await inbox.storeSourceMap(debugId, bytes);
    return json(200, { debug_id: debugId, bytes: bytes.byteLength });
  };

  const answers = { "import": importOf, "fetch-map": fetchMap, maps: storeMap };
  return async (request: Request, post: (typeof POSTS)[number], value: string) => {
    if (request.headers.has("content-encoding")) {
      const detail = "An upload must not be compressed: omit Content-Encoding.";
      return refusal(415, "encoding_not_supported", detail);
    }
    while (current !== undefined) {
      if (uploads.shedLoad() === 0) {
        return refusal(503, "inbox_busy", "Another upload is running: try again when it is done.");
      }
      await current;
    }
    const answer = answers[post](request, value).finally(() => current = undefined);
    current = answer.catch(() => {});
    return await answer;
  };
}
