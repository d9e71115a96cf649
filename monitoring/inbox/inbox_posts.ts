import { json, refusal } from "../access/private_response.ts";
import { type ArchiveLimits, importArchive } from "./archive.ts";
import type { Inbox } from "./inbox.ts";
import { fetchSourceMap, readFetchRequest, type SourceMapOrigins } from "./source_map_fetch.ts";
import { readSourceMapUpload } from "./source_map_upload.ts";
import { Uploads } from "../uploads/uploads.ts";

/** The POSTs of `/monitoring/inbox`, by the parameter of the query that names them. */
export const POSTS = ["import", "maps", "fetch-map"] as const;

interface PostOptions extends ArchiveLimits {
  /** Origins from which source maps may be fetched. */
  readonly mapOrigins: SourceMapOrigins;
  /** Milliseconds in which an upload must make progress. Default: 30 seconds. */
  readonly progressMs?: number | undefined;
}

/**
 * Takes what is posted to the inbox: archives, source maps, and requests to fetch a source map. One at a time: each may
 * hold a large envelope or source map in memory.
 *
 * @param value of the parameter that names the POST
 */
type TakePost = (
  inbox: Inbox,
  request: Request,
  post: (typeof POSTS)[number],
  value: string,
) => Promise<Response>;

/**
 * Creates the handler of the POSTs. A second one is refused with 503 while one is received, unless that one is slow: then
 * it ends.
 */
export function createPosts(options: PostOptions): TakePost {
  const uploads = new Uploads(options.progressMs);
  let current: Promise<void> | undefined;
  return async (inbox, request, post, value) => {
    while (current !== undefined) {
      if (uploads.shedLoad() === 0) {
        return refusal(503, "inbox_busy", "Another upload is running: try again when it is done.");
      }
      await current;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    current = promise;
    try {
      if (post === "import") return await takeImport(inbox, request, uploads, options);
      if (post === "fetch-map") {
        const { script, debug_id } = await readFetchRequest(request, uploads);
        const { key, bytes } = await fetchSourceMap(script, debug_id, options.mapOrigins);
        await inbox.storeSourceMap(key, bytes);
        return json(200, { map: key, bytes: bytes.byteLength });
      }
      const { debugId, bytes } = await readSourceMapUpload(request, value, uploads);
      await inbox.storeSourceMap(debugId, bytes);
      return json(200, { debug_id: debugId, bytes: bytes.byteLength });
    } finally {
      current = undefined;
      resolve();
    }
  };
}

async function takeImport(
  inbox: Inbox,
  request: Request,
  uploads: Uploads,
  limits: ArchiveLimits,
): Promise<Response> {
  if (request.headers.has("content-encoding")) {
    return refusal(
      415,
      "encoding_not_supported",
      "An archive must not be compressed: omit Content-Encoding.",
    );
  }
  const body = uploads.chunks(request.body ?? new Blob().stream());
  const { broken, ...result } = await importArchive(inbox, body, limits);
  return broken === undefined
    ? json(200, result)
    : json(400, { error: "archive_malformed", detail: broken, ...result });
}
