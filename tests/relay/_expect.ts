import assert from "node:assert/strict";

/** Checks an error answer: status, JSON body and headers. */
export async function expectError(
  response: Response,
  status: number,
  code: string,
): Promise<void> {
  const text = await response.text();
  assert.equal(response.status, status, text);
  const body = JSON.parse(text);
  assert.equal(body.error, code);
  assert.deepEqual(Object.keys(body), ["error", "detail"]);
  assert.match(body.detail, /^[A-Z][ -~]+\.$/);
  assert.equal(response.headers.get("x-sentry-error"), body.detail);
  assert.equal(response.headers.get("x-relay-outcome"), "rejected");
  assert.equal(response.headers.get("retry-after"), null);
}

/** Checks an answer with status 200. */
export async function expectTaken(
  response: Response,
  outcome: string | null,
  body: unknown,
): Promise<void> {
  const text = await response.text();
  assert.equal(response.status, 200, text);
  assert.equal(response.headers.get("x-relay-outcome"), outcome);
  assert.deepEqual(JSON.parse(text), body);
}
