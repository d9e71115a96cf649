/** Access to the inbox by peer, token and cookie. Attacks on it: attacks_test.ts. */
import assert from "node:assert/strict";
import { type InboxServer, type InboxServerOptions, startInboxServer } from "./_inbox_server.ts";
import { WrongTokens } from "../../monitoring/access/token.ts";
import { sendRaw } from "../harness/send_raw.ts";
import { until } from "../harness/until.ts";

const PATH = "/monitoring/inbox";
const TOKEN = "s3cret-token";

/** All requests that read or clear the inbox. */
const REQUESTS: readonly [method: string, target: string, headers?: Record<string, string>][] = [
  ["GET", PATH],
  ["GET", PATH, { Accept: "text/event-stream" }],
  ["GET", `${PATH}?id=1`],
  ["GET", `${PATH}?view=refusals`],
  ["HEAD", PATH],
  ["DELETE", PATH],
];

/** Asserts that all of them are refused with these headers, without CORS headers. */
async function expectForbidden(
  server: InboxServer,
  headers: Record<string, string>,
  detail: RegExp,
): Promise<void> {
  for (const [method, target, more] of REQUESTS) {
    const answer = await sendRaw(server.port, method, target, { ...headers, ...more });
    assert.equal(answer.status, 403, `${method} ${target}`);
    assert.ok(![...answer.headers.keys()].some((name) => name.startsWith("access-control-")));
    assert.equal(answer.headers.get("set-cookie"), null);
    if (method === "HEAD") continue;
    const body = JSON.parse(answer.text);
    assert.equal(body.error, "inbox_forbidden");
    assert.match(body.detail, detail);
  }
  assert.equal(server.inbox.list({ since: 0, limit: 9 }).envelopes.length, 1, "nothing is emptied");
}

async function startWithOne(options: InboxServerOptions = {}): Promise<InboxServer> {
  const server = startInboxServer(options);
  await server.store(1);
  return server;
}

const statusOf = async (server: InboxServer, headers: Record<string, string>) =>
  (await sendRaw(server.port, "GET", PATH, headers)).status;

Deno.test("another machine → 403 with advice; with the token → allowed", async () => {
  await using closed = await startWithOne({ peer: "203.0.113.9" });
  await expectForbidden(closed, {}, /another machine.*Set INBOX_TOKEN/);
  await using server = await startWithOne({ peer: "203.0.113.9", token: TOKEN });
  await expectForbidden(
    server,
    {},
    /open only with this server.s token\. Send INBOX_TOKEN as Authorization: Bearer/,
  );
  await expectForbidden(server, { Authorization: "Bearer wrong" }, /token is not/);
  assert.equal(await statusOf(server, { Authorization: `Bearer ${TOKEN}` }), 200);
});

Deno.test("wrong tokens → refused ever later, reported once with their number", async () => {
  const reports: number[] = [];
  const wrongTokens = new WrongTokens((requests) => reports.push(requests), 3_000);
  await using server = await startWithOne({ token: TOKEN, wrongTokens });
  const startedAt = performance.now();
  const statuses = ["a", "b"].flatMap((wrong) => [
    statusOf(server, { Authorization: `Bearer ${wrong}` }),
    statusOf(server, { Cookie: `sightglass_inbox=${wrong}` }),
  ]);
  assert.equal(await statusOf(server, { Authorization: `Bearer ${TOKEN}` }), 200);
  assert.equal(await statusOf(server, {}), 403);
  assert.deepEqual(await Promise.all(statuses), Array(4).fill(403));
  assert.ok(performance.now() - startedAt >= 400, "0.1 s more for each");
  await until("they are reported", () => reports.length > 0);
  assert.deepEqual(reports, [4]);
});

Deno.test("correct token → cookie is set, and allows reading", async () => {
  await using server = await startWithOne({ peer: "203.0.113.9", token: TOKEN });
  const entered = await sendRaw(server.port, "GET", PATH, {
    Authorization: `Bearer ${TOKEN}`,
    "Sec-Fetch-Site": "same-origin",
  });
  const set = entered.headers.get("set-cookie") ?? "";
  assert.match(set, /; HttpOnly; SameSite=Strict$/);
  assert.ok(!set.includes(TOKEN), "the cookie is not the token");
  const cookie = set.split(";")[0]!;
  const again = await sendRaw(server.port, "GET", PATH, { Cookie: cookie });
  assert.deepEqual([again.status, again.headers.get("set-cookie")], [200, null], "not renewed");
});

Deno.test("servers on two ports, a token each → a browser reads both", async () => {
  const tokens = [TOKEN, "another-token"];
  await using stack = new AsyncDisposableStack();
  // As a browser keeps them: by name, for all ports of the host.
  const cookies = new Map<string, string>();
  const servers = [];
  for (const token of tokens) {
    const server = stack.use(await startWithOne({ token }));
    const entered = await sendRaw(server.port, "GET", PATH, { Authorization: `Bearer ${token}` });
    const [name, value] = entered.headers.get("set-cookie")!.split(";")[0]!.split("=");
    cookies.set(name!, value!);
    servers.push(server);
  }
  const Cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  for (const server of servers) assert.equal(await statusOf(server, { Cookie }), 200);
});

Deno.test("wrong token, DELETE, or no token → no cookie; browsers use https → it is Secure", async () => {
  await using server = await startWithOne({ token: TOKEN, publicOrigin: "https://glass.example" });
  const own = { "Sec-Fetch-Site": "same-origin" };
  const cookieOf = async (method: string, headers: Record<string, string>) =>
    (await sendRaw(server.port, method, PATH, { ...own, ...headers })).headers.get("set-cookie");
  assert.equal(await cookieOf("GET", {}), null);
  assert.equal(await cookieOf("GET", { Authorization: "Bearer wrong" }), null);
  assert.equal(await cookieOf("DELETE", { Authorization: `Bearer ${TOKEN}` }), null);
  assert.match(await cookieOf("GET", { Authorization: `Bearer ${TOKEN}` }) ?? "", /; Secure/);
});
