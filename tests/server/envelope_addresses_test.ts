/** Every address that takes envelopes, and who may write to the inbox there. */
import assert from "node:assert/strict";
import { startServer } from "../harness/server_process.ts";
import { sendRaw } from "../harness/send_raw.ts";
import { startStandInIngest } from "../harness/stand_in_ingest.ts";
import { outsideAddress } from "./_outside_address.ts";

const TOKEN = "s3cret-token-of-16";
const OWN_DSN = "https://inbox@sightglass.invalid/1";
const FOREIGN_DSN = "https://key@o1.ingest.sentry.io/7";

/** Every form of address that SDKs, Spotlight and tunnels post to. */
const ADDRESSES = [
  "/monitoring",
  "/monitoring?o=1&p=2&r=us",
  "/stream",
  "/api/1/envelope/?sentry_key=dev&sentry_version=7&sentry_client=any%2F1",
  "/api/4507/envelope",
];

/** Requests that are neither a page's nor a proxy's. */
const NO_BROWSER = {};

let made = 0;
const envelope = (header: Record<string, unknown> = {}) =>
  `${JSON.stringify(header)}\n{"type":"event"}\n{"message":"no. ${++made}"}`;

/** Listens on all interfaces, so that a test can act as another machine. */
const server = await startServer({
  env: {
    HOST: "0.0.0.0",
    INBOX_TOKEN: TOKEN,
    ALLOWED_ORIGINS: "https://shop.example",
    TRUSTED_PROXY_HEADER: "X-Client-Is",
  },
});
const host = `127.0.0.1:${server.port}`;

Deno.test.afterAll(async () => void await server.stop());

async function post(
  address: string,
  headers?: Record<string, string>,
  header?: Record<string, unknown>,
): Promise<string> {
  const answer = await sendRaw(server.port, "POST", address, headers, { body: envelope(header) });
  return answer.status === 200
    ? answer.headers.get("x-relay-outcome") ?? ""
    : `${answer.status} ${JSON.parse(answer.text).error}`;
}

Deno.test("application on this machine, any DSN or none, each address → stored", async () => {
  for (const address of ADDRESSES) {
    assert.equal(await post(address), "stored", address);
    assert.equal(await post(address, { "X-Sentry-Auth": "Sentry sentry_key=x" }), "stored");
    for (const dsn of [OWN_DSN, FOREIGN_DSN, `http://dev@${host}/1`, "no DSN", 5, null]) {
      assert.equal(await post(address, NO_BROWSER, { dsn }), "stored", `${address} ${dsn}`);
    }
  }
});

Deno.test("mark of Sightglass's envelopes → believed of its own page with its own DSN only", async () => {
  const applicationOf = async (headers: Record<string, string>, dsn?: string) => {
    assert.equal(await post("/monitoring", headers, { sightglass: 1, dsn }), "stored");
    const list = "/monitoring/inbox?view=envelopes&limit=1";
    const { text } = await sendRaw(server.port, "GET", list, { Authorization: `Bearer ${TOKEN}` });
    return JSON.parse(text).rows[0].application;
  };
  const ownPage = { Origin: `http://${host}`, "Sec-Fetch-Site": "same-origin" };
  const otherPage = { Origin: "http://localhost:3000", "Sec-Fetch-Site": "same-site" };
  const unknown = await applicationOf(NO_BROWSER);
  assert.match(unknown, /^[\da-f]{14}$/);
  assert.equal(await applicationOf(NO_BROWSER, OWN_DSN), unknown);
  assert.equal(await applicationOf(otherPage, OWN_DSN), unknown);
  assert.equal(await applicationOf(ownPage, FOREIGN_DSN), unknown);
  assert.equal(await applicationOf(ownPage), unknown);
  assert.equal(await applicationOf(ownPage, OWN_DSN), "sightglass");
});

Deno.test("project that is no number → 403 dsn_not_allowed; other addresses → 404", async () => {
  for (const project of ["my-app", "-1", "1e3", "%20", "1%2F..", "__proto__"]) {
    assert.equal(await post(`/api/${project}/envelope/`), "403 dsn_not_allowed", project);
  }
  for (const address of ["/api/envelope/", "/api//envelope/", "/api/1/envelope/x"]) {
    assert.equal(
      (await sendRaw(server.port, "POST", address, {}, { body: "{}" })).status,
      404,
      address,
    );
  }
  const get = await sendRaw(server.port, "GET", "/api/1/envelope/");
  assert.equal(`${get.status} ${get.headers.get("allow")}`, "405 POST, OPTIONS");
});

Deno.test("POST /api/PROJECT/store/, an event without an id → 200 with one, listed as an error", async () => {
  const store = async (body: string, headers: Record<string, string> = {}, query = "") => {
    const answer = await sendRaw(server.port, "POST", `/api/1/store/${query}`, headers, { body });
    return { ...answer, json: JSON.parse(answer.text) };
  };
  const auth = {
    "Content-Type": "application/json",
    "X-Sentry-Auth": "Sentry sentry_version=7, sentry_key=dev, sentry_client=script/1.0",
  };
  const event = '{"platform":"php","level":"error","message":"nightly job failed","logger":"cron"}';
  const { status, json: { id } } = await store(event, auth);
  assert.equal(status, 200);
  assert.match(id, /^[\da-f]{32}$/);
  const read = async (query: string) =>
    JSON.parse(
      (await sendRaw(server.port, "GET", `/monitoring/inbox?${query}`, {
        Authorization: `Bearer ${TOKEN}`,
      })).text,
    );
  const { rows: [error] } = await read("view=errors&q=nightly");
  assert.deepEqual([error.value, error.level], ["nightly job failed", "error"]);
  const { event: stored } = await read(`view=error&id=${error.group}`);
  assert.equal(stored.event_id, id);

  const trace = { trace_id: "d49d9bf66f13450b81f65bc51cf49c03", span_id: "8f2a7bd91c3e4f60" };
  await store(JSON.stringify({ type: "transaction", transaction: "cron", contexts: { trace } }));
  const { rows: [{ name, spans, errors }] } = await read(`view=traces&trace=${trace.trace_id}`);
  assert.deepEqual([name, spans, errors], ["cron", 1, 0]);

  const own = { event_id: "fc6d8c0c43fc4630ad850ee518f1b9d0", message: "with its id" };
  const stores = [`${JSON.stringify(own)}\n`, '{"event_id":null,"message":"no id"}', "{}"];
  const ids = [];
  for (const body of stores) ids.push((await store(body)).json.id);
  assert.equal(ids[0], own.event_id);
  assert.equal(new Set(ids).size, 3);
  assert.equal((await store(stores[0]!)).headers.get("x-relay-outcome"), "duplicate");
  const deep = `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
  assert.equal((await store(deep)).status, 200);

  for (const body of ["", "{", "[]", "null", '"text"', '{"a":1}{}', "sentry_data=%7B%7D"]) {
    const { status, json } = await store(body);
    assert.deepEqual([status, json.error], [400, "envelope_malformed"], body);
  }
  const proxied = { "X-Forwarded-For": "203.0.113.9" };
  assert.equal((await store(event, proxied)).json.error, "dsn_missing");
  assert.equal((await store(event, proxied, "?sentry_key=dev")).json.error, "dsn_not_allowed");
  assert.equal((await store(event, proxied, "?sentry_key=inbox")).status, 200);
  const large = `{"message":"${"x".repeat(21 * 1024 * 1024)}"}`;
  assert.equal((await store(large)).json.error, "envelope_too_large");
});

Deno.test("page of a loopback origin or ALLOWED_ORIGINS → stored, with CORS and preflight", async () => {
  const origins = [
    "http://localhost:3000",
    "https://localhost",
    "http://app.localhost:5173",
    "http://127.9.8.7",
    "http://[::1]:4000",
    "https://shop.example",
  ];
  for (const [index, origin] of origins.entries()) {
    const address = ADDRESSES[index % ADDRESSES.length]!;
    const headers = { Origin: origin, "Sec-Fetch-Site": "cross-site" };
    const answer = await sendRaw(server.port, "POST", address, headers, { body: envelope() });
    assert.equal(answer.headers.get("x-relay-outcome"), "stored", `${origin} ${address}`);
    assert.equal(answer.headers.get("access-control-allow-origin"), origin);
    for (const networked of [false, true]) {
      const preflight = await sendRaw(server.port, "OPTIONS", address, {
        Origin: origin,
        "Access-Control-Request-Method": "POST",
        ...networked && { "Access-Control-Request-Private-Network": "true" },
        "Access-Control-Request-Headers": "content-type,X-Custom, bad name",
      });
      assert.equal(preflight.status, 204);
      assert.equal(preflight.headers.get("access-control-allow-origin"), origin);
      const network = preflight.headers.get("access-control-allow-private-network");
      assert.equal(network, networked ? "true" : null);
      assert.equal(preflight.headers.get("access-control-allow-methods"), "POST");
      assert.equal(preflight.headers.get("access-control-max-age"), "3600");
      const names = preflight.headers.get("access-control-allow-headers")?.split(", ") ?? [];
      const needed = [
        "sentry-trace",
        "baggage",
        "x-sentry-auth",
        "content-type",
        "content-encoding",
        "x-custom",
      ];
      for (const name of needed) assert.ok(names.includes(name), name);
      assert.equal(names.length, 7, names.join());
    }
  }
});

Deno.test("page of another origin, at each address → 403 origin_not_allowed, no CORS", async () => {
  const port = server.port;
  const pages: Record<string, string>[] = [
    { Origin: "https://evil.example" },
    { Origin: "null" },
    { Origin: "" },
    { Origin: "http://localhost.evil.example" },
    { Origin: "http://evillocalhost" },
    { Origin: "http://localhost." },
    { Origin: "http://127.0.0.1.evil.example" },
    { Origin: "http://0.0.0.0" },
    { Origin: "http://2130706433" },
    { Origin: "http://LOCALHOST" },
    { Origin: "http://localhost:80" },
    { Origin: "http://localhost/" },
    { Origin: "http://user@localhost" },
    { Origin: "ftp://localhost" },
    { Origin: "chrome-extension://localhost" },
    { Origin: "http://192.168.1.9" },
    { Origin: "http://localhost, http://evil.example" },
    { "Sec-Fetch-Site": "cross-site", "Content-Type": "text/plain" },
    { "Sec-Fetch-Site": "same-site" },
    // DNS rebinding: the page's name is this machine's address, so the page is of "its own" origin.
    { Origin: `http://evil.example:${port}`, Host: `evil.example:${port}` },
    { "Sec-Fetch-Site": "same-origin", Host: `evil.example:${port}` },
    { Origin: "http://localhost:3000", Host: `evil.example:${port}` },
  ];
  for (const headers of pages) {
    for (const address of ADDRESSES) {
      const what = `${address} ${JSON.stringify(headers)}`;
      // With everything that would let another client in.
      const all = { ...headers, Authorization: `Bearer ${TOKEN}` };
      assert.equal(await post(address, all, { dsn: OWN_DSN }), "403 origin_not_allowed", what);
      const preflight = await sendRaw(port, "OPTIONS", address, {
        ...headers,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Private-Network": "true",
      });
      assert.equal(preflight.status, 403, what);
      const names = [...preflight.headers.keys()];
      assert.ok(!names.some((name) => name.startsWith("access-control-")), what);
    }
  }
});

Deno.test("target in absolute form of another host, from a page → 403 origin_not_allowed", async () => {
  const target = "http://evil.example/api/1/envelope/";
  assert.equal(await post(target, { Origin: `http://${host}` }), "403 origin_not_allowed");
  assert.equal(await post(target), "stored", "no page's");
});

Deno.test("proxy on this machine → own DSN or token, else 403", async () => {
  const proxied = { "X-Forwarded-For": "203.0.113.9" };
  const withToken = { ...proxied, Authorization: `Bearer ${TOKEN}` };
  for (const address of ADDRESSES) {
    assert.match(await post(address, proxied), /^403 dsn_(missing|not_allowed)$/);
    assert.match(await post(address, proxied, { dsn: FOREIGN_DSN }), /^403 dsn/);
    assert.equal(await post(address, withToken, { dsn: FOREIGN_DSN }), "stored");
  }
  const byOwnHeader = { "x_client-is": "203.0.113.9" };
  assert.match(await post("/stream", byOwnHeader, { dsn: FOREIGN_DSN }), /^403 dsn/);
  assert.equal(await post("/monitoring", proxied, { dsn: OWN_DSN }), "stored");
  assert.equal(await post("/stream", proxied, { dsn: OWN_DSN }), "stored");
  const ownKey = "/api/1/envelope/?sentry_key=inbox";
  assert.equal(await post(ownKey, { ...proxied, Authorization: "Bearer wrong" }), "stored");
});

Deno.test({
  name: "another machine: own key and project at this host, own DSN or token → stored, else 403",
  ignore: outsideAddress === undefined,
  async fn() {
    const origin = `http://${outsideAddress}:${server.port}`;
    const send = async (
      address: string,
      header?: Record<string, unknown>,
      headers?: Record<string, string>,
    ) => {
      const response = await fetch(`${origin}${address}`, {
        method: "POST",
        body: envelope(header),
        headers,
      });
      const { error, detail } = await response.json();
      if (error !== undefined) assert.match(detail, /http:\/\/inbox@HOST:PORT\/1 .* INBOX_TOKEN/);
      return error ?? response.headers.get("x-relay-outcome");
    };
    const auth = (key: string) => ({
      "X-Sentry-Auth": `Sentry sentry_version=7, sentry_key=${key}`,
    });
    const own = "/api/1/envelope/?sentry_key=inbox";
    const dsn = `http://inbox@${outsideAddress}:${server.port}/1`;
    assert.equal(await send(own), "stored");
    assert.equal(await send(own, { dsn }), "stored");
    assert.equal(await send(own, { dsn: OWN_DSN }), "stored");
    assert.equal(await send("/api/1/envelope/", {}, auth("inbox")), "stored");
    assert.equal(await send("/monitoring", { dsn: OWN_DSN }), "stored");
    assert.equal(await send("/stream", { dsn: OWN_DSN }), "stored");
    const allowedPage = { Origin: "https://shop.example" };
    assert.equal(await send(own, {}, allowedPage), "stored", "a page in ALLOWED_ORIGINS");
    assert.equal(await send(own, {}, { Origin: "http://localhost:3000" }), "stored");
    for (const address of ADDRESSES) {
      assert.equal(await send(address, {}, { Authorization: `Bearer ${TOKEN}` }), "stored");
      assert.match(await send(address), /^dsn_/);
    }
    assert.equal(await send("/stream"), "dsn_missing");
    assert.equal(await send("/api/1/envelope/"), "dsn_missing");
    for (
      const [address, header, headers] of [
        ["/api/2/envelope/?sentry_key=inbox"],
        ["/api/1/envelope/?sentry_key=dev"],
        [own, {}, auth("dev")],
        [own, { dsn: FOREIGN_DSN }],
        [own, { dsn: dsn.replace("/1", "/2") }],
        [own, { dsn: dsn.replace("inbox", "dev") }],
        [own, { dsn: "http://inbox@evil.example/1" }],
        ["/monitoring", { dsn: FOREIGN_DSN }],
        ["/stream", { dsn: FOREIGN_DSN }],
      ] as [string, Record<string, unknown>?, Record<string, string>?][]
    ) assert.equal(await send(address, header, headers), "dsn_not_allowed", JSON.stringify(header));
  },
});

Deno.test("relay mode, /api/PROJECT/envelope/ → only to the allowed DSN's own host", async () => {
  await using ingest = startStandInIngest();
  await using other = startStandInIngest();
  const dsn = `http://key@${ingest.host}/7`;
  const sameKey = [`http://both@${ingest.host}/9`, `http://both@${other.host}/9`];
  await using relay = await startServer({
    env: { SENTRY_DSN: dsn, SENTRY_ALLOWED_DSNS: sameKey.join() },
  });
  const send = async (
    address: string,
    header?: object,
    headers?: Record<string, string>,
  ) => {
    const answer = await sendRaw(relay.port, "POST", address, headers, {
      body: envelope({ ...header }),
    });
    const body = answer.text.startsWith("{") ? JSON.parse(answer.text) : {};
    return body.error ?? answer.headers.get("x-relay-outcome") ?? `${answer.status}`;
  };
  const self = `http://key@127.0.0.1:${relay.port}/7`;
  const query = "/api/7/envelope/?sentry_version=7&sentry_key=key";
  const auth = { "X-Sentry-Auth": "Sentry sentry_version=7, sentry_key=key" };
  const before = ingest.requests.length;
  assert.equal(await send(query), "delivered");
  assert.equal(await send(query, { dsn }), "delivered");
  assert.equal(await send(query, { dsn: self }), "delivered");
  assert.equal(await send("/api/7/envelope", { dsn: null }, auth), "delivered");
  assert.equal(await send(query, {}, auth), "delivered");
  assert.equal(
    await send(query, { dsn: "http://key@glass.example/7" }, { Host: "glass.example" }),
    "delivered",
  );
  const sent = ingest.requests.slice(before).filter(({ path }) => path === "/api/7/envelope/");
  assert.ok(sent.length >= 6);

  const loopbackPage = { Origin: "http://localhost:3000" };
  for (
    const [error, address, header, headers] of [
      ["dsn_missing", "/api/7/envelope/", { dsn }],
      ["dsn_not_allowed", "/api/8/envelope/?sentry_key=key"],
      ["dsn_not_allowed", "/api/07/envelope/?sentry_key=key"],
      ["dsn_not_allowed", "/api/x/envelope/?sentry_key=key"],
      ["dsn_not_allowed", "/api/7/envelope/?sentry_key=KEY"],
      ["dsn_not_allowed", "/api/7/envelope/?sentry_key=key&sentry_key=other"],
      ["dsn_not_allowed", "/api/7/envelope/?sentry_key=other", {}, auth],
      ["dsn_not_allowed", "/api/9/envelope/?sentry_key=both"],
      ["dsn_not_allowed", "/api/9/envelope/?sentry_key=both", { dsn: sameKey[0] }],
      ["dsn_not_allowed", query, { dsn: self.replace("/7", "/8") }],
      ["dsn_not_allowed", query, { dsn: self.replace("key@", "other@") }],
      ["dsn_not_allowed", query, { dsn: FOREIGN_DSN }],
      ["dsn_not_allowed", query, { dsn: `http://key@${other.host}/7` }],
      ["dsn_not_allowed", query, { dsn: "x" }],
      ["dsn_not_allowed", query, { dsn: 5 }],
      ["dsn_not_allowed", "/monitoring", { dsn: self }],
      ["dsn_missing", "/monitoring"],
      ["origin_not_allowed", query, { dsn }, loopbackPage],
      ["not_found", "/stream", { dsn }],
    ] as [string, string, object?, Record<string, string>?][]
  ) {
    assert.equal(
      await send(address, header, headers),
      error,
      `${address} ${JSON.stringify(header)}`,
    );
  }
  const event = { body: '{"event_id":"fc6d8c0c43fc4630ad850ee518f1b9d0","message":"old client"}' };
  const stored = await sendRaw(relay.port, "POST", "/api/7/store/", auth, event);
  assert.equal(stored.headers.get("x-relay-outcome"), "delivered");
  const { path, text } = ingest.requests.find(({ text }) => text.includes("old client"))!;
  assert.equal(path, "/api/7/envelope/");
  assert.deepEqual(text.split("\n"), [
    '{"event_id":"fc6d8c0c43fc4630ad850ee518f1b9d0"}',
    `{"type":"event","length":${event.body.length}}`,
    event.body,
  ]);
  assert.equal((await sendRaw(relay.port, "POST", "/api/8/store/", auth, event)).status, 403);
  assert.equal((await sendRaw(relay.port, "GET", "/stream")).status, 404);
  assert.equal((await sendRaw(relay.port, "OPTIONS", "/stream", loopbackPage)).status, 404);
  assert.equal((await sendRaw(relay.port, "OPTIONS", query, loopbackPage)).status, 403);
  assert.equal(other.requests.length, 0);
});
