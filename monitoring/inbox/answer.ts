/** What is wrong, and what would be right: the contract's form of every error. */
export function refusal(status: number, error: string, detail: string): Response {
  return json(status, { error, detail }, false);
}

export function json(status: number, value: unknown, head: boolean): Response {
  return jsonBytes(status, new TextEncoder().encode(JSON.stringify(value)), head);
}

/** {@linkcode json} of what is JSON already. */
export function jsonBytes(status: number, body: Uint8Array<ArrayBuffer>, head: boolean): Response {
  const headers = {
    "Content-Type": "application/json",
    "Content-Length": String(body.byteLength),
  };
  return answer(head ? null : body, headers, status);
}

/** Nothing of the inbox is kept by a cache or taken for a document. */
export function answer(
  body: BodyInit | null,
  headers: Record<string, string>,
  status = 200,
): Response {
  return new Response(body, {
    status,
    headers: { ...headers, "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" },
  });
}

/** The inbox could not be read or written: 503. Why it failed is for whoever runs the server. */
export function unavailable(error: unknown): Response {
  console.error("Cannot use the inbox:", error);
  return refusal(
    503,
    "inbox_unavailable",
    "The inbox's file cannot be read or written now: see what the server has printed.",
  );
}
