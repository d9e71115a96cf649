import assert from "node:assert/strict";
import { gunzipSync } from "node:zlib";
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
  assert.deepEqual(await send(BYTES, false), {
    status: 413,
    outcome: "rejected",
    error: "too big",
    retryAfter: "7",
    rateLimits: null,
    sentBytes: 3,
  });
});

Deno.test("keepalive refused → the same bytes are sent at once without it", async () => {
  const { calls, fetch } = stub(new TypeError("Failed to fetch"));
  const send = createSender({ fetch, url: "/monitoring", sameOrigin: true });
  assert.equal((await send(BYTES, false)).status, 200);
  assert.deepEqual(calls.map(({ init }) => init.keepalive), [true, false]);
  assert.ok(calls.every(({ init }) => init.body === BYTES));
});

Deno.test("25,000 characters of three bytes → sent without keepalive", async () => {
  const { calls, fetch } = stub();
  await createSender({ fetch, url: "/", sameOrigin: true })(
    new TextEncoder().encode("漢".repeat(25_000)),
    false,
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
  const all = [50_000, 10_001, 10_000].map((length) => send(new Uint8Array(length), false));
  resolve(new Response("{}"));
  await Promise.all(all);
  await send(new Uint8Array(60_000), false);
  assert.deepEqual(carried, [true, false, true, true]);
});

Deno.test("no connection → a result without a status", async () => {
  const { fetch } = stub(new TypeError("a"), new TypeError("b"));
  const answer = await createSender({ fetch, url: "/", sameOrigin: true })(BYTES, false);
  assert.equal(answer.status, undefined);
  assert.equal(answer.error, "no connection");
});

Deno.test("other origin → not compressed, no preflight and no cookies", async () => {
  const { calls, fetch } = stub();
  await createSender({ fetch, url: "https://ingest.example/", sameOrigin: false })(BYTES, true);
  const init = calls[0]?.init;
  assert.deepEqual(init?.headers, { "Content-Type": "text/plain;charset=UTF-8" });
  assert.equal(init?.body, BYTES);
  assert.equal(init?.credentials, "omit");
  assert.equal(init?.redirect, "error");
});

const LARGE = new TextEncoder().encode('{"message":"large"}\n'.repeat(5_000));
const encodingOf = ({ init }: { init: RequestInit }) =>
  (init.headers as Record<string, string>)["Content-Encoding"];

Deno.test("same origin → gzip, which counts for keepalive and in the result", async () => {
  const { calls, fetch } = stub();
  const { sentBytes } = await createSender({ fetch, url: "/", sameOrigin: true })(LARGE, true);
  const { init } = calls[0]!;
  assert.equal(encodingOf(calls[0]!), "gzip");
  assert.deepEqual(new Uint8Array(gunzipSync(init.body as Uint8Array)), LARGE);
  assert.equal(init.keepalive, true);
  assert.equal(sentBytes, (init.body as Uint8Array).length);
});

Deno.test("not to be compressed → requested during the call, as it is", async () => {
  const { calls, fetch } = stub();
  const result = createSender({ fetch, url: "/", sameOrigin: true })(BYTES, false);
  assert.deepEqual(calls.map(({ init }) => init.body), [BYTES]);
  assert.equal(encodingOf(calls[0]!), undefined);
  await result;
});

Deno.test("browser without CompressionStream → not compressed", async () => {
  const { CompressionStream } = globalThis;
  Reflect.deleteProperty(globalThis, "CompressionStream");
  try {
    const { calls, fetch } = stub();
    await createSender({ fetch, url: "/", sameOrigin: true })(LARGE, true);
    assert.deepEqual(calls.map(({ init }) => init.body), [LARGE]);
  } finally {
    globalThis.CompressionStream = CompressionStream;
  }
});

for (const status of [400, 415]) {
  Deno.test(`${status} for gzip → the envelope and all after it are sent uncompressed`, async () => {
    const { calls, fetch } = stub(new Response("", { status }));
    const send = createSender({ fetch, url: "/", sameOrigin: true });
    const { status: final, sentBytes } = await send(LARGE, true);
    await send(BYTES, true);
    assert.equal(final, 200);
    assert.deepEqual(calls.map(encodingOf), ["gzip", undefined, undefined]);
    assert.deepEqual(calls.slice(1).map(({ init }) => init.body), [LARGE, BYTES]);
    assert.equal(sentBytes, LARGE.length + (calls[0]!.init.body as Uint8Array).length);
  });
}

Deno.test("400 for gzip and without it → refused; the next is compressed", async () => {
  const { calls, fetch } = stub(
    new Response("", { status: 400 }),
    new Response("", { status: 400 }),
  );
  const send = createSender({ fetch, url: "/", sameOrigin: true });
  assert.equal((await send(BYTES, true)).status, 400);
  await send(BYTES, true);
  assert.deepEqual(calls.map(encodingOf), ["gzip", undefined, "gzip"]);
});

Deno.test("compression fails → sent uncompressed", async () => {
  const { CompressionStream } = globalThis;
  globalThis.CompressionStream = class {
    readable = new ReadableStream({ start: (controller) => controller.error(new Error("memory")) });
    writable = new WritableStream({ start: (controller) => controller.error(new Error("memory")) });
  } as unknown as typeof CompressionStream;
  try {
    const { calls, fetch } = stub();
    const { status } = await createSender({ fetch, url: "/", sameOrigin: true })(LARGE, true);
    assert.equal(status, 200);
    assert.deepEqual(calls.map(({ init }) => init.body), [LARGE]);
  } finally {
    globalThis.CompressionStream = CompressionStream;
  }
});
