/** Chromium's own reports: it posts them, and the console shows them. */
import { createHash, X509Certificate } from "node:crypto";
import { tracesJson } from "../harness/otlp_bodies.ts";
import { startServer } from "../harness/server_process.ts";
import { CHROMIUM_ARGS } from "../../tools/find_chromium.ts";
import { expect, listRows, test as base } from "../harness/browser/fixtures.ts";
import { crash } from "../harness/browser/marks.ts";
import { openPage } from "../harness/browser/signals.ts";
import { openView } from "../harness/browser/views.ts";

const pem = (name: string) =>
  Deno.readTextFileSync(new URL(`../relay/testdata/ingest_${name}.pem`, import.meta.url));
/** A certificate for `localhost`. */
const cert = pem("cert");
const fingerprint = createHash("sha256")
  .update(new X509Certificate(cert).publicKey.export({ type: "spki", format: "der" }))
  .digest("base64");

const test = base.extend({
  launchOptions: [async ({ chromium }, provide) => {
    await provide({
      executablePath: chromium,
      args: [
        ...CHROMIUM_ARGS,
        // Without it the Reporting API waits for a minute.
        "--short-reporting-delay",
        // The Reporting API sends nothing where certificate errors are ignored, so this one is trusted.
        `--ignore-certificate-errors-spki-list=${fingerprint}`,
      ],
    });
  }, { scope: "worker" }],
});

/** Ends TLS in front of a server. */
function startTlsProxy() {
  const listener = Deno.listenTls({ hostname: "127.0.0.1", port: 0, cert, key: pem("key") });
  let serverPort = 0;
  const connections = new Set<Promise<unknown>>();
  const forward = async (client: Deno.Conn) => {
    // Chromium may send a late report when the server has already stopped.
    const server = await Deno.connect({ hostname: "127.0.0.1", port: serverPort })
      .catch(() => undefined);
    if (server === undefined) return client.close();
    // When one side closes, both pipes end.
    await Promise.allSettled([
      client.readable.pipeTo(server.writable),
      server.readable.pipeTo(client.writable),
    ]);
  };
  const accepting = (async () => {
    for await (const client of listener) {
      const connection = forward(client).finally(() => connections.delete(connection));
      connections.add(connection);
    }
  })();
  return {
    origin: `https://localhost:${listener.addr.port}`,
    forwardTo: (port: number) => void (serverPort = port),
    async [Symbol.asyncDispose]() {
      listener.close();
      await accepting;
      await Promise.all(connections);
    },
  };
}

/** A server behind a TLS proxy. */
const overHttps = test.extend({
  server: async ({ chromium: _chromium }, provide) => {
    await using proxy = startTlsProxy();
    await using server = await startServer({ env: { PUBLIC_ORIGIN: proxy.origin } });
    proxy.forwardTo(server.port);
    await provide({ ...server, origin: proxy.origin });
  },
});

test("image of another site, 30 times, over http → one envelope, an error in the console", async ({ page, server, sent, watch }) => {
  watch.allow("https://evil.example/");
  await openPage(page, "/?secret=1");
  await page.evaluate(() => {
    for (let n = 0; n < 30; n++) new Image().src = `https://evil.example/pixel.png?secret=${n}`;
  });
  await openView(page, "Errors");
  const row = page.getByRole("row").filter({ hasText: "img-src https://evil.example" });
  await expect(row).toContainText("Blocked by the page's policy");
  await row.getByRole("link").click();
  const detail = page.getByRole("article");
  await expect(detail).toContainText("https://evil.example/pixel.png");
  const report = sent.all.find(({ url }) => url.pathname === "/monitoring/security");
  expect(report?.method).toBe("POST");

  const rows = await listRows(server.origin, "envelopes&type=raw_security");
  expect(rows).toHaveLength(1);
  const envelope = await fetch(`${server.origin}/monitoring/inbox?id=${rows[0].id}`);
  const text = await envelope.text();
  expect(text).not.toContain("secret");
  expect(JSON.parse(text.split("\n")[2]!)["csp-report"]).toMatchObject({
    "document-uri": `${server.origin}/`,
    "blocked-uri": "https://evil.example/pixel.png",
  });
});

test("page of an application: report-uri with the DSN's key, spans by OTLP → both are taken", async ({ page, server, watch }) => {
  watch.allow("https://cdn.example/", "400 (Bad Request)");
  const policy = `script-src 'self'; report-uri ${server.origin}/api/1/security/?sentry_key=dev`;
  await using application = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    () =>
      new Response('<!doctype html><script src="https://cdn.example/x.js"></script>', {
        headers: { "Content-Type": "text/html", "Content-Security-Policy": policy },
      }),
  );
  await page.goto(`http://localhost:${application.addr.port}/cart?secret=1`);
  const errors = () => listRows(server.origin, "errors&application=apps");
  await expect.poll(async () => (await errors()).map(({ value }) => value))
    .toEqual(["script-src-elem https://cdn.example"]);

  // Its media type and its own header make a preflight.
  const post = (body: string) =>
    page.evaluate(async ([url, body]) => {
      const headers = { "Content-Type": "application/json", "X-Tenant": "a" };
      const response = await fetch(url!, { method: "POST", keepalive: true, headers, body: body! });
      return [response.status, await response.text()];
    }, [`${server.origin}/v1/traces`, body]);
  const traces = new TextDecoder().decode(tracesJson());
  expect(await post(traces)).toEqual([200, "{}"]);
  const [status, text] = await post("{");
  expect(status).toBe(400);
  expect(JSON.parse(`${text}`)).toMatchObject({ code: 3 });
});

overHttps(
  "violation, deprecation, intervention, crash over https → errors and logs in the console",
  async ({ page: reporting, context, watch }) => {
    watch.allow("https://evil.example/", "Blocked call to navigator.vibrate");
    // Not by `evaluate`, which counts as an action of the user: that permits vibrating.
    await reporting.addInitScript(() => addEventListener("load", () => navigator.vibrate(1)));
    await openPage(reporting, "/?secret=1");
    await reporting.evaluate(() => {
      new Image().src = "https://evil.example/pixel.png?secret";
      const request = new XMLHttpRequest();
      request.open("GET", "/monitoring?secret", false);
      request.send();
    });
    const page = await context.newPage();
    await page.goto("/#/errors");
    const row = (text: string) => page.getByRole("row").filter({ hasText: text });
    await expect(row("img-src https://evil.example")).toBeVisible();
    await crash(reporting);
    await expect(row("The page crashed")).toBeVisible();

    await openView(page, "Logs");
    await expect(row("Deprecation: Synchronous `XMLHttpRequest`")).toBeVisible();
    await expect(row("Intervention: Blocked call to navigator.vibrate")).toBeVisible();
  },
);
