/**
 * Whether a span answered a CORS preflight (https://fetch.spec.whatwg.org/#cors-preflight-request). Browsers send no
 * trace headers with it, so that each is a trace of its own, which is named for it.
 *
 * @param of a span, or a trace with the name and operation that it is listed with
 */
export function isPreflight({ op, name }: {
  readonly op: string | null;
  readonly name: string | null;
}): boolean {
  return op === "http.server" && /^OPTIONS( |$)/.test(name ?? "");
}

/** Whether a page loaded a file: `resource.script`, `resource.css`, `resource.img`; not for a request of its code. */
export const isStaticResource = (op: string | null): boolean =>
  /^resource(?!\.(fetch|xhr|beacon)$)\b/.test(op ?? "");
