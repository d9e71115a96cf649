import { isOwnOrigin } from "../../access/caller.ts";
import { json, refusal, unavailable } from "../answer.ts";
import type { Inbox } from "../store.ts";
import { importArchive } from "./import_archive.ts";

export interface ImportOptions {
  /** The page's origin as browsers see it. */
  readonly publicOrigin?: string;
  /** Most bytes of one envelope, as received. */
  readonly maxEnvelopeBytes: number;
  /** The longest wait for the next bytes of an import. Default: half a minute. */
  readonly importPatienceMs?: number;
}

/**
 * `POST /monitoring/inbox?import`: the body is an archive, read as it comes. Answers 200 with what became of its envelopes, or
 * 400 with the same and why the rest could not be read. One import at a time: each may hold one large envelope.
 * One whose sender falls silent is ended, so that it does not keep the next one out.
 *
 * The caller has checked the right to read. CSRF: unlike DELETE, a cross-site POST needs no preflight, and
 * browsers send `Sec-Fetch-Site` to secure origins only. All of them send `Origin`, which must be the page's own.
 */
export function importRequest(
  { publicOrigin, maxEnvelopeBytes, importPatienceMs: patienceMs }: ImportOptions,
): (inbox: Inbox, request: Request) => Promise<Response> {
  let importing = false;
  return async (inbox, request) => {
    const origin = request.headers.get("origin");
    if (origin !== null && !isOwnOrigin(origin, request, publicOrigin)) {
      return refusal(403, "origin_not_allowed", "Only the inbox's own page may import into it.");
    }
    if (request.headers.has("content-encoding")) {
      return refusal(
        415,
        "encoding_not_supported",
        "An archive is sent as it is: leave Content-Encoding out.",
      );
    }
    if (importing) {
      return refusal(503, "inbox_busy", "An import is under way: wait until it has ended.");
    }
    importing = true;
    try {
      const body = request.body ?? new Blob().stream();
      const { broken, ...result } = await importArchive(inbox, body, {
        maxEnvelopeBytes,
        patienceMs,
      });
      return broken === undefined
        ? json(200, result, false)
        : json(400, { error: "archive_malformed", detail: broken, ...result }, false);
    } catch (error) {
      return unavailable(error);
    } finally {
      importing = false;
    }
  };
}
