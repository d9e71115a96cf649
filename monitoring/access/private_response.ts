import { errorAnswer } from "../protocol/error_answer.ts";

/** Marks a response that only readers of the inbox may see: not cached, and not interpreted as a document. */
export function makePrivate(response: Response): Response {
  response.headers.set("Cache-Control", "no-store");
  response.headers.set("X-Content-Type-Options", "nosniff");
  return response;
}

/** JSON with its length, which a HEAD request reports, too. */
export function json(status: number, value: unknown): Response {
  return jsonBytes(status, new TextEncoder().encode(JSON.stringify(value)));
}

export function jsonBytes(status: number, body: Uint8Array<ArrayBuffer>): Response {
  const headers = {
    "Content-Type": "application/json",
    "Content-Length": String(body.byteLength),
  };
  return makePrivate(new Response(body, { status, headers }));
}

export function refusal(status: number, error: string, detail: string): Response {
  return jsonBytes(status, new TextEncoder().encode(errorAnswer({ status, error, detail }).body));
}

export function methodRefusal(allowed: string, detail: string): Response {
  const response = refusal(405, "method_not_allowed", detail);
  response.headers.set("Allow", allowed);
  return response;
}
