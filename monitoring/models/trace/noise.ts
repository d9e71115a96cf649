import { isSentRequest } from "./trace_name.ts";

/**
 * Whether a span answered a CORS preflight (https://fetch.spec.whatwg.org/#cors-preflight-request). Browsers send no
 * trace headers with it, so that each is a trace of its own. By the method that was sent: SDKs leave it out of names, and
 * some make no `http.server` span of a preflight, only those of its framework.
 *
 * @param of the first span of the server, with its method (`requestMethod`)
 */
export function isPreflight({ op, name, method }: {
  readonly op: string | null;
  readonly name: string;
  readonly method: string | undefined;
}): boolean {
  if (method !== undefined) return method === "OPTIONS" && !isSentRequest(op);
  return op === "http.server" && /^OPTIONS( |$)/.test(name);
}

/** Whether a page loaded a file: `resource.script`, `resource.css`, `resource.img`; not for a request of its code. */
export const isStaticResource = (op: string | null): boolean =>
  /^resource(?!\.(fetch|xhr|beacon)$)\b/.test(op ?? "");
