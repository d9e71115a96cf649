/** The methods that a route may handle. */
export const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;
export type Method = typeof METHODS[number];

/** What a handler gets: one for each request. */
export interface Context<State = unknown> {
  readonly req: Request;
  /**
   * Parsed when first asked for: most answers need only the path. A `Host` that is none throws
   * `BadRequestError`.
   */
  readonly url: URL;
  /** The `[name]` segments of the route's path, decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** What `main.ts` gave the App: the same for every request. */
  readonly state: State;
  /** The other end's address, without its port; unknown when there is no TCP connection. */
  readonly peer: string | undefined;
  /** In a middleware: the answer of what is inside it. In a handler: 404. */
  next(): Promise<Response>;
}

export type Handler<State = unknown> = (ctx: Context<State>) => Response | Promise<Response>;
export type Handlers<State = unknown> = Partial<Record<Method, Handler<State>>>;

/** Stands around every answer below its folder: calls `ctx.next()`, or answers itself. */
export type Middleware<State = unknown> = Handler<State>;

/** The request cannot be understood; answered with 400. */
export class BadRequestError extends Error {
  override name = "BadRequestError";
}

/** The part of `Deno.ServeHandlerInfo` that is used. */
export interface ConnectionInfo {
  readonly remoteAddr: Deno.Addr;
}

/** A middleware, or what is inside them all. */
export type Step<State> = (ctx: RequestContext<State>) => Response | Promise<Response>;

/** A `Context` whose costly parts are made when they are asked for. */
export class RequestContext<State> implements Context<State> {
  #url: URL | undefined;
  #depth = 0;

  /** `steps` from the outermost in; `outside` answers a `next()` that goes further than they do. */
  constructor(
    readonly req: Request,
    readonly params: Readonly<Record<string, string>>,
    readonly state: State,
    readonly info: ConnectionInfo | undefined,
    readonly steps: readonly Step<State>[],
    readonly outside: Step<State>,
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

  /** A property of its own, so that a handler may take it out of the context. */
  readonly next = async (): Promise<Response> => {
    const step = this.steps[this.#depth] ?? this.outside;
    this.#depth += 1;
    try {
      return await step(this);
    } finally {
      // Back in the caller, whose `next` is again the same: it may ask a second time.
      this.#depth -= 1;
    }
  };
}
