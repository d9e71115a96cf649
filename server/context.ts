/** The methods that a route may handle. */
export const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;
export type Method = typeof METHODS[number];

/** What a handler receives for each request. */
export interface Context<State = unknown> {
  readonly req: Request;
  /**
   * Parsed when first used, because most requests need only the path.
   *
   * @throws {BadRequestError} the `Host` header is invalid
   */
  readonly url: URL;
  /** The `[name]` segments of the route's path, decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** `AppOptions.state`: the same for every request. */
  readonly state: State;
  /** Address of the client without its port; undefined without a TCP connection. */
  readonly peer: string | undefined;
}

/** The parts of a response that the kernel makes: this takes less time than to add headers to a `Response`. */
export interface ResponseParts {
  readonly status: number;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Ignored for statuses without a body. */
  readonly body: string | Uint8Array<ArrayBuffer>;
}

export type HandlerResult = Response | ResponseParts;
export type Handler<State = unknown> = (
  ctx: Context<State>,
) => HandlerResult | Promise<HandlerResult>;
export type Handlers<State = unknown> = Partial<Record<Method, Handler<State>>>;

/** The request is malformed: answered with 400. */
export class BadRequestError extends Error {
  override name = "BadRequestError";
}

/** The used part of `Deno.ServeHandlerInfo`. */
export interface ConnectionInfo {
  readonly remoteAddr: Deno.Addr;
}

/** A `Context` that computes expensive properties on first use. */
export class RequestContext<State> implements Context<State> {
  #url: URL | undefined;

  constructor(
    readonly req: Request,
    readonly params: Readonly<Record<string, string>>,
    readonly state: State,
    readonly info: ConnectionInfo | undefined,
  ) {}

  get url(): URL {
    if (this.#url === undefined) {
      const url = URL.parse(this.req.url);
      if (url === null) throw new BadRequestError("The request's Host is not a host.");
      this.#url = url;
    }
    return this.#url;
  }

  get peer(): string | undefined {
    const address = this.info?.remoteAddr;
    return address !== undefined && "hostname" in address ? address.hostname : undefined;
  }
}
