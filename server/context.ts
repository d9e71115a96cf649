/** The methods that a route may handle. */
export const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;
export type Method = typeof METHODS[number];

/** What a handler receives for each request. */
export interface Context {
  readonly req: Request;
  /** @throws {BadRequestError} the `Host` header is invalid */
  readonly url: URL;
  /** The `[name]` segments of the route's path, decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** Address of the client without its port; undefined without a TCP connection. */
  readonly peer: string | undefined;
}

/** The parts of a response that the framework makes: this takes less time than to add headers to a `Response`. */
export interface ResponseParts {
  readonly status: number;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Ignored for statuses without a body. */
  readonly body: string | Uint8Array<ArrayBuffer>;
}

export type HandlerResult = Response | ResponseParts;
export type Handler = (ctx: Context) => HandlerResult | Promise<HandlerResult>;
/** Without a HEAD handler, GET answers HEAD. */
export type Handlers = Partial<Record<Method, Handler>>;

/** The request is malformed: answered with 400. */
export class BadRequestError extends Error {
  override name = "BadRequestError";
}

/** The used part of `Deno.ServeHandlerInfo`. */
export interface ConnectionInfo {
  readonly remoteAddr: Deno.Addr;
}

export function createContext(
  req: Request,
  params: Context["params"],
  info: ConnectionInfo | undefined,
): Context {
  const address = info?.remoteAddr;
  return {
    req,
    params,
    peer: address !== undefined && "hostname" in address ? address.hostname : undefined,
    // Parsed only if it is used: most requests need only the path.
    get url() {
      const url = URL.parse(req.url);
      if (url === null) throw new BadRequestError("The request's Host is not a host.");
      return url;
    },
  };
}
