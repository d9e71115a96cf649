/** The runtime's own side of a request, as far as it is looked at. */
interface RuntimeRequest {
  readonly body?: {
    /** A stream, or the bytes themselves. */
    readonly streamOrStatic?: { readonly body?: unknown; readonly consumed?: boolean };
  };
}

/** The runtime's name for its own side of a request; undefined until a request has shown it. */
let inside: symbol | undefined;

/**
 * Whether all of a request's body is there already, as that of a small one often is: it came with the head.
 * Then `request.bytes()` has nothing to wait for. The same bytes through a stream take as long again as to
 * judge them.
 *
 * The runtime knows this and tells it in no other way, so this looks where it keeps it, and changes
 * nothing there. False where it is not found, also in a runtime that keeps it elsewhere.
 */
export function hasWholeBody(request: Request): boolean {
  if (inside === undefined || !(inside in request)) {
    inside = Object.getOwnPropertySymbols(request).find(({ description }) =>
      description === "request"
    );
    if (inside === undefined) return false;
  }
  const kept = (request as unknown as Record<symbol, RuntimeRequest | undefined>)[inside];
  const body = kept?.body?.streamOrStatic;
  return body?.consumed === false && body.body instanceof Uint8Array;
}
