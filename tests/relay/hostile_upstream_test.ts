/** Hostile answers of an ingest: which parts reach the sender, and how long rate limits last. */
import assert from "node:assert/strict";
import { postTo, startRelaying } from "../harness/relaying_server.ts";
import { answers, startStandInIngest } from "../harness/stand_in_ingest.ts";
import { statusOf } from "../harness/status_of.ts";
import { envelope, fresh, startRelay } from "./_start_relay.ts";

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
    const posting = postTo(server, envelope({ dsn: dsns[at], event_id: "e1" }));
    assert.equal(await statusOf(posting), 202, `${status}`);
  }
  assert.equal((await fetch(`${server.origin}/monitoring`)).status, 200);
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
    assert.equal(await statusOf(server.post(fresh())), 200, JSON.stringify(headers));
  }
});
