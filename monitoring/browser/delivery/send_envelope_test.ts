import assert from "node:assert/strict";
import { createSender } from "./send_envelope.ts";

const BYTES = new TextEncoder().encode("{}\n");

function stub(...answers: (Response | Error)[]) {
  const calls: { url: string; init: RequestInit }[] = [];
  const fetch = ((url: string, init: RequestInit) => {
    calls.push({ url, init });
    const answer = answers[calls.length - 1] ?? new Response("{}");
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  }) as unknown as typeof globalThis.fetch;
  return { calls, fetch };
}

Deno.test("response → its status and the relay's headers are returned", async () => {
  const headers = {
    "X-Relay-Outcome": "rejected",
    "X-Sentry-Error": "too big",
    "Retry-After": "7",
  };
  const { fetch } = stub(new Response("{}", { status: 413, headers }));
  const send = createSender({ fetch, url: "/monitoring", sameOrigin: true });
  assert.deepEqual(await send(BYTES), {
    status: 413,
    outcome: "rejected",
    error: "too big",
    retryAfter: "7",
    rateLimits: null,
  });
});

Deno.test("keepalive refused → the same bytes are sent at once without it", async () => {
  const { calls, fetch } = stub(new TypeError("Failed to fetch"));
  const send = createSender({ fetch, url: "/monitoring", sameOrigin: true });
  assert.equal((await send(BYTES)).status, 200);
  assert.deepEqual(calls.map(({ init }) => init.keepalive), [true, false]);
  assert.ok(calls.every(({ init }) => init.body === BYTES));
});

Deno.test("25,000 characters of three bytes → sent without keepalive", async () => {
  const { calls, fetch } = stub();
  await createSender({ fetch, url: "/", sameOrigin: true })(
    new TextEncoder().encode("漢".repeat(25_000)),
  );
  assert.deepEqual(calls.map(({ init }) => init.keepalive), [false]);
});

Deno.test("concurrent bodies over 60,000 bytes → keepalive for those within the limit", async () => {
  const { promise, resolve } = Promise.withResolvers<Response>();
  const carried: unknown[] = [];
  const fetch = ((_url: string, { keepalive }: RequestInit) => {
    carried.push(keepalive);
    return promise.then((response) => response.clone());
  }) as unknown as typeof globalThis.fetch;
  const send = createSender({ fetch, url: "/", sameOrigin: true });
  const all = [50_000, 10_001, 10_000].map((length) => send(new Uint8Array(length)));
  resolve(new Response("{}"));
  await Promise.all(all);
  await send(new Uint8Array(60_000));
  assert.deepEqual(carried, [true, false, true, true]);
});

Deno.test("no connection → a result without a status", async () => {
  const { fetch } = stub(new TypeError("a"), new TypeError("b"));
  const answer = await createSender({ fetch, url: "/", sameOrigin: true })(BYTES);
  assert.equal(answer.status, undefined);
  assert.equal(answer.error, "no connection");
});

Deno.test("other origin → no preflight and no cookies", async () => {
  const { calls, fetch } = stub();
  await createSender({ fetch, url: "https://ingest.example/", sameOrigin: false })(BYTES);
  const init = calls[0]?.init;
  assert.deepEqual(init?.headers, { "Content-Type": "text/plain;charset=UTF-8" });
  assert.equal(init?.credentials, "omit");
  assert.equal(init?.redirect, "error");
});
