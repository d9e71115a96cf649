/** `deploy/nginx.conf` with a real nginx and a real server: access to the inbox through it. */
import assert from "node:assert/strict";
import { type ServerProcess, startServer } from "../harness/server_process.ts";
import { EventReader } from "../inbox/_event_reader.ts";
import { sendRaw } from "../harness/send_raw.ts";
import { type ListeningProgram, nginx, startNginx } from "../harness/listening_program.ts";

const TOKEN = "open-sesame-sesame";
const HOST = "glass.example";
const BEHIND_PROXY = { PUBLIC_ORIGIN: `https://${HOST}`, TRUSTED_PROXY_HEADER: "X-Real-IP" };
const INBOX = "/monitoring/inbox";
const BEARER = { Host: HOST, Authorization: `Bearer ${TOKEN}` };

/** A proxy that only forwards: nginx then adds no header that reveals it, and sets `Host` to its target. */
const SILENT_PROXY = `
server {
    listen 443 ssl http2;
    listen [::]:443 ssl http2;
    ssl_certificate /x.pem;
    ssl_certificate_key /x.key;
    location / { proxy_pass http://127.0.0.1:8000; }
}`;

const testBehindNginx = (name: string, fn: () => Promise<void>) =>
  Deno.test({
    name: nginx === undefined ? `${name} (ignored: nginx is not installed)` : name,
    ignore: nginx === undefined,
    fn,
  });

/** Replaces text that must be present, so that the test fails when the file changes. */
function replaced(text: string, found: RegExp, by: string): string {
  assert.match(text, found);
  return text.replace(found, by);
}

/** Runs nginx as a proxy of the server. Without TLS, which needs a certificate. */
function startProxy(site: string, server: ServerProcess): Promise<ListeningProgram> {
  return startNginx((port) => {
    let conf = replaced(
      site,
      /listen 443 ssl http2;[^;]+listen \[::\]:443 ssl http2;/,
      `listen 127.0.0.1:${port};`,
    );
    conf = replaced(conf, /127\.0\.0\.1:8000/, `127.0.0.1:${server.port}`);
    return replaced(conf, /ssl_certificate [^;]+;\s+ssl_certificate_key [^;]+;/, "");
  });
}

const deployed = () => Deno.readTextFile(new URL("../../deploy/nginx.conf", import.meta.url));

const ENVELOPE =
  '{"dsn":"https://inbox@sightglass.invalid/1"}\n{"type":"event"}\n{"message":"m"}\n';

testBehindNginx(
  "deploy/nginx.conf, no INBOX_TOKEN → the inbox cannot be read through it",
  async () => {
    await using server = await startServer({ env: BEHIND_PROXY });
    await using proxy = await startProxy(await deployed(), server);
    for (const host of [HOST, "localhost", `127.0.0.1:${server.port}`]) {
      const { status, text } = await sendRaw(proxy.port, "GET", INBOX, { Host: host });
      assert.equal(status, 403, host);
      assert.match(JSON.parse(text).detail, /through a proxy/);
    }
    const own = await sendRaw(server.port, "GET", INBOX);
    assert.equal(own.status, 200, "allowed without the proxy");
  },
);

testBehindNginx(
  "deploy/nginx.conf, INBOX_TOKEN set → its bearer alone reads, lists and live rows",
  async () => {
    await using server = await startServer({ env: { ...BEHIND_PROXY, INBOX_TOKEN: TOKEN } });
    await using proxy = await startProxy(await deployed(), server);
    for (const headers of [{ Host: HOST }, { ...BEARER, Authorization: "Bearer guess" }]) {
      assert.equal((await sendRaw(proxy.port, "GET", INBOX, headers)).status, 403);
      assert.equal((await sendRaw(proxy.port, "DELETE", INBOX, headers)).status, 403);
    }
    const entered = await sendRaw(proxy.port, "GET", INBOX, {
      ...BEARER,
      "Sec-Fetch-Site": "same-origin",
    });
    assert.equal(entered.status, 200);
    const cookie = entered.headers.get("set-cookie")?.split(";")[0] ?? "";
    assert.equal(
      (await sendRaw(proxy.port, "GET", INBOX, { Host: HOST, Cookie: cookie })).status,
      200,
    );
    const url = `http://127.0.0.1:${proxy.port}${INBOX}`;
    await using stream = await EventReader.open(url, { Authorization: BEARER.Authorization });
    const page = { Host: HOST, Origin: `https://${HOST}`, "Sec-Fetch-Site": "same-origin" };
    const { status } = await sendRaw(proxy.port, "POST", "/monitoring", page, { body: ENVELOPE });
    assert.equal(status, 200);
    assert.equal((await stream.next())?.event, "envelope");
  },
);

testBehindNginx(
  "deploy/nginx.conf, inbox of 22 MiB exported through it → it is imported through it",
  async () => {
    await using server = await startServer({ env: { ...BEHIND_PROXY, INBOX_TOKEN: TOKEN } });
    await using proxy = await startProxy(await deployed(), server);
    const large = ENVELOPE.replace('"m"', JSON.stringify("m".repeat(11 * 1024 * 1024)));
    for (const id of ["1", "2"]) {
      const body = large.replace("{", `{"event_id":"${id.repeat(32)}",`);
      const posted = await fetch(`${server.origin}/monitoring`, { method: "POST", body });
      assert.equal(posted.status, 200, await posted.text());
    }
    const url = `http://127.0.0.1:${proxy.port}${INBOX}`;
    const headers = { Authorization: BEARER.Authorization };
    const archive = await (await fetch(`${url}?export`, { headers })).bytes();
    const imported = await fetch(`${url}?import`, { method: "POST", headers, body: archive });
    const text = await imported.text();
    assert.equal(imported.status, 200, text);
    // The server's own telemetry is in the inbox too.
    const { present, refused } = JSON.parse(text);
    assert.ok(present >= 2 && refused === 0, text);
  },
);

testBehindNginx(
  "a proxy that adds no header, INBOX_TOKEN set → 403 without the token",
  async () => {
    await using server = await startServer({ env: { INBOX_TOKEN: TOKEN } });
    await using proxy = await startProxy(SILENT_PROXY, server);
    assert.equal((await sendRaw(proxy.port, "GET", INBOX, { Host: HOST })).status, 403);
    assert.equal((await sendRaw(proxy.port, "GET", INBOX, BEARER)).status, 200);
  },
);
