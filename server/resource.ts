import { type Encoding, negotiateEncoding } from "./accept_encoding.ts";
import { checkHeaders, type HeaderPair } from "./headers.ts";

/** A content in its encodings. */
export interface Bodies {
  readonly identity: Uint8Array<ArrayBuffer>;
  readonly br?: Uint8Array<ArrayBuffer>;
  readonly gzip?: Uint8Array<ArrayBuffer>;
}

interface ResourceOptions {
  readonly bodies: Bodies;
  readonly type: string;
  /** Hash of the identity body. Each encoding derives its strong entity tag from it. */
  readonly hash: string;
  readonly cacheControl: string;
  /** Further headers, also of a 304: it updates what the browser has stored. */
  readonly headers: readonly HeaderPair[];
  /** Default: 200. Other statuses are error pages, which have no entity tag and no 304. */
  readonly status?: number;
}

/** Ends of the entity tags of the encodings. */
const ETAG_ENDS: Readonly<Record<Encoding, string>> = { br: "-br", gzip: "-gz", identity: "" };

/** Answers GET and HEAD with a content that does not change. Ranges are not supported: files are small. */
export class Resource {
  readonly #options: ResourceOptions;
  readonly #status: number;
  readonly #encodings: readonly Encoding[];
  readonly #common: readonly HeaderPair[];

  constructor(options: ResourceOptions) {
    this.#options = options;
    this.#status = options.status ?? 200;
    this.#encodings = Object.keys(options.bodies) as Encoding[];
    this.#common = [
      ["Vary", "Accept-Encoding"],
      ["Cache-Control", options.cacheControl],
      ...options.headers,
    ];
    // At the start, not at the first request.
    checkHeaders(options.headers);
  }

  respond({ headers: asked, method }: Request): Response {
    const { bodies, type, hash } = this.#options;
    const status = this.#status;
    const encoding = negotiateEncoding(asked.get("accept-encoding"), this.#encodings);
    const etag = `"${hash}${ETAG_ENDS[encoding]}"`;
    const headers = new Headers(this.#common as HeaderPair[]);
    if (status === 200) {
      headers.set("ETag", etag);
      const known = asked.get("if-none-match");
      if (known !== null && matchesEtag(known, etag)) {
        return new Response(null, { status: 304, headers });
      }
    }
    const body = bodies[encoding]!;
    headers.set("Content-Type", type);
    headers.set("Content-Length", String(body.length));
    if (encoding !== "identity") headers.set("Content-Encoding", encoding);
    return new Response(method === "HEAD" ? null : body, { status, headers });
  }
}

const ENTITY_TAG = /[ \t,]*(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")[ \t]*(?:,|$)/y;

/**
 * Whether an `If-None-Match` header contains a strong entity tag: a list, compared weakly, or `*`
 * (RFC 9110, 13.1.2). Parsing ends at the first malformed member.
 *
 * @param etag with its quotes
 */
export function matchesEtag(header: string, etag: string): boolean {
  if (header.trim() === "*") return true;
  ENTITY_TAG.lastIndex = 0;
  for (let match = ENTITY_TAG.exec(header); match !== null; match = ENTITY_TAG.exec(header)) {
    if (match[1] === etag) return true;
  }
  return false;
}
