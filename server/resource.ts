/** A content that does not change, in its encodings. */
import type { Bodies } from "./content.ts";
import type { HeaderMap } from "./headers.ts";

interface ResourceOptions {
  readonly bodies: Bodies;
  readonly type: string;
  /** Hash of the identity body. Each encoding derives its strong entity tag from it. */
  readonly hash: string;
  readonly cacheControl: string;
  /** Further headers, also of a 304: it updates what the browser has stored. */
  readonly headers: HeaderMap;
  /** Default: 200. Other statuses are error pages, which have no entity tag and no 304. */
  readonly status?: number;
}

/** Answers GET and HEAD. */
export type Resource = (request: Request) => Response;

/** Ranges are not supported: files are small. */
export function createResource(options: ResourceOptions): Resource {
  const { bodies, type, hash, status = 200, cacheControl } = options;
  return ({ headers: asked, method }) => {
    const encoding = chooseEncoding(asked.get("accept-encoding"), bodies);
    const headers = new Headers(options.headers);
    headers.set("vary", "Accept-Encoding");
    headers.set("cache-control", cacheControl);
    if (status === 200) {
      const etag = encoding === "identity" ? `"${hash}"` : `"${hash}-${encoding}"`;
      headers.set("etag", etag);
      const known = asked.get("if-none-match");
      if (known !== null && matchesEtag(known, etag)) {
        return new Response(null, { status: 304, headers });
      }
    }
    const body = bodies[encoding]!;
    headers.set("content-type", type);
    headers.set("content-length", String(body.length));
    if (encoding !== "identity") headers.set("content-encoding", encoding);
    return new Response(method === "HEAD" ? null : body, { status, headers });
  };
}

/** The smaller body first: which of the accepted codings a client prefers is ignored. */
const COMPRESSED = ["br", "gzip"] as const;

/** A weight of zero: the coding is not acceptable (RFC 9110, 12.4.2). */
const ZERO = /^q\s*=\s*0(?:\.0*)?$/;

/** By RFC 9110, 12.5.3. If none is acceptable, `identity`: the RFC permits this instead of 406. */
export function chooseEncoding(header: string | null, bodies: Bodies): keyof Bodies {
  const accepted = new Map<string, boolean>();
  for (const member of header?.toLowerCase().split(",") ?? []) {
    const [coding = "", weight = ""] = member.split(";").map((part) => part.trim());
    accepted.set(coding, !ZERO.test(weight));
  }
  const star = accepted.get("*") ?? false;
  return COMPRESSED.find((coding) => bodies[coding] && (accepted.get(coding) ?? star)) ??
    "identity";
}

/** Whether `If-None-Match` contains an entity tag: a list, compared weakly, or `*` (RFC 9110, 13.1.2). */
export function matchesEtag(header: string, etag: string): boolean {
  return header.trim() === "*" ||
    header.split(",").some((member) => member.trim().replace(/^W\//, "") === etag);
}
