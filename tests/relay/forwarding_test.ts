import assert from "node:assert/strict";
import {
  answers,
  closes,
  hangs,
  startStandInIngest,
  takesAfter,
} from "../harness/stand_in_ingest.ts";
import { expectError, expectTaken } from "./_expect.ts";
import { DSN, envelope, fresh, startRelay } from "./_start_relay.ts";

const bytes = envelope({ event_id: "e1", dsn: DSN });

Deno.test("row 'taken by the ingest' → its status and body, delivered", async () => {
  await using ingest = startStandInIngest();
  await using server = startRelay({ upstream: ingest.origin });
  await expectTaken(await server.post(fresh()), "delivered", { id: "e1" });

  ingest.next(
    answers(202, { body: '{"id":"other"}', headers: { "content-type": "application/json" } }),
  );
  const accepted = await server.post(fresh());
  assert.equal(accepted.status, 202);
  assert.equal(await accepted.text(), '{"id":"other"}');
  assert.equal(accepted.headers.get("content-type"), "application/json");

  ingest.next(answers(204));
  const silent = await server.post(fresh());
  assert.equal(silent.status, 204);
  assert.equal(silent.headers.get("x-relay-outcome"), "delivered");
  assert.equal((await server.health()).outcomes.delivered, 3);
});

Deno.test("forwarded request → the bytes as received, and only the contract's headers", async () => {
  await using ingest = startStandInIngest();
  await using server = startRelay({ upstream: ingest.origin });
  const binary = envelope({ dsn: DSN, event_id: "e1" }, [
    [{ type: "replay_recording" }, Uint8Array.from({ length: 256 }, (_, byte) => byte)],
    [{ type: "unknown_to_all", odd: "ünïcode" }, "\r\n\0"],
  ]);
  const response = await server.post(binary, {
    "user-agent": "Browser/1",
    "content-type": "text/plain;charset=UTF-8",
    "cookie": "session=secret-cookie",
    "authorization": "Bearer secret-token",
    "referer": `${server.origin}/secret-path`,
    "origin": server.origin,
    "sec-fetch-site": "same-origin",
    "x-forwarded-for": "192.0.2.1",
    "x-sentry-auth": "Sentry sentry_key=secretkey",
    "sentry-trace": "secret-trace",
    "x-other": "secret-other",
  });
  await expectTaken(response, "delivered", { id: "e1" });
  const [request] = ingest.requests;
  assert.ok(request);
  assert.deepEqual(request.body, binary);
  assert.equal(request.method, "POST");
  assert.equal(request.path, "/api/42/envelope/");
  assert.deepEqual({ ...request.headers }, {
    "connection": "keep-alive",
    "content-length": `${binary.length}`,
    "content-type": "application/x-sentry-envelope",
    "host": ingest.host,
    "user-agent": "Browser/1",
    "x-sentry-auth": "Sentry sentry_version=7, sentry_key=publickey",
  });
});

Deno.test("row 'the ingest refuses' → its status, body and X-Sentry-Error, rejected", async () => {
  await using ingest = startStandInIngest();
  await using server = startRelay({ upstream: ingest.origin });
  for (const status of [400, 401, 403, 404, 413, 422, 499]) {
    ingest.next(answers(status, {
      body: '{"detail":"no such project"}',
      headers: { "x-sentry-error": "no such project", "content-type": "application/json" },
    }));
    const response = await server.post(bytes);
    assert.equal(response.status, status);
    assert.equal(await response.text(), '{"detail":"no such project"}');
    assert.equal(response.headers.get("x-sentry-error"), "no such project");
    assert.equal(response.headers.get("x-relay-outcome"), "rejected");
  }
  assert.equal((await server.health()).outcomes.rejected, 7);
});

Deno.test("row 'the ingest answers 429': → both limit headers, rate_limited", async () => {
  await using ingest = startStandInIngest();
  for (
    const [headers, limits, after] of [
      [
        { "x-sentry-rate-limits": "9:error:project, 12::key", "retry-after": "5" },
        "9:error:project, 12::key",
        "5",
      ],
      [{ "x-sentry-rate-limits": "9:error:project, 12::key" }, "9:error:project, 12::key", "12"],
      [{ "retry-after": "7" }, "7::organization", "7"],
      [{}, "60::organization", "60"],
    ] as const
  ) {
    // Each with a relay that knows of no limit yet.
    await using server = startRelay({ upstream: ingest.origin });
    ingest.next(answers(429, { headers, body: '{"detail":"slower"}' }));
    const response = await server.post(bytes);
    assert.equal(response.status, 429);
    assert.equal(response.headers.get("x-sentry-rate-limits"), limits);
    assert.equal(response.headers.get("retry-after"), after);
    assert.equal(response.headers.get("x-relay-outcome"), "rate_limited");
    assert.equal(await response.text(), '{"detail":"slower"}');
    assert.equal((await server.health()).outcomes.rate_limited, 1);
  }
});

Deno.test("row 'the ingest answers 408, 425 or 5xx', no spool → 503 without Retry-After", async () => {
  await using ingest = startStandInIngest();
  await using server = startRelay({ upstream: ingest.origin });
  for (const status of [408, 425, 500, 502, 503, 504, 599]) {
    ingest.next(answers(status, { headers: { "retry-after": "9" }, body: "down" }));
    await expectError(await server.post(bytes), 503, "spool_unavailable");
  }
  assert.equal(ingest.requests.length, 7);
});

Deno.test("row 'the ingest times out', no spool → 503, memory released", async () => {
  await using ingest = startStandInIngest();
  await using server = startRelay({ upstream: ingest.origin, relayTimeoutMs: 50 });
  ingest.behave(hangs);
  await expectError(await server.post(bytes), 503, "spool_unavailable");
  assert.equal((await server.health()).in_flight_bytes, 0);
});

Deno.test("row 'the ingest is down', with no spool: refused or closed connection → 503", async () => {
  const ingest = startStandInIngest();
  await using server = startRelay({ upstream: ingest.origin });
  ingest.behave(closes);
  await expectError(await server.post(bytes), 503, "spool_unavailable");
  await ingest.close();
  await expectError(await server.post(bytes), 503, "spool_unavailable");
  assert.equal((await server.health()).outcomes.rejected, 2);
});

Deno.test("the ingest's body is too large → its status without the body", async () => {
  await using ingest = startStandInIngest();
  await using server = startRelay({ upstream: ingest.origin });
  const body = "x".repeat(200_000);
  ingest.next(answers(200, { body }), answers(400, { body, headers: { "x-sentry-error": "no" } }));
  await expectTaken(await server.post(fresh()), "delivered", { id: "e1" });
  const refused = await server.post(fresh());
  assert.equal(refused.status, 400);
  assert.equal(refused.headers.get("x-sentry-error"), "no");
  assert.equal(await refused.text(), "");
});

Deno.test("the ingest answers HTML → plain text with nosniff", async () => {
  await using ingest = startStandInIngest();
  await using server = startRelay({ upstream: ingest.origin });
  ingest.next(answers(400, {
    body: "<script>alert(1)</script>",
    headers: {
      "content-type": "text/html",
      "set-cookie": "a=b",
      "location": "https://evil.example",
    },
  }));
  const response = await server.post(bytes);
  assert.match(response.headers.get("content-type") ?? "", /^text\/plain/);
  assert.equal(response.headers.get("set-cookie"), null);
  assert.equal(response.headers.get("location"), null);
  await response.body?.cancel();
});

Deno.test("FORWARD_CLIENT_IP → both address headers and the client hints go upstream, else none", async () => {
  await using ingest = startStandInIngest();
  const identity = {
    "sec-ch-ua": '"Chromium";v="149"',
    "sec-ch-ua-mobile": "?0",
    "sec-ch-ua-platform": '"Linux"',
  };
  const forged = { "x-sentry-forwarded-for": "203.0.113.9", "sec-ch-ua-model": '"secret"' };
  const names = [...Object.keys(identity), ...Object.keys(forged), "x-forwarded-for"];
  for (const forwardClientIp of [false, true]) {
    await using server = startRelay({ upstream: ingest.origin, forwardClientIp });
    await expectTaken(await server.post(fresh(), { ...identity, ...forged }), "delivered", {
      id: "e1",
    });
    const { headers = {} } = ingest.requests.at(-1) ?? {};
    const sent = Object.fromEntries(
      names.flatMap((name) => headers[name] === undefined ? [] : [[name, headers[name]]]),
    );
    const address = { "x-forwarded-for": "127.0.0.1", "x-sentry-forwarded-for": "127.0.0.1" };
    assert.deepEqual(sent, forwardClientIp ? { ...identity, ...address } : {});
  }
});

Deno.test("client disconnects after sending → delivered", async () => {
  await using ingest = startStandInIngest();
  await using server = startRelay({ upstream: ingest.origin });
  const { promise: gone, resolve: answer } = Promise.withResolvers<void>();
  ingest.behave(takesAfter(gone));
  const leaving = new AbortController();
  const came = ingest.waitFor((all) => all.length === 1);
  const posting = fetch(`${server.origin}/monitoring`, {
    method: "POST",
    body: bytes,
    signal: leaving.signal,
  });
  await came;
  assert.equal((await server.health()).in_flight_bytes, bytes.length);
  leaving.abort();
  await assert.rejects(posting);
  answer();
  const health = await server.healthWhen(({ in_flight_bytes }) => in_flight_bytes === 0);
  assert.equal(health.outcomes.delivered, 1);
});
