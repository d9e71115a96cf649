import assert from "node:assert/strict";
import { RelayMetrics } from "../relay/metrics.ts";
import { createSecurityEndpoint } from "./security_endpoint.ts";

const SENDER = {
  dsn: "https://key@o1.ingest.sentry.io/1",
  page: { release: "shop@1", environment: "test" },
};
const ORIGIN = "https://shop.example";

/** An endpoint whose clock is set by tests, and what it delivered. */
function endpoint(answer: () => Response = () => new Response(), processes = 1) {
  const delivered: Request[] = [];
  const leftOut: number[] = [];
  const refusals: string[] = [];
  const clock = { ms: 0 };
  const metrics = new RelayMetrics();
  const { receive } = createSecurityEndpoint({
    sender: SENDER,
    publicOrigin: ORIGIN,
    allowedOrigins: ["https://other.example"],
    relay: {
      metrics,
      dsnOf: () => ({ dsn: SENDER.dsn, key: undefined }),
      answer(request) {
        delivered.push(request);
        return Promise.resolve({ status: answer().status, headers: {}, body: "" });
      },
      listRefusal: ({ headers }, { code }) => refusals.push(`${code} ${headers.get("origin")}`),
    },
    onLeftOut: (count) => leftOut.push(count),
    processes,
    uptime: () => clock.ms,
  });
  const post = (body: BodyInit, headers: Record<string, string> = {}) =>
    receive(
      new Request("http://relay.example/monitoring/security", {
        method: "POST",
        headers: { "content-type": "application/csp-report", origin: ORIGIN, ...headers },
        body,
      }),
      undefined,
    );
  /** The metric of reports that were not taken, by reason. */
  const refused = () =>
    Object.fromEntries(
      Object.entries(metrics.counts).flatMap(([series, count]) => {
        const [, reason] = /^sightglass_refused_reports_total\{reason="(.*)"\}$/.exec(series) ?? [];
        return reason === undefined ? [] : [[reason, count]];
      }),
    );
  return { post, delivered, leftOut, refused, refusals, clock };
}

const violation = (n: number) =>
  JSON.stringify({
    "csp-report": {
      "document-uri": `${ORIGIN}/`,
      "effective-directive": "img-src",
      "blocked-uri": `https://evil.example/${n}`,
    },
  });

const linesOf = async (request: Request | undefined) =>
  (await request!.text()).split("\n").map((line) => JSON.parse(line));

Deno.test("report of the own page → raw_security of its release; of another → without", async () => {
  const { post, delivered } = endpoint();
  const sent = [
    await post(violation(1), { "user-agent": "Test/1", cookie: "a=b" }),
    await post(violation(2), { origin: "https://other.example" }),
  ];
  assert.deepEqual(sent.map(({ status }) => status), [204, 204]);
  assert.equal(sent[1]!.headers.get("access-control-allow-origin"), "https://other.example");
  assert.deepEqual([...delivered[0]!.headers.keys()], ["content-type", "user-agent"]);
  const [header, item, payload] = await linesOf(delivered[0]);
  assert.deepEqual([header.dsn, header.sightglass], [SENDER.dsn, 1]);
  assert.deepEqual(item, {
    type: "raw_security",
    sentry_release: "shop@1",
    sentry_environment: "test",
  });
  assert.equal(payload["csp-report"]["blocked-uri"], "https://evil.example/1");
  const [other, otherItem] = await linesOf(delivered[1]);
  assert.deepEqual([other.sightglass, otherItem], [undefined, { type: "raw_security" }]);
});

Deno.test("same report again → sent once in 10 minutes, whatever its age", async () => {
  const { post, delivered, clock } = endpoint();
  const crash = (age: number) =>
    post(JSON.stringify([{ type: "crash", age, url: `${ORIGIN}/`, body: { reason: "oom" } }]), {
      "content-type": "application/reports+json",
    });
  for (const age of [1, 2, 3]) assert.equal((await crash(age)).status, 204);
  assert.equal(delivered.length, 1);
  const [, , { exception, environment }] = await linesOf(delivered[0]);
  assert.equal(exception.values[0].value, "The page crashed: oom");
  assert.equal(environment, "test");
  clock.ms += 10 * 60_000;
  await crash(4);
  assert.equal(delivered.length, 2);
});

Deno.test("500 different reports at once → 20 sent, 204 for each, rest counted", async () => {
  const { post, delivered, leftOut, refused, refusals, clock } = endpoint();
  for (let n = 0; n < 500; n++) assert.equal((await post(violation(n))).status, 204);
  assert.deepEqual([delivered.length, leftOut], [20, [1]]);
  assert.deepEqual([refused().over_rate, refusals], [480, []]);
  clock.ms += 60_000;
  for (let n = 0; n < 21; n++) await post(violation(-1 - n));
  assert.equal(delivered.length, 40);
  assert.deepEqual(leftOut, [1, 500 - 21 + 1]);

  const oneOfFour = endpoint(undefined, 4);
  for (let n = 0; n < 30; n++) await oneOfFour.post(violation(n));
  assert.equal(oneOfFour.delivered.length, 5, "its part of the limit");
});

Deno.test("relay cannot take it → 503; sent again → taken", async () => {
  let status = 503;
  const { post, delivered } = endpoint(() => new Response(null, { status }));
  const refused = await post(violation(1));
  assert.deepEqual([refused.status, (await refused.json()).error], [503, "overloaded"]);
  status = 429;
  assert.equal((await post(violation(1))).status, 204);
  assert.equal((await post(violation(1))).status, 204);
  assert.equal(delivered.length, 2);
});

Deno.test("request that is refused → status, code, sentence; counted, listed, not sent", async () => {
  const { post, delivered, refused, refusals } = endpoint();
  const large = "x".repeat(256 * 1024 + 1);
  const cases: [BodyInit, Record<string, string>, number, string][] = [
    [violation(1), { origin: "https://evil.example" }, 403, "origin_not_allowed"],
    [violation(1), { origin: "null" }, 403, "origin_not_allowed"],
    [violation(1), { "content-type": "text/plain" }, 415, "encoding_not_supported"],
    ["{", {}, 400, "report_malformed"],
    ["[]", {}, 400, "report_malformed"],
    [large, { "content-length": `${large.length}` }, 413, "report_too_large"],
    [new Blob([large]).stream(), {}, 413, "report_too_large"],
  ];
  for (const [body, headers, status, code] of cases) {
    const answer = await post(body, headers);
    const { error, detail } = await answer.json();
    assert.deepEqual([answer.status, error], [status, code]);
    assert.match(detail, /^Cannot .*[^.]: .*\.$|^Cannot [^:]*\.$/);
  }
  assert.equal(delivered.length, 0);
  assert.deepEqual(
    refusals,
    cases.map(([, headers, , code]) => `${code} ${headers.origin ?? ORIGIN}`),
  );
  assert.deepEqual(refused(), {
    content_length_invalid: 0,
    dsn_missing: 0,
    dsn_not_allowed: 0,
    encoding_not_supported: 1,
    origin_not_allowed: 2,
    over_rate: 0,
    overloaded: 0,
    report_malformed: 2,
    report_too_large: 2,
  });
});
