import assert from "node:assert/strict";
import {
  answers,
  answersRaw,
  closes,
  closesHalfWay,
  hangs,
  hangsHalfWay,
  startStandInIngest,
  takesAfter,
} from "../../../../tests/harness/stand_in_ingest.ts";
import {
  ClientAbortedError,
  createHttpClient,
  type HttpClient,
  type HttpRequest,
  RequestFailedError,
  ResponseTimeoutError,
} from "./http_client.ts";
import { until } from "../../../../tests/harness/until.ts";

/** A pool that is closed at the end of the test. */
function openPool(
  maxConnections = 4,
  maxIdleMs = 60_000,
  connectTimeoutMs = 10_000,
): HttpClient & Disposable {
  const pool = createHttpClient({ maxConnections, maxIdleMs, connectTimeoutMs });
  return Object.assign(pool, { [Symbol.dispose]: () => pool.abort() });
}

/** For `assert.rejects`: a request that failed for this cause. */
const causedBy = (cause: new (...of: never[]) => Error) => (error: unknown) =>
  error instanceof RequestFailedError && error.cause instanceof cause;

const body = new TextEncoder().encode("body");
const request = (origin: string, more: Partial<HttpRequest> = {}): HttpRequest => ({
  url: new URL("/api/1/envelope/", origin),
  headers: { "x-a": "1" },
  body,
  timeoutMs: 10_000,
  ...more,
});

Deno.test("consecutive requests → few connections, complete bodies and headers", async () => {
  await using ingest = startStandInIngest();
  using pool = openPool();
  const large = new Uint8Array(300_000).fill(7);
  for (const sent of [body, large, body, large, body, body, body, body]) {
    const { status } = await pool.post(request(ingest.origin, { body: sent }));
    assert.equal(status, 200);
    assert.deepEqual(ingest.requests.at(-1)?.body, sent);
  }
  // A connection that was just used is checked for surplus bytes, and another one serves meanwhile.
  assert.ok(ingest.connections <= 3, `${ingest.connections} connections`);
  assert.deepEqual({ ...ingest.requests[0]?.headers }, {
    "host": ingest.host,
    "connection": "keep-alive",
    "x-a": "1",
    "content-length": "4",
  });
});

Deno.test("more requests than connections allowed → they wait, all are answered", async () => {
  await using ingest = startStandInIngest();
  using pool = openPool(3);
  const posts = Array.from({ length: 20 }, () => pool.post(request(ingest.origin)));
  const statuses = (await Promise.all(posts)).map(({ status }) => status);
  assert.deepEqual(new Set(statuses), new Set([200]));
  assert.ok(ingest.connections <= 3, `${ingest.connections} connections`);
});

Deno.test("signal aborts → only its request ends; abort() → ends those without a signal", async () => {
  await using ingest = startStandInIngest();
  ingest.behave(hangs);
  using pool = openPool();
  const signals = [new AbortController(), new AbortController()] as const;
  const [first, second] = signals.map(({ signal }) =>
    assert.rejects(pool.post(request(ingest.origin, { signal })), /enough/)
  );
  const other = assert.rejects(pool.post(request(ingest.origin)), ClientAbortedError);
  await ingest.waitFor((all) => all.length === 3);
  signals[0].abort(new Error("enough"));
  await first;
  pool.abort();
  await other;
  while (ingest.open > 1) await new Promise((resolve) => setTimeout(resolve, 1));
  signals[1].abort(new Error("enough"));
  await second;
  const { signal } = signals[1];
  await assert.rejects(pool.post(request(ingest.origin, { signal })), /enough/);
  assert.equal(ingest.requests.length, 3);
});

Deno.test("connection lost → its request is sent again, others wait for a new one", async () => {
  await using ingest = startStandInIngest();
  using pool = openPool(1);
  ingest.next(closes);
  const posts = [1, 2, 3].map(() => pool.post(request(ingest.origin)));
  for (const post of posts) assert.equal((await post).status, 200);
  assert.deepEqual([ingest.requests.length, ingest.connections], [4, 2]);
});

Deno.test("beforeSending throws → nothing sent, the connection serves the next request", async () => {
  await using ingest = startStandInIngest();
  using pool = openPool(1);
  class CalledOff extends Error {}
  const calledOff = request(ingest.origin, {
    beforeSending() {
      throw new CalledOff();
    },
  });
  const first = pool.post(request(ingest.origin));
  const second = assert.rejects(pool.post(calledOff), CalledOff);
  const third = pool.post(request(ingest.origin));
  assert.deepEqual([(await first).status, (await third).status], [200, 200]);
  await second;
  assert.deepEqual([ingest.requests.length, ingest.connections], [2, 1]);
});

Deno.test("timeout → covers waiting for a connection and for the response together", async () => {
  await using ingest = startStandInIngest();
  using pool = openPool(1);
  ingest.behave(hangs);
  const short = { timeoutMs: 100 };
  await Promise.all([
    assert.rejects(pool.post(request(ingest.origin, short)), causedBy(ResponseTimeoutError)),
    assert.rejects(pool.post(request(ingest.origin, short)), causedBy(ResponseTimeoutError)),
  ]);
  // The connection that hung is given up, so there is room again.
  ingest.behave(answers(200));
  assert.equal((await pool.post(request(ingest.origin))).status, 200);
});

Deno.test("request times out while waiting → does not delay the others that wait", async () => {
  await using ingest = startStandInIngest();
  using pool = openPool(1);
  const { promise, resolve } = Promise.withResolvers<void>();
  ingest.next(takesAfter(promise));
  const slow = pool.post(request(ingest.origin));
  const late = Array.from(
    { length: 3 },
    () =>
      assert.rejects(
        pool.post(request(ingest.origin, { timeoutMs: 50 })),
        causedBy(ResponseTimeoutError),
      ),
  );
  const patient = pool.post(request(ingest.origin, { timeoutMs: 5_000 }));
  await Promise.all(late);
  resolve();
  assert.equal((await slow).status, 200);
  assert.equal((await patient).status, 200);
  assert.equal(ingest.requests.length, 2);
});

Deno.test("response stops after its status → the status counts", async () => {
  await using ingest = startStandInIngest();
  using pool = openPool();
  ingest.next(closesHalfWay, hangsHalfWay);
  for (let round = 0; round < 2; round++) {
    // Long enough for the status on a busy machine.
    const answer = await pool.post(request(ingest.origin, { timeoutMs: 2_000 }));
    assert.deepEqual([answer.status, answer.body], [200, undefined]);
  }
});

Deno.test("server closes connections because of a request → it is sent at most twice", async () => {
  await using ingest = startStandInIngest();
  using pool = openPool();
  await Promise.all(Array.from({ length: 4 }, () => pool.post(request(ingest.origin))));
  assert.equal(ingest.connections, 4, "all connections are idle");
  ingest.behave(closes);
  await assert.rejects(pool.post(request(ingest.origin)));
  assert.equal(ingest.requests.length, 4 + 2);
  ingest.behave(answers(200));
  assert.equal((await pool.post(request(ingest.origin))).status, 200);
});

Deno.test("connection idle for too long → not used again", async () => {
  await using ingest = startStandInIngest();
  using pool = openPool(1, 20);
  await pool.post(request(ingest.origin));
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert.equal((await pool.post(request(ingest.origin))).status, 200);
  assert.equal(ingest.connections, 2);
});

Deno.test("response before the request is read → counts, connection not used again", async () => {
  await using ingest = startStandInIngest({ beforeBody: () => answers(413, { body: "no" }) });
  using pool = openPool();
  for (let round = 0; round < 2; round++) {
    const large = new Uint8Array(50_000_000);
    const { status } = await pool.post(request(ingest.origin, { body: large }));
    assert.equal(status, 413);
  }
  assert.equal(ingest.connections, 2);
});

const responseText = (status: number) =>
  `HTTP/1.1 ${status} Scripted\r\ncontent-length: 2\r\n\r\nok`;

Deno.test("surplus bytes after a response → connection closed, not the next response", async () => {
  await using ingest = startStandInIngest();
  ingest.next(answersRaw(responseText(201) + responseText(200)), answers(429));
  using pool = openPool();
  assert.equal((await pool.post(request(ingest.origin))).status, 201);
  assert.equal((await pool.post(request(ingest.origin))).status, 429);
  assert.equal(ingest.connections, 2);
});

Deno.test("surplus bytes just before the next request → not its response", async () => {
  await using ingest = startStandInIngest();
  ingest.behave(answers(429));
  using pool = openPool();
  for (let round = 0; round < 20; round++) {
    const response = pool.post(request(ingest.origin));
    // As on a busy machine: when the runtime continues, timers have expired and bytes have arrived.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    assert.equal((await response).status, 429);
    // Arrived when the write resolves, but no turn of the runtime has read them yet.
    await ingest.send(responseText(200));
  }
  assert.equal(ingest.connections, 20);
});

for (const protocol of ["http", "https"]) {
  Deno.test(`${protocol} server accepts and stays silent → timeout closes the connections`, async () => {
    const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    // Each resolves when the client has closed its connection.
    const closed: Promise<void>[] = [];
    const accepting = (async () => {
      for await (const connection of listener) closed.push(readToEnd(connection));
    })();
    using pool = openPool(4, 60_000, 200);
    const origin = `${protocol}://127.0.0.1:${(listener.addr as Deno.NetAddr).port}`;
    const posts = Array.from({ length: 3 }, () => pool.post(request(origin, { timeoutMs: 200 })));
    for (const post of posts) await assert.rejects(post, causedBy(ResponseTimeoutError));
    await until("all were accepted", () => closed.length === 3);
    await Promise.all(closed);
    listener.close();
    await accepting;
  });
}

async function readToEnd(connection: Deno.Conn): Promise<void> {
  using _connection = connection;
  const buffer = new Uint8Array(1000);
  try {
    while (await connection.read(buffer) !== null);
  } catch {
    // Connection reset.
  }
}
