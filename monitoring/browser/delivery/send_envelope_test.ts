import assert from "node:assert/strict";
import { gunzipSync } from "node:zlib";
import { createSender } from "./send_envelope.ts";

const BYTES = new TextEncoder().encode("{}\n");
const LARGE = new TextEncoder().encode('{"message":"large"}\n'.repeat(5_000));

interface Call extends RequestInit {
  readonly url: string;
  readonly encoding: string | undefined;
}

/** A sender whose requests get these answers, then 200; and the requests that it has made. */
function sender(...answers: (Response | Error)[]) {
  const calls: Call[] = [];
  const fetch = ((url: string, init: RequestInit) => {
    const { "Content-Encoding": encoding } = init.headers as Record<string, string>;
    calls.push({ ...init, url, encoding });
    const answer = answers[calls.length - 1] ?? new Response("{}");
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  }) as unknown as typeof globalThis.fetch;
  return { calls, fetch, send: createSender({ fetch, url: "/monitoring", sameOrigin: true }) };
}
const failed = (status: number) => new Response("", { status });

Deno.test("response → its status and the relay's headers are returned", async () => {
  const headers = {
    "X-Relay-Outcome": "rejected",
    "X-Sentry-Error": "too big",
    "Retry-After": "7",
  };
  const { send } = sender(new Response("{}", { status: 413, headers }));
  assert.deepEqual(await send(BYTES, false), {
    status: 413,
    outcome: "rejected",
    error: "too big",
    retryAfter: "7",
    rateLimits: null,
    sentBytes: 3,
  });
});

Deno.test("a proxy's page or login → 502, so that it is sent again; of relay or ingest → as it is", async () => {
  const answer = (status: number, headers = {}) => new Response("", { status, headers });
  const page = { "Content-Type": "text/html; charset=utf-8" };
  const ofRelay = { "X-Relay-Outcome": "rejected" };
  const answers = () => [
    ...[answer(200, page), answer(403, page), answer(401)],
    ...[answer(413, page), answer(403), answer(401, ofRelay)],
  ];
  const { send } = sender(...answers());
  const { fetch } = sender(...answers());
  const direct = createSender({ fetch, url: "https://ingest.example/", sameOrigin: false });
  for (const status of [502, 502, 502, 413, 403, 401]) {
    const { status: found, error } = await send(BYTES, false);
    const why = status === 502 ? "not an answer of the relay" : undefined;
    assert.deepEqual([found, error], [status, why]);
  }
  for (const { status } of answers()) assert.equal((await direct(BYTES, false)).status, status);
});

Deno.test("keepalive refused → the same bytes are sent at once without it", async () => {
  const { calls, send } = sender(new TypeError("Failed to fetch"));
  assert.equal((await send(BYTES, false)).status, 200);
  assert.deepEqual(calls.map(({ keepalive, body }) => [keepalive, body]), [
    [true, BYTES],
    [false, BYTES],
  ]);
});

Deno.test("no connection, with and without keepalive → a result without a status", async () => {
  const answer = await sender(new TypeError("a"), new TypeError("b")).send(BYTES, false);
  const { status, error, sentBytes } = answer;
  assert.deepEqual([status, error, sentBytes], [undefined, "no connection", 0]);
});

Deno.test("fetch that never settles, whatever its signal → ended by the time limit, and by consent", async () => {
  const { timeout } = AbortSignal;
  AbortSignal.timeout = () => timeout(5);
  try {
    const fetch = () => new Promise<never>(() => {});
    const send = createSender({ fetch, url: "/monitoring", sameOrigin: true });
    const { status, error } = await send(BYTES, false);
    assert.deepEqual([status, error], [undefined, "no response within 60 s"]);
    AbortSignal.timeout = () => new AbortController().signal;
    const withdrawn = new AbortController();
    const result = send(BYTES, false, withdrawn.signal);
    withdrawn.abort();
    assert.equal((await result).status, undefined);
  } finally {
    AbortSignal.timeout = timeout;
  }
});

Deno.test("25,000 characters of three bytes → sent without keepalive", async () => {
  const { calls, send } = sender();
  await send(new TextEncoder().encode("漢".repeat(25_000)), false);
  assert.deepEqual(calls.map(({ keepalive }) => keepalive), [false]);
});

Deno.test("concurrent bodies over 60,000 bytes → keepalive for those within the limit", async () => {
  const { calls, send } = sender();
  await Promise.all([50_000, 10_001, 10_000].map((length) => send(new Uint8Array(length), false)));
  await send(new Uint8Array(60_000), false);
  assert.deepEqual(calls.map(({ keepalive }) => keepalive), [true, false, true, true]);
});

Deno.test("other origin → not compressed, no preflight and no cookies", async () => {
  const { calls, fetch } = sender();
  await createSender({ fetch, url: "https://ingest.example/", sameOrigin: false })(BYTES, true);
  const { headers, body, credentials, redirect } = calls[0]!;
  assert.deepEqual(headers, { "Content-Type": "text/plain;charset=UTF-8" });
  assert.deepEqual([body, credentials, redirect], [BYTES, "omit", "error"]);
});

Deno.test("same origin → gzip, which counts for keepalive and in the result", async () => {
  const { calls, send } = sender();
  const { sentBytes } = await send(LARGE, true);
  const { body, encoding, keepalive } = calls[0]!;
  assert.deepEqual(new Uint8Array(gunzipSync(body as Uint8Array)), LARGE);
  assert.deepEqual([encoding, keepalive], ["gzip", true]);
  assert.equal(sentBytes, (body as Uint8Array).length);
});

Deno.test("not to be compressed → requested during the call, as it is", async () => {
  const { calls, send } = sender();
  const result = send(BYTES, false);
  assert.deepEqual(calls.map(({ body, encoding }) => [body, encoding]), [[BYTES, undefined]]);
  await result;
});

/** A stream of a browser that runs out of memory. */
class FailingStream {
  readable = new ReadableStream({ start: (controller) => controller.error(new Error("memory")) });
  writable = new WritableStream({ start: (controller) => controller.error(new Error("memory")) });
}
for (
  const [what, replacement] of [
    ["browser without CompressionStream", undefined],
    ["compression fails", FailingStream],
  ] as const
) {
  Deno.test(`${what} → sent uncompressed`, async () => {
    const { CompressionStream } = globalThis;
    if (replacement) Object.assign(globalThis, { CompressionStream: replacement });
    else Reflect.deleteProperty(globalThis, "CompressionStream");
    try {
      const { calls, send } = sender();
      assert.equal((await send(LARGE, true)).status, 200);
      assert.deepEqual(calls.map(({ body }) => body), [LARGE]);
    } finally {
      globalThis.CompressionStream = CompressionStream;
    }
  });
}

for (const status of [400, 415]) {
  Deno.test(`${status} for gzip → the envelope and all after it are sent uncompressed`, async () => {
    const { calls, send } = sender(failed(status));
    const { status: final, sentBytes } = await send(LARGE, true);
    await send(BYTES, true);
    assert.equal(final, 200);
    assert.deepEqual(calls.map(({ encoding }) => encoding), ["gzip", undefined, undefined]);
    assert.deepEqual(calls.slice(1).map(({ body }) => body), [LARGE, BYTES]);
    assert.equal(sentBytes, LARGE.length + (calls[0]!.body as Uint8Array).length);
  });
}

Deno.test("400 for gzip and without it → refused; the next is compressed", async () => {
  const { calls, send } = sender(failed(400), failed(400));
  assert.equal((await send(BYTES, true)).status, 400);
  await send(BYTES, true);
  assert.deepEqual(calls.map(({ encoding }) => encoding), ["gzip", undefined, "gzip"]);
});
