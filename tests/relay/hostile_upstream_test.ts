/** Hostile answers of an ingest: which parts reach the sender, and how long rate limits last. */
import assert from "node:assert/strict";
import { postTo, startRelaying } from "../harness/relaying_server.ts";
import { answers, startStandInIngest } from "../harness/stand_in_ingest.ts";
import { RawClient } from "./_raw_client.ts";
import { DSN, envelope, fresh, startRelay } from "./_start_relay.ts";

/** Deno 2.9.6 aborts the process when it writes one of these into a header. */
const CONTROL_CHARACTERS = ["\x01", "\x1b", "\x7f"];
const HOUR_MS = 3_600_000;

Deno.test("control characters in an ingest's headers → no decision, the server lives", async () => {
  await using ingest = startStandInIngest();
  const cases = [200, 400, 429].flatMap((status) =>
    CONTROL_CHARACTERS.map((character) => ({ status, character }))
  );
  // Each case has its own DSN, because a limit holds for one DSN.
  const dsns = cases.map((_, at) => `https://key@o1.ingest.us.sentry.io/${100 + at}`);
  await using server = await startRelaying(ingest, {
    env: { SENTRY_ALLOWED_DSNS: dsns.join(",") },
  });
  ingest.behave(({ path }) => {
    const at = Number(/\/api\/(\d+)\//.exec(path)?.[1]) - 100;
    const { status, character } = cases[at] ?? { status: 200, character: "" };
    return answers(status, {
      headers: {
        "x-sentry-error": `no${character}[31m such project`,
        "x-sentry-rate-limits": `60:error:key${character}, ${character}5:error`,
      },
    });
  });
  for (const [at, { status }] of cases.entries()) {
    const response = await postTo(server, envelope({ dsn: dsns[at], event_id: "e1" }));
    await response.body?.cancel();
    assert.equal(response.status, 202, `${status}`);
  }
  assert.equal((await fetch(`${server.origin}/monitoring`)).status, 200);
});

Deno.test("ingest answers 205 → the client can see where the response ends", async () => {
  await using ingest = startStandInIngest();
  await using server = await startRelaying(ingest);
  ingest.behave(() => answers(205));
  using client = await RawClient.connect(`127.0.0.1:${server.port}`);
  const body = envelope({ dsn: DSN, event_id: "e1" });
  await client.sendHead({ "content-length": `${body.length}` });
  await client.send(body);
  const answer = await client.answer();
  // RFC 9112, section 6.3: any other answer lasts until the connection closes.
  assert.match(answer, /^HTTP\/1\.1 (?:204|304) |^(?:content-length|transfer-encoding): /im);
  assert.match(answer, /^x-relay-outcome: delivered\r$/im);
});

Deno.test("thousands of rate limits → at most 2,000 characters of them reach the sender", async () => {
  await using ingest = startStandInIngest();
  for (const status of [200, 429]) {
    await using server = startRelay({ upstream: ingest.origin });
    const limits = Array.from({ length: 2_000 }, (_, n) => `${n}:made_up_${n};error:key`);
    ingest.next(answers(status, { headers: { "x-sentry-rate-limits": limits.join() } }));
    const passed = await server.post(fresh());
    const held = await server.post(fresh());
    assert.deepEqual([passed.status, held.status], [status, 429]);
    for (const response of [passed, held]) {
      const header = response.headers.get("x-sentry-rate-limits") ?? "";
      assert.ok(header.length > 0 && header.length <= 2_000, `${header.length}`);
      await response.body?.cancel();
    }
  }
});

Deno.test("limits of 10^12 seconds, or until the year 9999 → the sender waits an hour, no longer", async () => {
  await using ingest = startStandInIngest();
  const announced: Record<string, string>[] = [
    { "x-sentry-rate-limits": "1000000000000:error:key" },
    { "x-sentry-rate-limits": `${"9".repeat(400)}::key` },
    { "retry-after": "1000000000000" },
    { "retry-after": "Fri, 31 Dec 9999 23:59:59 GMT" },
  ];
  for (const headers of announced) {
    let uptime = 0;
    await using server = startRelay({ upstream: ingest.origin, uptime: () => uptime });
    ingest.next(answers(429, { headers }));
    for (const at of [0, HOUR_MS - 1]) {
      uptime = at;
      const response = await server.post(fresh());
      assert.equal(response.status, 429);
      assert.equal(response.headers.get("retry-after"), at === 0 ? "3600" : "1");
      assert.match(
        response.headers.get("x-sentry-rate-limits") ?? "",
        at === 0 ? /^3600:/ : /^1:/,
      );
      await response.body?.cancel();
    }
    uptime = HOUR_MS;
    const response = await server.post(fresh());
    assert.equal(response.status, 200, JSON.stringify(headers));
    await response.body?.cancel();
  }
});
