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

interface Representation {
  readonly etag: string;
  readonly full: Response;
  readonly head: Response;
  readonly notModified: Response;
}

/** Ends of the entity tags of the encodings. */
const ETAG_ENDS: Readonly<Record<Encoding, string>> = { br: "-br", gzip: "-gz", identity: "" };

/** Maximum number of remembered `Accept-Encoding` values; browsers send a handful. */
const MAX_NEGOTIATED = 64;

/**
 * Answers GET and HEAD with prepared responses. Cloning a response shares its body and takes a third
 * of a microsecond; creating one copies the body, so each is created by its first request. Ranges are not
 * supported: files are small.
 */
export class Resource {
  readonly #options: Omit<ResourceOptions, "bodies">;
  readonly #status: number;
  readonly #encodings: readonly Encoding[];
  /** Bodies of the encodings that were not requested yet. */
  readonly #bodies: Map<Encoding, Uint8Array<ArrayBuffer>>;
  readonly #representations = new Map<Encoding, Representation>();
  readonly #negotiated = new Map<string | null, Representation>();

  constructor({ bodies, ...options }: ResourceOptions) {
    this.#options = options;
    this.#status = options.status ?? 200;
    this.#bodies = new Map(Object.entries(bodies) as [Encoding, Uint8Array<ArrayBuffer>][]);
    this.#encodings = [...this.#bodies.keys()];
    // At the start, not at the first request.
    checkHeaders(options.headers);
  }

  respond(request: Request): Response {
    const { headers, method } = request;
    const representation = this.#negotiate(headers.get("accept-encoding"));
    if (this.#status === 200) {
      const known = headers.get("if-none-match");
      if (known !== null && matchesEtag(known, representation.etag)) {
        return representation.notModified.clone();
      }
    }
    return (method === "HEAD" ? representation.head : representation.full).clone();
  }

  #negotiate(header: string | null): Representation {
    const remembered = this.#negotiated.get(header);
    if (remembered !== undefined) return remembered;
    const encoding = negotiateEncoding(header, this.#encodings);
    const representation = this.#representations.get(encoding) ?? this.#represent(encoding);
    if (this.#negotiated.size < MAX_NEGOTIATED) this.#negotiated.set(header, representation);
    return representation;
  }

  #represent(encoding: Encoding): Representation {
    const { type, hash, cacheControl, headers: further } = this.#options;
    const status = this.#status;
    const body = this.#bodies.get(encoding)!;
    const etag = `"${hash}${ETAG_ENDS[encoding]}"`;
    const common: HeaderPair[] = [
      ["Vary", "Accept-Encoding"],
      ["Cache-Control", cacheControl],
      ...further,
    ];
    const headers: HeaderPair[] = [
      ...common,
      ["Content-Type", type],
      ["Content-Length", String(body.length)],
    ];
    if (encoding !== "identity") headers.push(["Content-Encoding", encoding]);
    if (status === 200) headers.push(["ETag", etag]);
    const representation = {
      etag,
      full: new Response(body, { status, headers }),
      head: new Response(null, { status, headers }),
      notModified: new Response(null, { status: 304, headers: [...common, ["ETag", etag]] }),
    };
    this.#representations.set(encoding, representation);
    this.#bodies.delete(encoding);
    return representation;
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
  if (header === etag) return true;
  if (header.trim() === "*") return true;
  ENTITY_TAG.lastIndex = 0;
  for (let match = ENTITY_TAG.exec(header); match !== null; match = ENTITY_TAG.exec(header)) {
    if (match[1] === etag) return true;
  }
  return false;
}
