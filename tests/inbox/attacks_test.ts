/** Attacks on the access rules of the inbox, as raw requests to a real server. */
import assert from "node:assert/strict";
import { cookieValue } from "../../monitoring/access/token.ts";
import { type ServerProcess, startServer } from "../harness/server_process.ts";
import { type RawOptions, sendRaw, type WireAnswer } from "../harness/send_raw.ts";

const TOKEN = "open-sesame-sesame";
const ENVELOPE =
  '{"dsn":"https://inbox@sightglass.invalid/1"}\n{"type":"event"}\n{"message":"m"}\n';

interface Attempt extends Omit<RawOptions, "body"> {
  /** Default: GET to read, POST to write. */
  readonly method?: string;
  /** Default: `/monitoring/inbox` to read, `/monitoring` to write. */
  readonly target?: string;
  /** `PORT` is replaced. Default of `Host`: `localhost:PORT`; undefined: no header. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

interface Exchange extends WireAnswer {
  /** Error code of a refusal. */
  readonly error?: string;
  readonly detail?: string;
}

/** Sends one request with exactly these headers. */
async function send(port: number, attempt: Attempt, body = ""): Promise<Exchange> {
  const { method = "GET", target = "", headers = {}, ...options } = attempt;
  const withPort = (text?: string) => text?.replaceAll("PORT", `${port}`);
  const all = Object.entries({ Host: "localhost:PORT", ...headers })
    .map(([name, value]) => [name, withPort(value)]);
  const answer = await sendRaw(port, method, withPort(target)!, Object.fromEntries(all), {
    ...options,
    body,
  });
  return { ...answer, ...(answer.status === 403 ? JSON.parse(answer.text) : {}) };
}

const read = (port: number, attempt: Attempt) =>
  send(port, { target: "/monitoring/inbox", ...attempt });
const write = (port: number, attempt: Attempt) =>
  send(
    port,
    { method: "POST", target: "/monitoring", ...attempt },
    attempt.method === "OPTIONS" ? "" : ENVELOPE,
  );

const SAME_ORIGIN = { "Sec-Fetch-Site": "same-origin" };
const CROSS_SITE = { "Sec-Fetch-Site": "cross-site" };

type Attempts = Readonly<Record<string, Attempt>>;

/** Runs each request as a test step. */
function attempts(t: Deno.TestContext, server: ServerProcess, request: typeof read) {
  const error = request === read ? "inbox_forbidden" : "origin_not_allowed";
  return {
    /** Must be refused with 403, without CORS headers. */
    async refused(attacks: Attempts, detail: RegExp): Promise<void> {
      for (const [title, attack] of Object.entries(attacks)) {
        await t.step(`${title} → 403 ${error}`, async () => {
          const answer = await request(server.port, attack);
          assert.deepEqual([answer.status, answer.error], [403, error]);
          assert.match(answer.detail ?? "", detail);
          for (const name of ["access-control-allow-origin", "set-cookie"]) {
            assert.equal(answer.headers.get(name), null, name);
          }
        });
      }
    },
    /** Must be answered with 200. */
    async accepted(attempts: Attempts): Promise<void> {
      for (const [title, attempt] of Object.entries(attempts)) {
        await t.step(`${title} → 200`, async () => {
          const { status, detail } = await request(server.port, attempt);
          assert.equal(status, 200, detail);
        });
      }
    },
  };
}

/** Requests of a page whose host name resolves to this machine. Browsers send its name and origin. */
const REBOUND: Readonly<Record<string, Attempt>> = {
  ...Object.fromEntries(
    [
      ["a rebound name", "evil.example:PORT"],
      ["a rebound name without a port", "evil.example"],
      ["a rebound name in capitals", "EVIL.EXAMPLE:PORT"],
      ["a rebound name that begins with localhost", "localhost.evil.example"],
      ["a rebound name that begins with this machine's address", "127.0.0.1.evil.example:PORT"],
      ["localhost with a trailing dot", "localhost.:PORT"],
      ["a Host with credentials", "localhost@evil.example"],
      ["two names in one Host", "localhost, evil.example"],
      ["a name that ends with localhost", "evillocalhost:PORT"],
      ["a name that resembles an address", "999.1.1.1:PORT"],
      ["an address with two ports", "localhost:PORT:1"],
      ["an open bracket", "[::1"],
      ["an IPv6 address without brackets", "::1"],
      ["an empty Host", ""],
      ["no Host", undefined],
    ].map(([title, Host]) => [title, { headers: { Host, ...SAME_ORIGIN } }]),
  ),
  "HTTP/1.0 without a Host": { version: "1.0", headers: { Host: undefined, ...SAME_ORIGIN } },
};

const PROXIED =
  ("Forwarded X-Forwarded-For X-Forwarded-Host X-Real-IP Via CF-Connecting-IP True-Client-IP" +
    " X_Forwarded_For X_Real_IP cf_connecting_ip TRUE_CLIENT-IP").split(" ");

/** A page of this origin, at a Host of the same name. */
const pageAt = (host: string) => ({ headers: { Host: host, Origin: `http://${host}` } });
const IN_ABSOLUTE_TARGET = {
  "another host in an absolute target": "http://evil.example:PORT",
  "this machine in an absolute target, a rebound Host": "http://localhost:PORT",
};

Deno.test("attacks on reading, no token: rebound names, proxies, foreign pages → 403", async (t) => {
  await using server = await startServer();
  const { refused, accepted } = attempts(t, server, read);
  await refused(REBOUND, /Host.*PUBLIC_ORIGIN/);
  for (const [title, origin] of Object.entries(IN_ABSOLUTE_TARGET)) {
    const headers = origin.includes("evil") ? {} : { Host: "evil.example" };
    await refused({ [title]: { target: `${origin}/monitoring/inbox`, headers } }, /Host/);
  }
  for (const name of PROXIED) {
    const headers = { [name]: "203.0.113.9" };
    await refused({ [`a proxy that sends ${name}`]: { headers } }, /proxy/);
  }
  for (const site of ["cross-site", "same-site", "", "same-origin, cross-site"]) {
    const headers = { "Sec-Fetch-Site": site };
    await refused({ [`a ${site} page`]: { headers } }, /Sec-Fetch-Site/);
  }
  const foreign = { Origin: "https://evil.example", ...CROSS_SITE };
  await refused({
    "a page of another site that empties the inbox": { method: "DELETE", headers: foreign },
    "a rebound name that empties the inbox": { method: "DELETE", ...pageAt("evil.example") },
    "another loopback address": { headers: { Host: "127.0.0.2:PORT" } },
    "the address of all interfaces": { headers: { Host: "0.0.0.0:PORT" } },
  }, /Sec-Fetch-Site|Host/);
  const proxied = { "X-Forwarded-For": "203.0.113.9" };
  const Cookie = `sightglass_inbox=${cookieValue("undefined")}`;
  await refused({
    "a proxy with Bearer undefined": { headers: { ...proxied, Authorization: "Bearer undefined" } },
    "a proxy with the cookie of undefined": { headers: { ...proxied, Cookie } },
  }, /token is not/);
  await accepted({
    "localhost in capitals": { headers: { Host: "LocalHost:PORT" } },
    "this machine's IPv6 address as Host": { headers: { Host: "[::1]:PORT" } },
    "the page's own request": { headers: SAME_ORIGIN },
    "the address bar": { headers: { "Sec-Fetch-Site": "none" } },
    "the cookie of an earlier token": { headers: { Cookie } },
    "its own name in an absolute target": { target: "http://localhost/monitoring/inbox" },
  });
});

Deno.test("attacks on reading, INBOX_TOKEN set: no token, this machine included → 403", async (t) => {
  await using server = await startServer({
    env: { INBOX_TOKEN: TOKEN, PUBLIC_ORIGIN: "https://glass.example" },
  });
  const { refused, accepted } = attempts(t, server, read);
  const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
  const entered = await read(server.port, { headers: { ...bearer(TOKEN), ...SAME_ORIGIN } });
  const Cookie = entered.headers.get("set-cookie")?.split(";")[0] ?? "";
  assert.notEqual(Cookie, "");
  const sameSite = { "Sec-Fetch-Site": "same-site" };
  await refused({
    "this machine without the token": {},
    "this machine as 127.0.0.1": { headers: { Host: "127.0.0.1:PORT" } },
    "this machine as PUBLIC_ORIGIN": { headers: { Host: "glass.example" } },
    "the page before the token was entered": { headers: SAME_ORIGIN },
    "live rows": { headers: { Accept: "text/event-stream" } },
    "the export": { target: "/monitoring/inbox?export" },
    "a guess as bearer": { headers: bearer("guess") },
    "the token's beginning as bearer": { headers: bearer("open") },
    "the token with another scheme": { headers: { Authorization: `Basic ${TOKEN}` } },
    "a guess as cookie": { headers: { Cookie: `${Cookie.slice(0, -1)}x` } },
    "the token itself as cookie": { headers: { Cookie: `sightglass_inbox=${TOKEN}` } },
    "the cookie's value as bearer": { headers: bearer(Cookie.split("=")[1]!) },
    "the cookie, sent by a page of another site": { headers: { Cookie, ...CROSS_SITE } },
    "the cookie, sent by a page of another port": { headers: { Cookie, ...sameSite } },
  }, /token|Sec-Fetch-Site/i);
  const proxied = { Host: "glass.example", "X-Forwarded-For": "203.0.113.9" };
  await accepted({
    "the token as bearer": { headers: bearer(TOKEN) },
    "the token as BEARER": { headers: { Authorization: `BEARER ${TOKEN}` } },
    "the token through a proxy, under any name": { headers: { ...proxied, ...bearer(TOKEN) } },
    "the cookie, sent by the page": {
      headers: { Cookie: `other=1; ${Cookie}; more=2`, ...SAME_ORIGIN },
    },
  });
});

Deno.test("attacks on writing: pages of rebound names and of other origins → 403", async (t) => {
  await using server = await startServer();
  const { refused, accepted } = attempts(t, server, write);
  await refused(REBOUND, /set PUBLIC_ORIGIN/);
  const evil = pageAt("evil.example:PORT");
  const proxied = { ...evil.headers, "X-Forwarded-For": "203.0.113.9" };
  await refused({
    "a rebound name, named by Origin alone": evil,
    "a rebound name, in a preflight": { method: "OPTIONS", ...evil },
    "a rebound name, through a proxy that adds a header": { headers: proxied },
  }, /set PUBLIC_ORIGIN/);
  for (const [title, origin] of Object.entries(IN_ABSOLUTE_TARGET)) {
    const headers = origin.includes("evil") ? { Origin: origin } : evil.headers;
    await refused({ [title]: { target: `${origin}/monitoring`, headers } }, /set PUBLIC_ORIGIN/);
  }
  await refused({
    "a page of another site": { headers: { Origin: "https://evil.example", ...CROSS_SITE } },
    "a page without an origin": { headers: { Origin: "null" } },
  }, /ALLOWED_ORIGINS/);
  await accepted({
    "the page as localhost": { headers: { Origin: "http://localhost:PORT" } },
    "the page as LOCALHOST": {
      headers: { Host: "LOCALHOST:PORT", Origin: "http://localhost:PORT" },
    },
    "the page as a name below localhost": pageAt("app.localhost:PORT"),
    "the page as 127.0.0.1": pageAt("127.0.0.1:PORT"),
    "the page as another address of this machine": {
      headers: { Host: "192.168.1.9:PORT", ...SAME_ORIGIN },
    },
    "the page as [::1]": pageAt("[::1]:PORT"),
    "no browser, under any name": { headers: { Host: "evil.example" } },
  });
});

Deno.test("attacks, PUBLIC_ORIGIN set: its page → 200, rebound names → 403", async (t) => {
  await using server = await startServer({ env: { PUBLIC_ORIGIN: "https://glass.example" } });
  const { refused, accepted } = attempts(t, server, write);
  const page = { Host: "glass.example", Origin: "https://glass.example" };
  await accepted({
    "PUBLIC_ORIGIN's page": { headers: { ...page, "X-Real-IP": "203.0.113.9" } },
  });
  await refused(REBOUND, /set PUBLIC_ORIGIN/);
  const reading = attempts(t, server, read);
  await reading.accepted({ "reading at its Host": { headers: { Host: "GLASS.example:8443" } } });
  await reading.refused(
    { "reading at another": { headers: { Host: "not-glass.example" } } },
    /Host/,
  );
});

Deno.test({
  name: "server on all addresses → same rules for ::1 and ::ffff:127.0.0.1",
  ignore: !hasIPv6(),
  async fn(t) {
    await using server = await startServer({ env: { HOST: "::" } });
    for (const address of ["::1", "127.0.0.1"]) {
      const headers = { Host: "evil.example", ...SAME_ORIGIN };
      const attack = { [`a rebound name, by ${address}`]: { address, headers } };
      await attempts(t, server, read).refused(attack, /PUBLIC_ORIGIN/);
      await attempts(t, server, write).refused(attack, /PUBLIC_ORIGIN/);
      await attempts(t, server, read).accepted({ [`this machine, by ${address}`]: { address } });
    }
  },
});

function hasIPv6(): boolean {
  try {
    Deno.listen({ hostname: "::1", port: 0 }).close();
    return true;
  } catch {
    return false;
  }
}
