import { type Encoding, negotiateEncoding } from "./accept_encoding.ts";
import { matchesEtag } from "./etag.ts";
import { checkHeaders, type HeaderPair } from "./headers.ts";
import { parseRange } from "./range.ts";

/** A body that is known in full before the first request, in the encodings it is kept in. */
export interface Bodies {
  readonly identity: Uint8Array<ArrayBuffer>;
  readonly br?: Uint8Array<ArrayBuffer>;
  readonly gzip?: Uint8Array<ArrayBuffer>;
}

export interface ResourceOptions {
  readonly bodies: Bodies;
  readonly type: string;
  /** Hash of the identity body: the strong entity tag of each encoding is made of it. */
  readonly hash: string;
  readonly cacheControl: string;
  /** Further headers, of the 304 too: it refreshes what a browser has stored. */
  readonly headers: readonly HeaderPair[];
  /** Answers `Range`, with the identity encoding. */
  readonly ranges: boolean;
  /** 200 unless it is an error page, which has neither entity tag nor 304. */
  readonly status?: number;
}

interface Representation {
  readonly etag: string;
  readonly full: Response;
  readonly head: Response;
  readonly notModified: Response;
}

/** How many different `Accept-Encoding` values are remembered; browsers send a handful. */
const MEMORY = 64;

/**
 * Answers GET and HEAD out of responses made once. A clone of a prepared response shares its body
 * and costs a third of a microsecond; a new response over the same bytes copies them each time.
 */
export class Resource {
  readonly #options: ResourceOptions;
  readonly #representations = new Map<Encoding, Representation>();
  readonly #negotiated = new Map<string | null, Representation>();

  constructor(options: ResourceOptions) {
    this.#options = options;
    const { identity, br, gzip } = options.bodies;
    if (br !== undefined) this.#add("br", br, `"${options.hash}-br"`);
    if (gzip !== undefined) this.#add("gzip", gzip, `"${options.hash}-gz"`);
    this.#add("identity", identity, `"${options.hash}"`);
  }

  respond(request: Request): Response {
    const { headers, method } = request;
    const { ranges, status = 200 } = this.#options;
    const range = ranges && method === "GET" ? headers.get("range") : null;
    const representation = range === null
      ? this.#negotiate(headers.get("accept-encoding"))
      : this.#identity;
    if (status === 200) {
      const known = headers.get("if-none-match");
      if (known !== null && matchesEtag(known, representation.etag)) {
        return representation.notModified.clone();
      }
    }
    if (method === "HEAD") return representation.head.clone();
    if (range !== null) return this.#part(range, headers.get("if-range"), representation);
    return representation.full.clone();
  }

  get #identity(): Representation {
    return this.#representations.get("identity")!;
  }

  #negotiate(header: string | null): Representation {
    const remembered = this.#negotiated.get(header);
    if (remembered !== undefined) return remembered;
    const encoding = negotiateEncoding(header, [...this.#representations.keys()]);
    const representation = this.#representations.get(encoding)!;
    if (this.#negotiated.size < MEMORY) this.#negotiated.set(header, representation);
    return representation;
  }

  #part(range: string, ifRange: string | null, whole: Representation): Response {
    // A date in If-Range never matches: there is no Last-Modified that it could be compared with.
    if (ifRange !== null && ifRange !== whole.etag) return whole.full.clone();
    const { identity } = this.#options.bodies;
    const part = parseRange(range, identity.length);
    if (part === undefined) return whole.full.clone();
    if (part === "unsatisfiable") {
      // Of this request alone: a year's caching is for the bytes.
      const unsatisfiable: HeaderPair[] = [
        ["Content-Range", `bytes */${identity.length}`],
        ["Cache-Control", "no-store"],
        ...this.#options.headers,
      ];
      return new Response(null, { status: 416, headers: unsatisfiable });
    }
    const { start, end } = part;
    const headers: HeaderPair[] = [
      ...this.#common("identity"),
      ["ETag", whole.etag],
      ["Content-Type", this.#options.type],
      ["Content-Range", `bytes ${start}-${end}/${identity.length}`],
      ["Content-Length", String(end - start + 1)],
    ];
    return new Response(identity.subarray(start, end + 1), { status: 206, headers });
  }

  #common(encoding: Encoding): HeaderPair[] {
    const { cacheControl, headers, ranges } = this.#options;
    const common: HeaderPair[] = [["Vary", "Accept-Encoding"], ["Cache-Control", cacheControl]];
    if (ranges && encoding === "identity") common.push(["Accept-Ranges", "bytes"]);
    return [...common, ...headers];
  }

  #add(encoding: Encoding, body: Uint8Array<ArrayBuffer>, etag: string): void {
    const { type, status = 200 } = this.#options;
    const common = this.#common(encoding);
    const headers: HeaderPair[] = [
      ...common,
      ["Content-Type", type],
      ["Content-Length", String(body.length)],
    ];
    if (encoding !== "identity") headers.push(["Content-Encoding", encoding]);
    if (status === 200) headers.push(["ETag", etag]);
    checkHeaders(headers);
    this.#representations.set(encoding, {
      etag,
      full: new Response(body, { status, headers }),
      head: new Response(null, { status, headers }),
      notModified: new Response(null, { status: 304, headers: [...common, ["ETag", etag]] }),
    });
  }
}
